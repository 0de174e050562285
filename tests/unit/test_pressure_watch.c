/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cgroup and a /proc of plain files; real ones: tests/host/pressure-watch.sh. */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include "common/base/units.h"
#include "common/pressure/pressure_watch.h"

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

/* One sample: the run's own area of 64 MiB with this use, its cgroup's swapped bytes (none: no cgroup), other areas. */
static void sample_swap(unsigned own_kib, const char *swapped, const char *others)
{
	const struct cgroup none = {0};
	char text[256];

	snprintf(text, sizeof(text), "Filename Type Size Used Priority\n%s/dev/zram7 partition 65536 %u 32766\n", others, own_kib);
	fakeroot_put(root, "/proc/swaps", text);
	if (swapped)
		fakeroot_put(root, "/with-pressure-1-2-00112233/memory.stat", swapped);
	pressure_watch_swap(&watch, root, swapped ? &cgroup : &none);
}

static int set_up_swap(void **state)
{
	set_up(state);
	pressure_watch_own(&watch, "/dev/zram7", 32766);
	return 0;
}

#define LOWER "/dev/sda2 partition 8388608 512 -2\n"
#define EQUAL "/dev/zram8 partition 65536 4096 32766\n"
#define HIGHER "/var/a\\040file file 65536 2048 32767\n"

TEST_WITH("pages in the own area are no reason, whatever was swapped before to areas of lower priority", set_up_swap, tear_down)
{
	for (unsigned i = 0; i < 3; i++)
		sample_swap(10240, "swap 0\ntotal_swap 10485760\n", LOWER);
	assert_string_equal(reason(""), "");
}

TEST_WITH("more in the cgroup than in the own area is a reason with the amount", set_up_swap, tear_down)
{
	char amount[64];

	sample_swap(1024, "total_swap 1073741824\n", LOWER);
	assert_string_equal(reason(""), ""); /* a single sample: pages may have moved between its readings */
	sample_swap(1024, "total_swap 536870912\n", LOWER);
	units_format_size(511 * UNITS_MIB, amount, sizeof(amount));
	assert_non_null(strstr(reason("swapped-elsewhere"), amount));
	assert_non_null(strstr(reason("swapped-elsewhere"), "of up to 1 GiB"));
	assert_non_null(strstr(reason("swapped-elsewhere"), "/dev/sda2 (priority -2, the own one's is 32766)"));
}

TEST_WITH("an area with a priority not below the own one's is a reason if the run swapped", set_up_swap, tear_down)
{
	sample_swap(0, "total_swap 0\n", EQUAL);
	sample_swap(0, "total_swap 0\n", HIGHER EQUAL);
	assert_string_equal(reason(""), "");
	sample_swap(4, "total_swap 4096\n", "");
	assert_non_null(strstr(reason("swapped-elsewhere"), "active with priority 32766, not below 32766"));
}

TEST_WITH("without a cgroup such an area is a reason if its use rose", set_up_swap, tear_down)
{
	sample_swap(0, NULL, EQUAL);
	sample_swap(0, NULL, HIGHER EQUAL);
	assert_string_equal(reason(""), "");
	sample_swap(0, NULL, "/var/a\\040file file 65536 4096 32767\n");
	assert_non_null(strstr(reason("swapped-elsewhere"), "/var/a file was active with priority 32767"));
	assert_non_null(strstr(reason("swapped-elsewhere"), "up to 4 MiB"));
}

TEST_WITH("a full area is a reason only while another one is active", set_up_swap, tear_down)
{
	sample_swap(65536, NULL, "");
	assert_string_equal(reason(""), "");
	sample_swap(65536, NULL, LOWER);
	assert_non_null(strstr(reason("swapped-elsewhere"), "area was full while /dev/sda2"));
}

TEST_WITH("a swap file that is removed is still the own area", set_up_swap, tear_down)
{
	fakeroot_put(root, "/proc/swaps", "Filename Type Size Used Priority\n/dev/zram7\\040(deleted) file 65536 4 32766\n");
	pressure_watch_swap(&watch, root, &cgroup);
	assert_string_equal(reason(""), "");
	assert_int_equal(watch.other_count, 0);
}

TEST_WITH("an own area that is gone is a reason", set_up_swap, tear_down)
{
	fakeroot_put(root, "/proc/swaps", "Filename Type Size Used Priority\n" LOWER);
	pressure_watch_swap(&watch, root, &cgroup);
	assert_non_null(strstr(reason("swap-lost"), "/dev/zram7 was switched off"));
}
