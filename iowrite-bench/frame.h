/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every report of iowrite-bench has around its result (docs/report-iowrite.md): who ran what where, on which storage,
 * by which clock, and what it is worth.
 *
 *   frame_start ... measure ... frame_reason ... frame_begin, own elements of <result>, frame_end_result,
 *   own <statistics> and <series>, frame_end, frame_publish
 */
#ifndef IOWRITE_BENCH_FRAME_H
#define IOWRITE_BENCH_FRAME_H

#include <stdbool.h>

#include "common/machine.h"
#include "common/report_common.h"
#include "iowrite-bench/storage.h"

#define FRAME_CHECKS 24
#define FRAME_REASONS 16

struct frame { /* some 20 KiB: not for a stack */
	struct machine machine;
	struct report_signature signature;
	struct target target;   /* a copy of its facts, without its descriptor */
	struct storage storage;
	double clock_overhead_ns, clock_granularity_ns; /* of CLOCK_MONOTONIC; the first is in every number once */
	size_t check_count;
	struct machine_check checks[FRAME_CHECKS];
	size_t reason_count;
	struct report_reason reasons[FRAME_REASONS];
};

/* Before anything is measured: facts, checks, clock, uuid. argv and the target's facts are kept by reference and by
 * value. options: of the report's signature, the caller's until frame_publish. 0 or a diag_exit code after one line. */
int frame_start(struct frame *frame, int argc, char **argv, const struct target *target);
/* Something that makes the result less than ok; the same code is kept once. */
void frame_reason(struct frame *frame, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* "ok", "interrupted" or "untrustworthy". */
const char *frame_status(const struct frame *frame);

/* A new report up to the inside of <result>, its <clock> written. 0 or -errno. */
int frame_begin(struct frame *frame, struct report **report);
void frame_end_result(struct report *report);
void frame_end(const struct frame *frame, struct report *report);
/* Writes it to the paths that are not NULL ("-" is stdout), and frees it. DIAG_EXIT_OK, or DIAG_EXIT_HOST after one
 * line for each path that could not be written. */
int frame_publish(struct report *report, const char *xml_path, const char *json_path);

#endif
