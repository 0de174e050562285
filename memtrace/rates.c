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
#define FIT_ROUNDS 60
#define GRID_STEP 1.3
#define GRID_MAX 100     /* nine decades and more */
#define FIT_PAGES 20     /* fewer are too few for a distribution */
#define AT_ONCE_NS 50000 /* a page that is resident right after the call was accessed before, or was not paged out */

void rates_free(struct rates *rates)
{
	free(rates->pages);
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
			page->out_s += fmax(time_s, LEAST_S);
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

/* The mean rate given this number of accesses in this time; parts: the weights of the grid given them. */
static double mean_rate(const struct distribution *grid, double count, double time_s, double parts[GRID_MAX])
{
	double most = -INFINITY, sum = 0, mean = 0;

	for (size_t i = 0; i < grid->count; i++) {
		parts[i] = grid->weights[i] > 0 ?
			log(grid->weights[i]) + count * log(grid->rates[i]) - grid->rates[i] * time_s : -INFINITY;
		most = fmax(most, parts[i]);
	}
	for (size_t i = 0; i < grid->count; i++) {
		parts[i] = exp(parts[i] - most);
		sum += parts[i];
		mean += parts[i] * grid->rates[i];
	}
	for (size_t i = 0; i < grid->count; i++)
		parts[i] /= sum;
	return mean / sum;
}

/* By expectation and maximization, of up to FIT_PAGES_MAX pages. */
static void fit(const struct rates *rates, struct distribution *grid)
{
	size_t pages = 0, used = 0, every;
	double refaults = 0, longest_s = 0, rate;

	*grid = (struct distribution){0};
	for (size_t i = 0; i < rates->count; i++) {
		pages += rates->pages[i].out_s > 0;
		refaults += rates->pages[i].refaults;
		longest_s = fmax(longest_s, rates->pages[i].out_s);
	}
	if (pages < FIT_PAGES || refaults < FIT_PAGES)
		return;
	rate = 0.1 / longest_s;
	while (rate < 2 / LEAST_S && grid->count < GRID_MAX) {
		grid->rates[grid->count++] = rate;
		rate *= GRID_STEP;
	}
	for (size_t i = 0; i < grid->count; i++)
		grid->weights[i] = 1 / (double)grid->count;
	every = rates->count / FIT_PAGES_MAX + 1;
	for (unsigned round = 0; round < FIT_ROUNDS; round++) {
		double sums[GRID_MAX] = {0}, parts[GRID_MAX];

		used = 0;
		for (size_t i = 0; i < rates->count; i += every) {
			if (!(rates->pages[i].out_s > 0))
				continue;
			mean_rate(grid, rates->pages[i].refaults, rates->pages[i].out_s, parts);
			used++;
			for (size_t j = 0; j < grid->count; j++)
				sums[j] += parts[j];
		}
		for (size_t j = 0; j < grid->count && used; j++)
			grid->weights[j] = sums[j] / (double)used;
	}
}

/* --- rates --- */

static bool is_saturated(const struct page_rate *page)
{
	return page->refaults && page->out_s / page->refaults < RATES_SATURATED_S;
}

static double rate_of(const struct distribution *grid, double count, double time_s)
{
	double parts[GRID_MAX];

	if (grid->count)
		return mean_rate(grid, count, time_s, parts);
	return time_s > 0 ? count / time_s : 0;
}

/* The time in which accesses are as many as samples: of pages whose rate is known without them. */
static void find_burst_time(struct rates *rates, const struct distribution *grid)
{
	double samples = 0, accesses_per_second = 0;

	for (size_t i = 0; i < rates->count; i++) {
		const struct page_rate *page = &rates->pages[i];

		if (!(page->out_s > 0) || is_saturated(page))
			continue;
		samples += page->samples;
		accesses_per_second += rate_of(grid, page->refaults, page->out_s);
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
	fit(&made, &grid);
	made.is_fitted = grid.count > 0;
	find_burst_time(&made, &grid);
	for (size_t i = 0; i < made.count; i++) {
		struct page_rate *page = &made.pages[i];

		if (is_saturated(page) && page->samples && made.burst_s > 0)
			page->rate = page->samples / made.burst_s;
		else
			page->rate = rate_of(&grid, (double)page->refaults + (made.burst_s > 0 ? page->samples : 0),
				page->out_s + made.burst_s);
	}
	if (made.count)
		qsort(made.pages, made.count, sizeof(*made.pages), compare_rates);
	*rates = made;
	return 0;
}
