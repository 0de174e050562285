/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/active/returns.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "memtrace/file/trace_file.h"

#define PAIRS_PAGES 20 /* fewer pages with two or more times are not enough for a comparison */
#define SINGLE_LEAST 1e-6 /* part of the variance; smaller values are rounding, and all times are equal */
#define ORDERED_PART 0.25 /* part of the variance that the order explains: a correlation of 0.5 */
#define AT_ONCE_NS 50000 /* a page that is resident right after the call came back within this time, or was never paged out */

void returns_free(struct returns *returns)
{
	free(returns->pages);
	*returns = (struct returns){0};
}

/* Returns when an event began: a page may come back before the call has returned. */
static uint64_t begin_of(const struct return_event *event)
{
	return event->kind == TRACE_OUT ? event->time_ns - (event->weight >> 1) : event->time_ns;
}

static int compare_events(const void *a, const void *b)
{
	const struct return_event *one = a, *other = b;

	if (one->page != other->page)
		return one->page > other->page ? 1 : -1;
	return (begin_of(one) > begin_of(other)) - (begin_of(one) < begin_of(other));
}

static bool is_fault(const struct return_event *event)
{
	return event->kind == TRACE_MINOR_FAULT || event->kind == TRACE_MAJOR_FAULT;
}

static void add_time(struct page_returns *page, double time_s)
{
	double value = log(fmax(time_s, RETURNS_FAST_S)), from = value - page->mean;

	page->outs++;
	page->mean += from / page->outs;
	page->squares += from * (value - page->mean);
}

/* events: of one page, by time; until_ns: time of the last event of its process. */
static void take_page(const struct return_event *events, size_t count, uint64_t until_ns, struct page_returns *page)
{
	const struct return_event *out = NULL;

	*page = (struct page_returns){.page = events[0].page};
	for (size_t i = 0; i < count; i++) {
		const struct return_event *event = &events[i];
		double time_s;

		if (event->kind == TRACE_OUT) {
			/* A second page-out without a fault between them means that the fault is lost and the first time
			 * unknown. */
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
		/* A page that was resident and faulted much later was not paged out. */
		if (!(out->weight & 1) || time_s < AT_ONCE_NS / 1e9) {
			add_time(page, time_s);
			page->returns++;
			page->fast += time_s < RETURNS_FAST_S;
		}
		out = NULL;
	}
	if (out && !(out->weight & 1) && until_ns > out->time_ns)
		add_time(page, (double)(until_ns - out->time_ns) / 1e9);
}

uint64_t returns_left(uint64_t outs, uint64_t stayed, uint64_t faults)
{
	return outs - stayed + (stayed < faults ? stayed : faults);
}

static uint64_t last_of_process(const struct return_event *events, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count && events[i].page >> RETURNS_PROCESS_SHIFT == events[0].page >> RETURNS_PROCESS_SHIFT; i++)
		last = events[i].time_ns > last ? events[i].time_ns : last;
	return last;
}

static int take_pages(const struct return_event *events, size_t count, struct returns *returns)
{
	uint64_t until_ns = 0;
	size_t capacity = 0, end;

	for (size_t i = 0; i < count; i = end) {
		struct page_returns page;

		if (!i || events[i].page >> RETURNS_PROCESS_SHIFT != events[i - 1].page >> RETURNS_PROCESS_SHIFT)
			until_ns = last_of_process(events + i, count - i);
		for (end = i + 1; end < count && events[end].page == events[i].page;)
			end++;
		take_page(events + i, end - i, until_ns, &page);
		if (!page.outs && !page.samples)
			continue;
		if (arena_grow(&returns->pages, &capacity, returns->count, sizeof(page)))
			return -ENOMEM;
		returns->pages[returns->count++] = page;
	}
	return 0;
}

/* --- agreement of the times of a page --- */

/* A page's part of the squared deviations from the mean: between two times of the page, and of all times. */
struct deviations {
	double between, single, pairs; /* pairs: weight of the page, n / 2 for n times */
};

static struct deviations deviations_of(const struct page_returns *page, double mean)
{
	double n = page->outs, from = page->mean - mean, single = page->squares + n * from * from;

	/* Sums the products of all pairs; each of the n times of a page is in n - 1 pairs. */
	return (struct deviations){page->outs > 1 ? (n * from * n * from - single) / 2 / (n - 1) : 0, single,
		page->outs > 1 ? n / 2 : 0};
}

static double part_of(double agreement, double times)
{
	return times * agreement / (1 + (times - 1) * agreement);
}

static void find_agreement(struct returns *returns)
{
	double times = 0, sum = 0, mean, pages = 0, squares = 0, width;
	struct deviations all = {0};
	size_t pairs_pages = 0;

	returns->agreement = (struct estimate){NAN, NAN, NAN};
	for (size_t i = 0; i < returns->count; i++) {
		times += returns->pages[i].outs;
		sum += returns->pages[i].mean * returns->pages[i].outs;
		pages += returns->pages[i].outs > 0;
	}
	mean = times > 0 ? sum / times : 0;
	for (size_t i = 0; i < returns->count; i++) {
		struct deviations page = deviations_of(&returns->pages[i], mean);

		all.between += page.between;
		all.single += page.single;
		all.pairs += page.pairs;
		pairs_pages += page.pairs > 0;
	}
	all.single /= fmax(times, 1);
	if (pairs_pages >= PAIRS_PAGES && all.single > SINGLE_LEAST) {
		double value = all.between / all.pairs / all.single;

		for (size_t i = 0; i < returns->count; i++) {
			struct deviations page = deviations_of(&returns->pages[i], mean);
			double from = page.between / all.single - value * page.pairs;

			squares += from * from;
		}
		width = ESTIMATE_Z95 * sqrt(squares) / all.pairs;
		returns->agreement = (struct estimate){value, value - width, value + width};
		returns->is_ordered = value > width && part_of(value - width, times / pages) >= ORDERED_PART;
	}
	for (size_t i = 0; i < returns->count; i++) {
		struct page_returns *page = &returns->pages[i];

		/* Without a known agreement all times of a page have the same weight. */
		page->order = page->outs ? (page->mean - mean) *
			part_of(isnan(returns->agreement.value) ? 0.5 : fmax(returns->agreement.value, 0.01), page->outs) : 0;
	}
}

static int compare_pages(const void *a, const void *b)
{
	const struct page_returns *one = a, *other = b;

	if (one->samples != other->samples)
		return one->samples < other->samples ? 1 : -1;
	if (one->order != other->order)
		return one->order > other->order ? 1 : -1;
	return (one->page > other->page) - (one->page < other->page);
}

int returns_make(struct return_event *events, size_t count, struct returns *returns)
{
	struct returns made = {0};
	int err;

	if (count)
		qsort(events, count, sizeof(*events), compare_events);
	err = take_pages(events, count, &made);
	if (err) {
		returns_free(&made);
		return err;
	}
	find_agreement(&made);
	for (size_t i = 0; i < made.count; i++)
		made.saturated += made.pages[i].fast * 2 > made.pages[i].returns;
	if (made.count)
		qsort(made.pages, made.count, sizeof(*made.pages), compare_pages);
	*returns = made;
	return 0;
}
