/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <result>: the original's result_thread elements, then what belongs to the whole run. */
#include "config.h"
#include "pmbench/check.h"
#include "pmbench/report_pmbench.h"

#include <errno.h>
#include <math.h>

/* clk: ticks of the time source, as everywhere in the original. */
static void write_latency(struct report *report, const char *us, const char *clk, double ns, double khz)
{
	if (!isfinite(ns))
		return;
	report_fixed(report, us, ns / 1e3, 4);
	report_i64(report, clk, (int64_t)(ns * khz / 1e6));
}

static void write_warmup(struct report *report, const struct result_thread *thread, double khz)
{
	if (!thread->warmup_accesses)
		return;
	report_begin(report, "warmup_details");
	report_begin(report, "warmup_latency");
	write_latency(report, "warmup_us", "warmup_clk",
		(double)thread->warmup_ns / (double)thread->warmup_accesses, khz);
	report_end(report);
	report_u64(report, "warmup_total", thread->warmup_accesses);
	report_end(report);
}

static void write_original(struct report *report, const struct result_thread *thread, double khz)
{
	report_begin(report, "result_netavg");
	write_latency(report, "netavg_us", "netavg_clk", thread->net_ns, khz);
	report_end(report);
	report_begin(report, "result_details");
	report_begin(report, "details_latency");
	write_latency(report, "latency_us", "latency_clk", thread->latency_ns, khz);
	report_end(report);
	report_u64(report, "details_samples", thread->accesses);
	report_begin(report, "details_overhead");
	write_latency(report, "overhead_us", "overhead_clk", thread->overhead_ns, khz);
	report_end(report);
	report_u64(report, "details_total", thread->overhead_draws);
	report_end(report);
	write_warmup(report, thread, khz);
}

static void write_slow(struct report *report, const struct result_thread *thread)
{
	report_u64(report, "classified_minor_faults", thread->classified_minor);
	report_u64(report, "classified_major_faults", thread->classified_major);
	if (thread->is_complete)
		report_i64(report, "inexact_faults", thread->inexact);
	report_u64(report, "kernel_queries", thread->slow.checks);
	report_u64(report, "multiple_fault_accesses", thread->slow.multiple);
	report_u64(report, "extra_minor_faults", thread->slow.extra_minor);
	report_u64(report, "extra_major_faults", thread->slow.extra_major);
}

static void write_details(struct report *report, const struct result_thread *thread, bool is_classified)
{
	report_begin(report, "thread_details");
	report_u64(report, "process", thread->process);
	report_u64(report, "thread", thread->thread);
	report_bool(report, "is_complete", thread->is_complete);
	report_u64(report, "run_ns", thread->run_ns);
	report_double(report, "latency_ns", thread->latency_ns);
	report_double(report, "overhead_ns", thread->overhead_ns);
	report_double(report, "net_ns", thread->net_ns);
	if (thread->warmup_accesses)
		report_u64(report, "warmup_ns", thread->warmup_ns);
	if (thread->init_ns > 0)
		report_double(report, "init_ns", thread->init_ns);
	if (thread->is_complete) {
		report_u64(report, "kernel_minor_faults", thread->kernel_minor);
		report_u64(report, "kernel_major_faults", thread->kernel_major);
	}
	if (thread->contention.is_known) {
		report_u64(report, "run_delay_ns", thread->contention.run_delay_ns);
		report_u64(report, "voluntary_switches", thread->contention.voluntary);
		report_u64(report, "involuntary_switches", thread->contention.involuntary);
	}
	if (is_classified)
		write_slow(report, thread);
	report_u64(report, "backwards", thread->slow.backwards);
	report_u64(report, "over_threshold", thread->slow.over_threshold);
	report_end(report);
}

