/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses of pages that were paged out: an order of pages, and the size of the working set. */
#include "config.h"
#include "memtrace/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define EVENTS_MAX (1u << 25) /* 768 MiB */

struct returns_gathering {
	struct return_event *events;
	size_t count, capacity;
};

static int gather(void *data, const struct access *batch, size_t count)
{
	struct returns_gathering *gathering = data;

	if (gathering->count + count > EVENTS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < count; i++) {
		if (arena_grow(&gathering->events, &gathering->capacity, gathering->count, sizeof(*gathering->events)))
			return -ENOMEM;
		gathering->events[gathering->count++] = (struct return_event){batch[i].place >> RETURNS_PAGE_SHIFT,
			batch[i].time_ns, batch[i].weight, batch[i].kind};
	}
	return 0;
}

int analysis_returns(struct source *source, struct returns *returns)
{
	bool takes_no_faults = source->takes_no_faults;
	struct returns_gathering gathering = {0};
	int err;

	source->takes_outs = true;
	source->takes_no_faults = false;
	err = source_read(source, gather, &gathering);
	source->takes_outs = false;
	source->takes_no_faults = takes_no_faults;
	if (!err)
		err = returns_make(gathering.events, gathering.count, returns);
	free(gathering.events);
	return err;
}

int analysis_returns_of_pages(struct analysis_run *run, struct returns *returns, const char **why)
{
	if (run->shift != RETURNS_PAGE_SHIFT) {
		*why = "has pages that were paged out: use --bucket 4k";
		return -ENODATA;
	}
	return analysis_returns(run->source, returns);
}

/*
 * Estimates the number of all accessed pages, including pages that were never paged out, from the numbers of times that each page
 * which came back was paged out. Returns 0 or -ENOMEM.
 *
 * Only resident pages are drawn: a page that never came back cannot be drawn again, and if it counted as drawn once it would
 * stand for many that were never drawn.
 */
static int estimate_pages(const struct returns *returns, struct estimate *pages)
{
	uint32_t *outs = malloc((returns->count + 1) * sizeof(*outs));
	struct spectrum spectrum = {0};
	size_t count = 0;
	int err;

	if (!outs)
		return -ENOMEM;
	for (size_t i = 0; i < returns->count; i++) {
		if (returns->pages[i].returns)
			outs[count++] = returns->pages[i].outs;
	}
	err = spectrum_make(outs, count, &spectrum);
	if (!err)
		*pages = estimate_buckets(&spectrum, NAN, INFINITY, false);
	spectrum_free(&spectrum);
	free(outs);
	return err;
}

int analysis_returns_hotset(struct analysis_run *run, struct mt_hotset_values *values, const char **why)
{
	struct returns returns = {0};
	struct estimate pages = {0};
	double touched = 0, size, bytes = (double)(1ull << run->shift);
	int err = analysis_returns_of_pages(run, &returns, why);

	if (!err)
		err = estimate_pages(&returns, &pages);
	/* Count the pages with an observed access; bursts also sample pages that were never drawn. */
	for (size_t i = 0; i < returns.count && !err; i++)
		touched += returns.pages[i].returns || returns.pages[i].samples;
	returns_free(&returns);
	if (err)
		return err;
	size = (double)source_size(run->source);
	values->bucket_bytes = 1ull << run->shift;
	values->touched_bytes = (uint64_t)(touched * bytes);
	values->estimator = "Chao1 (lower bound) of the pages that came back, by how often each was paged out";
	values->indication = NULL;
	values->working_set_low_bytes = touched * bytes;
	values->working_set_bytes = fmax(pages.value, touched) * bytes;
	values->working_set_high_bytes = size > 0 ? fmax(size, values->working_set_bytes) : NAN;
	values->mapped_bytes = size > 0 ? size : NAN;
	return 0;
}
