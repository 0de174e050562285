/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run measured: a cell for each combination, the series, and what was wrong. */
#ifndef IOWRITE_BENCH_RUN_RESULT_H
#define IOWRITE_BENCH_RUN_RESULT_H

#include "common/contention.h"
#include "common/frame.h"
#include "iowrite-bench/outside.h"
#include "iowrite-bench/predict/split.h"
#include "iowrite-bench/run/plan.h"
#include "iowrite-bench/run/series.h"
#include "iowrite-bench/run/tally.h"

struct run_measured {
	const struct run_cell *cell;
	struct tally tally;             /* of all rounds and threads */
	double run_s;
	double series_s;                /* the same with what was between windows: the series' clock */
	unsigned rounds;                /* that ended */
	uint64_t fill_ns;               /* making the bytes of all writes */
	double *round_rates;            /* operations a second of each round; NULL = nobody ranks them */
	uint64_t flush_ns, close_ns;    /* means of these, of the slowest thread */
	bool has_flush;                 /* the method holds something back */
	bool has_dirty;
	uint64_t dirty_before_bytes, dirty_after_bytes; /* first round's begin, last one's end */
	uint64_t faults;                /* while writing */
	uint64_t unfed_bytes;           /* written into memory that was to be warm and was used up */
	struct busy busy;               /* of all rounds */
	bool is_disturbed;              /* a thread waited for a CPU */
	struct contention_finding contention; /* in the round where it was worst */
	int error;                      /* errno that ended it early, 0 = none */
	char failure[320];              /* "" = none */
	bool has_split, is_memory_hidden; /* hidden: there could be a split, were it known how warm the memory was */
	struct split split;
	struct outside outside;
	struct durability_check durability; /* of all rounds */
};

struct run_result {
	const struct run_plan *plan;
	struct frame *frame;
	size_t cell_count;              /* measured or failed; those that were skipped are in the plan */
	struct run_measured *cells;
	struct series series;
	bool is_interrupted;
	size_t missed;                  /* objectives */
};

/* 0 or -ENOMEM. */
int run_result_init(struct run_result *result, const struct run_plan *plan, struct frame *frame);
void run_result_free(struct run_result *result);

/* What an objective reached in a cell; NAN when it was not measured there. */
double run_result_reached_ns(const struct run_measured *measured, const struct slo *slo);
/* Counts the objectives that are not met. A cell that has no sync cannot miss what is said of syncs alone. */
void run_result_judge(struct run_result *result);
/* Whether an objective is about this cell. */
bool run_result_concerns(const struct run_measured *measured, const struct slo *slo);
/* DIAG_EXIT_HOST when a cell failed (but by another process that changed the file), else 4 when interrupted or not ok, else 1
 * when an objective is missed. */
int run_result_code(const struct run_result *result);

/* operations or bytes a second; NAN when nothing was measured. */
double run_result_rate(const struct run_measured *measured, uint64_t amount);

#endif
