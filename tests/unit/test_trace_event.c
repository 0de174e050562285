/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include "tests/unit/trace_events.h"

static bool make(const struct raw_event *raw, struct event *event)
{
	struct event_watch watch;

	watch_all("254:0", &watch);
	return event_make(&watch, 14264846547001, raw, raw->size, event);
}

TEST("an event global_dirty_state is parsed into its fields")
{
	const struct raw_event raw = raw_state(WRITER, 1234, 5678);
	struct event event;

	assert_true(make(&raw, &event));
	assert_int_equal(event.kind, EVENT_STATE);
	assert_int_equal(event.time_ns, 14264846547001);
	assert_int_equal(event.values[EVENT_STATE_LIMIT], 2500);
	assert_int_equal(event.cgroup, 0);
}

TEST("an event balance_dirty_pages is parsed into its fields")
{
	const struct raw_event raw = raw_pause(WRITER, "254:0", -8, 512, 1);
	struct event event;

	assert_true(make(&raw, &event));
	assert_int_equal(event.kind, EVENT_PAUSE);
	assert_int_equal(event.values[EVENT_PAUSE_DIRTIED], 512);
	assert_int_equal(event.cgroup, 1);
}

TEST("an event bdi_dirty_ratelimit is parsed into its fields")
{
	const struct raw_event raw = raw_ratelimit(FLUSHER, "254:0", 102400, 1);
	struct event event;

	assert_true(make(&raw, &event));
	assert_int_equal(event.kind, EVENT_RATELIMIT);
	assert_int_equal(event.values[EVENT_RATELIMIT_DIRTY], 102400);
	assert_int_equal(event.values[EVENT_RATELIMIT_WRITE], 80000);
	assert_true(event_is_of_cgroup(&event, 1));
	assert_true(event_is_of_cgroup(&event, 0));
	assert_false(event_is_of_cgroup(&event, 77));
}

TEST("events of other devices are ignored")
{
	static const char *const others[] = {"254:01", "254:", "8:0", "", "254:0-a-name-that-needs-all-space"};
	struct event event;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct raw_event raw = raw_pause(WRITER, others[i], 8, 512, 1);

		assert_false(make(&raw, &event));
		raw = raw_ratelimit(WRITER, others[i], 8, 1);
		assert_false(make(&raw, &event));
	}
}

TEST("events of other numbers are ignored")
{
	const struct raw_event raw = {.type = 5, .pid = 77, .size = 60};
	struct event event;

	assert_false(make(&raw, &event));
}

/* What is behind the end is not read: the buffer is of the very size. */
TEST("an event cut at any byte is ignored")
{
	const struct raw_event all[] = {
		raw_state(WRITER, 1, 2), raw_pause(WRITER, "254:0", -8, 512, 1), raw_ratelimit(WRITER, "254:0", 1, 1)};

	for (size_t i = 0; i < 3; i++) {
		for (size_t size = 0; size < all[i].size; size++) {
			struct event_watch watch;
			struct event event;
			char *raw = malloc(size ? size : 1);
			bool is_made;

			assert_non_null(raw);
			memcpy(raw, &all[i], size);
			watch_all("254:0", &watch);
			is_made = event_make(&watch, 1, raw, size, &event);
			assert_int_equal(is_made, size >= (all[i].type == 987 ? 2 : 8 + sizeof("254:0")));
			free(raw);
		}
	}
}

#define HEAD "name: x\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define LONG(name, offset) "\tfield:unsigned long " name ";\toffset:" offset ";\tsize:8;\tsigned:0;\n"

/* The order and the neighbours are the kernel's. */
TEST("fields are found in any order")
{
	static const char format[] = HEAD LONG("dirty_limit", "8") LONG("nr_unstable", "16") LONG("nr_dirty", "24")
		LONG("dirty_thresh", "32") LONG("background_thresh", "40") LONG("nr_writeback", "48");
	const struct raw_event raw = {.type = 7, .state = {2, 1, 3, 4, 5, 6}, .size = 56};
	struct event_watch watch;
	struct event event;

	watch_all("254:0", &watch);
	assert_int_equal(event_read_format(EVENT_STATE, format, &watch.formats[EVENT_STATE]), 0);
	assert_true(event_make(&watch, 1, &raw, raw.size, &event));
	assert_int_equal(event.values[EVENT_STATE_LIMIT], 2);
}

TEST("malformed format files are refused")
{
	static const char *const bad[] = {"", "\nID: 0\n" HEAD, "\nID: 99999\n", "\nID: x\n"};
	struct event_format format;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(event_read_format(EVENT_STATE, bad[i], &format), -EINVAL);
	assert_int_equal(event_read_format(EVENT_RATELIMIT, HEAD LONG("dirty_ratelimit", "8"), &format), -EINVAL);
	assert_int_equal(event_read_format(EVENT_STATE, HEAD LONG("nr_dirty", "8") LONG("nr_writeback", "16")
		LONG("background_thresh", "24") LONG("dirty_thresh", "32") LONG("my_dirty_limit", "40"), &format),
		-ENODATA);
}

/* Before 4.2 the kernel reports no cgroup: any may be the writer's. */
TEST("ratelimit events of an old kernel are read")
{
	static const char text[] = HEAD "\tfield:char bdi[32];\toffset:8;\tsize:32;\tsigned:0;\n" LONG("avg_write_bw", "40")
		LONG("dirty_ratelimit", "48") LONG("balanced_dirty_ratelimit", "56");
	struct raw_event raw = raw_ratelimit(FLUSHER, "254:0", 1, 1);
	struct event_watch watch;
	struct event event;

	raw.type = 7;
	watch_all("254:0", &watch);
	assert_int_equal(event_read_format(EVENT_RATELIMIT, text, &watch.formats[EVENT_RATELIMIT]), 0);
	assert_true(event_make(&watch, 1, &raw, 64, &event));
	assert_int_equal(event.values[EVENT_RATELIMIT_WRITE], 70000);
	assert_int_equal(event.values[EVENT_RATELIMIT_DIRTY], 80000);
	assert_true(event_is_of_cgroup(&event, 77));
}
