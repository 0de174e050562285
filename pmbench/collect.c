/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/collect.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/arena.h"
#include "pmbench/classify.h"

static double to_ns(const struct timebase *timebase, double ticks)
{
	return ticks * 1e6 / timebase->start.khz;
}

static void half_moments(const struct timebase *timebase, const struct access_half *half,
	struct histogram_moments *moments)
{
	double tick_ns = to_ns(timebase, 1);

	moments->count = histogram_total(&histogram_log16, half->count);
	moments->sum_ns = (double)half->sum_ticks * tick_ns;
	moments->sum_squares_ns2 = half->sum_squares * tick_ns * tick_ns;
	moments->min_ns = (double)half->min_ticks * tick_ns;
	moments->max_ns = (double)half->max_ticks * tick_ns;
}

static const enum result_class class_of[ACCESS_CLASSES] = {
	[ACCESS_ALL] = RESULT_ALL,
	[ACCESS_MINOR] = RESULT_MINOR,
	[ACCESS_MAJOR] = RESULT_MAJOR,
};

static int allocate_hdr(struct result_histograms *total)
{
	for (int class = 0; class < RESULT_CLASSES; class++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			uint64_t *hdr = calloc(BUCKET_HDR_COUNT, sizeof(*hdr));

			if (!hdr)
				return -ENOMEM;
			total->by[class][direction].hdr = hdr;
		}
	}
	return 0;
}

static void add_class(const struct control *control, size_t index, enum access_class class,
	const struct timebase *timebase, struct result_histograms *total)
{
	const struct access_hdr *hdr = control_hdr(control, index, class);

	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
		const struct access_half *half = &control->slots[index].page[class].half[direction];
		struct result_histogram *sum = &total->by[class_of[class]][direction];
		struct histogram_moments moments;

		half_moments(timebase, half, &moments);
		histogram_merge(&histogram_log16, sum->count, half->count);
		histogram_moments_add(&sum->moments, &moments);
		if (hdr)
			histogram_merge(&histogram_hdr, sum->hdr, hdr->count[direction]);
	}
}

static uint64_t longest_slow_hit(const struct control *control, enum access_direction direction)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < control->count; i++) {
		if (control->slots[i].page[ACCESS_ALL].half[direction].max_hit_ticks > ticks)
			ticks = control->slots[i].page[ACCESS_ALL].half[direction].max_hit_ticks;
	}
	return ticks;
}

/* The upper edge of the highest bucket that is not empty. */
static double highest_edge(const struct result_histogram *histogram)
{
	const struct histogram_layout *layout = histogram->hdr ? &histogram_hdr : &histogram_log16;
	const uint64_t *count = histogram->hdr ? histogram->hdr : histogram->count;
	uint64_t low = 0, high = 0;

	for (unsigned i = layout->buckets; i-- > 0 && !high;) {
		if (count[i])
			layout->edges(i, &low, &high);
	}
	return (double)high;
}

/* The smallest of all is a hit when there is any. The longest hit is known exactly when it was slow enough to be asked
 * about; otherwise its bucket's upper edge stands for it, never above the largest of all. */
static void hit_extremes(const struct control *control, const struct timebase *timebase,
	struct result_histograms *total, enum access_direction direction)
{
	const struct histogram_moments *all = &total->by[RESULT_ALL][direction].moments;
	struct result_histogram *hit = &total->by[RESULT_HIT][direction];
	uint64_t slow = longest_slow_hit(control, direction);

	hit->moments.min_ns = all->min_ns;
	hit->moments.max_ns = slow ? to_ns(timebase, (double)slow) : highest_edge(hit);
	if (hit->moments.max_ns > all->max_ns)
		hit->moments.max_ns = all->max_ns;
}

/* A thread that was killed between two of its stores may have counted a fault that its page of all does not hold yet:
 * no bucket falls below nothing. */
static void subtract(const struct histogram_layout *layout, uint64_t *counts, const uint64_t *less)
{
	for (unsigned i = 0; i < layout->buckets; i++)
		counts[i] -= less[i] < counts[i] ? less[i] : counts[i];
}

