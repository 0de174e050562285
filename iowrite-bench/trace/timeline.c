/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "common/stats.h"
#include "iowrite-bench/trace/trace.h"

#define KIB 1024

/* Saturates: a kernel's values are below 2^63 / unit. */
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

static void take(const struct event *event, const struct timeline_window *window, struct timeline *timeline)
{
	uint64_t page = window->page_bytes, time = event->time_ns - window->begin_ns;
	const int64_t *values = event->values;

	if (event->kind == EVENT_STATE)
		timeline->states[timeline->state_count++] = (struct timeline_state){time, scaled(values[EVENT_STATE_DIRTY], page),
			scaled(values[EVENT_STATE_WRITEBACK], page), scaled(values[EVENT_STATE_BACKGROUND], page),
			scaled(values[EVENT_STATE_THRESHOLD], page), scaled(values[EVENT_STATE_LIMIT], page)};
	else if (event->kind == EVENT_PAUSE && event->pid != window->pid)
		timeline->foreign_pauses++;
	else if (event->kind == EVENT_PAUSE)
		timeline->pauses[timeline->pause_count++] = (struct timeline_pause){time, from_ms(values[EVENT_PAUSE_PAUSE]),
			scaled(values[EVENT_PAUSE_DIRTIED], page), scaled(values[EVENT_PAUSE_TASK], KIB)};
	else if (event->kind == EVENT_RATELIMIT && event_is_of_cgroup(event, window->cgroup))
		timeline->ratelimits[timeline->ratelimit_count++] = (struct timeline_ratelimit){time,
			scaled(values[EVENT_RATELIMIT_DIRTY], KIB), scaled(values[EVENT_RATELIMIT_BALANCED], KIB),
			scaled(values[EVENT_RATELIMIT_WRITE], KIB)};
}

int timeline_read(const struct event *events, size_t count, const struct timeline_window *window, struct timeline *timeline)
{
	size_t counts[EVENT_FORMATS + 1] = {0};
	struct timeline found = {0};

	for (size_t i = 0; i < count; i++)
		counts[events[i].kind]++;
	found.states = calloc(counts[EVENT_STATE] + 1, sizeof(*found.states));
	found.pauses = calloc(counts[EVENT_PAUSE] + 1, sizeof(*found.pauses));
	found.ratelimits = calloc(counts[EVENT_RATELIMIT] + 1, sizeof(*found.ratelimits));
	if (!found.states || !found.pauses || !found.ratelimits) {
		timeline_free(&found);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		if (events[i].time_ns >= window->begin_ns && events[i].time_ns <= window->end_ns)
			take(&events[i], window, &found);
	}
	*timeline = found;
	return 0;
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
