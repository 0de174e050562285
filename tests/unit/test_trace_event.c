/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include "tests/unit/trace_lines.h"

#define LINE_STATE WRITER "  14264.846547: " STATE("1234", "5678")
#define LINE_PAUSE WRITER "  14264.846548: " PAUSE("254:0", "-8")
#define LINE_RATELIMIT FLUSHER "     4.000001: " RATELIMIT("254:0", "102400")

static int parse(const char *line, struct event *event)
{
	struct event_format formats[EVENT_FORMATS];

	read_formats(formats);
	return event_parse(formats, line, strlen(line), event);
}

TEST("states")
{
	struct event event;

	assert_int_equal(parse(LINE_STATE, &event), 0);
	assert_int_equal(event.kind, EVENT_STATE);
	assert_int_equal(event.pid, 4711);
	assert_int_equal(event.cpu, 1);
	assert_int_equal(event.time_ns, 14264846547000);
	assert_string_equal(event.text, "");
	assert_int_equal(event.values[EVENT_STATE_DIRTY], 1234);
	assert_int_equal(event.values[EVENT_STATE_WRITEBACK], 5678);
	assert_int_equal(event.values[EVENT_STATE_BACKGROUND], 1000);
	assert_int_equal(event.values[EVENT_STATE_THRESHOLD], 2000);
	assert_int_equal(event.values[EVENT_STATE_LIMIT], 2500);
}

TEST("pauses")
{
	struct event event;

	assert_int_equal(parse(LINE_PAUSE, &event), 0);
	assert_int_equal(event.kind, EVENT_PAUSE);
	assert_string_equal(event.text, "254:0");
	assert_int_equal(event.values[EVENT_PAUSE_PAUSE], -8);
	assert_int_equal(event.values[EVENT_PAUSE_DIRTIED], 512);
	assert_int_equal(event.values[EVENT_PAUSE_TASK], 51200);
}

TEST("ratelimits")
{
	struct event event;

	assert_int_equal(parse(LINE_RATELIMIT, &event), 0);
	assert_int_equal(event.kind, EVENT_RATELIMIT);
	assert_int_equal(event.pid, 27489);
	assert_int_equal(event.time_ns, 4000001000);
	assert_string_equal(event.text, "254:0");
	assert_int_equal(event.values[EVENT_RATELIMIT_DIRTY], 102400);
	assert_int_equal(event.values[EVENT_RATELIMIT_BALANCED], 200);
	assert_int_equal(event.values[EVENT_RATELIMIT_CGROUP], 1);
	assert_true(event_is_of_cgroup(&event, 1));
	assert_true(event_is_of_cgroup(&event, 0));
	assert_false(event_is_of_cgroup(&event, 77));
	assert_int_equal(event.values[EVENT_RATELIMIT_WRITE], 80000);
}

TEST("marks and remarks")
{
	struct event event;

	assert_int_equal(parse(WRITER " 1.000000: tracing_mark_write: hello", &event), 0);
	assert_int_equal(event.kind, EVENT_MARK);
	assert_string_equal(event.text, "hello");
	assert_int_equal(parse(WRITER " 1.000000: tracing_mark_write: 012345678901234567890123456789012345678901234567890",
		&event), 0);
	assert_int_equal(strlen(event.text), EVENT_TEXT - 1);
	assert_int_equal(parse("CPU:1 [LOST 123 EVENTS]", &event), 0);
	assert_int_equal(event.kind, EVENT_LOST);
	assert_int_equal(event.cpu, 1);
	assert_int_equal(parse("CPU:1 [LOST EVENTS]", &event), 0);
	assert_int_equal(parse("", &event), -ENOENT);
	assert_int_equal(parse("# tracer: nop", &event), -ENOENT);
	assert_int_equal(parse(WRITER " 1.000000: writeback_start: bdi 254:0: sb_dev 0:0", &event), -ENOENT);
	/* Not the one that it begins like. */
	assert_int_equal(parse(WRITER " 1.000000: global_dirty_state_too: dirty=1", &event), -ENOENT);
}

TEST("cut anywhere")
{
	static const char *const lines[] = {LINE_STATE, LINE_PAUSE, LINE_RATELIMIT};
	struct event_format formats[EVENT_FORMATS];
	struct event event;

	read_formats(formats);
	for (size_t i = 0; i < 3; i++) {
		for (size_t length = 1; length < strlen(lines[i]); length++) {
			int rc;

			/* A number that is cut in its last value is a number. */
			rc = event_parse(formats, lines[i], length, &event);
			if (strspn(lines[i] + length, "0123456789") == strlen(lines[i] + length) &&
				lines[i][length - 1] != '=')
				assert_int_equal(rc, 0);
			else
				assert_int_equal(rc, -EINVAL);
		}
	}
}

