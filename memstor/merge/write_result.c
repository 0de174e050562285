/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <result> of a merged report. */
#include "config.h"
#include "memstor/merge/private.h"

#include <math.h>
#include <string.h>

#include "common/report_common.h"
#include "common/units.h"

/* "netavg_clk", "latency_clk", ... */
static bool is_in_ticks(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && strcmp(name + length - 4, "_clk") == 0;
}

static bool write_thread_value(struct report *report, const struct report_node *node, void *data)
{
	const struct merge_thread *thread = data;
	uint64_t process;
	int64_t ticks;

	if (strcmp(node->name, "process") == 0 && !units_parse_u64(node->text, 0, UINT64_MAX / 2, &process)) {
		report_u64(report, "process", process + thread->process);
		return true;
	}
	if (thread->clk_ratio != 1 && is_in_ticks(node->name) &&
		!units_parse_i64(node->text, -(1ll << 53), 1ll << 53, &ticks) && thread->clk_ratio < 1000) {
		report_i64(report, node->name, (int64_t)((double)ticks * thread->clk_ratio));
		return true;
	}
	return false;
}

/* Side by side each adds to the rate. Otherwise it is the mean over the time in which any ran. */
static double rate_of(const struct merge *merge, size_t offset)
{
	const struct merge_window *window = &merge->window;
	bool is_apart = window->is_known && window->overlap_percent < MERGE_TOGETHER_PERCENT;
	long double sum = 0;

	for (size_t i = 0; i < merge->parts.count; i++) {
		const struct merge_part *part = &merge->parts.items[i];
		double rate = *(const double *)(const void *)((const char *)part + offset);

		if (is_apart)
			sum += (long double)rate * (double)(part->end_ns - part->start_ns) / UNITS_NS_PER_SEC / window->any_s;
		else
			sum += rate;
	}
	return (double)sum;
}

static double run_seconds(const struct merge *merge)
{
	const struct merge_window *window = &merge->window;
	double sum = 0, longest = 0;

	for (size_t i = 0; i < merge->parts.count; i++) {
		sum += merge->parts.items[i].run_s;
		longest = fmax(longest, merge->parts.items[i].run_s);
	}
	if (window->is_known && window->overlap_percent < MERGE_TOGETHER_PERCENT)
		return sum / window->sum_s * window->any_s;
	return longest;
}

static void write_totals(const struct merge *merge, struct report *report)
{
	const struct merge_totals *totals = &merge->totals;

	report_begin(report, "totals");
	report_u64(report, "accesses", totals->accesses);
	report_double(report, "run_s", run_seconds(merge));
	report_double(report, "accesses_per_second", rate_of(merge, offsetof(struct merge_part, accesses_per_second)));
	report_double(report, "faults_per_second", rate_of(merge, offsetof(struct merge_part, faults_per_second)));
	if (totals->slow_inputs == merge->inputs)
		report_double(report, "slow_threshold_ns", totals->slow_threshold_ns);
	if (totals->inexact_inputs == merge->inputs)
		report_u64(report, "total_inexact_faults", totals->inexact);
	report_u64(report, "map_bytes", totals->map_bytes);
	for (size_t i = 0; i < totals->set_count; i++)
		report_u64(report, "set_bytes", totals->set_bytes[i]);
	if (totals->zero_inputs == merge->inputs)
		report_u64(report, "zero_pages", totals->zero_pages);
	report_u64(report, "infrastructure_pages", totals->infrastructure_pages);
	report_end(report);
}

static void write_counted(const struct merge_phase *phase, struct report *report)
{
	report_double(report, "begin_s", phase->begin_s);
	report_double(report, "end_s", phase->end_s);
	report_u64(report, "accesses", phase->accesses);
	report_u64(report, "minor_faults", phase->minor);
	report_u64(report, "major_faults", phase->major);
	if (phase->has_mean && phase->accesses)
		report_double(report, "mean_ns", (double)(phase->sum_ns / phase->accesses));
}

