/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model predicts the cost of each write of a sequence to its caller, from the calibrated system alone. It keeps
 * a clock and the state of the page cache, independent of other models.
 */
#ifndef IOWRITE_BENCH_MODEL_MODEL_H
#define IOWRITE_BENCH_MODEL_MODEL_H

#include "iowrite-bench/system/system.h"
#include "iowrite-bench/write/memory.h"

/* State of the kernel's dirty throttling when a run begins (throttle_state.h); 0 = steady, or as noted. */
struct model_control {
	double limit;      /* in force: larger than the threshold for some time after that was lowered; bytes */
	double ratelimit;  /* dirty_ratelimit, bytes/s */
	double write_rate; /* the kernel's estimate of the device's rate, bytes/s */
	/* The unit of pauses, and the portions (folios of the file system) in which a writer dirties pages between two checks. 0
	 * = unknown: the model ignores ticks. */
	double tick_s, step_bytes;
};

struct model_setup {
	enum op_mode mode;
	enum op_regime regime;
	enum model_memory memory;
	bool is_cached;        /* OP_OVERWRITE: the old data are in the page cache, nothing has to be read first */
	bool has_sync_call;    /* of a synchronous mode: made by a second call after each write, fsync(2) or fdatasync(2) */
	bool is_paper_literal; /* cawl: as in the paper, without clamps, sub-steps and the second call's cost */
	uint64_t dirty_bytes, writeback_bytes; /* of all files when the run begins */
	bool is_detailed;      /* kernel: single pauses, as the kernel makes them, instead of each write's share */
	struct model_control control; /* kernel */
};

/* The kernel's state when the write returns. */
enum model_state { MODEL_FREE, MODEL_BACKGROUND, MODEL_THROTTLED, MODEL_DEVICE /* synchronous */ };

struct model_cost {
	/* The mean of many such writes, which can be summed; never negative, NaN or infinite except with is_paper_literal. */
	double ns;
	/* The value to compare a single write with. Not throttled: the median, from the size tables of its cost. Throttled: the
	 * value that minimises the mean relative error, from its band. Equal to ns when the model has neither. */
	double typical_ns;
	/* The band from the 10th (low_ns) to the 90th percentile (high_ns). Both equal ns where there is none. */
	double low_ns, high_ns;
	double syscall_ns, copy_ns, throttle_ns, device_ns; /* their sum is ns */
	enum model_state state;
	double dirty_bytes, writeback_bytes; /* afterwards */
};

struct model_kind {
	const char *name;
	/* Returns 0, -ENOMEM, or -ENODATA when the system lacks a parameter: its name is then in *missing. system and setup
	 * must outlive the model. */
	int (*create)(const struct system *system, const struct model_setup *setup, void **model,
		const char **missing);
	/* Returns 0 or -ENOMEM. */
	int (*write)(void *model, const struct op *op, struct model_cost *cost);
	/* Returns the ns until everything is written back, which an fsync at the end would wait for. */
	double (*drain)(void *model);
	void (*free)(void *model);
	bool has_cache; /* models the page cache, so that the libc's buffer and the kind of memory matter */
};

#endif
