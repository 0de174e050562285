/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <math.h>
#include "iowrite-bench/trace/trace.h"
#include "tests/unit/trace_lines.h"

#define PAGE 4096u

static const struct timeline_window window = {4711, "254:0", 1000000000, 2000000000, PAGE, 1};

static struct timeline read_text(const char *text)
{
	struct event_format formats[EVENT_FORMATS];
	struct timeline timeline;

	read_formats(formats);
	assert_int_equal(timeline_read(formats, text, strlen(text), &window, &timeline), 0);
	return timeline;
}

TEST("units")
{
	struct timeline timeline = read_text(WRITER " 1.000002: " STATE("10", "20") "\n" WRITER
						    " 1.000003: " PAUSE("254:0", "12") "\n" WRITER
						    " 1.000004: " PAUSE_OF("254:0", "-8", "1024", "1") "\n" WRITER
						    " 1.000004: " PAUSE_OF("254:0", "-8", "0", "1") "\n" FLUSHER
						    " 1.000005: " RATELIMIT("254:0", "300") "\n");

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
	assert_int_equal(timeline.foreign_pauses + timeline.unread_lines, 0);
	timeline_free(&timeline);
}

/* Everybody's state, but of pauses ours alone, of devices ours alone, and nothing before or after the writes. */
TEST("filtered")
{
	struct timeline timeline = read_text(FLUSHER " 1.000000: " STATE("1", "1") "\n" FLUSHER
						     " 0.999999: " STATE("1", "1") "\n" FLUSHER
						     " 2.000000: " STATE("1", "1") "\n" FLUSHER
						     " 2.000001: " STATE("1", "1") "\n" FLUSHER
						     " 1.000003: " PAUSE("254:0", "12") "\n" WRITER
						     " 1.000004: " PAUSE("254:01", "12") "\n" WRITER
						     " 1.000004: " RATELIMIT_OF("254:0", "12", "77") "\n" WRITER
						     " 1.000004: " RATELIMIT("7:0", "12") "\n");

	assert_int_equal(timeline.state_count, 2);
	assert_int_equal(timeline.states[0].time_ns, 0);
	assert_int_equal(timeline.states[1].time_ns, 1000000000);
	assert_int_equal(timeline.pause_count, 0);
	assert_true(timeline_step(&timeline) == 0);
	assert_int_equal(timeline.foreign_pauses, 1);
	assert_int_equal(timeline.ratelimit_count, 0);
	timeline_free(&timeline);
}

TEST("sorted")
{
	struct timeline timeline = read_text(WRITER " 1.000005: " STATE("5", "0") "\n" FLUSHER
						    " 1.000002: " STATE("2", "0") "\n" FLUSHER
						    " 1.000005: " STATE("6", "0") "\n" FLUSHER
						    " 1.000003: " STATE("3", "0") "\n");

	assert_int_equal(timeline.state_count, 4);
	assert_int_equal(timeline.states[0].dirty, 2 * PAGE);
	assert_int_equal(timeline.states[1].dirty, 3 * PAGE);
	assert_int_equal(timeline.states[2].dirty, 5 * PAGE);
	assert_int_equal(timeline.states[3].dirty, 6 * PAGE);
	timeline_free(&timeline);
}

TEST("unreadable")
{
	struct timeline timeline = read_text("junk\n" WRITER " 1.000002: " STATE("10", "20") " junk\n"
					     "CPU:1 [LOST 3 EVENTS]\n\n" WRITER " 1.000002: other: x\n" WRITER
					     " 1.000002: " STATE("10", "20"));

	assert_int_equal(timeline.state_count, 0);
	assert_int_equal(timeline.unread_lines, 3); /* the last one has no end */
	timeline_free(&timeline);
}

TEST("many")
{
	static char text[500000];
	struct timeline timeline;
	size_t length = 0;

	for (int i = 0; i < 2000; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, WRITER " 1.%06d: " STATE("10", "20") "\n",
			i);
	timeline = read_text(text);
	assert_int_equal(timeline.state_count, 2000);
	assert_int_equal(timeline.states[1999].time_ns, 1999000);
	timeline_free(&timeline);
}

TEST("summary")
{
	const struct dirty_state before = {900 * PAGE, 100 * PAGE, 1000 * PAGE, 2000 * PAGE};
	struct timeline timeline = read_text(
		WRITER " 1.100000: " STATE("901", "100") "\n" WRITER " 1.300000: " STATE("1000", "500") "\n" WRITER
		       " 1.600000: " STATE("1001", "500") "\n" WRITER " 1.700000: " STATE("0", "1000") "\n" WRITER
		       " 1.100003: " PAUSE("254:0", "12") "\n" WRITER " 1.100004: " PAUSE("254:0", "0") "\n" WRITER
		       " 1.100004: " PAUSE("254:0", "-5") "\n" WRITER " 1.100004: " PAUSE("254:0", "20") "\n" WRITER
		       " 1.100005: " RATELIMIT("254:0", "300") "\n" WRITER " 1.100006: " RATELIMIT("254:0", "400") "\n");
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

TEST("summary of nothing")
{
	const struct dirty_state before = {0, 0, 1000, 2000};
	struct timeline timeline = read_text("");
	struct timeline_summary found;

	assert_int_equal(timeline_summarize(&timeline, &before, 50, &found), 0);
	assert_float_equal(found.free_ns, 50, 0);
	assert_int_equal(found.pause_count, 0);
	assert_true(isnan(found.pause_p50_ns) && isnan(found.pause_p99_ns));
	assert_int_equal(found.first_ratelimit + found.last_ratelimit, 0);
	timeline_free(&timeline);
}