TEST("junk")
{
	static const char *const lines[] = {
		"x", "                                 ", "CPU:", "CPU:1 [LOS",
		"   iowrite-bench 4711    [001]  1.000000: " STATE("1", "2"),
		"   iowrite-bench-4711    (001)  1.000000: " STATE("1", "2"),
		"   iowrite-bench-x       [001]  1.000000: " STATE("1", "2"),
		"   iowrite-bench-99999999999 [001]  1.000000: " STATE("1", "2"),
		WRITER "..... 1.000000: " STATE("1", "2"),
		WRITER " 1.00000: " STATE("1", "2"),
		WRITER " 1.0000000: " STATE("1", "2"),
		WRITER " 99999999999999999999.000000: " STATE("1", "2"),
		WRITER " 1.000000 " STATE("1", "2"),
		WRITER " 1.000000: " STATE("-1", "2"),
		WRITER " 1.000000: " STATE("1", "9223372036854775808"),
		WRITER " 1.000000: " STATE("1", "0x2"),
		WRITER " 1.000000: " STATE("1", ""),
		WRITER " 1.000000: " STATE("1", "2") " more",
		WRITER " 1.000000: " PAUSE("254:0", "--8"),
		WRITER " 1.000000: " PAUSE("a name that is longer than any that a kernel gives", "1"),
		WRITER " 1.000000: global_dirty_state",
	};
	struct event event;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (parse(lines[i], &event) != -EINVAL)
			fail_msg("taken: %s", lines[i]);
	}
}

/* A process may have any name of 15 bytes. */
TEST("any name")
{
	struct event event;

	assert_int_equal(parse("   -1 [000] 1.0:-77      [000]  1.000000: " STATE("1", "2"), &event), 0);
	assert_int_equal(event.pid, 77);
}

/* The order and the neighbours are the kernel's. */
TEST("other kernels")
{
	static const char format[] = "print fmt: \"nr_unstable=%lu limit=%lu dirty=%lu thresh=%lu bg_thresh=%lu "
				     "writeback=%lu\", REC->x";
	static const char line[] = WRITER " 1.000000: global_dirty_state: nr_unstable=1 limit=2 dirty=3 thresh=4 "
					  "bg_thresh=5 writeback=6";
	struct event_format formats[EVENT_FORMATS];
	const char *missing = NULL;
	struct event event;

	read_formats(formats);
	assert_int_equal(event_read_format(EVENT_STATE, format, &formats[EVENT_STATE], &missing), 0);
	assert_int_equal(event_parse(formats, line, strlen(line), &event), 0);
	assert_int_equal(event.values[EVENT_STATE_LIMIT], 2);
	assert_int_equal(event.values[EVENT_STATE_DIRTY], 3);
	assert_int_equal(event.values[EVENT_STATE_THRESHOLD], 4);
	assert_int_equal(event.values[EVENT_STATE_BACKGROUND], 5);
	assert_int_equal(event.values[EVENT_STATE_WRITEBACK], 6);
	assert_int_equal(event_parse(formats, LINE_STATE, strlen(LINE_STATE), &event), -EINVAL);
}

TEST("bad formats")
{
	struct event_format format;
	const char *missing = NULL;

	assert_int_equal(event_read_format(EVENT_STATE, "", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, "print fmt: \"dirty=%lu", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, "print fmt: \"dirty=%", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, "print fmt: \"dirty=%\"", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, "print fmt: \"dirty=%p\"", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, "print fmt: \"dirty=%lu\nx\"", &format, &missing), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE,
		"print fmt: \"dirty=%lu writeback=%lu bg_thresh=%lu thresh=%lu mylimit=%lu\"", &format, &missing),
		-ENODATA);
	assert_string_equal(missing, "limit");
}

/* Before 4.2 no cgroup is told: it may be anybody's. */
TEST("ratelimits of an old kernel")
{
	static const char text[] = "print fmt: \"bdi %s: awrite_bw=%lu dirty_ratelimit=%lu balanced_dirty_ratelimit=%lu\"\n",
			  line[] = FLUSHER "     4.000001: bdi_dirty_ratelimit: bdi 254:0: awrite_bw=3 dirty_ratelimit=2 "
					   "balanced_dirty_ratelimit=1";
	struct event_format formats[EVENT_FORMATS];
	const char *missing = NULL;
	struct event event;

	read_formats(formats);
	assert_int_equal(event_read_format(EVENT_RATELIMIT, text, &formats[EVENT_RATELIMIT], &missing), 0);
	assert_int_equal(event_parse(formats, line, strlen(line), &event), 0);
	assert_int_equal(event.values[EVENT_RATELIMIT_DIRTY], 2);
	assert_true(event_is_of_cgroup(&event, 77));
}
