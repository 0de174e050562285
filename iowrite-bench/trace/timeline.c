/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"
#include "iowrite-bench/trace/trace.h"
#include "iowrite-bench/throttle_state.h"

#define KIB 1024

/* One kind of event, while it grows. */
struct list {
	void **rows;
	size_t *count, capacity, row_bytes;
};

static void *list_next(struct list *list)
{
	if (*list->count == list->capacity) {
		size_t capacity = list->capacity ? 2 * list->capacity : 256;
		void *rows = reallocarray(*list->rows, capacity, list->row_bytes);

		if (!rows)
			return NULL;
		*list->rows = rows;
		list->capacity = capacity;
	}
	return (char *)*list->rows + (*list->count)++ * list->row_bytes;
}

/* What a kernel prints is below 2^63 / page; anything else comes from a line that only looks like one. */
static uint64_t scaled(int64_t value, uint64_t unit)
{
	uint64_t bytes;

	return value < 0 ? 0 : __builtin_mul_overflow((uint64_t)value, unit, &bytes) ? UINT64_MAX : bytes;
}

static int64_t from_ms(int64_t ms)
{
	int64_t ns;

	return __builtin_mul_overflow(ms, INT64_C(1000000), &ns) ? (ms < 0 ? -INT64_MAX : INT64_MAX) : ns;
}

static int take(const struct event *event, const struct timeline_window *window, struct list lists[EVENT_FORMATS])
{
	uint64_t page = window->page_bytes, time = event->time_ns - window->begin_ns;
	void *row = list_next(&lists[event->kind]);
	const int64_t *values = event->values;

	if (!row)
		return -ENOMEM;
	if (event->kind == EVENT_STATE)
		*(struct timeline_state *)row = (struct timeline_state){time, scaled(values[EVENT_STATE_DIRTY], page),
			scaled(values[EVENT_STATE_WRITEBACK], page), scaled(values[EVENT_STATE_BACKGROUND], page),
			scaled(values[EVENT_STATE_THRESHOLD], page), scaled(values[EVENT_STATE_LIMIT], page)};
	else if (event->kind == EVENT_PAUSE)
		*(struct timeline_pause *)row = (struct timeline_pause){time, from_ms(values[EVENT_PAUSE_PAUSE]),
			scaled(values[EVENT_PAUSE_DIRTIED], page), scaled(values[EVENT_PAUSE_TASK], KIB)};
	else
		*(struct timeline_ratelimit *)row = (struct timeline_ratelimit){time,
			scaled(values[EVENT_RATELIMIT_DIRTY], KIB), scaled(values[EVENT_RATELIMIT_BALANCED], KIB),
			scaled(values[EVENT_RATELIMIT_WRITE], KIB)};
	return 0;
}

static int take_line(const struct event_format formats[EVENT_FORMATS], const char *line, size_t length,
	const struct timeline_window *window, struct timeline *timeline, struct list lists[EVENT_FORMATS])
{
	struct event event;
	int rc = event_parse(formats, line, length, &event);

	if (rc == -EINVAL)
		timeline->unread_lines++;
	if (rc || event.kind >= EVENT_FORMATS || event.time_ns < window->begin_ns || event.time_ns > window->end_ns)
		return 0;
	/* The kernel filters as well, but not the kernels of all years. */
	if (event.kind != EVENT_STATE && strcmp(event.text, window->bdi) != 0)
		return 0;
	if (event.kind == EVENT_RATELIMIT && !event_is_of_cgroup(&event, window->cgroup))
		return 0;
	if (event.kind == EVENT_PAUSE && event.pid != window->pid) {
		timeline->foreign_pauses++;
		return 0;
	}
	return take(&event, window, lists);
}

/* Each CPU's events are in order and a pipe merges them, but what one CPU finishes late comes behind: nearly sorted, so
 * that insertion is cheap. The time is the first member of each row. */
static void sort_rows(char *rows, size_t count, size_t row_bytes)
{
	char row[sizeof(struct timeline_state)];

	for (size_t i = 1; i < count; i++) {
		uint64_t time = *(uint64_t *)(rows + i * row_bytes);
		size_t place = i;

		while (place > 0 && *(uint64_t *)(rows + (place - 1) * row_bytes) > time)
			place--;
		if (place == i)
			continue;
		memcpy(row, rows + i * row_bytes, row_bytes);
		memmove(rows + (place + 1) * row_bytes, rows + place * row_bytes, (i - place) * row_bytes);
		memcpy(rows + place * row_bytes, row, row_bytes);
	}
}

