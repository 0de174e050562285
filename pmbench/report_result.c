/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <result>: the original's result_thread elements, then what belongs to the whole run. */
#include "config.h"
#include "pmbench/check.h"
#include "pmbench/report_pmbench.h"

#include <errno.h>
#include <math.h>

/* --- threads --- */

/* A time in ticks of the time source, as everywhere in the original. */
static int64_t clk(double ns, double khz)
{
	return isfinite(ns) ? (int64_t)(ns * khz / 1e6) : FIELD_NO_INTEGER;
}

static struct pm_thread_details_values thread_values(const struct result_thread *thread, bool is_classified)
{
	const struct contention *contention = &thread->contention;
	bool is_complete = thread->is_complete, has_delay = contention->is_known;

	return (struct pm_thread_details_values){
		.process = thread->process,
		.thread = thread->thread,
		.is_complete = is_complete,
		.run_ns = thread->run_ns,
		.latency_ns = thread->latency_ns,
		.overhead_ns = thread->overhead_ns,
		.net_ns = thread->net_ns,
		.warmup_ns = thread->warmup_accesses ? thread->warmup_ns : FIELD_NO_COUNT,
		.init_ns = thread->init_ns > 0 ? thread->init_ns : NAN,
		.kernel_minor_faults = is_complete ? thread->kernel_minor : FIELD_NO_COUNT,
		.kernel_major_faults = is_complete ? thread->kernel_major : FIELD_NO_COUNT,
		.run_delay_ns = has_delay ? contention->run_delay_ns : FIELD_NO_COUNT,
		.voluntary_switches = has_delay ? contention->voluntary : FIELD_NO_COUNT,
		.involuntary_switches = has_delay ? contention->involuntary : FIELD_NO_COUNT,
		.classified_minor_faults = is_classified ? thread->classified_minor : FIELD_NO_COUNT,
		.classified_major_faults = is_classified ? thread->classified_major : FIELD_NO_COUNT,
		.inexact_faults = is_classified && is_complete ? thread->inexact : FIELD_NO_INTEGER,
		.kernel_queries = is_classified ? thread->slow.checks : FIELD_NO_COUNT,
		.multiple_fault_accesses = is_classified ? thread->slow.multiple : FIELD_NO_COUNT,
		.extra_minor_faults = is_classified ? thread->slow.extra_minor : FIELD_NO_COUNT,
		.extra_major_faults = is_classified ? thread->slow.extra_major : FIELD_NO_COUNT,
		.backwards = thread->slow.backwards,
		.over_threshold = thread->slow.over_threshold,
	};
}

