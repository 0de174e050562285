/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/report/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "common/run/environment.h"
#include "pmbench/report/original.h"

/* --- the signature --- */

static void write_signature(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct machine *machine = &result->machine;
	const struct pm_version_info_values version = {machine->os_name, machine->arch, machine->os_release};
	const struct pm_os_info_values os = {machine->hostname, FIELD_ONE(&version)};
	const struct pm_info_values info = {REPORT_PMBENCH_VERSION, REPORT_PMBENCH_OPTIONS, REPORT_FORMAT_VERSION};
	time_t when = result_reported_on(result);
	struct pm_time_info_values time;
	struct pm_params_values params;
	struct report_moments text;
	struct tm tm;

	/* As in the original, the members of struct tm are UTC, whereas the text has local time. */
	gmtime_r(&when, &tm);
	time = (struct pm_time_info_values){
		tm.tm_wday, tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, tm.tm_yday, tm.tm_isdst};
	result_params(result, &params);
	FIELD_ROW(report, field, pm_signature,
		.pmbench_info = FIELD_ONE(&info),
		.os_info = FIELD_ONE(&os),
		.time_info = FIELD_ONE(&time),
		.params = FIELD_ONE(&params),
		REPORT_SIGNATURE_MEMBERS(&result->signature, machine, &text));
}

/* --- threads --- */

/* The original states times in ticks of the time source. */
static int64_t clk(double ns, double khz)
{
	return isfinite(ns) ? (int64_t)(ns * khz / 1e6) : FIELD_NO_INTEGER;
}

static void write_threads(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	double khz = result->timebase.start.khz;

	for (size_t i = 0; i < result->thread_count; i++) {
		const struct result_thread *thread = &result->threads[i];
		struct pm_thread_details_values own = thread->details;
		double warmup_ns = (double)own.warmup_ns / (double)thread->warmup_accesses;
		const struct pm_result_netavg_values net = {own.net_ns / 1e3, clk(own.net_ns, khz)};
		const struct pm_details_latency_values latency = {own.latency_ns / 1e3, clk(own.latency_ns, khz)};
		const struct pm_details_overhead_values overhead = {own.overhead_ns / 1e3, clk(own.overhead_ns, khz)};
		const struct pm_result_details_values details = {
			FIELD_ONE(&latency), thread->accesses, FIELD_ONE(&overhead), thread->overhead_draws};
		const struct pm_warmup_latency_values warmup_latency = {warmup_ns / 1e3, clk(warmup_ns, khz)};
		const struct pm_warmup_details_values warmup = {FIELD_ONE(&warmup_latency), thread->warmup_accesses};

		if (!own.is_complete)
			own.kernel_minor_faults = own.kernel_major_faults = FIELD_NO_COUNT;
		if (!own.is_complete || !result_is_classified(result))
			own.inexact_faults = FIELD_NO_INTEGER;
		if (!result_is_classified(result)) {
			own.classified_minor_faults = own.classified_major_faults = FIELD_NO_COUNT;
			own.kernel_queries = own.multiple_fault_accesses = FIELD_NO_COUNT;
			own.extra_minor_faults = own.extra_major_faults = FIELD_NO_COUNT;
		}
		FIELD_ROW(report, field, pm_result_thread,
			.thread_num = i + 1,
			.result_netavg = FIELD_ONE(&net),
			.result_details = FIELD_ONE(&details),
			.warmup_details = FIELD_MANY(&warmup, thread->warmup_accesses ? 1 : 0),
			.thread_details = FIELD_ONE(&own));
	}
}

/* --- the whole run --- */

static void write_sets(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	for (unsigned i = 0; i < result->plan->processes; i++)
		FIELD_ROW(report, field, pm_set_bytes, result->plan->process[i].set_bytes);
}

static void write_totals(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	bool is_classified = result_is_classified(result);
	bool has_times = result_has_histograms(result) && result->run_seconds > 0;
	int64_t suspended_ns = contention_suspended_ns(&result->stops);
	double swap_in, swap_out;

	if (!result_swap_bandwidth(result, &swap_in, &swap_out))
		swap_in = swap_out = NAN;
	FIELD_ROW(report, field, pm_totals,
		.accesses = result_accesses(result),
		.run_s = result->run_seconds,
		.accesses_per_second = result->accesses_per_second,
		.faults_per_second = result->faults_per_second,
		.slow_threshold_ns = is_classified ? result->slow_threshold_ns : NAN,
		.total_inexact_faults = is_classified ? result_inexact(result) : FIELD_NO_COUNT,
		.time_over_100us_percent = has_times ? result_time_over_percent(result, 1e5) : NAN,
		.time_over_1ms_percent = has_times ? result_time_over_percent(result, 1e6) : NAN,
		.swap_in_bytes_per_second = swap_in,
		.swap_out_bytes_per_second = swap_out,
		.map_bytes = result->plan->map_bytes,
		.set_bytes = FIELD_BY(write_sets, result),
		.zero_pages = result->has_zero_pages ? result->zero_pages : FIELD_NO_COUNT,
		.infrastructure_pages = result->infrastructure_pages,
		.huge_bytes = result->plan->options->mapping.wants_thp ? result->huge_bytes : FIELD_NO_COUNT,
		.stopped_ns = result->stops.stopped_ns ? result->stops.stopped_ns : FIELD_NO_COUNT,
		.suspended_ns = suspended_ns > CONTENTION_JUMP_NS ? (uint64_t)suspended_ns : FIELD_NO_COUNT);
}

/* An option of 7 % must be reported as 7, and 0.07 * 100 is not. */
static double percent_of(double share)
{
	return nearbyint(share * 1e12) / 1e10;
}

