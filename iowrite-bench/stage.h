/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stage for a scenario: small dirty thresholds, so that throttling begins after hundreds of MiB and not after
 * gigabytes, and a slow device (a throttled loop device with a file system of its own), when asked for. Root only.
 * Everything is put back by stage_close, and by common/undo.h when the program dies.
 */
#ifndef IOWRITE_BENCH_STAGE_H
#define IOWRITE_BENCH_STAGE_H

#include <stdint.h>

#include "common/target.h"

struct stage;

struct stage_request {
	uint64_t background_bytes, dirty_bytes; /* thresholds; 0 = as they are */
	uint64_t slow_bytes_per_second;         /* 0 = no slow device */
	uint64_t slow_size_bytes;               /* of its file system */
	const char *slow_folder;                /* where its image lies; NULL = the target's */
};

/* 0 or a diag_exit code after one line; then nothing is changed. */
int stage_open(const struct stage_request *request, struct stage **stage);
/* Other thresholds; 0, 0 = as they were before stage_open. 0 or a diag_exit code after one line. */
int stage_thresholds(struct stage *stage, uint64_t background_bytes, uint64_t dirty_bytes);
/* The folder on the slow device; NULL when there is none. */
const char *stage_folder(const struct stage *stage);
/* DIAG_EXIT_OK, or DIAG_EXIT_HOST after a line for what could not be put back. NULL is OK. */
int stage_close(struct stage *stage);

#endif
