/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what the threads leave in their slots to the result in ns, after the run and per interval. */
#ifndef PMBENCH_COLLECT_H
#define PMBENCH_COLLECT_H

#include "pmbench/control.h"
#include "pmbench/result.h"

/* Threads, totals by class, phases, traces and rates. Slots of threads that did not end count as far as they
 * came, and as long as the window was. 0 or -ENOMEM. */
int collect_results(const struct control *control, double window_s, struct pmbench_result *result);

/* --- the run per interval: what the threads counted, joined with the kernel's counters on one clock --- */

/* What all threads together had counted at one time. */
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
	struct {                    /* the same at the begin of the last row */
		uint64_t ns;
		struct series_totals totals;
		struct vmcounters counters;
	} before;
	struct result_interval *intervals;
	size_t count, room;
};

/* The window begins: reads everything once. */
void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir);
/* A run without a known end may have more intervals than a report can hold: the last row then covers the rest. */
#define SERIES_ROWS_MAX PLAN_ROWS_MAX
/* Ends an interval and adds its row; -ENOMEM leaves the series as it was. */
int series_take(struct series *series);
/* The window ends: a rest that is shorter than half an interval belongs to the last row. */
int series_end(struct series *series, uint64_t interval_ns);
/* The row last taken, NULL before. */
const struct result_interval *series_latest(const struct series *series);
/* The rows become the result's. */
void series_hand_over(struct series *series, struct pmbench_result *result);

#endif
