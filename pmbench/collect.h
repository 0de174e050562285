/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the result, in ns, of the threads' slots, after the run and per interval. */
#ifndef PMBENCH_COLLECT_H
#define PMBENCH_COLLECT_H

#include "pmbench/control.h"
#include "pmbench/result.h"

/* Fills threads, totals by class, phases, traces and rates of the result. A thread that did not end counts with the
 * accesses that it completed and with the length of the window, window_s. Returns 0 or -ENOMEM. */
int collect_results(const struct control *control, double window_s, struct pmbench_result *result);

/* --- the run per interval: the counts of the threads, joined with the kernel's counters on one clock --- */

/* Sums over all threads at one time. */
struct series_totals {
	uint64_t count[BUCKET_LOG16_COUNT];
	uint64_t accesses, sum_ticks, max_ticks, minor, major;
};

struct series {
	const struct control *control;
	const struct timebase *timebase;
	const char *cgroup_dir;
	uint64_t begin_ns, last_ns; /* CLOCK_MONOTONIC_RAW */
	struct series_totals last;
	struct vmcounters counters; /* at last_ns */
	struct {                    /* the same values at the begin of the last row */
		uint64_t ns;
		struct series_totals totals;
		struct vmcounters counters;
	} before;
	struct result_interval *intervals;
	size_t count, room;
};

/* Begins the window: reads all counts and counters once. */
void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir);
/* A run without a known end may have more intervals than a report can hold: the last row then covers the rest. */
#define SERIES_ROWS_MAX PLAN_ROWS_MAX
/* Ends an interval and adds its row. Returns 0 or -ENOMEM, which leaves the series unchanged. */
int series_take(struct series *series);
/* Ends the window: a remainder shorter than half an interval is added to the last row. Returns as series_take. */
int series_end(struct series *series, uint64_t interval_ns);
/* Returns the last row, or NULL if there is none yet. */
const struct result_interval *series_latest(const struct series *series);
/* Moves the rows to the result. */
void series_hand_over(struct series *series, struct pmbench_result *result);

#endif
