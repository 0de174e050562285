/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/collect.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/base/arena.h"
#include "pmbench/access/classify.h"

static double to_ns(const struct timebase *timebase, double ticks)
{
	return ticks * 1e6 / timebase->start.khz;
}

static const enum result_class class_of[ACCESS_CLASSES] = {
	[ACCESS_ALL] = RESULT_ALL,
	[ACCESS_MINOR] = RESULT_MINOR,
	[ACCESS_MAJOR] = RESULT_MAJOR,
};

static int allocate_hdr(struct pmbench_result *result)
{
	for (int class = 0; class < RESULT_CLASSES; class++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			uint64_t *hdr = calloc(BUCKET_HDR_COUNT, sizeof(*hdr));

			if (!hdr)
				return -ENOMEM;
			result->total[class][direction].hdr = hdr;
		}
	}
	return 0;
}

static void add_class(const struct control *control, size_t index, enum access_class class, struct pmbench_result *result)
{
	const struct access_hdr *hdr = control_hdr(control, index, class);
	double tick_ns = to_ns(&result->timebase, 1);

	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
		const struct access_half *half = &control->slots[index].page[class].half[direction];
		struct result_histogram *sum = &result->total[class_of[class]][direction];
		const struct histogram_moments moments = {
			.count = histogram_total(&histogram_log16, half->count),
			.sum_ns = (double)half->sum_ticks * tick_ns,
			.sum_squares_ns2 = half->sum_squares * tick_ns * tick_ns,
			.min_ns = (double)half->min_ticks * tick_ns,
			.max_ns = (double)half->max_ticks * tick_ns,
		};

		histogram_merge(&histogram_log16, sum->count, half->count);
		histogram_moments_add(&sum->moments, &moments);
		if (hdr)
			histogram_merge(&histogram_hdr, sum->hdr, hdr->count[direction]);
	}
}

/* A thread that is killed between two stores may have counted a fault that its page of all accesses lacks; buckets are clamped to
 * 0. */
static void subtract(const struct histogram_layout *layout, uint64_t *counts, const uint64_t *less)
{
	for (unsigned i = 0; i < layout->buckets; i++)
		counts[i] -= less[i] < counts[i] ? less[i] : counts[i];
}

/* Hits are the accesses that are neither minor nor major faults. */
static void derive_hits(const struct control *control, struct pmbench_result *result, enum access_direction direction)
{
	const struct result_histogram *all = &result->total[RESULT_ALL][direction];
	struct result_histogram *hit = &result->total[RESULT_HIT][direction];
	const struct histogram_layout *layout = hit->hdr ? &histogram_hdr : &histogram_log16;
	const uint64_t *count = hit->hdr ? hit->hdr : hit->count;
	struct histogram_moments *moments = &hit->moments;
	uint64_t slow_ticks = 0, low, high = 0;
	double hits, roundings;

	memcpy(hit->count, all->count, sizeof(hit->count));
	if (hit->hdr)
		memcpy(hit->hdr, all->hdr, BUCKET_HDR_COUNT * sizeof(*hit->hdr));
	*moments = all->moments;
	for (int class = RESULT_MINOR; class <= RESULT_MAJOR; class++) {
		const struct result_histogram *fault = &result->total[class][direction];

		subtract(&histogram_log16, hit->count, fault->count);
		if (hit->hdr)
			subtract(&histogram_hdr, hit->hdr, fault->hdr);
		moments->sum_ns -= fault->moments.sum_ns;
		moments->sum_squares_ns2 -= fault->moments.sum_squares_ns2;
	}
	moments->count = histogram_total(&histogram_log16, hit->count);
	hits = (double)moments->count;

	/* The smallest latency of all is a hit if there are hits. The longest hit is exact if it was slow enough for a query of the
	 * kernel; otherwise it is the upper edge of its bucket, and at most the largest latency. */
	for (size_t i = 0; i < control->count; i++) {
		if (control->slots[i].page[ACCESS_ALL].half[direction].max_hit_ticks > slow_ticks)
			slow_ticks = control->slots[i].page[ACCESS_ALL].half[direction].max_hit_ticks;
	}
	for (unsigned i = layout->buckets; i-- > 0 && !high;) {
		if (count[i])
			layout->edges(i, &low, &high);
	}
	moments->max_ns = slow_ticks ? to_ns(&result->timebase, (double)slow_ticks) : (double)high;
	if (moments->max_ns > all->moments.max_ns)
		moments->max_ns = all->moments.max_ns;
	/* The sums of a killed thread may lack its last fault. */
	moments->sum_ns = fmin(fmax(moments->sum_ns, hits * moments->min_ns), hits * moments->max_ns);

	/* The sum of squares of all accesses is rounded at each addition. After many slow faults it is so large that the
	 * squares of hits are lost in that rounding: their deviation, a difference of two such sums, is then unknown. */
	roundings = hits + sqrt((double)all->moments.count);
	if (moments->count < all->moments.count &&
		moments->sum_squares_ns2 < 16 * roundings * DBL_EPSILON * all->moments.sum_squares_ns2)
		moments->sum_squares_ns2 = NAN;
}

