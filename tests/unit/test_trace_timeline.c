/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <math.h>
#include "iowrite-bench/trace/trace.h"
#include "tests/unit/trace_events.h"

#define PAGE 4096u

static const struct timeline_window window = {WRITER, 1000000000, 2000000000, PAGE, 1};

/* time_us: of the clock; by time, as a drain gives them. */
#define STATE(time_us, dirty, writeback) \
	{(time_us) * 1000ull, EVENT_STATE, FLUSHER, {dirty, writeback, 1000, 2000, 2500}}
#define PAUSE(time_us, writer, pause, dirtied) {(time_us) * 1000ull, EVENT_PAUSE, writer, {pause, dirtied, 51200, 1}}
#define RATELIMIT(time_us, rate, group) {(time_us) * 1000ull, EVENT_RATELIMIT, FLUSHER, {rate, 200, 80000, group}}

#define READ(...) read_events((const struct event[]){__VA_ARGS__}, \
	sizeof((const struct event[]){__VA_ARGS__}) / sizeof(struct event))

static struct timeline read_events(const struct event *events, size_t count)
{
	struct timeline timeline;

	assert_int_equal(timeline_read(events, count, &window, &timeline), 0);
	return timeline;
}

TEST("pages and milliseconds become bytes and nanoseconds")
{
	struct timeline timeline = READ(STATE(1000002, 10, 20), PAUSE(1000003, WRITER, 12, 512), PAUSE(1000004, WRITER, -8, 1024),
		PAUSE(1000004, WRITER, -8, 0), RATELIMIT(1000005, 300, 1));

	assert_int_equal(timeline.state_count, 1);
	assert_int_equal(timeline.states[0].time_ns, 2000);
	assert_int_equal(timeline.states[0].dirty, 10 * PAGE);
	assert_int_equal(timeline.states[0].writeback, 20 * PAGE);
	assert_int_equal(timeline.states[0].background, 1000 * PAGE);
	assert_int_equal(timeline.states[0].threshold, 2000 * PAGE);
	assert_int_equal(timeline.states[0].limit, 2500 * PAGE);
	assert_int_equal(timeline.pause_count, 3);
	assert_int_equal(timeline.pauses[0].pause_ns, 12000000);
	assert_int_equal(timeline.pauses[0].dirtied_bytes, 512 * PAGE);
	assert_int_equal(timeline.pauses[0].task_rate, 51200 * 1024);
	assert_int_equal(timeline.pauses[1].pause_ns, -8000000);
	assert_true(timeline_step(&timeline) == 1024 * PAGE);
	assert_int_equal(timeline.ratelimit_count, 1);
	assert_int_equal(timeline.ratelimits[0].dirty, 300 * 1024);
	assert_int_equal(timeline.ratelimits[0].balanced, 200 * 1024);
	assert_int_equal(timeline.ratelimits[0].write, 80000 * 1024);
	assert_int_equal(timeline.foreign_pauses, 0);
	timeline_free(&timeline);
}

/* Everybody's state, but of pauses and cgroups ours alone, and nothing before or after the writes. */
TEST("events of other tasks, cgroups and times are dropped")
{
	struct timeline timeline = READ(STATE(999999, 1, 1), STATE(1000000, 1, 1), PAUSE(1000003, FLUSHER, 12, 512),
		RATELIMIT(1000004, 12, 77), {1000005000, EVENT_MARK, WRITER, {0}}, STATE(2000000, 1, 1), STATE(2000001, 1, 1));

	assert_int_equal(timeline.state_count, 2);
	assert_int_equal(timeline.states[0].time_ns, 0);
	assert_int_equal(timeline.states[1].time_ns, 1000000000);
	assert_int_equal(timeline.pause_count, 0);
	assert_true(timeline_step(&timeline) == 0);
	assert_int_equal(timeline.foreign_pauses, 1);
	assert_int_equal(timeline.ratelimit_count, 0);
	timeline_free(&timeline);
}

TEST("absurd values of events saturate")
{
	struct timeline timeline = READ(STATE(1000002, INT64_MAX, -1), PAUSE(1000003, WRITER, INT64_MAX, 1),
		PAUSE(1000003, WRITER, INT64_MIN, 1));

	assert_true(timeline.states[0].dirty == UINT64_MAX && timeline.states[0].writeback == 0);
	assert_true(timeline.pauses[0].pause_ns == INT64_MAX && timeline.pauses[1].pause_ns == -INT64_MAX);
	timeline_free(&timeline);
}