static void write_threads(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	double khz = result->timebase.start.khz;

	for (size_t i = 0; i < result->thread_count; i++) {
		const struct result_thread *thread = &result->threads[i];
		double warmup_ns = (double)thread->warmup_ns / (double)thread->warmup_accesses;
		const struct pm_result_netavg_values net = {thread->net_ns / 1e3, clk(thread->net_ns, khz)};
		const struct pm_details_latency_values latency = {thread->latency_ns / 1e3, clk(thread->latency_ns, khz)};
		const struct pm_details_overhead_values overhead = {thread->overhead_ns / 1e3, clk(thread->overhead_ns, khz)};
		const struct pm_result_details_values details = {
			FIELD_ONE(&latency), thread->accesses, FIELD_ONE(&overhead), thread->overhead_draws};
		const struct pm_warmup_latency_values warmup_latency = {warmup_ns / 1e3, clk(warmup_ns, khz)};
		const struct pm_warmup_details_values warmup = {FIELD_ONE(&warmup_latency), thread->warmup_accesses};
		const struct pm_thread_details_values own = thread_values(thread, result_is_classified(result));

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

/* As it was given: 0.07 * 100 is not 7. */
static double percent_of(double share)
{
	return nearbyint(share * 1e12) / 1e10;
}

static void write_phases(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;

	for (unsigned i = 0; i < result->plan->phase_count; i++) {
		const struct pattern_spec *pattern = &result->plan->phases[i].pattern;
		const struct result_phase *phase = &result->phases[i];
		bool is_hotset = pattern->kind == PATTERN_HOTSET;

		FIELD_ROW(report, field, pm_phase,
			.index = i,
			.pattern = pattern_name(pattern->kind),
			.pattern_shape = pattern->shape,
			.is_scattered = pattern->is_scattered,
			.hot_set_percent = is_hotset ? percent_of(pattern->hot_set) : NAN,
			.hot_access_percent = is_hotset ? percent_of(pattern->hot_access) : NAN,
			.hot_drift_draws = is_hotset && pattern->hot_drift ? pattern->hot_drift : FIELD_NO_COUNT,
			.begin_s = phase->begin_s,
			.end_s = phase->end_s,
			.accesses = phase->accesses,
			.minor_faults = phase->minor,
			.major_faults = phase->major,
			.mean_ns = phase->mean_ns);
	}
}

static void write_overhead(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	struct result_overhead overhead;
	int error = result_overhead(result, &overhead);

	if (error == -ENOMEM)
		report_fail(report, error);
	if (error)
		return;
	FIELD_ROW(report, field, pm_paging_overhead,
		.media_latency_ns = overhead.media_ns,
		.access_mean_ns = overhead.access_mean_ns,
		.major_mode_ns = overhead.major_mode_ns,
		.major_mean_ns = overhead.major_mean_ns,
		.os_overhead_ns = overhead.os_ns,
		.os_overhead_percent = overhead.os_percent);
}

static void write_fault_parts(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct {
		const char *kind;
		const struct result_kernel_split_kind *parts;
	} rows[] = {{"minor", &result->split.minor}, {"major", &result->split.major}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct result_kernel_split_kind *parts = rows[i].parts;

		if (parts->count)
			FIELD_ROW(report, field, pm_fault_parts, rows[i].kind, parts->count, parts->entry_ns, parts->handle_ns,
				parts->exit_ns, parts->total_ns);
	}
}

static void write_split(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	bool is_there = result->split.is_available;

	FIELD_ROW(report, field, pm_kernel_split,
		.not_available = is_there ? NULL : result->split.reason,
		.fault_parts = is_there ? FIELD_BY(write_fault_parts, result) : FIELD_NONE,
		.cost_ns_per_fault = is_there && result->split.cost_ns_per_fault > 0 ? result->split.cost_ns_per_fault : NAN);
}

static void write_trace(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct result_fault_trace *trace = &result->trace;
	bool is_there = trace->is_available;

	FIELD_ROW(report, field, pm_fault_trace,
		.not_available = is_there ? NULL : trace->reason,
		.records = is_there ? trace->records : FIELD_NO_COUNT,
		.lost_records = is_there ? trace->lost : FIELD_NO_COUNT,
		.in_map_minor_faults = is_there ? trace->in_map_minor : FIELD_NO_COUNT,
		.in_map_major_faults = is_there ? trace->in_map_major : FIELD_NO_COUNT,
		.elsewhere_faults = is_there ? trace->elsewhere : FIELD_NO_COUNT,
		.cost_ns_per_fault = is_there ? trace->cost_ns_per_fault : NAN);
}

void report_pmbench_result(struct report *report, const struct field *field, const void *from)
{
	const struct pmbench_result *result = from;
	const struct pmbench_options *options = result->plan->options;
	const struct result_steady *steady = &result->steady;
	const struct result_map_file *file = &result->file;
	const struct pm_phases_values phases = {FIELD_BY(write_phases, result)};
	const struct pm_steady_state_values steady_state = {
		.is_steady = steady->is_steady,
		.slope_percent = steady->slope_percent,
		.cv_percent = steady->cv_percent,
		.from_s = steady->is_steady ? steady->from_s : NAN,
	};
	const struct pm_map_file_values map_file = {
		.was_there = file->was_there,
		.read_ahead_kb = file->read_ahead_kb >= 0 ? (uint64_t)file->read_ahead_kb : FIELD_NO_COUNT,
		.file_pages = file->pages,
		.resident_before_pages = file->is_known ? file->resident_before : FIELD_NO_COUNT,
		.resident_begin_pages = file->is_known ? file->resident_begin : FIELD_NO_COUNT,
	};
	const struct pm_pressure_values pressure = {
		.was_oom = result->was_oom,
		.is_restored = result->is_restored,
		.setup_ns = result->setup_ns,
		.teardown_ns = result->teardown_ns,
	};

	FIELD_ROW(report, field, pm_result,
		.result_thread = FIELD_BY(write_threads, result),
		.totals = FIELD_BY(write_totals, result),
		.phases = FIELD_ONE(&phases),
		.steady_state = FIELD_MANY(&steady_state, steady->is_known ? 1 : 0),
		.paging_overhead = FIELD_BY(write_overhead, result),
		.kernel_split = options->wants_kernel_split ? FIELD_BY(write_split, result) : FIELD_NONE,
		.fault_trace = options->wants_fault_trace ? FIELD_BY(write_trace, result) : FIELD_NONE,
		.map_file = FIELD_MANY(&map_file, file->pages ? 1 : 0),
		.pressure = FIELD_MANY(&pressure, pressure_is_wanted(&options->pressure) ? 1 : 0));
}
