/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/rates.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/arena.h"
#include "memtrace/trace_file.h"

#define LEAST_S 1e-6     /* of a time out: clocks of two CPUs, and the way back from the call */
#define FIT_PAGES_MAX 4096
#define FIT_ROUNDS 300
#define GRID_STEP 1.15
#define GRID_MAX 200     /* nine decades and more */
#define SATURATED (1.5 / RATES_FAST_S) /* three of four returns are fast */
#define GRID_END (4 / RATES_FAST_S) /* higher rates bring nearly all pages back fast */
#define FIT_PAGES 20     /* fewer are too few for a distribution */
#define AT_ONCE_NS 50000 /* a page that is resident right after the call was accessed before, or was not paged out */

void rates_free(struct rates *rates)
{
	free(rates->pages);
	free(rates->parts);
	*rates = (struct rates){0};
}

/* When an event began: a page may come back before the call has returned. */
static uint64_t begin_of(const struct rate_event *event)
{
	return event->kind == TRACE_OUT ? event->time_ns - (event->weight >> 1) : event->time_ns;
}

static int compare_events(const void *a, const void *b)
{
	const struct rate_event *one = a, *other = b;

	if (one->page != other->page)
		return one->page > other->page ? 1 : -1;
	return (begin_of(one) > begin_of(other)) - (begin_of(one) < begin_of(other));
}

static bool is_fault(const struct rate_event *event)
{
	return event->kind == TRACE_MINOR_FAULT || event->kind == TRACE_MAJOR_FAULT;
}

/* Those of one page, in the order of their times; until: when its process was seen last. */
static void take_page(const struct rate_event *events, size_t count, uint64_t until_ns, struct page_rate *page)
{
	const struct rate_event *out = NULL;

	*page = (struct page_rate){.page = events[0].page};
	for (size_t i = 0; i < count; i++) {
		const struct rate_event *event = &events[i];
		double time_s;

		if (event->kind == TRACE_OUT) {
			/* After another one the fault between them is lost, and how long the page was out is not known. */
			out = event;
			continue;
		}
		if (!is_fault(event)) {
			page->samples++;
			continue;
		}
		if (!out)
			continue;
		time_s = event->time_ns > out->time_ns ? (double)(event->time_ns - out->time_ns) / 1e9 : 0;
		/* Otherwise it was never out, and this is the fault of another time. */
		if (!(out->weight & 1) || time_s < AT_ONCE_NS / 1e9) {
			page->outs++;
			page->refaults++;
			page->fast += time_s < RATES_FAST_S;
			page->out_s += time_s < RATES_FAST_S ? 0 : time_s;
		}
		out = NULL;
	}
	if (out && !(out->weight & 1) && until_ns > out->time_ns) {
		page->outs++;
		page->out_s += (double)(until_ns - out->time_ns) / 1e9;
	}
}

/* When the process of this event was seen last. */
static uint64_t last_of_process(const struct rate_event *events, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count && events[i].page >> RATES_PROCESS_SHIFT == events[0].page >> RATES_PROCESS_SHIFT; i++)
		last = events[i].time_ns > last ? events[i].time_ns : last;
	return last;
}

static int take_pages(const struct rate_event *events, size_t count, struct rates *rates)
{
	uint64_t until_ns = 0;
	size_t room = 0, end;

	for (size_t i = 0; i < count; i = end) {
		struct page_rate page;

		if (!i || events[i].page >> RATES_PROCESS_SHIFT != events[i - 1].page >> RATES_PROCESS_SHIFT)
			until_ns = last_of_process(events + i, count - i);
		for (end = i + 1; end < count && events[end].page == events[i].page;)
			end++;
		take_page(events + i, end - i, until_ns, &page);
		if (!page.outs && !page.samples)
			continue;
		if (arena_grow(&rates->pages, &room, rates->count, sizeof(page)))
			return -ENOMEM;
		rates->pages[rates->count++] = page;
	}
	return 0;
}

/* --- the distribution of rates --- */

/* As weights of rates that are a constant factor apart. */
struct distribution {
	size_t count; /* 0 = not known */
	double rates[GRID_MAX], weights[GRID_MAX];
};

/* What is known of a page: accesses in a time, and how often it was accessed within RATES_FAST_S. */
struct known {
	double count, time_s, fast;
};