TEST("times by state, pauses and rates are summed up")
{
	const struct dirty_state before = {900 * PAGE, 100 * PAGE, 1000 * PAGE, 2000 * PAGE};
	struct timeline timeline = READ(STATE(1100000, 901, 100), PAUSE(1100003, WRITER, 12, 512), PAUSE(1100004, WRITER, 0, 512),
		PAUSE(1100004, WRITER, -5, 512), PAUSE(1100004, WRITER, 20, 512), RATELIMIT(1100005, 300, 1),
		RATELIMIT(1100006, 400, 1), STATE(1300000, 1000, 500), STATE(1600000, 1001, 500), STATE(1700000, 0, 1000));
	struct timeline_summary found;

	assert_int_equal(timeline_summarize(&timeline, &before, 1000000000, &found), 0);
	/* free: until 0.1, and from 0.7; background: 0.1 to 0.6, up to half the way, which belongs to it */
	assert_float_equal(found.free_ns, 4e8, 1);
	assert_float_equal(found.background_ns, 5e8, 1);
	assert_float_equal(found.throttled_ns, 1e8, 1);
	assert_int_equal(found.pause_count, 2);
	assert_float_equal(found.pause_total_ns, 32e6, 1);
	assert_float_equal(found.pause_p50_ns, 16e6, 1);
	assert_float_equal(found.pause_p99_ns, 12e6 + 0.99 * 8e6, 1);
	assert_int_equal(found.first_ratelimit, 300 * 1024);
	assert_int_equal(found.last_ratelimit, 400 * 1024);
	timeline_free(&timeline);
}

TEST("a summary without events has no values")
{
	const struct dirty_state before = {0, 0, 1000, 2000};
	struct timeline timeline = read_events(NULL, 0);
	struct timeline_summary found;

	assert_int_equal(timeline_summarize(&timeline, &before, 50, &found), 0);
	assert_float_equal(found.free_ns, 50, 0);
	assert_int_equal(found.pause_count, 0);
	assert_true(isnan(found.pause_p50_ns) && isnan(found.pause_p99_ns));
	assert_int_equal(found.first_ratelimit + found.last_ratelimit, 0);
	timeline_free(&timeline);
}

/* --- comparison with a model --- */

static const struct model_point points[] = {{100, 10}, {200, 30}, {200, 50}, {400, 70}};

TEST("the model's bytes are interpolated between points, and constant beyond them")
{
	static const struct {
		uint64_t time_ns;
		double bytes;
	} rows[] = {{0, 10}, {100, 10}, {150, 20}, {199, 29.8}, {200, 50}, {300, 60}, {400, 70}, {4000, 70}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double bytes = model_bytes_at(points, 4, rows[i].time_ns);

		if (fabs(bytes - rows[i].bytes) > 1e-9)
			fail_msg("at %d: %g", (int)rows[i].time_ns, bytes);
	}
	assert_float_equal(model_bytes_at(points, 1, 150), 10, 0);
}

TEST("the largest gap and its time are found")
{
	struct timeline_state states[] = {{50, 10, 0, 0, 0, 0}, {150, 10, 5, 0, 0, 0}, {300, 60, 90, 0, 0, 0},
		{400, 1, 1, 0, 0, 0}};
	struct timeline timeline = {.state_count = 4, .states = states};
	struct model_gap gap;

	assert_int_equal(model_largest_gap(points, 4, &timeline, &gap), 0);
	assert_int_equal(gap.time_ns, 300);
	assert_float_equal(gap.model_bytes, 60, 1e-9);
	assert_float_equal(gap.kernel_bytes, 150, 0);
	/* Either may be the larger one. */
	states[2].writeback = 0;
	assert_int_equal(model_largest_gap(points, 4, &timeline, &gap), 0);
	assert_int_equal(gap.time_ns, 400);
}

TEST("a gap needs points and a timeline; an equal value is a gap of 0")
{
	struct timeline_state only = {0};
	struct timeline none = {0}, one = {.state_count = 1, .states = &only};
	struct model_gap gap;

	assert_int_equal(model_largest_gap(points, 4, &none, &gap), -ENODATA);
	assert_int_equal(model_largest_gap(points, 0, &one, &gap), -ENODATA);
	/* Equal values are a gap of 0. */
	assert_int_equal(model_largest_gap(&(struct model_point){0, 0}, 1, &one, &gap), 0);
	assert_float_equal(gap.model_bytes, 0, 0);
}
