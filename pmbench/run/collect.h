/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the result, in ns, from the threads' slots, after the run and per interval. */
#ifndef PMBENCH_RUN_COLLECT_H
#define PMBENCH_RUN_COLLECT_H

#include "pmbench/run/result.h"
#include "pmbench/worker/control.h"

/* Fills threads, totals by class, phases, traces and rates of the result. A lost thread counts with the accesses that it completed
 * and with the length of the window, window_s. Returns 0 or -ENOMEM. */
int collect_results(const struct control *control, double window_s, struct pmbench_result *result);

/* --- the run per interval: the counts of the threads, joined with the kernel's counters on one clock --- */

/* Sums over all threads, and the kernel's counters, at one time. */
struct series_point {
	uint64_t ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t count[BUCKET_LOG16_COUNT];
	uint64_t accesses, sum_ticks, max_ticks, minor, major;
	struct vmcounters counters;
};

struct series {
	const struct control *control;
	const struct timebase *timebase;
	const char *cgroup_dir;
	uint64_t begin_ns;
	struct series_point last, before; /* at the end and at the begin of the last row */
	struct result_interval *intervals;
	size_t count, capacity;
};

/* Begins the window: reads all counts and counters once. */
void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir);
/* Ends an interval and adds its row; after PLAN_ROWS_MAX rows, which only a run without a known end has, the last row covers
 * the rest. Returns 0 or -ENOMEM, which leaves the series unchanged. */
int series_take(struct series *series);
/* Ends the window: a remainder shorter than half an interval is added to the last row. Returns as series_take. */
int series_end(struct series *series, uint64_t interval_ns);
/* Returns the last row, or NULL if there is none yet. */
const struct result_interval *series_latest(const struct series *series);
/* Moves the rows to the result. */
void series_hand_over(struct series *series, struct pmbench_result *result);

#endif
