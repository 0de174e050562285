/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <sys/mman.h>

#include "memtrace/target/process.h"

struct seen {
	unsigned count;
	struct trace_event events[8];
	char texts[8][64];
};

static int note(void *context, const struct trace_event *event)
{
	struct seen *seen = context;

	assert_true(seen->count < 8);
	seen->events[seen->count] = *event;
	snprintf(seen->texts[seen->count], sizeof(seen->texts[0]), "%s", event->text);
	seen->count++;
	return 0;
}

static int refuse(void *context, const struct trace_event *event)
{
	(void)context;
	(void)event;
	return -EDOM;
}

static char root[64];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, "/proc/12/maps",
		"00400000-00452000 r-xp 00001000 08:02 173521      /usr/bin/a file\n"
		"7f0000000000-7f0000021000 rw-p 00000000 00:00 0 \n"
		"nonsense\n"
		"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0          [stack]\n");
	fakeroot_put(root, "/proc/12/task/12/comm", "first\n");
	fakeroot_put(root, "/proc/12/task/13/comm", "second\n");
	fakeroot_put(root, "/proc/self/comm", "no number\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

TEST_WITH("the mappings of a process become events of a recording", set_up, tear_down)
{
	struct seen seen = {0};

	assert_int_equal(process_list_mappings(root, 12, 77, note, &seen), 0);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.events[0].type, TRACE_MAP);
	assert_int_equal(seen.events[0].pid, 12);
	assert_int_equal(seen.events[0].time_ns, 77);
	assert_int_equal(seen.events[0].value[0], 0x400000);
	assert_int_equal(seen.events[0].value[1], 0x52000);
	assert_int_equal(seen.events[0].value[2], 0x1000);
	assert_int_equal(seen.events[0].value[3], PROT_READ | PROT_EXEC);
	assert_string_equal(seen.texts[0], "/usr/bin/a file");
	assert_string_equal(seen.texts[1], "//anon");
	assert_string_equal(seen.texts[2], "[stack]");
	assert_int_equal(process_list_mappings(root, 14, 77, note, &seen), -ENOENT);
	assert_int_equal(process_list_mappings(root, 12, 77, refuse, NULL), -EDOM);
}

TEST_WITH("all processes are listed with their threads", set_up, tear_down)
{
	struct seen seen = {0};
	pid_t *tids;
	size_t count;

	assert_int_equal(process_list_all(root, 5, note, &seen), 0);
	assert_int_equal(seen.count, 5);
	assert_int_equal(seen.events[0].type, TRACE_COMM);
	assert_int_equal(process_threads(root, 12, &tids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(tids[0] + tids[1], 25);
	free(tids);
	assert_int_equal(process_threads(root, 13, &tids, &count), -ENOENT);
}
