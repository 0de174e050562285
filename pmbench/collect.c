/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/collect.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		struct result_phase *phase = &result->phases[i];
		double busy_ns = 0;

		for (size_t t = 0; t < control->count; t++) {
			const struct control_status *status = &control->slots[t].status;
			const struct control_phase *part = &status->phases[i];
			double begin_s = to_ns(timebase, (double)(part->begin_ticks - status->begin_ticks)) / 1e9;
			double end_s = to_ns(timebase, (double)(part->end_ticks - status->begin_ticks)) / 1e9;

			if (i >= status->phases_done)
				continue;
			phase->accesses += part->accesses;
			phase->minor += part->minor;
			phase->major += part->major;
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
	sum->records += part->records;
	sum->lost += part->lost;
	sum->in_map_minor += part->in_map_minor;
	sum->in_map_major += part->in_map_major;
	sum->elsewhere += part->elsewhere;
	if (part->cost_ns_per_fault > sum->cost_ns_per_fault)
		sum->cost_ns_per_fault = part->cost_ns_per_fault;
}

/* Medians do not add: with several threads each part is the mean of their medians, weighted by count. */
static void merge_split_kind(struct result_kernel_split_kind *sum, const struct result_kernel_split_kind *part)
{
	double before = (double)sum->count, more = (double)part->count, all = before + more;

	if (!part->count)
		return;
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
	if (part->cost_ns_per_fault > sum->cost_ns_per_fault)
		sum->cost_ns_per_fault = part->cost_ns_per_fault;
	merge_split_kind(&sum->minor, &part->minor);
	merge_split_kind(&sum->major, &part->major);
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