/* A measuring thread sleeps only in faults; without classes it is unknown which accesses these were. */
static uint64_t unexplained_ns(const struct control_slot *slot, const struct timebase *timebase, bool is_classified)
{
	const struct control_status *status = &slot->status;
	uint64_t ticks = 0;

	if (!is_classified && status->kernel_minor + status->kernel_major)
		return FIELD_NO_COUNT;
	for (int class = ACCESS_MINOR; class < ACCESS_CLASSES; class++)
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			ticks += slot->page[class].half[direction].sum_ticks;
	return contention_unexplained_ns(&status->contention, timebase_to_ns(timebase, ticks));
}

static void collect_thread(const struct control_slot *slot, const struct timebase *timebase, double window_s,
	bool is_classified, struct result_thread *thread)
{
	const struct control_status *status = &slot->status;
	const struct access_page *all = &slot->page[ACCESS_ALL];
	struct pm_thread_details_values *details = &thread->details;
	bool has_delay;

	details->is_complete = control_get_state(slot) == THREAD_DONE || control_get_state(slot) == THREAD_UNMAPPED;
	if (details->is_complete) {
		thread->accesses = status->accesses;
		thread->contention = status->contention;
		details->run_ns = status->end_ticks > status->begin_ticks ?
			timebase_to_ns(timebase, status->end_ticks - status->begin_ticks) : 0;
		details->kernel_minor_faults = status->kernel_minor;
		details->kernel_major_faults = status->kernel_major;
		details->classified_minor_faults = status->classified_minor;
		details->classified_major_faults = status->classified_major;
		details->inexact_faults = status->inexact;
	} else {
		/* A lost thread could not store its run time or the kernel's counts; its own counters remain. */
		thread->accesses = classify_count(all) + all->half[ACCESS_READ].touched + all->half[ACCESS_WRITE].touched;
		details->run_ns = (uint64_t)(window_s * 1e9);
		details->classified_minor_faults = classify_count(&slot->page[ACCESS_MINOR]) + slot->slow.extra_minor;
		details->classified_major_faults = classify_count(&slot->page[ACCESS_MAJOR]) + slot->slow.extra_major;
	}
	thread->overhead_draws = status->draws;
	thread->warmup_accesses = status->warm_accesses;
	details->latency_ns = thread->accesses ? (double)details->run_ns / (double)thread->accesses : 0;
	details->overhead_ns = status->draws ? to_ns(timebase, (double)status->draw_ticks) / (double)status->draws : 0;
	details->net_ns = details->latency_ns - details->overhead_ns;
	details->warmup_ns = status->warm_accesses ? timebase_to_ns(timebase, status->warm_ticks) : FIELD_NO_COUNT;
	details->init_ns = status->init_ns ? (double)status->init_ns : NAN;
	has_delay = thread->contention.is_known;
	details->run_delay_ns = has_delay ? thread->contention.run_delay_ns : FIELD_NO_COUNT;
	details->cpu_ns = has_delay ? thread->contention.cpu_ns : FIELD_NO_COUNT;
	details->unexplained_ns = has_delay ? unexplained_ns(slot, timebase, is_classified) : FIELD_NO_COUNT;
	details->voluntary_switches = has_delay ? thread->contention.voluntary : FIELD_NO_COUNT;
	details->involuntary_switches = has_delay ? thread->contention.involuntary : FIELD_NO_COUNT;
	details->kernel_queries = slot->slow.checks + all->half[ACCESS_WRITE].slow_hits;
	details->multiple_fault_accesses = slot->slow.multiple;
	details->extra_minor_faults = slot->slow.extra_minor;
	details->extra_major_faults = slot->slow.extra_major;
	details->backwards = slot->slow.backwards;
	details->over_threshold = slot->slow.over_threshold;
}