static void write_totals(struct report *report, const struct pmbench_result *result)
{
	double swap_in, swap_out;

	report_begin(report, "totals");
	report_u64(report, "accesses", result_accesses(result));
	report_double(report, "run_s", result->run_seconds);
	report_double(report, "accesses_per_second", result->accesses_per_second);
	report_double(report, "faults_per_second", result->faults_per_second);
	if (result_is_classified(result)) {
		report_double(report, "slow_threshold_ns", result->slow_threshold_ns);
		report_u64(report, "total_inexact_faults", result_inexact(result));
	}
	if (result_has_histograms(result) && result->run_seconds > 0) {
		report_double(report, "time_over_100us_percent", result_time_over_percent(result, 1e5));
		report_double(report, "time_over_1ms_percent", result_time_over_percent(result, 1e6));
	}
	if (result_swap_bandwidth(result, &swap_in, &swap_out)) {
		report_double(report, "swap_in_bytes_per_second", swap_in);
		report_double(report, "swap_out_bytes_per_second", swap_out);
	}
	report_u64(report, "map_bytes", result->plan->map_bytes);
	for (unsigned i = 0; i < result->plan->processes; i++)
		report_u64(report, "set_bytes", result->plan->process[i].set_bytes);
	if (result->has_zero_pages)
		report_u64(report, "zero_pages", result->zero_pages);
	report_u64(report, "infrastructure_pages", result->infrastructure_pages);
	if (result->plan->options->mapping.wants_thp)
		report_u64(report, "huge_bytes", result->huge_bytes);
	if (result->stops.stopped_ns)
		report_u64(report, "stopped_ns", result->stops.stopped_ns);
	if (contention_suspended_ns(&result->stops) > CONTENTION_JUMP_NS)
		report_i64(report, "suspended_ns", contention_suspended_ns(&result->stops));
	report_end(report);
}

/* As it was given: 0.07 * 100 is not 7. */
static double percent_of(double share)
{
	return nearbyint(share * 1e12) / 1e10;
}

static void write_pattern(struct report *report, const struct pattern_spec *pattern)
{
	report_bool(report, "is_scattered", pattern->is_scattered);
	if (pattern->kind != PATTERN_HOTSET)
		return;
	report_double(report, "hot_set_percent", percent_of(pattern->hot_set));
	report_double(report, "hot_access_percent", percent_of(pattern->hot_access));
	if (pattern->hot_drift)
		report_u64(report, "hot_drift_draws", pattern->hot_drift);
}

static void write_phases(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "phases");
	for (unsigned i = 0; i < result->plan->phase_count; i++) {
		const struct pattern_spec *pattern = &result->plan->phases[i].pattern;
		const struct result_phase *phase = &result->phases[i];

		report_begin(report, "phase");
		report_attribute_u64(report, "index", i);
		report_text(report, "pattern", pattern_name(pattern->kind));
		report_double(report, "pattern_shape", pattern->shape);
		write_pattern(report, pattern);
		report_double(report, "begin_s", phase->begin_s);
		report_double(report, "end_s", phase->end_s);
		report_u64(report, "accesses", phase->accesses);
		report_u64(report, "minor_faults", phase->minor);
		report_u64(report, "major_faults", phase->major);
		report_double(report, "mean_ns", phase->mean_ns);
		report_end(report);
	}
	report_end(report);
}

static void write_steady(struct report *report, const struct result_steady *steady)
{
	if (!steady->is_known)
		return;
	report_begin(report, "steady_state");
	report_bool(report, "is_steady", steady->is_steady);
	report_double(report, "slope_percent", steady->slope_percent);
	report_double(report, "cv_percent", steady->cv_percent);
	if (steady->is_steady)
		report_double(report, "from_s", steady->from_s);
	report_end(report);
}

