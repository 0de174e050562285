/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cgroup and a /proc of plain files; real ones: tests/host/pressure-watch.sh. */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include "common/pressure_watch.h"

#define ALIVE "S 1 12 12 0 -1 4194304 1 2 3\n"
#define EXITING "S 1 12 12 0 -1 4194308 1 2 3\n"
#define INSIDE "9:cpu:/\n4:memory:/user/with-pressure-1-2-00112233/inner\n0::/\n"
#define OUTSIDE "9:cpu:/user/with-pressure-1-2-00112233\n4:memory:/user\n0::/\n"

static char root[64];
static struct cgroup cgroup;
static struct pressure_watch watch;

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	cgroup.version = 1;
	snprintf(cgroup.dir, sizeof(cgroup.dir), "%s/with-pressure-1-2-00112233", root);
	fakeroot_put(root, "/with-pressure-1-2-00112233/memory.limit_in_bytes", "33554432\n");
	fakeroot_put(root, "/with-pressure-1-2-00112233/memory.swappiness", "60\n");
	fakeroot_put(root, "/self", "");
	watch = (struct pressure_watch){0};
	pressure_watch_begin(&watch, &cgroup);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void put_process(unsigned pid, const char *name, const char *stat, const char *in, unsigned kib)
{
	char path[32], text[128];

	snprintf(path, sizeof(path), "/%u/stat", pid);
	snprintf(text, sizeof(text), "%u (%s) %s", pid, name, stat);
	fakeroot_put(root, path, text);
	snprintf(path, sizeof(path), "/%u/cgroup", pid);
	fakeroot_put(root, path, in);
	snprintf(path, sizeof(path), "/%u/comm", pid);
	fakeroot_put(root, path, name);
	snprintf(path, sizeof(path), "/%u/status", pid);
	snprintf(text, sizeof(text), "VmRSS:\t%u kB\nVmSwap:\t1024 kB\n", kib);
	fakeroot_put(root, path, text);
}

/* The text of the only reason, or "". */
static const char *reason(const char *code)
{
	static struct pressure_outcome outcome;

	outcome = (struct pressure_outcome){0};
	pressure_watch_reasons(&watch, &outcome);
	if (!outcome.reason_count)
		return "";
	assert_int_equal(outcome.reason_count, 1);
	assert_string_equal(outcome.reasons[0].code, code);
	return outcome.reasons[0].text;
}

TEST_WITH("unchanged limits are no reason", set_up, tear_down)
{
	assert_false(pressure_watch_limits(&watch, &cgroup));
	assert_string_equal(reason(""), "");
}

TEST_WITH("a limit that is changed and restored is a reason with both values", set_up, tear_down)
{
	fakeroot_put(root, "/with-pressure-1-2-00112233/memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(pressure_watch_limits(&watch, &cgroup));
	fakeroot_put(root, "/with-pressure-1-2-00112233/memory.limit_in_bytes", "33554432\n");
	assert_true(pressure_watch_limits(&watch, &cgroup));
	assert_non_null(strstr(reason("limit-changed"), "memory.limit_in_bytes of the run's cgroup"));
	assert_non_null(strstr(reason("limit-changed"), "from 32 MiB to no limit during"));
}

TEST_WITH("swappiness is printed without a unit", set_up, tear_down)
{
	fakeroot_put(root, "/with-pressure-1-2-00112233/memory.swappiness", "0\n");
	assert_true(pressure_watch_limits(&watch, &cgroup));
	assert_non_null(strstr(reason("limit-changed"), "from 60 to 0 during"));
}

TEST_WITH("processes in the cgroup and below are members, and init of the namespace is not looked at", set_up, tear_down)
{
	put_process(1, "keeper", ALIVE, OUTSIDE, 4);
	put_process(12, "a", ALIVE, INSIDE, 4);
	put_process(13, "b", ALIVE, "4:memory:/user/with-pressure-1-2-00112233\n", 4);
	assert_false(pressure_watch_members(&watch, &cgroup, root));
	assert_string_equal(reason(""), "");
}

TEST_WITH("the memory of all processes outside is added, and the most at one time is reported", set_up, tear_down)
{
	put_process(12, "in", ALIVE, INSIDE, 9000);
	put_process(13, "out (x", ALIVE, OUTSIDE, 1024);
	assert_true(pressure_watch_members(&watch, &cgroup, root));
	put_process(14, "out", ALIVE, "4:memory:/user/with-pressure-1-2-00112233x\n", 2048);
	assert_true(pressure_watch_members(&watch, &cgroup, root));
	put_process(13, "out (x", ALIVE, INSIDE, 1024);
	put_process(14, "out", ALIVE, INSIDE, 1024);
	assert_true(pressure_watch_members(&watch, &cgroup, root));
	assert_non_null(strstr(reason("left-cgroup"), "process 13 (out (x) left"));
	assert_non_null(strstr(reason("left-cgroup"), "up to 5 MiB"));
}

/* Version 1 moves a process to the root when it ends. */
TEST_WITH("a process that is ending has not left, whatever its name", set_up, tear_down)
{
	put_process(12, "a", EXITING, OUTSIDE, 4);
	put_process(13, "a\n) S 1 1 1 0 -1 0", EXITING, OUTSIDE, 4);
	assert_false(pressure_watch_members(&watch, &cgroup, root));
}