static void collect_phases(const struct control *control, struct pmbench_result *result)
{
	const struct timebase *timebase = &result->timebase;

	for (unsigned i = 0; i < result->plan->phase_count; i++) {
		struct pm_phase_values *phase = &result->phases[i];
		double busy_ns = 0;

		for (size_t t = 0; t < control->count; t++) {
			const struct control_status *status = &control->slots[t].status;
			const struct control_phase *part = &status->phases[i];
			double begin_s = to_ns(timebase, (double)(part->begin_ticks - status->begin_ticks)) / 1e9;
			double end_s = to_ns(timebase, (double)(part->end_ticks - status->begin_ticks)) / 1e9;

			if (i >= status->phases_done)
				continue;
			phase->accesses += part->accesses;
			phase->minor_faults += part->minor;
			phase->major_faults += part->major;
			phase->begin_s = phase->end_s == 0 || begin_s < phase->begin_s ? begin_s : phase->begin_s;
			phase->end_s = end_s > phase->end_s ? end_s : phase->end_s;
			busy_ns += (end_s - begin_s) * 1e9;
		}
		phase->mean_ns = phase->accesses ? busy_ns / (double)phase->accesses : 0;
	}
}

static void merge_reason(char *reason, size_t length, const char *part)
{
	if (!reason[0])
		snprintf(reason, length, "%s", part);
}

/* Medians do not add: with several threads each part is the mean of their medians, weighted by count. */
static void merge_split_kind(struct pm_fault_parts_values *sum, const struct pm_fault_parts_values *part)
{
	double before = (double)sum->count, more = (double)part->count, all = before + more;

	if (!part->count)
		return;
	sum->kind = part->kind;
	sum->count += part->count;
	sum->entry_ns = (sum->entry_ns * before + part->entry_ns * more) / all;
	sum->handle_ns = (sum->handle_ns * before + part->handle_ns * more) / all;
	sum->exit_ns = (sum->exit_ns * before + part->exit_ns * more) / all;
	sum->total_ns = (sum->total_ns * before + part->total_ns * more) / all;
}

static void merge_split(struct kernel_split_summary *sum, const struct kernel_split_summary *part)
{
	sum->is_available = sum->is_available || part->is_available;
	merge_reason(sum->reason, sizeof(sum->reason), part->reason);
	sum->cost_ns_per_fault = fmax(sum->cost_ns_per_fault, part->cost_ns_per_fault);
	for (int kind = 0; kind < KERNEL_SPLIT_KINDS; kind++)
		merge_split_kind(&sum->parts[kind], &part->parts[kind]);
}

/* A count that is unknown for one process is unknown for all. */
static void merge_file(struct pm_map_file_values *sum, const struct pm_map_file_values *part)
{
	bool is_known = sum->resident_before_pages != FIELD_NO_COUNT && part->resident_before_pages != FIELD_NO_COUNT;

	if (!part->file_pages)
		return;
	sum->was_there = sum->was_there || part->was_there;
	sum->read_ahead_kb = part->read_ahead_kb;
	sum->file_pages += part->file_pages;
	sum->resident_before_pages = is_known ? sum->resident_before_pages + part->resident_before_pages : FIELD_NO_COUNT;
	sum->resident_begin_pages = is_known ? sum->resident_begin_pages + part->resident_begin_pages : FIELD_NO_COUNT;
}

