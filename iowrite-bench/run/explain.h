/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A round of buffered writes as the kernel's model sees it, write by write: where their time went. */
#ifndef IOWRITE_BENCH_RUN_EXPLAIN_H
#define IOWRITE_BENCH_RUN_EXPLAIN_H

#include "iowrite-bench/measure.h"
#include "iowrite-bench/model/stdio.h"
#include "iowrite-bench/predict/split.h"
#include "iowrite-bench/run/plan.h"

struct explain {
	const struct system *system; /* NULL = no calibration: nothing is explained */
	const struct run_cell *cell;
	enum model_memory memory;
	void *model;                 /* of the round that runs */
	struct model_setup setup;
	struct stdio stdio;
	bool is_stdio, is_spoiled;   /* spoiled: the model cannot */
	struct model_cost sum;       /* of all rounds */
	double measured_ns;
	const char *missing;         /* what the calibration lacks, NULL = nothing */
};

/* Only cells that a model knows: buffered, not mapped, not synced, by one thread. */
bool explain_can(const struct run_cell *cell, unsigned threads, unsigned files);
void explain_init(struct explain *explain, const struct system *system, const struct run_cell *cell,
	enum model_memory memory);
void explain_add(struct explain *explain, const struct dirty_state *before, const struct record *records, size_t count);
void explain_end_round(struct explain *explain);
/* false when there is nothing to say. */
bool explain_split(const struct explain *explain, struct split *split);

#endif