static double log_likelihood(const struct known *known, double rate)
{
	double fast = known->fast > 0 ? known->fast * log(-expm1(-rate * RATES_FAST_S)) : 0;

	return fast + known->count * log(rate) - rate * known->time_s;
}

static double mean_rate(const struct distribution *grid, const struct known *known)
{
	double most = -INFINITY, sum = 0, mean = 0, parts[GRID_MAX];

	for (size_t i = 0; i < grid->count; i++) {
		parts[i] = grid->weights[i] > 0 ? log(grid->weights[i]) + log_likelihood(known, grid->rates[i]) : -INFINITY;
		most = fmax(most, parts[i]);
	}
	for (size_t i = 0; i < grid->count; i++) {
		sum += exp(parts[i] - most);
		mean += exp(parts[i] - most) * grid->rates[i];
	}
	return mean / sum;
}

static struct known known_of(const struct page_rate *page)
{
	return (struct known){(double)page->refaults - page->fast, page->out_s, page->fast};
}

/* By page and rate: the likelihood of what is known of the page, divided by its largest. */
static float *make_likelihoods(const struct rates *rates, size_t every, const struct distribution *grid, size_t *used)
{
	float *all = malloc((rates->count / every + 1) * grid->count * sizeof(*all)), *row = all;

	for (size_t i = 0; i < rates->count && all; i += every) {
		struct known known = known_of(&rates->pages[i]);
		double most = -INFINITY;

		if (!rates->pages[i].outs)
			continue;
		for (size_t j = 0; j < grid->count; j++)
			most = fmax(most, log_likelihood(&known, grid->rates[j]));
		for (size_t j = 0; j < grid->count; j++)
			row[j] = (float)exp(log_likelihood(&known, grid->rates[j]) - most);
		row += grid->count;
	}
	*used = all ? (size_t)(row - all) / grid->count : 0;
	return all;
}

/* By expectation and maximization, of up to FIT_PAGES_MAX pages. 0 or -ENOMEM. */
static int fit(const struct rates *rates, struct distribution *grid)
{
	size_t pages = 0, used, every = rates->count / FIT_PAGES_MAX + 1;
	double refaults = 0, longest_s = 0, rate;
	float *likelihoods;

	*grid = (struct distribution){0};
	for (size_t i = 0; i < rates->count; i++) {
		pages += rates->pages[i].outs > 0;
		refaults += rates->pages[i].refaults;
		longest_s = fmax(longest_s, rates->pages[i].out_s);
	}
	if (pages < FIT_PAGES || refaults < FIT_PAGES)
		return 0;
	rate = 0.1 / fmax(longest_s, RATES_FAST_S);
	while (rate < GRID_END && grid->count < GRID_MAX) {
		grid->rates[grid->count++] = rate;
		rate *= GRID_STEP;
	}
	for (size_t i = 0; i < grid->count; i++)
		grid->weights[i] = 1 / (double)grid->count;
	likelihoods = make_likelihoods(rates, every, grid, &used);
	if (!likelihoods)
		return -ENOMEM;
	for (unsigned round = 0; round < FIT_ROUNDS; round++) {
		double sums[GRID_MAX] = {0};

		for (size_t i = 0; i < used; i++) {
			const float *row = likelihoods + i * grid->count;
			double sum = 0;

			for (size_t j = 0; j < grid->count; j++)
				sum += grid->weights[j] * row[j];
			for (size_t j = 0; j < grid->count && sum > 0; j++)
				sums[j] += row[j] / sum;
		}
		for (size_t j = 0; j < grid->count && used; j++)
			grid->weights[j] *= sums[j] / (double)used;
	}
	free(likelihoods);
	return 0;
}

static int keep_distribution(const struct distribution *grid, struct rates *rates)
{
	double pages = 0, fast = 0;

	rates->is_fitted = grid->count > 0;
	if (!grid->count)
		return 0;
	rates->parts = malloc(grid->count * sizeof(*rates->parts));
	if (!rates->parts)
		return -ENOMEM;
	rates->part_count = grid->count;
	for (size_t i = 0; i < grid->count; i++) {
		rates->parts[i] = (struct rates_part){grid->rates[i], grid->weights[i]};
		fast += grid->rates[i] > SATURATED ? grid->weights[i] : 0;
	}
	for (size_t i = 0; i < rates->count; i++)
		pages += rates->pages[i].outs > 0;
	rates->saturated = (size_t)(fast * pages + 0.5);
	return 0;
}

