/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The target of a run: common/storage/target, which makes all refusals, with this tool's header. A file that was created here
 * is removed at the end unless it is to be kept; files created by a failed open are removed.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_PLACE_H
#define SSD_WORKLOADS_WORKLOAD_PLACE_H

#include "common/storage/target.h"
#include "ssd-workloads/workload/header.h"

struct place_request {
	const char *path;         /* file, directory (for a file without a name) or block device */
	const char *destroy_data; /* NULL = not given */
	const struct layout *layout;
	uint64_t run;             /* run that will own it */
	bool is_kept;             /* a file created here is kept */
	bool is_read_only_check;  /* --dry-run: nothing is created, written or changed */
};

struct place {
	struct target target;
	int direct_fd;            /* O_RDWR | O_DIRECT, of the same file */
	uint32_t block_bytes;     /* O_DIRECT's alignment of offsets and lengths */
	uint32_t memory_align;
	bool is_prewritten;       /* its header says that all of these areas were written in full, with these block sizes */
	uint64_t left_run;        /* from its header: a run that did not end and may have left an acknowledgement log; 0 = none */
	struct layout left_layout; /* of that run; only with left_run */
	bool has_others_data;     /* it has other data that may be overwritten: place_claim wipes its first MiB */
	bool is_grown;            /* its file was extended; the extension is not written yet */
	bool is_kept;             /* a created file is kept; set by place_claim, cleared if the file is not worth keeping */
};

/* Performs all checks of the target without changing it; a file that is created is empty. Returns 0 or a diag_exit code after an
 * error message: 2 for usage, or for data that would be lost; 3 if this host does not support it: free space, read-only, no
 * O_DIRECT, --log-bs or --ckpt-bs that O_DIRECT's alignment does not divide (the message names it). */
int place_open(const struct place_request *request, struct place *place);
/* Extends a file to the layout's size; not in a dry run. Returns 0, or DIAG_EXIT_HOST after an error message; then, or if
 * another place of the run is refused, place_release restores its length. */
int place_reserve(const struct place_request *request, struct place *place);
void place_release(struct place *place);
/* Removes the signatures of former contents, and writes the header of a created file. Called after place_reserve of all places,
 * when nothing else can refuse the run. Returns 0 or DIAG_EXIT_HOST after an error message. */
int place_claim(const struct place_request *request, struct place *place);
/* Closes the place, after all writes to a kept file. */
void place_close(struct place *place);

#endif
