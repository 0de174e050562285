/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much the streams cost each other: the mix and each of its streams alone, in repetitions that are interleaved and
 * change their order, so that a drift of the device meets all of them; then of each stream and statistic the ratio of
 * the mix to alone, with an interval by bootstrap over the repetitions.
 */
#ifndef SSD_WORKLOADS_BASELINE_BASELINE_H
#define SSD_WORKLOADS_BASELINE_BASELINE_H

#include <stdbool.h>

#include "ssd-workloads/engine/engine.h"

#define BASELINE_CELLS 3          /* the mix, the log alone, the checkpoint alone */
#define BASELINE_RUNS_MAX 1000u

/* Of the response; from BASELINE_COMMIT on the same of the commits; last the writes a second. */
enum baseline_statistic { BASELINE_MEAN, BASELINE_P50, BASELINE_P99, BASELINE_P999, BASELINE_COMMIT,
	BASELINE_THROUGHPUT = 2 * BASELINE_COMMIT, BASELINE_STATISTICS };
/* "mean" "p50" "p99" "p99.9", "commit.mean" ... "throughput" */
const char *baseline_statistic_name(enum baseline_statistic statistic);

struct baseline_plan {
	size_t cell_count;            /* 1 when a mix has one stream only, or --baselines was not given */
	struct workload cells[BASELINE_CELLS];
	const char *names[BASELINE_CELLS]; /* "mix", "log-alone", "checkpoint-alone"; what was added */
	unsigned runs;
};
void baseline_plan_make(const struct workload *workload, bool has_baselines, unsigned runs, struct baseline_plan *plan);
/* Behind that: the whole workload once more, under another condition of this name. Without baselines. */
void baseline_plan_add(struct baseline_plan *plan, const char *name);
/* The cell that a stream of the mix is compared with; 0 = none. */
size_t baseline_cell_of(const struct baseline_plan *plan, enum mix_stream stream);
/* Which cell is run as the step-th of all (cell_count * runs of them); each repetition has each cell once. seed: of the
 * order. */
size_t baseline_order(const struct baseline_plan *plan, uint64_t seed, size_t step);

struct baseline_sample { /* of a stream in one repetition: ns, or writes a second; NAN = none */
	double values[BASELINE_STATISTICS];
};
struct baseline_ratio {
	bool is_known;                /* both were measured */
	double ratio, low, high;      /* mix / alone, of the medians over repetitions; 95 %, NAN unless both were measured twice */
	double alone, mix;            /* those medians */
};
struct baseline_result {
	unsigned runs;
	struct baseline_ratio ratios[MIX_STREAMS][BASELINE_STATISTICS];
};
/* samples[cell * runs + run][stream]. 0 or -ENOMEM. */
int baseline_compare(const struct baseline_plan *plan, const struct baseline_sample (*samples)[MIX_STREAMS], uint64_t seed,
	struct baseline_result *result);

#endif