double rates_top(const struct rates *rates, double part)
{
	double left = part, sum = 0, total = 0;

	for (size_t i = rates->part_count; i-- > 0;) {
		double weight = rates->parts[i].weight;

		total += weight * rates->parts[i].rate;
		sum += fmin(weight, left) * rates->parts[i].rate;
		left = fmax(left - weight, 0);
	}
	return total > 0 ? sum / total : 0;
}

double rates_gini(const struct rates *rates)
{
	double below = 0, weighted = 0, total = 0;

	for (size_t i = 0; i < rates->part_count; i++) {
		const struct rates_part *at = &rates->parts[i];

		total += at->weight * at->rate;
		weighted += at->weight * at->rate * (below + at->weight / 2);
		below += at->weight;
	}
	return total > 0 ? fmax(2 * weighted / total - 1, 0) : 0;
}

double rates_exponent(const struct rates *rates)
{
	double sum = 0, x = 0, y = 0, xx = 0, xy = 0, above = 0;

	for (size_t i = rates->part_count; i-- > 0;) {
		double weight = rates->parts[i].weight, rank = log(above + weight / 2), rate = log(rates->parts[i].rate);

		if (!(weight > 0))
			continue;
		above += weight;
		sum += weight;
		x += weight * rank;
		y += weight * rate;
		xx += weight * rank * rank;
		xy += weight * rank * rate;
	}
	xx -= x * x / sum;
	return xx > 1e-9 ? fmax(-(xy - x * y / sum) / xx, 0) : 0;
}

/* --- rates --- */

/* The times out say no more than that it is accessed often. */
static bool is_saturated(const struct page_rate *page)
{
	return page->fast && page->fast * 2 > page->refaults;
}

static double rate_of(const struct distribution *grid, const struct known *known)
{
	double count = known->count + known->fast, time_s = known->time_s + known->fast * RATES_FAST_S / 2;

	if (grid->count)
		return mean_rate(grid, known);
	return time_s > 0 ? count / time_s : 0;
}

/* The time in which accesses are as many as samples: of pages whose rate is known without them. */
static void find_burst_time(struct rates *rates, const struct distribution *grid)
{
	double samples = 0, accesses_per_second = 0;

	for (size_t i = 0; i < rates->count; i++) {
		const struct page_rate *page = &rates->pages[i];
		struct known known = known_of(page);

		if (!page->outs || is_saturated(page))
			continue;
		samples += page->samples;
		accesses_per_second += rate_of(grid, &known);
	}
	rates->burst_s = accesses_per_second > 0 ? samples / accesses_per_second : 0;
}

static int compare_rates(const void *a, const void *b)
{
	const struct page_rate *one = a, *other = b;

	if (one->rate != other->rate)
		return one->rate < other->rate ? 1 : -1;
	return (one->page > other->page) - (one->page < other->page);
}

int rates_make(struct rate_event *events, size_t count, struct rates *rates)
{
	struct rates made = {0};
	struct distribution grid;
	int err;

	if (count)
		qsort(events, count, sizeof(*events), compare_events);
	err = take_pages(events, count, &made);
	if (err) {
		rates_free(&made);
		return err;
	}
	err = fit(&made, &grid);
	if (!err)
		err = keep_distribution(&grid, &made);
	if (err) {
		rates_free(&made);
		return err;
	}
	find_burst_time(&made, &grid);
	for (size_t i = 0; i < made.count; i++) {
		struct page_rate *page = &made.pages[i];
		struct known known = known_of(page);

		if (made.burst_s > 0) {
			known.count += page->samples;
			known.time_s += made.burst_s;
		}
		made.saturated += !made.is_fitted && is_saturated(page);
		if (is_saturated(page) && page->samples && made.burst_s > 0)
			page->rate = page->samples / made.burst_s;
		else
			page->rate = rate_of(&grid, &known);
	}
	if (made.count)
		qsort(made.pages, made.count, sizeof(*made.pages), compare_rates);
	*rates = made;
	return 0;
}