static void subtract_faults(struct result_histogram *hit, const struct result_histogram *fault)
{
	subtract(&histogram_log16, hit->count, fault->count);
	if (hit->hdr)
		subtract(&histogram_hdr, hit->hdr, fault->hdr);
	hit->moments.sum_ns -= fault->moments.sum_ns;
	hit->moments.sum_squares_ns2 -= fault->moments.sum_squares_ns2;
}

/* The sum of squares of all accesses is rounded at each addition. After many slow faults it is so large that the squares
 * of hits drown in that: their deviation, a difference of two such sums, is unknown then. */
static bool is_rounded_away(const struct histogram_moments *hit, const struct histogram_moments *all)
{
	double roundings = (double)hit->count + sqrt((double)all->count);

	return hit->sum_squares_ns2 < 16 * roundings * DBL_EPSILON * all->sum_squares_ns2;
}

static void settle_hits(struct histogram_moments *hit, const struct histogram_moments *all)
{
	double count = (double)hit->count;

	/* With a thread that was killed the sums may differ by its last fault. */
	hit->sum_ns = fmin(fmax(hit->sum_ns, count * hit->min_ns), count * hit->max_ns);
	if (hit->count < all->count && is_rounded_away(hit, all))
		hit->sum_squares_ns2 = NAN;
}

/* Hits are what is neither minor nor major. */
static void derive_hits(const struct control *control, const struct timebase *timebase,
	struct result_histograms *total)
{
	for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
		const struct result_histogram *all = &total->by[RESULT_ALL][direction];
		struct result_histogram *hit = &total->by[RESULT_HIT][direction];

		memcpy(hit->count, all->count, sizeof(hit->count));
		hit->moments = all->moments;
		if (hit->hdr)
			memcpy(hit->hdr, all->hdr, BUCKET_HDR_COUNT * sizeof(*hit->hdr));
		subtract_faults(hit, &total->by[RESULT_MINOR][direction]);
		subtract_faults(hit, &total->by[RESULT_MAJOR][direction]);
		hit->moments.count = histogram_total(&histogram_log16, hit->count);
		hit_extremes(control, timebase, total, (enum access_direction)direction);
		settle_hits(&hit->moments, &all->moments);
	}
}

static uint64_t page_count(const struct access_page *page)
{
	return histogram_total(&histogram_log16, page->half[ACCESS_READ].count) +
		histogram_total(&histogram_log16, page->half[ACCESS_WRITE].count);
}

/* It could not say how long it ran, nor ask the kernel: what it counted while it lived is there. */
static void collect_lost(const struct control_slot *slot, double window_s, struct result_thread *thread)
{
	const struct access_page *all = &slot->page[ACCESS_ALL];

	thread->accesses =
		page_count(all) + all->half[ACCESS_READ].touched + all->half[ACCESS_WRITE].touched;
	thread->run_ns = (uint64_t)(window_s * 1e9);
	thread->classified_minor = page_count(&slot->page[ACCESS_MINOR]) + slot->slow.extra_minor;
	thread->classified_major = page_count(&slot->page[ACCESS_MAJOR]) + slot->slow.extra_major;
}

static void collect_complete(const struct control_status *status, const struct timebase *timebase,
	struct result_thread *thread)
{
	thread->accesses = status->accesses;
	thread->run_ns = status->end_ticks > status->begin_ticks ?
		timebase_to_ns(timebase, status->end_ticks - status->begin_ticks) : 0;
	thread->kernel_minor = status->kernel_minor;
	thread->kernel_major = status->kernel_major;
	thread->classified_minor = status->classified_minor;
	thread->classified_major = status->classified_major;
	thread->inexact = status->inexact;
	thread->contention = status->contention;
}

static void collect_thread(const struct control_slot *slot, const struct timebase *timebase, double window_s,
	struct result_thread *thread)
{
	const struct control_status *status = &slot->status;

	thread->is_complete = control_get_state(slot) == THREAD_DONE || control_get_state(slot) == THREAD_UNMAPPED;
	if (thread->is_complete)
		collect_complete(status, timebase, thread);
	else
		collect_lost(slot, window_s, thread);
	thread->init_ns = (double)status->init_ns;
	thread->overhead_draws = status->draws;
	thread->overhead_ns = status->draws ? to_ns(timebase, (double)status->draw_ticks) / (double)status->draws : 0;
	thread->latency_ns = thread->accesses ? (double)thread->run_ns / (double)thread->accesses : 0;
	thread->net_ns = thread->latency_ns - thread->overhead_ns;
	thread->warmup_accesses = status->warm_accesses;
	thread->warmup_ns = timebase_to_ns(timebase, status->warm_ticks);
	thread->slow = slot->slow;
	thread->slow.checks += slot->page[ACCESS_ALL].half[ACCESS_WRITE].slow_hits;
}

