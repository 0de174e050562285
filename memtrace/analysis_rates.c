/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hotset, skew and missratio of recordings that have rates of pages (memtrace/rates.h) instead of samples of accesses. */
#include "config.h"
#include "memtrace/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define RATES_INDICATION "rates of pages have no intervals"
#define SATURATED "some pages always came back within 0.1 ms: their rates are not known, only that they are high; use popularity"
#define EVENTS_MAX (1u << 25) /* 768 MiB */

struct gathering {
	struct rate_event *events;
	size_t count, room;
};

static int gather(void *data, const struct access *batch, size_t count)
{
	struct gathering *gathering = data;

	if (gathering->count + count > EVENTS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < count; i++) {
		if (arena_grow(&gathering->events, &gathering->room, gathering->count, sizeof(*gathering->events)))
			return -ENOMEM;
		gathering->events[gathering->count++] = (struct rate_event){batch[i].place >> RATES_PAGE_SHIFT, batch[i].time_ns,
			batch[i].weight, batch[i].kind};
	}
	return 0;
}

int analysis_rates(struct source *source, struct rates *rates)
{
	struct gathering gathering = {0};
	int err;

	source->takes_outs = true;
	err = source_read(source, gather, &gathering);
	if (!err)
		err = rates_make(gathering.events, gathering.count, rates);
	free(gathering.events);
	return err;
}

static int find_rates(struct analysis_run *run, struct rates *rates, const char **why)
{
	if (run->shift != RATES_PAGE_SHIFT) {
		*why = "has rates of pages: use --bucket 4k";
		return -ENODATA;
	}
	return analysis_rates(run->source, rates);
}

/*
 * Estimates the number of all accessed pages, including pages that were never paged out, from how often each page that came back
 * was paged out. drawn receives the number of pages that came back. 0 or -ENOMEM.
 *
 * Pages are drawn among those that are resident: one that never came back cannot be drawn a second time, and counted as drawn once
 * it would stand for many that were never drawn.
 */
static int estimate_pages(const struct rates *rates, struct estimate *pages, size_t *drawn)
{
	uint32_t *outs = malloc((rates->count + 1) * sizeof(*outs));
	struct spectrum spectrum = {0};
	size_t count = 0;
	int err;

	if (!outs)
		return -ENOMEM;
	for (size_t i = 0; i < rates->count; i++) {
		if (rates->pages[i].refaults)
			outs[count++] = rates->pages[i].outs;
	}
	err = spectrum_make(outs, count, &spectrum);
	if (!err) {
		*pages = estimate_buckets(&spectrum, NAN, INFINITY, false);
		*drawn = count;
	}
	spectrum_free(&spectrum);
	free(outs);
	return err;
}

static double total_of(const struct rates *rates)
{
	double total = 0;

	for (size_t i = 0; i < rates->count; i++)
		total += rates->pages[i].rate;
	return total;
}

static uint64_t seen_of(const struct page_rate *page)
{
	return (uint64_t)page->refaults + page->samples;
}

/* Leaves pages out of which no access was seen: a rate of theirs is that of any page. */
static void keep_accessed(struct rates *rates)
{
	size_t kept = 0;

	for (size_t i = 0; i < rates->count; i++) {
		if (seen_of(&rates->pages[i]))
			rates->pages[kept++] = rates->pages[i];
	}
	rates->count = kept;
}

int analysis_rates_hotset(struct analysis_run *run, const char **why)
{
	struct mt_hotset_values *values = run->values;
	struct mt_step_values *steps = analysis_allocate(run, 2 * ANALYSIS_CURVE, sizeof(*steps));
	struct rates rates = {0};
	struct estimate pages = {0};
	double seconds, total, touched, size, sum = 0, bytes = (double)(1ull << run->shift);
	size_t drawn = 0, shown = 0, before = 0;
	int err = steps ? find_rates(run, &rates, why) : -ENOMEM;

	if (!err)
		err = estimate_pages(&rates, &pages, &drawn);
	if (err) {
		rates_free(&rates);
		return err;
	}
	keep_accessed(&rates);
	total = total_of(&rates);
	/* Bursts meet pages that were never drawn. */
	touched = (double)rates.count;
	size = (double)source_size(run->source);
	seconds = (double)(run->source->last_ns - run->source->first_ns) / 1e9;
	*values = (struct mt_hotset_values){.bucket_bytes = 1ull << run->shift,
		.touched_bytes = (uint64_t)rates.count << run->shift,
		.estimator = rates.burst_s > 0
			? "rates of pages, by times out of memory and by bursts; Chao1 of the draws that came back"
			: "rates of pages, by times out of memory; Chao1 of the draws that came back",
		.working_set_bytes = fmax(pages.value, touched) * bytes, .working_set_low_bytes = touched * bytes,
		.working_set_high_bytes = size > 0 ? fmax(size, fmax(pages.value, touched) * bytes) : NAN,
		.mapped_bytes = size > 0 ? size : NAN,
		.coverage_percent = analysis_percent((double)drawn, pages.value)};
	for (size_t i = 0; i < rates.count && shown < 2 * ANALYSIS_CURVE; i++) {
		sum += rates.pages[i].rate;
		if (!analysis_is_shown(i + 1, before, rates.count))
			continue;
		before = i + 1;
		steps[shown++] = (struct mt_step_values){.samples = seen_of(&rates.pages[i]),
			.estimated_accesses = rates.pages[i].rate * seconds, .buckets = i + 1,
			.size_bytes = (uint64_t)(i + 1) << run->shift, .percent = analysis_percent(sum, total)};
	}
	values->size_step = FIELD_MANY(steps, shown);
	rates_free(&rates);
	return 0;
}