static void write_phases(const struct merge *merge, struct report *report)
{
	report_begin(report, "phases");
	for (size_t i = 0; i < merge->phase_count; i++) {
		const struct merge_phase *phase = &merge->phases[i];

		report_begin(report, "phase");
		report_attribute_u64(report, "index", i);
		for (const struct report_node *node = phase->node->child; node; node = node->next) {
			if (!merge_is_counted(node->name))
				report_copy(report, node, NULL, NULL);
		}
		write_counted(phase, report);
		report_end(report);
	}
	report_end(report);
}

/* Reads and writes of one class together. */
struct both {
	const struct histogram_layout *layout;
	uint64_t *counts;
	long double sum_ns;
	uint64_t count;
	bool is_known;
};

static void gather(
	struct merge *merge, const char *class, const struct histogram_layout *layout, struct both *both)
{
	*both = (struct both){.layout = layout};
	both->counts = merge_array(merge, layout->buckets, sizeof(*both->counts));
	for (size_t i = 0; both->counts && i < merge->histogram_count; i++) {
		const struct merge_histogram *histogram = &merge->histograms[i];

		if (histogram->layout != layout || strcmp(histogram->class, class) != 0)
			continue;
		both->is_known = merge_is_complete(merge, histogram) && histogram->has_summary;
		if (!both->is_known || histogram_merge(layout, both->counts, histogram->counts) ||
			__builtin_add_overflow(both->count, histogram->count, &both->count)) {
			both->is_known = false;
			return;
		}
		if (histogram->count)
			both->sum_ns += histogram->mean_ns * histogram->count;
	}
}

/* As pmbench does it (pmbench/result.c). */
static void write_overhead(struct merge *merge, struct report *report)
{
	struct both major, all;
	double mean_ns, os_ns;

	if (merge->media_inputs != merge->inputs || !(merge->media_ns > 0))
		return;
	gather(merge, "all", &histogram_log16, &all);
	gather(merge, "major", &histogram_hdr, &major);
	if (!major.is_known)
		gather(merge, "major", &histogram_log16, &major);
	if (!major.is_known || !all.is_known || !major.count || !all.count)
		return;
	mean_ns = (double)(major.sum_ns / major.count);
	os_ns = mean_ns - merge->media_ns;
	report_begin(report, "paging_overhead");
	report_double(report, "media_latency_ns", merge->media_ns);
	report_double(report, "access_mean_ns", (double)(all.sum_ns / all.count));
	report_double(report, "major_mode_ns", histogram_mode(major.layout, major.counts));
	report_double(report, "major_mean_ns", mean_ns);
	report_double(report, "os_overhead_ns", os_ns);
	report_double(report, "os_overhead_percent", os_ns / merge->media_ns * 100);
	report_end(report);
}

static void write_pressure(const struct merge *merge, struct report *report)
{
	const struct merge_pressure *pressure = &merge->pressure;

	if (!pressure->inputs)
		return;
	report_begin(report, "pressure");
	report_bool(report, "was_oom", pressure->was_oom);
	report_bool(report, "is_restored", pressure->is_restored);
	report_u64(report, "setup_ns", pressure->setup_ns);
	report_u64(report, "teardown_ns", pressure->teardown_ns);
	report_end(report);
}

static void write_threads(const struct merge *merge, struct report *report)
{
	for (size_t i = 0; i < merge->thread_count; i++) {
		struct merge_thread *thread = &merge->threads[i];

		report_begin(report, "result_thread");
		report_attribute_u64(report, "thread_num", i + 1);
		for (const struct report_node *node = thread->node->child; node; node = node->next) {
			if (!merge->is_original || strcmp(node->name, "thread_details") != 0)
				report_copy(report, node, write_thread_value, thread);
		}
		report_end(report);
	}
}

void merge_write_result(struct merge *merge, struct report *report)
{
	report_begin(report, "result");
	write_threads(merge, report);
	if (!merge->is_original) {
		write_totals(merge, report);
		write_phases(merge, report);
		write_overhead(merge, report);
		write_pressure(merge, report);
	}
	report_end(report);
}