static void collect_phases(const struct control *control, const struct timebase *timebase,
	struct pmbench_result *result)
{
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

static void merge_trace(struct result_fault_trace *sum, const struct result_fault_trace *part)
{
	sum->is_available = sum->is_available || part->is_available;
	merge_reason(sum->reason, sizeof(sum->reason), part->reason);
	sum->counts.records += part->counts.records;
	sum->counts.lost_records += part->counts.lost_records;
	sum->counts.in_map_minor_faults += part->counts.in_map_minor_faults;
	sum->counts.in_map_major_faults += part->counts.in_map_major_faults;
	sum->counts.elsewhere_faults += part->counts.elsewhere_faults;
	sum->counts.cost_ns_per_fault = fmax(sum->counts.cost_ns_per_fault, part->counts.cost_ns_per_fault);
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

static void merge_split(struct result_kernel_split *sum, const struct result_kernel_split *part)
{
	sum->is_available = sum->is_available || part->is_available;
	merge_reason(sum->reason, sizeof(sum->reason), part->reason);
	sum->cost_ns_per_fault = fmax(sum->cost_ns_per_fault, part->cost_ns_per_fault);
	for (int kind = 0; kind < KERNEL_SPLIT_KINDS; kind++)
		merge_split_kind(&sum->parts[kind], &part->parts[kind]);
}

static void merge_file(struct result_map_file *sum, const struct result_map_file *part)
{
	bool is_first = !sum->pages;

	if (!part->pages)
		return;
	sum->is_known = (is_first || sum->is_known) && part->is_known;
	sum->was_there = sum->was_there || part->was_there;
	sum->read_ahead_kb = part->read_ahead_kb;
	sum->pages += part->pages;
	sum->resident_before += part->resident_before;
	sum->resident_begin += part->resident_begin;
}

static void collect_traces(const struct control *control, struct pmbench_result *result)
{
	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;

		merge_trace(&result->trace, &status->trace);
		merge_split(&result->split, &status->split);
		result->infrastructure_pages += status->locked_pages;
		result->huge_bytes += status->huge_bytes;
		merge_file(&result->file, &status->file);
		result->stops.was_continued = result->stops.was_continued || status->was_continued;
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
		double seconds = (double)thread->run_ns / 1e9;
		uint64_t faults = thread->is_complete ? thread->kernel_minor + thread->kernel_major :
			thread->classified_minor + thread->classified_major;

		if (seconds <= 0)
			continue;
		if (seconds > result->run_seconds)
			result->run_seconds = seconds;
		result->accesses_per_second += (double)thread->accesses / seconds;
		result->faults_per_second += (double)faults / seconds;
	}
}

int collect_results(const struct control *control, double window_s, struct pmbench_result *result)
{
	const struct timebase *timebase = &result->timebase;

	result->threads = calloc(control->count, sizeof(*result->threads));
	if (!result->threads)
		return -ENOMEM;
	result->thread_count = control->count;
	if (control->hdr && allocate_hdr(&result->total))
		return -ENOMEM;
	for (size_t i = 0; i < control->count; i++) {
		struct result_thread *thread = &result->threads[i];

		thread->process = result->plan->thread[i].process;
		thread->thread = (unsigned)i - result->plan->process[thread->process].first;
		collect_thread(&control->slots[i], timebase, window_s, thread);
		for (int class = 0; class < ACCESS_CLASSES; class++)
			add_class(control, i, (enum access_class)class, timebase, &result->total);
	}
	derive_hits(control, timebase, &result->total);
	collect_phases(control, timebase, result);
	collect_traces(control, result);
	sum_rates(result);
	return 0;
}

/* --- the series --- */

#define SERIES_PARTS (VMCOUNTERS_MEMINFO | VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_CGROUP | VMCOUNTERS_STAT)

static void add_half(struct series_totals *totals, const struct access_half *half)
{
	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++) {
		uint64_t count = keep_read(&half->count[i]);

		totals->count[i] += count;
		totals->accesses += count;
	}
	totals->accesses += keep_read(&half->touched);
	totals->sum_ticks += keep_read(&half->sum_ticks);
	if (keep_read(&half->max_ticks) > totals->max_ticks)
		totals->max_ticks = keep_read(&half->max_ticks);
}