static void write_overhead(struct report *report, const struct pmbench_result *result)
{
	struct result_overhead overhead;
	int error = result_overhead(result, &overhead);

	if (error == -ENOMEM)
		report_fail(report, error);
	if (error)
		return;
	report_begin(report, "paging_overhead");
	report_double(report, "media_latency_ns", overhead.media_ns);
	report_double(report, "access_mean_ns", overhead.access_mean_ns);
	report_double(report, "major_mode_ns", overhead.major_mode_ns);
	report_double(report, "major_mean_ns", overhead.major_mean_ns);
	report_double(report, "os_overhead_ns", overhead.os_ns);
	report_double(report, "os_overhead_percent", overhead.os_percent);
	report_end(report);
}

static void write_split_kind(
	struct report *report, const char *kind, const struct result_kernel_split_kind *split)
{
	if (!split->count)
		return;
	report_begin(report, "fault_parts");
	report_attribute(report, "kind", kind);
	report_u64(report, "count", split->count);
	report_double(report, "entry_ns", split->entry_ns);
	report_double(report, "handle_ns", split->handle_ns);
	report_double(report, "exit_ns", split->exit_ns);
	report_double(report, "total_ns", split->total_ns);
	report_end(report);
}

static void write_split(struct report *report, const struct pmbench_result *result)
{
	if (!result->plan->options->wants_kernel_split)
		return;
	report_begin(report, "kernel_split");
	if (result->split.is_available) {
		write_split_kind(report, "minor", &result->split.minor);
		write_split_kind(report, "major", &result->split.major);
		if (result->split.cost_ns_per_fault > 0)
			report_double(report, "cost_ns_per_fault", result->split.cost_ns_per_fault);
	} else {
		report_text(report, "not_available", result->split.reason);
	}
	report_end(report);
}

static void write_file(struct report *report, const struct result_map_file *file)
{
	if (!file->pages)
		return;
	report_begin(report, "map_file");
	report_bool(report, "was_there", file->was_there);
	if (file->read_ahead_kb >= 0)
		report_u64(report, "read_ahead_kb", (uint64_t)file->read_ahead_kb);
	report_u64(report, "file_pages", file->pages);
	if (file->is_known) {
		report_u64(report, "resident_before_pages", file->resident_before);
		report_u64(report, "resident_begin_pages", file->resident_begin);
	}
	report_end(report);
}

static void write_trace(struct report *report, const struct pmbench_result *result)
{
	const struct result_fault_trace *trace = &result->trace;

	if (!result->plan->options->wants_fault_trace)
		return;
	report_begin(report, "fault_trace");
	if (trace->is_available) {
		report_u64(report, "records", trace->records);
		report_u64(report, "lost_records", trace->lost);
		report_u64(report, "in_map_minor_faults", trace->in_map_minor);
		report_u64(report, "in_map_major_faults", trace->in_map_major);
		report_u64(report, "elsewhere_faults", trace->elsewhere);
		report_double(report, "cost_ns_per_fault", trace->cost_ns_per_fault);
	} else {
		report_text(report, "not_available", trace->reason);
	}
	report_end(report);
}

static void write_pressure(struct report *report, const struct pmbench_result *result)
{
	if (!pressure_is_wanted(&result->plan->options->pressure))
		return;
	report_begin(report, "pressure");
	report_bool(report, "was_oom", result->was_oom);
	report_bool(report, "is_restored", result->is_restored);
	report_u64(report, "setup_ns", result->setup_ns);
	report_u64(report, "teardown_ns", result->teardown_ns);
	report_end(report);
}

void report_pmbench_result(struct report *report, const struct pmbench_result *result)
{
	report_begin(report, "result");
	for (size_t i = 0; i < result->thread_count; i++) {
		report_begin(report, "result_thread");
		report_attribute_u64(report, "thread_num", i + 1);
		write_original(report, &result->threads[i], result->timebase.start.khz);
		write_details(report, &result->threads[i], result_is_classified(result));
		report_end(report);
	}
	write_totals(report, result);
	write_phases(report, result);
	write_steady(report, &result->steady);
	write_overhead(report, result);
	write_split(report, result);
	write_trace(report, result);
	write_file(report, &result->file);
	write_pressure(report, result);
	report_end(report);
}