int timeline_read(const struct event_format formats[EVENT_FORMATS], const char *text, size_t bytes,
	const struct timeline_window *window, struct timeline *timeline)
{
	struct timeline found = {0};
	void *rows[EVENT_FORMATS] = {NULL};
	struct list lists[EVENT_FORMATS] = {
		[EVENT_STATE] = {&rows[EVENT_STATE], &found.state_count, 0, sizeof(*found.states)},
		[EVENT_PAUSE] = {&rows[EVENT_PAUSE], &found.pause_count, 0, sizeof(*found.pauses)},
		[EVENT_RATELIMIT] = {&rows[EVENT_RATELIMIT], &found.ratelimit_count, 0, sizeof(*found.ratelimits)},
	};
	int rc = 0;

	for (const char *line = text, *end = text + bytes; line < end && !rc;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));

		if (newline)
			rc = take_line(formats, line, (size_t)(newline - line), window, &found, lists);
		else
			found.unread_lines++; /* cut */
		line = newline ? newline + 1 : end;
	}
	for (int kind = 0; kind < EVENT_FORMATS; kind++)
		sort_rows(rows[kind], *lists[kind].count, lists[kind].row_bytes);
	found.states = rows[EVENT_STATE];
	found.pauses = rows[EVENT_PAUSE];
	found.ratelimits = rows[EVENT_RATELIMIT];
	if (rc)
		timeline_free(&found);
	else
		*timeline = found;
	return rc;
}

void timeline_free(struct timeline *timeline)
{
	free(timeline->states);
	free(timeline->pauses);
	free(timeline->ratelimits);
	*timeline = (struct timeline){0};
}

/* --- in all --- */

static void add_time(struct timeline_summary *summary, const struct timeline_state *state, uint64_t until_ns)
{
	uint64_t bytes = state->dirty + state->writeback;
	double ns = until_ns > state->time_ns ? (double)(until_ns - state->time_ns) : 0;

	if (bytes <= state->background)
		summary->free_ns += ns;
	else if (bytes <= timeline_freerun(state->background, state->threshold))
		summary->background_ns += ns;
	else
		summary->throttled_ns += ns;
}

static int summarize_pauses(const struct timeline *timeline, struct timeline_summary *summary)
{
	double *pauses = calloc(timeline->pause_count ? timeline->pause_count : 1, sizeof(*pauses));

	if (!pauses)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->pause_count; i++) {
		if (timeline->pauses[i].pause_ns <= 0)
			continue;
		pauses[summary->pause_count++] = (double)timeline->pauses[i].pause_ns;
		summary->pause_total_ns += (double)timeline->pauses[i].pause_ns;
	}
	summary->pause_p50_ns = summary->pause_p99_ns = NAN;
	if (summary->pause_count) {
		stats_quantile(pauses, summary->pause_count, 0.5, &summary->pause_p50_ns);
		stats_quantile(pauses, summary->pause_count, 0.99, &summary->pause_p99_ns);
	}
	free(pauses);
	return 0;
}

int timeline_summarize(const struct timeline *timeline, const struct dirty_state *before, uint64_t length_ns,
	struct timeline_summary *summary)
{
	struct timeline_state last = {0, before->dirty, before->writeback, before->background_threshold,
		before->threshold, before->threshold};
	struct timeline_summary made = {0};

	for (size_t i = 0; i < timeline->state_count; i++) {
		add_time(&made, &last, timeline->states[i].time_ns);
		last = timeline->states[i];
	}
	add_time(&made, &last, length_ns);
	if (timeline->ratelimit_count) {
		made.first_ratelimit = timeline->ratelimits[0].dirty;
		made.last_ratelimit = timeline->ratelimits[timeline->ratelimit_count - 1].dirty;
	}
	*summary = made;
	return summarize_pauses(timeline, summary);
}

double timeline_step(const struct timeline *timeline)
{
	struct granule granule = {0};

	for (size_t i = 0; i < timeline->pause_count; i++) {
		if (timeline->pauses[i].dirtied_bytes)
			granule_add(&granule, timeline->pauses[i].dirtied_bytes);
	}
	return (double)granule_bytes(&granule);
}

/* The first point that is later than time; count when none is. */
static size_t find_after(const struct model_point *points, size_t count, uint64_t time_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (points[middle].time_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

double model_bytes_at(const struct model_point *points, size_t count, uint64_t time_ns)
{
	size_t after = find_after(points, count, time_ns);
	const struct model_point *left, *right;

	if (!after)
		return points[0].bytes;
	if (after == count)
		return points[count - 1].bytes;
	left = &points[after - 1];
	right = &points[after];
	return left->bytes + (right->bytes - left->bytes) * (double)(time_ns - left->time_ns) /
		(double)(right->time_ns - left->time_ns);
}

int model_largest_gap(const struct model_point *points, size_t count, const struct timeline *timeline,
	struct model_gap *gap)
{
	double largest = -1;

	if (!count || !timeline->state_count)
		return -ENODATA;
	for (size_t i = 0; i < timeline->state_count; i++) {
		const struct timeline_state *state = &timeline->states[i];
		double kernel = (double)state->dirty + (double)state->writeback;
		double model = model_bytes_at(points, count, state->time_ns);

		if (fabs(model - kernel) <= largest)
			continue;
		largest = fabs(model - kernel);
		*gap = (struct model_gap){state->time_ns, model, kernel};
	}
	return 0;
}