static void collect_traces(const struct control *control, struct pmbench_result *result)
{
	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;

		merge_split(&result->split, &status->split);
		result->infrastructure_pages += status->locked_pages;
		result->huge_bytes += status->huge_bytes;
		merge_file(&result->file, &status->file);
		/* contention_end has the same rule. */
		result->stops.was_continued |= status->was_continued && !result->is_interrupted;
		if (status->has_zero_pages) {
			result->has_zero_pages = true;
			result->zero_pages += status->zero_pages;
		}
	}
}

static void sum_rates(struct pmbench_result *result)
{
	for (size_t i = 0; i < result->thread_count; i++) {
		const struct result_thread *thread = &result->threads[i];
		const struct pm_thread_details_values *details = &thread->details;
		double seconds = (double)details->run_ns / 1e9;
		uint64_t faults = details->is_complete ? details->kernel_minor_faults + details->kernel_major_faults :
			details->classified_minor_faults + details->classified_major_faults;

		if (seconds <= 0)
			continue;
		if (seconds > result->run_seconds)
			result->run_seconds = seconds;
		result->accesses_per_second += (double)thread->accesses / seconds;
		result->faults_per_second += (double)faults / seconds;
	}
}

/* Only threads that ended by themselves count; they share one clock. */
static double find_span(const struct control *control, const struct pmbench_result *result)
{
	uint64_t begin = UINT64_MAX, end = 0;

	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;

		if (!result->threads[i].details.is_complete)
			continue;
		begin = status->begin_ticks < begin ? status->begin_ticks : begin;
		end = status->end_ticks > end ? status->end_ticks : end;
	}
	return end > begin ? (double)timebase_to_ns(&result->timebase, end - begin) / 1e9 : 0;
}

int collect_results(const struct control *control, double window_s, struct pmbench_result *result)
{
	result->threads = calloc(control->count, sizeof(*result->threads));
	if (!result->threads)
		return -ENOMEM;
	result->thread_count = control->count;
	if (control->hdr && allocate_hdr(result))
		return -ENOMEM;
	for (size_t i = 0; i < control->count; i++) {
		struct result_thread *thread = &result->threads[i];
		unsigned process = result->plan->thread[i].process;

		thread->details.process = process;
		thread->details.thread = i - result->plan->process[process].first;
		collect_thread(&control->slots[i], &result->timebase, window_s, result_is_classified(result), thread);
		for (int class = 0; class < ACCESS_CLASSES; class++)
			add_class(control, i, (enum access_class)class, result);
	}
	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
		derive_hits(control, result, (enum access_direction)direction);
	collect_phases(control, result);
	collect_traces(control, result);
	sum_rates(result);
	result->span_seconds = find_span(control, result);
	return 0;
}

/* --- the series --- */

#define SERIES_PARTS (VMCOUNTERS_MEMINFO | VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_CGROUP | VMCOUNTERS_STAT)

static void read_totals(const struct control *control, struct series_point *point)
{
	memset(point, 0, offsetof(struct series_point, counters));
	for (size_t i = 0; i < control->count; i++) {
		const struct control_slot *slot = &control->slots[i];

		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			const struct access_half *half = &slot->page[ACCESS_ALL].half[direction];

			for (unsigned bucket = 0; bucket < BUCKET_LOG16_COUNT; bucket++) {
				uint64_t count = keep_read(&half->count[bucket]);

				point->count[bucket] += count;
				point->accesses += count;
			}
			point->accesses += keep_read(&half->touched);
			point->sum_ticks += keep_read(&half->sum_ticks);
			if (keep_read(&half->max_ticks) > point->max_ticks)
				point->max_ticks = keep_read(&half->max_ticks);
		}
		point->minor += classify_count(&slot->page[ACCESS_MINOR]);
		point->major += classify_count(&slot->page[ACCESS_MAJOR]);
	}
	point->ns = ticks_perfc();
}

