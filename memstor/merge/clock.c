/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The time of the parts. Parts of one boot share CLOCK_MONOTONIC, which cannot be set; parts of different boots or hosts
 * share only the wall clock.
 */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/units.h"

#define WALL_SECONDS_MAX 5680281600ll /* the year 2150: with every CLOCK_MONOTONIC that is taken it fits 63 bits */

int merge_read_wall(const char *text, int64_t *ns)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd.dddddddddZ";
	struct tm utc = {0};
	time_t seconds;
	int nanoseconds;

	if (strlen(text) != sizeof(form) - 1)
		return -EINVAL;
	for (size_t i = 0; form[i]; i++) {
		if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return -EINVAL;
	}
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%9d", &utc.tm_year, &utc.tm_mon, &utc.tm_mday, &utc.tm_hour, &utc.tm_min,
		    &utc.tm_sec, &nanoseconds) != 7)
		return -EINVAL;
	utc.tm_year -= 1900;
	utc.tm_mon--;
	seconds = timegm(&utc);
	if (seconds < 0 || seconds > WALL_SECONDS_MAX)
		return -EINVAL;
	*ns = (int64_t)seconds * (int64_t)UNITS_NS_PER_SEC + nanoseconds;
	return 0;
}

struct span {
	int64_t begin, end; /* ns since 1970 */
};

static int compare_spans(const void *a, const void *b)
{
	const struct span *first = a, *second = b;

	return (first->begin > second->begin) - (first->begin < second->begin);
}

/* The first part of the same boot sets its clock by the wall. */
static struct span span_of(const struct merge_parts *parts, const struct merge_part *part)
{
	const struct merge_part *anchor = parts->items;
	int64_t offset;

	while (!part->boot_id[0] || strcmp(anchor->boot_id, part->boot_id) != 0) {
		if (anchor == part)
			break;
		anchor++;
	}
	offset = anchor->wall_ns - (int64_t)anchor->start_ns;
	return (struct span){(int64_t)part->start_ns + offset, (int64_t)part->end_ns + offset};
}

static void measure(struct merge_window *window, struct span *spans, size_t count, int64_t first_offset)
{
	int64_t latest_begin, earliest_end = INT64_MAX, begin, end, any = 0;
	double sum = 0;

	qsort(spans, count, sizeof(*spans), compare_spans);
	latest_begin = spans[count - 1].begin;
	end = spans[0].begin;
	for (size_t i = 0; i < count; i++) {
		int64_t fresh = spans[i].begin > end ? spans[i].begin : end;

		sum += (double)(spans[i].end - spans[i].begin);
		if (spans[i].end < earliest_end)
			earliest_end = spans[i].end;
		if (spans[i].end > fresh) {
			any += spans[i].end - fresh;
			end = spans[i].end;
		}
	}
	begin = spans[0].begin - first_offset;
	window->start_ns = begin > 0 ? (uint64_t)begin : 0;
	window->end_ns = end > first_offset ? (uint64_t)(end - first_offset) : 0;
	window->any_s = (double)any / UNITS_NS_PER_SEC;
	window->sum_s = sum / UNITS_NS_PER_SEC;
	window->is_known = any > 0;
	window->overlap_percent =
		any > 0 && earliest_end > latest_begin ? (double)(earliest_end - latest_begin) / (double)any * 100 : 0;
}

void merge_make_window(struct merge *merge)
{
	const struct merge_parts *parts = &merge->parts;
	struct merge_window *window = &merge->window;
	struct span *spans = calloc(parts->count, sizeof(*spans));
	size_t count = 0;

	*window = (struct merge_window){.start_ns = parts->items[0].start_ns,
		.end_ns = parts->items[0].end_ns,
		.wall_start = parts->items[0].wall_start};
	merge->arena.is_short |= !spans;
	while (spans && count < parts->count && parts->items[count].has_clock) {
		spans[count] = span_of(parts, &parts->items[count]);
		if (strcmp(parts->items[count].wall_start, window->wall_start) < 0)
			window->wall_start = parts->items[count].wall_start;
		count++;
	}
	if (spans && count == parts->count)
		measure(window, spans, count, parts->items[0].wall_ns - (int64_t)parts->items[0].start_ns);
	free(spans);
	window->is_apart = window->is_known && window->overlap_percent < MERGE_TOGETHER_PERCENT;
}
