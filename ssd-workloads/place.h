/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of a run: common/target (every refusal is its) with this tool's header. A file that was made here is
 * removed at the end unless it is to be kept; whatever was made is removed when opening fails.
 */
#ifndef SSD_WORKLOADS_PLACE_H
#define SSD_WORKLOADS_PLACE_H

#include "common/target.h"
#include "ssd-workloads/data/header.h"

struct place_request {
	const char *path;         /* file, folder (a file without a name in it) or block device */
	const char *destroy_data; /* NULL = not given */
	const struct layout *layout;
	uint64_t run;             /* whose it is going to be */
	bool is_kept;             /* a file that is made here stays */
	bool is_read_only_check;  /* --dry-run: nothing is made, written or changed */
};

struct place {
	struct target target;
	int direct_fd;            /* O_RDWR | O_DIRECT, of the same file */
	uint32_t block_bytes;     /* O_DIRECT's alignment of offsets and lengths */
	uint32_t memory_align;
	bool is_prewritten;       /* its header says that all of these areas have been written in full, in such blocks */
	uint64_t left_run;        /* of its header: a run that never ended, and may have left a ack_log; 0 = none */
	struct layout left_layout; /* of that run; only with left_run */
	bool has_others_data;     /* it was not ours, or not alone, and may be lost: place_claim wipes its first MiB */
	bool is_grown;            /* its file was made longer, of which nothing is written yet */
	bool is_kept;             /* a file that was made stays: place_claim sets it, and it is cleared when there is nothing
	                           * worth keeping in it */
};

/* Everything that can refuse it is looked at, and what is there stays as it was; a file that is made is empty. 0 or a
 * diag_exit code after one line: 2 usage, or data that would be lost; 3 this host cannot: room, read-only, no O_DIRECT, --log-bs or
 * --ckpt-bs that O_DIRECT's alignment does not divide (the line names it). */
int place_open(const struct place_request *request, struct place *place);
/* Gives a file the layout's size; not in a dry run. 0, or DIAG_EXIT_HOST after one line; then, as when another place of the run
 * is refused, place_release makes it as short as it was. */
int place_reserve(const struct place_request *request, struct place *place);
void place_release(struct place *place);
/* After place_reserve of all places, when nothing else can refuse the run: removes the signatures of what was there, and gives a
 * file that was made its header. 0 or DIAG_EXIT_HOST after one line. */
int place_claim(const struct place_request *request, struct place *place);
/* After everything that a kept file shall hold. */
void place_close(struct place *place);

#endif