static void make_ranks(struct analysis_run *run, const struct rates *rates, struct mt_rank_values *ranks,
	struct mt_skew_values *values)
{
	double total = total_of(rates), sum = 0, seconds = (double)(run->source->last_ns - run->source->first_ns) / 1e9;
	size_t shown = 0, before = 0;

	for (size_t i = 0; i < rates->count && shown < 2 * ANALYSIS_CURVE; i++) {
		sum += rates->pages[i].rate;
		if (!analysis_is_shown(i + 1, before, rates->count))
			continue;
		before = i + 1;
		ranks[shown++] = (struct mt_rank_values){.rank = i + 1, .samples = seen_of(&rates->pages[i]),
			.estimated_accesses = rates->pages[i].rate * seconds, .fitted = NAN,
			.cumulative_percent = analysis_percent(sum, total)};
	}
	values->ranked = FIELD_MANY(ranks, shown);
}

int analysis_rates_skew(struct analysis_run *run, const char **why)
{
	struct mt_skew_values *values = run->values;
	struct mt_rank_values *ranks = analysis_allocate(run, 2 * ANALYSIS_CURVE, sizeof(*ranks));
	struct rates rates = {0};
	int err = ranks ? find_rates(run, &rates, why) : -ENOMEM;

	if (err)
		return err;
	*values = (struct mt_skew_values){.bucket_bytes = 1ull << run->shift, .indication = RATES_INDICATION, .gini = NAN,
		.gini_low = NAN, .gini_high = NAN, .zipf_exponent = NAN, .zipf_exponent_low = NAN, .zipf_exponent_high = NAN,
		.zipf_ranks = FIELD_NO_COUNT, .top_1_percent_share = NAN, .top_1_percent_share_low = NAN,
		.top_1_percent_share_high = NAN, .top_10_percent_share = NAN, .top_10_percent_share_low = NAN,
		.top_10_percent_share_high = NAN};
	if (rates.saturated) {
		values->indication = SATURATED;
	} else if (!rates.is_fitted) {
		values->indication = "too few pages came back to separate their rates from noise";
	} else {
		values->gini = rates_gini(&rates);
		values->zipf_exponent = rates_exponent(&rates);
		values->top_1_percent_share = 100 * rates_top(&rates, 0.01);
		values->top_10_percent_share = 100 * rates_top(&rates, 0.1);
	}
	make_ranks(run, &rates, ranks, values);
	rates_free(&rates);
	return 0;
}

int analysis_rates_curve(const struct rates *rates, struct miss_curve *curve)
{
	double *values = malloc((rates->count + 1) * sizeof(*values));
	struct estimate pages = {0};
	size_t drawn = 0;
	int err = values ? estimate_pages(rates, &pages, &drawn) : -ENOMEM;

	for (size_t i = 0; i < rates->count && !err; i++)
		values[i] = rates->pages[i].rate;
	/* Pages that were never drawn are like the others. */
	if (!err)
		err = estimate_from_rates(values, rates->count, drawn ? fmax(pages.value / (double)drawn, 1) : 1, curve);
	free(values);
	return err;
}

int analysis_rates_missratio(struct analysis_run *run, struct miss_curve *curve, struct mt_missratio_values *values,
	const char **why)
{
	struct rates rates = {0};
	struct estimate pages = {0};
	size_t drawn;
	int err = find_rates(run, &rates, why);

	if (!err)
		err = analysis_rates_curve(&rates, curve);
	if (!err)
		err = estimate_pages(&rates, &pages, &drawn);
	values->estimator = "Che, independent references: from rates of pages";
	values->indication = rates.saturated ? SATURATED : RATES_INDICATION;
	values->working_set_bytes = pages.value * (double)(1ull << run->shift);
	rates_free(&rates);
	return err;
}
