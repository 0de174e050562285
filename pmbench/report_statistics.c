/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <statistics>, <series> and <sys_mem_info>: the original's elements, then ours. */
#include "config.h"
#include "pmbench/report_pmbench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const direction_names[] = {
	[ACCESS_READ] = "read",
	[ACCESS_WRITE] = "write",
};

static void write_originals(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	(void)field; /* report_write_original knows its name */
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		if (result_has_direction(result, (enum access_direction)i))
			report_write_original(report, direction_names[i], result->total.by[RESULT_ALL][i].count);
	}
}

static void write_histograms(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	int last = result_is_classified(result) ? RESULT_MAJOR : RESULT_ALL;

	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		for (int class = RESULT_ALL; class <= last && result_has_direction(result, (enum access_direction)i); class++) {
			const struct result_histogram *histogram = &result->total.by[class][i];
			const char *name = result_class_name((enum result_class)class);

			report_histogram(report, field, direction_names[i], name, &histogram_log16, histogram->count,
				&histogram->moments);
			if (histogram->hdr)
				report_histogram(report, field, direction_names[i], name, &histogram_hdr, histogram->hdr,
					&histogram->moments);
		}
	}
}

void report_pmbench_statistics(struct report *report, const struct field *field, const void *result)
{
	FIELD_ROW(report, field, pm_statistics, FIELD_BY(write_originals, result), FIELD_BY(write_histograms, result));
}

/* --- series --- */

static void write_interval_histogram(struct report *report, const struct field *field, const void *from)
{
	const struct result_interval *interval = from;

	report_histogram(report, field, "both", "all", &histogram_log16, interval->count, NULL);
}

static void write_interval_counters(struct report *report, const struct field *field, const void *from)
{
	const struct result_interval *interval = from;

	if (interval->delta)
		report_counters(report, field, interval->delta, REPORT_COUNTERS_CHANGED);
}

static void write_intervals(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	bool is_classified = result_is_classified(result), has_histograms = result_has_histograms(result);

	for (size_t i = 0; i < result->interval_count; i++) {
		const struct result_interval *interval = &result->intervals[i];
		double seconds = interval->seconds;

		FIELD_ROW(report, field, pm_interval,
			.index = i,
			.time_s = interval->time_s,
			.seconds = seconds,
			.accesses = interval->accesses,
			.accesses_per_second = seconds > 0 ? (double)interval->accesses / seconds : 0,
			.minor_faults = is_classified ? interval->minor : FIELD_NO_COUNT,
			.major_faults = is_classified ? interval->major : FIELD_NO_COUNT,
			.mean_ns = has_histograms ? interval->mean_ns : NAN,
			.p50_ns = has_histograms ? interval->p50_ns : NAN,
			.p99_ns = has_histograms ? interval->p99_ns : NAN,
			.latency_histogram = has_histograms ? FIELD_BY(write_interval_histogram, interval) : FIELD_NONE,
			.counters = FIELD_BY(write_interval_counters, interval));
	}
}

void report_pmbench_series(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	FIELD_ROW(report, field, pm_series, result->plan->interval_ns, FIELD_BY(write_intervals, result));
}

/* --- the kernel's counters --- */

static struct pm_memory_columns_values memory_columns(const struct vmcounters *counters)
{
	int64_t columns[RESULT_MEMORY_COLUMNS];

	for (unsigned i = 0; i < RESULT_MEMORY_COLUMNS; i++) {
		if (!result_memory_value(counters, i, &columns[i]))
			columns[i] = FIELD_NO_INTEGER;
	}
	_Static_assert(sizeof(columns) == sizeof(struct pm_memory_columns_values), "the columns in their order");
	return *(struct pm_memory_columns_values *)columns;
}

static void write_counters(struct report *report, const struct field *field, const void *from)
{
	report_counters(report, field, from, REPORT_COUNTERS_NOW);
}

static void write_deltas(struct report *report, const struct field *field, const void *from)
{
	report_counters(report, field, from, REPORT_COUNTERS_DELTA);
}

static void write_snapshots(struct report *report, const struct field *field, const void *from)
{
	static const char *const names[SNAPSHOTS] = {
		[SNAPSHOT_PRE_WARMUP] = "pre-warmup",
		[SNAPSHOT_PRE_RUN] = "pre-run",
		[SNAPSHOT_MID_RUN] = "mid-run",
		[SNAPSHOT_POST_RUN] = "post-run",
		[SNAPSHOT_POST_UNMAP] = "post-unmap",
	};
	const struct pmbench_result *result = from;
	struct vmcounters *delta = malloc(sizeof(*delta));

	if (!delta)
		report_fail(report, -ENOMEM);
	for (int i = 0; delta && i < SNAPSHOTS; i++) {
		enum result_snapshot next = result_next_snapshot(result, (enum result_snapshot)i);
		const struct vmcounters *counters = &result->snapshots[i];
		struct pm_memory_columns_values info, info_delta;
		bool has_next = next < SNAPSHOTS;

		if (!result->has_snapshot[i])
			continue;
		if (has_next)
			vmcounters_delta(counters, &result->snapshots[next], delta);
		info = memory_columns(counters);
		if (has_next)
			info_delta = memory_columns(delta);
		FIELD_ROW(report, field, pm_sys_mem_item,
			.name = names[i],
			.mem_item_info = FIELD_ONE(&info),
			.mem_item_delta = FIELD_MANY(&info_delta, has_next ? 1 : 0),
			.counters = FIELD_BY(write_counters, counters),
			.counter_deltas = has_next ? FIELD_BY(write_deltas, delta) : FIELD_NONE);
	}
	free(delta);
}

void report_pmbench_memory(struct report *report, const struct field *field, const void *result)
{
	FIELD_ROW(report, field, pm_sys_mem_info, FIELD_BY(write_snapshots, result));
}
