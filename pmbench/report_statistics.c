/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <statistics>, <series> and <sys_mem_info>: the original's elements, then ours. */
#include "config.h"
#include "pmbench/report_pmbench.h"

#include <errno.h>
#include <stdlib.h>

static const char *const direction_names[] = {
	[ACCESS_READ] = "read",
	[ACCESS_WRITE] = "write",
};

static void write_classes(
	struct report *report, const struct pmbench_result *result, enum access_direction direction)
{
	int last = result_is_classified(result) ? RESULT_MAJOR : RESULT_ALL;

	for (int class = RESULT_ALL; class <= last; class ++) {
		const struct result_histogram *histogram = &result->total.by[class][direction];
		const char *name = result_class_name((enum result_class) class);

		report_write_histogram(report, direction_names[direction], name, &histogram_log16,
			histogram->count, &histogram->moments);
		if (histogram->hdr)
			report_write_histogram(report, direction_names[direction], name, &histogram_hdr,
				histogram->hdr, &histogram->moments);
	}
}

void report_pmbench_statistics(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "statistics");
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		enum access_direction direction = (enum access_direction)i;

		if (result_has_direction(result, direction))
			report_write_original(report, direction_names[i], result->total.by[RESULT_ALL][i].count);
	}
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		if (result_has_direction(result, (enum access_direction)i))
			write_classes(report, result, (enum access_direction)i);
	}
	report_end(report);
}

static void write_interval(struct report *report, const struct pmbench_result *result, size_t index)
{
	const struct result_interval *interval = &result->intervals[index];

	report_begin(report, "interval");
	report_attribute_u64(report, "index", index);
	report_double(report, "time_s", interval->time_s);
	report_double(report, "seconds", interval->seconds);
	report_u64(report, "accesses", interval->accesses);
	report_double(report, "accesses_per_second",
		interval->seconds > 0 ? (double)interval->accesses / interval->seconds : 0);
	if (result_is_classified(result)) {
		report_u64(report, "minor_faults", interval->minor);
		report_u64(report, "major_faults", interval->major);
	}
	if (result_has_histograms(result)) {
		report_double(report, "mean_ns", interval->mean_ns);
		report_double(report, "p50_ns", interval->p50_ns);
		report_double(report, "p99_ns", interval->p99_ns);
		report_write_histogram(report, "both", "all", &histogram_log16, interval->count, NULL);
	}
	if (interval->delta)
		report_write_counters(report, "counters", interval->delta, REPORT_COUNTERS_CHANGED);
	report_end(report);
}

void report_pmbench_series(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "series");
	report_u64(report, "interval_ns", result->plan->interval_ns);
	for (size_t i = 0; i < result->interval_count; i++)
		write_interval(report, result, i);
	report_end(report);
}

static void write_memory_columns(
	struct report *report, const char *element, const struct vmcounters *counters)
{
	report_begin(report, element);
	for (unsigned i = 0; i < RESULT_MEMORY_COLUMNS; i++) {
		int64_t value;

		if (result_memory_value(counters, i, &value))
			report_i64(report, result_memory_element(i), value);
	}
	report_end(report);
}

static void write_snapshot(struct report *report, const struct pmbench_result *result,
	enum result_snapshot snapshot, struct vmcounters *delta)
{
	static const char *const names[SNAPSHOTS] = {
		[SNAPSHOT_PRE_WARMUP] = "pre-warmup",
		[SNAPSHOT_PRE_RUN] = "pre-run",
		[SNAPSHOT_MID_RUN] = "mid-run",
		[SNAPSHOT_POST_RUN] = "post-run",
		[SNAPSHOT_POST_UNMAP] = "post-unmap",
	};
	enum result_snapshot next = result_next_snapshot(result, snapshot);
	const struct vmcounters *counters = &result->snapshots[snapshot];

	report_begin(report, "sys_mem_item");
	report_attribute(report, "name", names[snapshot]);
	write_memory_columns(report, "mem_item_info", counters);
	if (next < SNAPSHOTS) {
		vmcounters_delta(counters, &result->snapshots[next], delta);
		write_memory_columns(report, "mem_item_delta", delta);
	}
	report_write_counters(report, "counters", counters, REPORT_COUNTERS_NOW);
	if (next < SNAPSHOTS)
		report_write_counters(report, "counter_deltas", delta, REPORT_COUNTERS_DELTA);
	report_end(report);
}

void report_pmbench_memory(struct report *report, const struct pmbench_result *result)
{
	struct vmcounters *delta = malloc(sizeof(*delta));

	if (!delta)
		report_fail(report, -ENOMEM);
	report_begin(report, "sys_mem_info");
	for (int i = 0; delta && i < SNAPSHOTS; i++) {
		if (result->has_snapshot[i])
			write_snapshot(report, result, (enum result_snapshot)i, delta);
	}
	report_end(report);
	free(delta);
}
