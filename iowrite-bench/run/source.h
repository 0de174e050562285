/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writes of one thread in one round, made a ring at a time: the same list in every round. */
#ifndef IOWRITE_BENCH_RUN_SOURCE_H
#define IOWRITE_BENCH_RUN_SOURCE_H

#include "common/hot/rng.h"
#include "common/pattern.h"
#include "iowrite-bench/run/plan.h"

struct source {
	const struct run_cell *cell;
	uint64_t begin_bytes, size_bytes, delay_ns; /* where the thread's part begins; what is written */
	unsigned thread;
	struct pattern_permutation permutation;    /* RUN_RANDWRITE of one size: each place once */
	unsigned files;                            /* written in turn */
	uint64_t index, done;
	uint64_t offsets[OP_FILES_MAX];            /* where each file's next write begins */
	struct rng rng;
};

void source_init(struct source *source, const struct run_plan *plan, const struct run_cell *cell, unsigned thread);
/* As measure_stream.refill; the state is a struct source. */
size_t source_refill(void *state, struct op *ops, size_t room);

#endif
