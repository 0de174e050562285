/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model predicts what each of a sequence of writes costs its caller, from the calibrated system alone. It keeps
 * a clock and the state of the page cache; nothing of it depends on the order in which models are asked. One table
 * of models: naive, cawl, kernel.
 */
#ifndef IOWRITE_BENCH_MODEL_MODEL_H
#define IOWRITE_BENCH_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/op.h"
#include "iowrite-bench/system.h"

enum model_memory { MODEL_WARM, MODEL_COLD, MODEL_AS_IS };

/* What the kernel's control of dirty pages stands at when a run begins (throttle_state.h); 0 = it has come to rest, or as said. */
struct model_control {
	double limit;      /* that acts: larger than the threshold for a while after that was lowered; bytes */
	double ratelimit;  /* dirty_ratelimit, bytes/s */
	double write_rate; /* the device's by the kernel's estimate, bytes/s */
	/* Of pauses: what the kernel counts them in, and in what portions (folios of the file system) a writer makes pages dirty
	 * between two looks. 0 = not known: as if time had no ticks. */
	double tick_s, step_bytes;
};

struct model_setup {
	enum op_mode mode;
	enum op_regime regime;
	enum model_memory memory;
	bool is_cached;        /* OP_OVERWRITE: what was written before is in the page cache, nothing has to be read first */
	bool has_sync_call;    /* of a synchronous mode: by fsync(2) or fdatasync(2) after each write, a second call */
	bool is_stdio;         /* fwrite(3): model/stdio.h gathers the bytes first */
	bool is_paper_literal; /* cawl: as printed, without clamps, sub-steps and the second call's cost */
	uint64_t dirty_bytes, writeback_bytes; /* of everybody, when the run begins */
	bool is_detailed;      /* kernel: pauses one by one, as the kernel makes them, instead of each write's share */
	struct model_control control; /* kernel */
};

/* In what the kernel is when the write returns. */
enum model_state { MODEL_FREE, MODEL_BACKGROUND, MODEL_THROTTLED, MODEL_DEVICE /* synchronous */ };

struct model_cost {
	/* Of many such writes the mean, which adds up; never negative, NaN or infinite but with is_paper_literal. */
	double ns;
	/* What a single write is compared with: of a write that is not throttled what half of them cost at most, by the size tables
	 * that its cost was taken from; of one that is, what they are least far from in parts of themselves, by its band. ns
	 * where the model knows neither. */
	double typical_ns;
	/* The band: a tenth of them cost at most low_ns, nine tenths at most high_ns. Both equal ns where there is none. */
	double low_ns, high_ns;
	double syscall_ns, copy_ns, throttle_ns, device_ns; /* their sum is ns */
	enum model_state state;
	double dirty_bytes, writeback_bytes; /* afterwards */
};

struct model_kind {
	const char *name, *meaning;
	/* 0, -ENOMEM, or -ENODATA when the system lacks a parameter: its name is then in *missing. system and setup
	 * must outlive the model. */
	int (*create)(const struct system *system, const struct model_setup *setup, void **model,
		const char **missing);
	/* 0 or -ENOMEM. */
	int (*write)(void *model, const struct op *op, struct model_cost *cost);
	/* Everything is written back: what close, or fsync at the end, would wait for; ns. */
	double (*drain)(void *model);
	void (*free)(void *model);
	bool has_cache; /* knows of the page cache: the libc's buffer and the memory's temperature are something to it */
};

/* Ended by a row without a name. */
extern const struct model_kind model_kinds[];
const struct model_kind *model_kind(const char *name); /* NULL = none */

#endif