void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir)
{
	memset(series, 0, sizeof(*series));
	series->control = control;
	series->timebase = timebase;
	series->cgroup_dir = cgroup_dir;
	vmcounters_read("", cgroup_dir, SERIES_PARTS, &series->last.counters);
	read_totals(control, &series->last);
	series->begin_ns = series->last.ns;
}

/* Only some dozens of the hundreds of counters change; over days the others would fill memory. */
static struct vmcounters *keep_changed(struct vmcounters *delta)
{
	struct vmcounters *smaller;
	size_t kept = 0;

	for (size_t i = 0; i < delta->count; i++)
		if (delta->values[i].value)
			delta->values[kept++] = delta->values[i];
	delta->count = kept;
	smaller = realloc(delta, offsetof(struct vmcounters, values) + kept * sizeof(delta->values[0]));
	return smaller ? smaller : delta;
}

static void reopen_last_row(struct series *series)
{
	struct result_interval *row = &series->intervals[--series->count];

	free(row->count);
	free(row->delta);
	series->last = series->before;
}

int series_take(struct series *series)
{
	const struct timebase *timebase = series->timebase;
	const struct series_point *last = &series->last;
	struct histogram_moments moments = {0};
	struct pm_interval_values *values;
	struct series_point *now;
	struct result_interval *row;

	if (series->count == PLAN_ROWS_MAX)
		reopen_last_row(series);
	if (arena_grow(&series->intervals, &series->capacity, series->count, sizeof(*series->intervals)))
		return -ENOMEM;
	row = &series->intervals[series->count];
	*row = (struct result_interval){
		.count = malloc(BUCKET_LOG16_COUNT * sizeof(*row->count)), .delta = malloc(sizeof(*row->delta))};
	now = malloc(sizeof(*now));
	if (!row->count || !row->delta || !now) {
		free(row->count);
		free(row->delta);
		free(now);
		return -ENOMEM;
	}
	read_totals(series->control, now);
	vmcounters_read("", series->cgroup_dir, SERIES_PARTS, &now->counters);
	memcpy(row->count, now->count, sizeof(now->count));
	histogram_subtract(&histogram_log16, row->count, last->count);
	vmcounters_delta(&last->counters, &now->counters, row->delta);
	row->delta = keep_changed(row->delta);
	/* An interval's extremes follow from its buckets and the run's longest latency so far. */
	moments.max_ns = (double)timebase_to_ns(timebase, now->max_ticks);
	moments.count = histogram_total(&histogram_log16, row->count);
	moments.sum_ns = to_ns(timebase, (double)(now->sum_ticks - last->sum_ticks));
	values = &row->values;
	values->index = series->count;
	values->time_s = (double)(now->ns - series->begin_ns) / 1e9;
	values->seconds = (double)(now->ns - last->ns) / 1e9;
	values->accesses = now->accesses - last->accesses;
	values->accesses_per_second = values->seconds > 0 ? (double)values->accesses / values->seconds : 0;
	values->minor_faults = now->minor - last->minor;
	values->major_faults = now->major - last->major;
	values->mean_ns = moments.count ? moments.sum_ns / (double)moments.count : 0;
	values->p50_ns = histogram_percentile(&histogram_log16, row->count, &moments, 50);
	values->p99_ns = histogram_percentile(&histogram_log16, row->count, &moments, 99);
	series->before = series->last;
	series->last = *now;
	series->count++;
	free(now);
	return 0;
}

int series_end(struct series *series, uint64_t interval_ns)
{
	if (series->count && ticks_perfc() - series->last.ns < interval_ns / 2)
		reopen_last_row(series);
	return series_take(series);
}

const struct result_interval *series_latest(const struct series *series)
{
	return series->count ? &series->intervals[series->count - 1] : NULL;
}

void series_hand_over(struct series *series, struct pmbench_result *result)
{
	result->intervals = series->intervals;
	result->interval_count = series->count;
	series->intervals = NULL;
	series->count = series->capacity = 0;
}