static void write_phases(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	for (unsigned i = 0; i < result->plan->phase_count; i++) {
		const struct pattern_spec *pattern = &result->plan->phases[i].pattern;
		struct pm_phase_values phase = result->phases[i];
		bool is_hotset = pattern->kind == PATTERN_HOTSET;

		phase.index = i;
		phase.pattern = pattern_name(pattern->kind);
		phase.pattern_shape = pattern->shape;
		phase.is_scattered = pattern->is_scattered;
		phase.hot_set_percent = is_hotset ? percent_of(pattern->hot_set) : NAN;
		phase.hot_access_percent = is_hotset ? percent_of(pattern->hot_access) : NAN;
		phase.hot_drift_draws = is_hotset && pattern->hot_drift ? pattern->hot_drift : FIELD_NO_COUNT;
		field_row(report, field, pm_phase_record(), &phase);
	}
}

static void write_fault_parts(struct report *report, const struct field *field, const void *from)
{
	const struct kernel_split_summary *split = from;

	for (size_t i = 0; i < KERNEL_SPLIT_KINDS; i++) {
		if (split->parts[i].count)
			field_row(report, field, pm_fault_parts_record(), &split->parts[i]);
	}
}

static void write_result(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct pmbench_options *options = result->plan->options;
	struct pm_paging_overhead_values overhead;
	int error = result_overhead(result, &overhead);
	const struct pm_kernel_split_values split = {
		.not_available = result->split.is_available ? NULL : result->split.reason,
		.fault_parts = FIELD_BY(write_fault_parts, &result->split),
		.cost_ns_per_fault = result->split.cost_ns_per_fault > 0 ? result->split.cost_ns_per_fault : NAN,
	};
	if (error == -ENOMEM)
		report_fail(report, error);
	FIELD_ROW(report, field, pm_result,
		.result_thread = FIELD_BY(write_threads, result),
		.totals = FIELD_BY(write_totals, result),
		.phases = FIELD_INSIDE(write_phases, result),
		.steady_state = FIELD_MANY(&result->steady, result->has_steady),
		.paging_overhead = FIELD_MANY(&overhead, !error),
		.kernel_split = FIELD_MANY(&split, options->wants_kernel_split),
		.map_file = FIELD_MANY(&result->file, result->file.file_pages ? 1 : 0),
		.pressure = FIELD_MANY(&result->pressure, pressure_is_wanted(&options->pressure)));
}

/* --- statistics --- */

static const char *const direction_names[] = {
	[ACCESS_READ] = "read",
	[ACCESS_WRITE] = "write",
};

static const char *const class_names[] = {
	[RESULT_ALL] = "all",
	[RESULT_HIT] = "hit",
	[RESULT_MINOR] = "minor",
	[RESULT_MAJOR] = "major",
};

static void write_originals(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	(void)field; /* original_write_histogram writes the element's name */
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		if (result_has_direction(result, (enum access_direction)i))
			original_write_histogram(report, direction_names[i], result->total[RESULT_ALL][i].count);
	}
}

static void write_histograms(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	int last = result_is_classified(result) ? RESULT_MAJOR : RESULT_ALL;

	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		for (int class = RESULT_ALL; class <= last && result_has_direction(result, (enum access_direction)i); class++) {
			const struct result_histogram *histogram = &result->total[class][i];
			const char *name = class_names[class];

			report_histogram(report, field, direction_names[i], name, &histogram_log16, histogram->count,
				&histogram->moments);
			if (histogram->hdr)
				report_histogram(report, field, direction_names[i], name, &histogram_hdr, histogram->hdr,
					&histogram->moments);
		}
	}
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
		struct pm_interval_values row = interval->values;

		if (!is_classified)
			row.minor_faults = row.major_faults = FIELD_NO_COUNT;
		if (!has_histograms)
			row.mean_ns = row.p50_ns = row.p99_ns = NAN;
		row.latency_histogram = has_histograms ? FIELD_BY(write_interval_histogram, interval) : FIELD_NONE;
		row.counters = FIELD_BY(write_interval_counters, interval);
		field_row(report, field, pm_interval_record(), &row);
	}
}

/* --- the kernel's counters --- */

static struct pm_memory_columns_values memory_columns(const struct vmcounters *counters)
{
	int64_t columns[RESULT_MEMORY_COLUMNS];

	for (unsigned i = 0; i < RESULT_MEMORY_COLUMNS; i++) {
		if (!result_memory_value(NULL, counters, i, &columns[i]))
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

/* --- the report --- */

void report_pmbench(struct report *report, const struct pmbench_result *result)
{
	const struct machine_info_values machine = report_machine(&result->machine, &result->timebase);
	const struct report_checks checks = {result->checks, result->check_count, &result->limits,
		&result->traffic};
	const struct report_verdict verdict = {result->status, result->reasons, result->reason_count};
	const struct pm_statistics_values statistics = {FIELD_BY(write_originals, result), FIELD_BY(write_histograms, result)};
	const struct pm_series_values series = {result->plan->interval_ns, FIELD_BY(write_intervals, result)};
	const struct pm_report_values values = {
		.signature = FIELD_BY(write_signature, result),
		.machine_info = FIELD_ONE(&machine),
		.environment = FIELD_BY(report_environment, &checks),
		.result = FIELD_BY(write_result, result),
		.statistics = FIELD_MANY(&statistics, result_has_histograms(result)),
		.series = FIELD_MANY(&series, result->interval_count != 0),
		.sys_mem_info = FIELD_INSIDE(write_snapshots, result),
		.verdict = FIELD_BY(report_verdict, &verdict),
	};

	field_write_inside(report, pm_document_record(), &(struct pm_document_values){FIELD_ONE(&values)});
}
