/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that a calibration does to the world: the clock, the target, memory, the libc and the kernel. device.h is the
 * real one; tests have one whose every cost is known. Sizes and offsets in bytes; 0 or -errno where nothing else is
 * said, and nobody else has told why.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_HOOKS_H
#define IOWRITE_BENCH_CALIBRATE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "iowrite-bench/dirty.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/op.h"

struct calibrate_hooks {
	void *state;
	uint64_t (*now_ns)(void *state);
	void (*sleep_ns)(void *state, uint64_t ns);
	bool (*is_stopped)(void *state); /* a signal came */
	/* Time that tasks of the whole machine have waited for a CPU since it began; what else ran when that is not
	 * known. */
	uint64_t (*others_ns)(void *state);
	/* Time that the target's disk was surely busy for others; stays what it is where that cannot be told. */
	uint64_t (*foreign_ns)(void *state);

	/* Makes the next bytes that are written: others than before. NULL = nothing has to be made. */
	void (*fill)(void *state, uint64_t bytes);
	/* The target. Bytes or -errno; size up to the plan's largest_bytes. */
	int64_t (*write)(void *state, enum op_mode mode, uint64_t offset, uint64_t size);
	int64_t (*read)(void *state, uint64_t offset, uint64_t size); /* O_DIRECT */
	int (*cut)(void *state, uint64_t size);                       /* what is behind is gone, dirty or not */
	int (*reserve)(void *state, uint64_t offset, uint64_t size);  /* fallocate(2); -EOPNOTSUPP: never here */
	int (*room)(void *state, uint64_t offset, uint64_t size);     /* warm, behind what is there (iowrite-bench/room.h) */
	int (*sync)(void *state);                                     /* fsync(2) */
	int (*forget)(void *state, uint64_t size);                    /* up to size nothing is cached; it was clean */

	/* Memory for the page cache (iowrite-bench/feed.h): what is given at once is handed out next. */
	int (*warm)(void *state, uint64_t size);
	void (*give)(void *state, uint64_t size);
	void (*rewarm)(void *state); /* what was given is free again: it is taken back while it is warm */
	void (*copy)(void *state, uint64_t size, unsigned times); /* memcpy(3) from one place to another */

	/* A stream on the target, and what its libc does with its first large fwrite(3). */
	int (*lib_open)(void *state, uint64_t *buffer_bytes, bool *has_first_rule);
	int (*lib_write)(void *state, uint64_t size, unsigned times);
	int (*lib_flush)(void *state);
	int (*lib_close)(void *state);

	/* The kernel: waits until it has little to write back; writes back all in the background, or until it has. */
	int (*settle)(void *state);
	int (*flush)(void *state);
	bool (*is_flushing)(void *state);
	int (*flush_wait)(void *state);
	int (*look)(void *state, struct dirty_state *dirty, uint64_t *written_bytes);
	/* What the kernel's control of dirty pages stands at, as far as it is known; NULL = nothing of it is. */
	void (*control)(void *state, struct model_control *control);
	/* Other thresholds until restored by 0, 0; a diag_exit code after one line. NULL = they may not be changed. */
	int (*thresholds)(void *state, uint64_t background_bytes, uint64_t dirty_bytes);
};

#endif
