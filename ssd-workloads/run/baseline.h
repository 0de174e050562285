/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interference of the streams: the mix and each of its streams alone run in repetitions that are interleaved in varying order, so
 * that a drift of the device affects all of them; then for each stream and statistic the ratio of the mix to alone is computed,
 * with an interval by bootstrap over the repetitions.
 */
#ifndef SSD_WORKLOADS_RUN_BASELINE_H
#define SSD_WORKLOADS_RUN_BASELINE_H

#include <stdbool.h>

#include "ssd-workloads/engine/engine.h"

#define BASELINE_CELLS 3          /* the mix, the log alone, the checkpoint alone */
#define BASELINE_RUNS_MAX 1000u

/* The first are statistics of the response, those from BASELINE_COMMIT the same of the commits; the last is writes per second. */
enum baseline_statistic { BASELINE_MEAN, BASELINE_P50, BASELINE_P99, BASELINE_P999, BASELINE_COMMIT,
	BASELINE_THROUGHPUT = 2 * BASELINE_COMMIT, BASELINE_STATISTICS };
/* Returns "mean" "p50" "p99" "p99.9", "commit.mean" ... "throughput". */
const char *baseline_statistic_name(enum baseline_statistic statistic);

struct baseline_plan {
	size_t cell_count;            /* 1 if the mix has one stream only, or without --baselines */
	struct workload cells[BASELINE_CELLS];
	const char *names[BASELINE_CELLS]; /* "mix", "log-alone", "checkpoint-alone"; the added name */
	unsigned runs;
};
void baseline_plan_make(const struct workload *workload, bool has_baselines, unsigned runs, struct baseline_plan *plan);
/* Adds a cell: the whole workload again, under another condition of this name. Only for plans without baselines. */
void baseline_plan_add(struct baseline_plan *plan, const char *name);
/* Returns the cell that a stream of the mix is compared with; 0 = none. */
size_t baseline_cell_of(const struct baseline_plan *plan, enum mix_stream stream);
/* Returns the cell that runs as the step-th of all (cell_count * runs of them); each repetition has each cell once. seed is that
 * of the order. */
size_t baseline_order(const struct baseline_plan *plan, uint64_t seed, size_t step);

struct baseline_sample { /* of a stream in one repetition: ns, or writes per second; NAN = none */
	double values[BASELINE_STATISTICS];
};
struct baseline_ratio {
	bool is_known;                /* both were measured */
	double ratio, low, high;      /* mix / alone, of the medians; low, high: 95 %, NAN unless both were measured twice */
	double alone, mix;            /* those medians */
};
struct baseline_result {
	unsigned runs;
	struct baseline_ratio ratios[MIX_STREAMS][BASELINE_STATISTICS];
};
/* Compares the cells; samples are indexed as samples[cell * runs + run][stream]. Returns 0 or -ENOMEM. */
int baseline_compare(const struct baseline_plan *plan, const struct baseline_sample (*samples)[MIX_STREAMS], uint64_t seed,
	struct baseline_result *result);

#endif
