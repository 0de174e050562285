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

struct model_setup {
	enum op_mode mode;
	enum op_regime regime;
	enum model_memory memory;
	bool is_stdio;         /* fwrite(3): model/stdio.h gathers the bytes first */
	bool is_paper_literal; /* cawl: as printed, without clamps and sub-steps */
	uint64_t dirty_bytes, writeback_bytes; /* of everybody, when the run begins */
	bool is_detailed;      /* kernel: pauses one by one, as the kernel makes them, instead of each write's share */
	double ratelimit0;     /* kernel: dirty_ratelimit before the first write, bytes/s; 0 = it has settled at bw_sync */
};

/* In what the kernel is when the write returns. */
enum model_state { MODEL_FREE, MODEL_BACKGROUND, MODEL_THROTTLED, MODEL_DEVICE /* synchronous */ };

struct model_cost {
	double ns;                   /* never negative, NaN or infinite but with is_paper_literal */
	double low_ns, high_ns;      /* p10 and p90; equal to ns where the model has no band */
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
