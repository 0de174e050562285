/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits on CPU time and I/O of a process's cgroups and of those above, in both versions. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/run/limits.h"
#include "tests/unit/fakeroot.h"

static const struct durability disks = {.count = 2, .layers = {{.name = "loop3"}, {.name = "sda"}}};

/* A root whose disks are 7:3 over 8:0. */
static void make_root(char *root, const char *cgroup, const char *mounts)
{
	fakeroot_make(root);
	fakeroot_put(root, "/proc/self/cgroup", cgroup);
	fakeroot_put(root, "/proc/self/mountinfo", mounts);
	fakeroot_put(root, "/sys/block/loop3/dev", "7:3\n");
	fakeroot_put(root, "/sys/block/sda/dev", "8:0\n");
}

static void make_v2(char *root)
{
	make_root(root, "0::/a/b\n", "31 23 0:27 / /cg rw - cgroup2 cgroup2 rw\n");
}

static void make_v1(char *root)
{
	make_root(root, "3:blkio:/a/b\n2:cpu,cpuacct:/c\n0::/\n",
		"31 23 0:27 / /cg/blkio rw - cgroup cgroup rw,blkio\n32 23 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
}

static void assert_limit(const struct limits *limits, size_t index, const char *name, const char *cgroup, const char *device,
	const char *value)
{
	assert_true(index < limits->count);
	assert_string_equal(limits->all[index].name, name);
	assert_string_equal(limits->all[index].cgroup, cgroup);
	assert_string_equal(limits->all[index].device, device);
	assert_string_equal(limits->all[index].value, value);
}

TEST("version 2: io.max of the own cgroup and of one above is found for each disk below the target")
{
	struct limits limits = {0};
	char root[64];

	make_v2(root);
	fakeroot_put(root, "/cg/a/b/io.max", "8:16 wbps=1\n8:0 rbps=max wbps=4194304 riops=max wiops=max\n");
	fakeroot_put(root, "/cg/a/io.max", "7:3 rbps=max wbps=max riops=max wiops=100\n");
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 2);
	assert_limit(&limits, 0, "io.max", "/cg/a/b", "sda", "rbps=max wbps=4194304 riops=max wiops=max");
	assert_limit(&limits, 1, "io.max", "/cg/a", "loop3", "rbps=max wbps=max riops=max wiops=100");
	assert_ptr_equal(limits_of_io(&limits), &limits.all[0]);
	assert_ptr_equal(limits_of_calibration(&limits), &limits.all[0]);
	/* The same limits once more are no new ones. */
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 2);
	fakeroot_remove(root);
}

TEST("version 2: io.latency and a weight other than the default are limits, the default weight is none")
{
	struct limits limits = {0};
	char root[64], text[256];

	make_v2(root);
	fakeroot_put(root, "/cg/a/b/io.latency", "8:0 target=10000\n");
	fakeroot_put(root, "/cg/a/b/io.weight", "default 100\n8:16 5\n");
	fakeroot_put(root, "/cg/a/io.weight", "default 50\n8:0 100\n");
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 2);
	assert_limit(&limits, 0, "io.latency", "/cg/a/b", "sda", "target=10000");
	assert_limit(&limits, 1, "io.weight", "/cg/a", "", "50");
	limits_fix(&limits.all[0], text, sizeof(text));
	assert_string_equal(text, "echo \"$(cat /sys/block/sda/dev) target=0\" > /cg/a/b/io.latency");
	limits_fix(&limits.all[1], text, sizeof(text));
	assert_string_equal(text, "echo 100 > /cg/a/io.weight");
	fakeroot_remove(root);
}

TEST("version 1: blkio.throttle is found from the own cgroup upwards")
{
	struct limits limits = {0};
	char root[64];

	make_v1(root);
	fakeroot_put(root, "/cg/blkio/a/b/blkio.throttle.write_bps_device", "8:0 4194304\n");
	fakeroot_put(root, "/cg/blkio/a/blkio.throttle.read_iops_device", "8:16 7\n7:3 100\n");
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 2);
	assert_limit(&limits, 0, "blkio.throttle.write_bps_device", "/cg/blkio/a/b", "sda", "4194304");
	assert_limit(&limits, 1, "blkio.throttle.read_iops_device", "/cg/blkio/a", "loop3", "100");
	fakeroot_remove(root);
}