static void read_totals(const struct control *control, struct series_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	for (size_t i = 0; i < control->count; i++) {
		const struct control_slot *slot = &control->slots[i];

		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			add_half(totals, &slot->page[ACCESS_ALL].half[direction]);
		totals->minor += classify_count(&slot->page[ACCESS_MINOR]);
		totals->major += classify_count(&slot->page[ACCESS_MAJOR]);
	}
}

void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir)
{
	memset(series, 0, sizeof(*series));
	series->control = control;
	series->timebase = timebase;
	series->cgroup_dir = cgroup_dir;
	vmcounters_read("", cgroup_dir, SERIES_PARTS, &series->counters);
	read_totals(control, &series->last);
	series->begin_ns = series->last_ns = ticks_perfc();
}

static struct result_interval *new_row(struct series *series)
{
	struct result_interval *row;

	if (arena_grow(&series->intervals, &series->room, series->count, sizeof(*series->intervals)))
		return NULL;
	row = &series->intervals[series->count];
	memset(row, 0, sizeof(*row));
	row->count = malloc(BUCKET_LOG16_COUNT * sizeof(*row->count));
	row->delta = malloc(sizeof(*row->delta));
	if (row->count && row->delta)
		return row;
	free(row->count);
	free(row->delta);
	return NULL;
}

/* Of hundreds of counters some dozens change: a run of days must not hold the others in memory. */
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

static void fill_row(struct result_interval *row, const struct series_totals *now, const struct series_totals *before,
	const struct timebase *timebase)
{
	/* The interval's own extremes are only known by their buckets and by the run's longest so far. */
	struct histogram_moments moments = {.max_ns = (double)timebase_to_ns(timebase, now->max_ticks)};

	memcpy(row->count, now->count, sizeof(now->count));
	histogram_subtract(&histogram_log16, row->count, before->count);
	row->accesses = now->accesses - before->accesses;
	row->minor = now->minor - before->minor;
	row->major = now->major - before->major;
	moments.count = histogram_total(&histogram_log16, row->count);
	row->mean_ns = moments.count ? (double)(now->sum_ticks - before->sum_ticks) * 1e6 / timebase->start.khz /
			(double)moments.count : 0;
	row->p50_ns = histogram_percentile(&histogram_log16, row->count, &moments, 50);
	row->p99_ns = histogram_percentile(&histogram_log16, row->count, &moments, 99);
}

static void reopen_last_row(struct series *series)
{
	struct result_interval *row = &series->intervals[--series->count];

	free(row->count);
	free(row->delta);
	series->last = series->before.totals;
	series->last_ns = series->before.ns;
	series->counters = series->before.counters;
}

int series_take(struct series *series)
{
	struct result_interval *row;
	struct series_totals now;
	struct vmcounters *counters;
	uint64_t now_ns;

	if (series->count == SERIES_ROWS_MAX)
		reopen_last_row(series);
	row = new_row(series);
	if (!row)
		return -ENOMEM;
	counters = malloc(sizeof(*counters));
	if (!counters) {
		free(row->count);
		free(row->delta);
		return -ENOMEM;
	}
	read_totals(series->control, &now);
	now_ns = ticks_perfc();
	vmcounters_read("", series->cgroup_dir, SERIES_PARTS, counters);
	fill_row(row, &now, &series->last, series->timebase);
	row->time_s = (double)(now_ns - series->begin_ns) / 1e9;
	row->seconds = (double)(now_ns - series->last_ns) / 1e9;
	vmcounters_delta(&series->counters, counters, row->delta);
	row->delta = keep_changed(row->delta);
	series->before.ns = series->last_ns;
	series->before.totals = series->last;
	series->before.counters = series->counters;
	series->counters = *counters;
	series->last = now;
	series->last_ns = now_ns;
	series->count++;
	free(counters);
	return 0;
}

int series_end(struct series *series, uint64_t interval_ns)
{
	if (series->count && ticks_perfc() - series->last_ns < interval_ns / 2)
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
	series->count = series->room = 0;
}