TEST("the limit of a disk that the run itself slows down is not listed")
{
	struct limits limits = {0};
	char root[64];

	make_v1(root);
	fakeroot_put(root, "/cg/blkio/blkio.throttle.write_bps_device", "8:0 4194304\n7:3 4194304\n");
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 2);
	limits_own_disk(&limits, "loop3");
	limits_read_io(root, &disks, &limits);
	assert_int_equal(limits.count, 1);
	assert_string_equal(limits.all[0].device, "sda");
	fakeroot_remove(root);
}

TEST("a CPU quota is found in both versions, and no quota is none")
{
	struct limits limits = {0};
	char root[64];

	make_v2(root);
	fakeroot_put(root, "/cg/a/b/cpu.max", "max 100000\n");
	limits_read_cpu(root, &limits);
	assert_int_equal(limits.count, 0);
	fakeroot_put(root, "/cg/a/cpu.max", "50000 100000\n");
	limits_read_cpu(root, &limits);
	assert_int_equal(limits.count, 1);
	assert_limit(&limits, 0, "cpu.max", "/cg/a", "", "50000 100000");
	assert_true(limits.all[0].cpus == 0.5);
	assert_ptr_equal(limits_of_calibration(&limits), &limits.all[0]);
	assert_null(limits_of_io(&limits));
	fakeroot_remove(root);

	make_v1(root);
	limits = (struct limits){0};
	fakeroot_put(root, "/cg/cpu/cpu.cfs_quota_us", "-1\n");
	fakeroot_put(root, "/cg/cpu/cpu.cfs_period_us", "100000\n");
	limits_read_cpu(root, &limits);
	assert_int_equal(limits.count, 0);
	fakeroot_put(root, "/cg/cpu/c/cpu.cfs_quota_us", "400000\n");
	fakeroot_put(root, "/cg/cpu/c/cpu.cfs_period_us", "100000\n");
	limits_read_cpu(root, &limits);
	assert_int_equal(limits.count, 1);
	assert_limit(&limits, 0, "cpu.cfs_quota_us", "/cg/cpu/c", "", "400000 100000");
	/* A calibration has one thread. */
	assert_null(limits_of_calibration(&limits));
	fakeroot_remove(root);
}

TEST("the run's own cgroup of version 2 is read instead of this process's")
{
	struct limits limits = {.cgroup2_dir = "/cg/other/run"};
	char root[64];

	make_v2(root);
	fakeroot_put(root, "/cg/a/b/cpu.max", "50000 100000\n");
	fakeroot_put(root, "/cg/other/cpu.max", "20000 100000\n");
	limits_read_cpu(root, &limits);
	assert_int_equal(limits.count, 1);
	assert_limit(&limits, 0, "cpu.max", "/cg/other", "", "20000 100000");
	fakeroot_remove(root);
}

TEST("a quota that stopped the run is named with periods and time, and explains the wait for a CPU")
{
	const struct contention_finding finding = {0, 62, 0, 30};
	struct limits limits = {0};
	struct limits_stops before, after;
	char root[64], text[320];

	make_v2(root);
	fakeroot_put(root, "/cg/a/cpu.max", "40000 100000\n");
	fakeroot_put(root, "/cg/a/cpu.stat", "nr_periods 5\nnr_throttled 3\nthrottled_usec 1000\n");
	/* No quota here: its counts are not those of a limit. */
	fakeroot_put(root, "/cg/a/b/cpu.stat", "nr_periods 0\nnr_throttled 70\nthrottled_usec 700\n");
	limits_read_cpu(root, &limits);
	limits_read_stops(root, &limits, &before);
	assert_int_equal(before.periods, 3);
	assert_int_equal(before.ns, 1000000);
	after = before;
	limits_stops_since(&before, &after);
	assert_false(limits_stops_text(&limits, &after, text, sizeof(text)));
	assert_false(limits_explain(&after, 1000000000, &finding));
	fakeroot_put(root, "/cg/a/cpu.stat", "nr_periods 15\nnr_throttled 13\nthrottled_usec 601000\n");
	limits_read_stops(root, &limits, &after);
	limits_stops_since(&before, &after);
	assert_true(limits_stops_text(&limits, &after, text, sizeof(text)));
	assert_string_equal(text, "the CPU quota stopped the run in 10 periods, for 0.60 s in all (cpu.max of /cg/a is 40000 "
		"100000): remove the quota");
	assert_true(limits_explain(&after, 1000000000, &finding));
	/* Of a window of 2 s it is 30 %. */
	assert_false(limits_explain(&after, 2000000000, &finding));
	fakeroot_remove(root);
}
