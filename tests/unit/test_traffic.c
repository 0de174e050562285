/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What disks did for other programs is what they moved beyond what the run has caused; never more than that. */
#include "config.h"
#include <errno.h>
#include <unistd.h>
#include "common/run/traffic.h"
#include "tests/unit/fakeroot.h"
#include "tests/unit/unit.h"

#define MIB (1ull << 20)
#define MS 1000000ull

static struct traffic traffic;

/* As everything stands when a run begins. */
static struct traffic_counts begin(void)
{
	struct traffic_counts counts = {.time_ns = 1000 * MS, .moved_bytes = 1000 * MIB, .busy_ns = 5000 * MS,
		.own_bytes = 10 * MIB, .cancelled_bytes = 2 * MIB, .metadata_bytes = 7 * TRAFFIC_METADATA,
		.pending_bytes = 100 * MIB};

	traffic = (struct traffic){.disk_count = 1, .disks = {"sdx"}};
	traffic_add(&traffic, &counts);
	assert_true(traffic.sums.foreign_ns == 0);
	return counts;
}

static double foreign_ns(const struct traffic_counts *counts)
{
	traffic_add(&traffic, counts);
	return traffic.sums.foreign_ns;
}

TEST("disk traffic that this process did not cause is foreign")
{
	struct traffic_counts counts = begin();

	counts.moved_bytes += 100 * MIB;
	counts.own_bytes += 25 * MIB;
	counts.busy_ns += 400 * MS;
	assert_true(foreign_ns(&counts) == 300 * MS);
	/* It adds up. */
	counts.moved_bytes += 1 * MIB;
	counts.busy_ns += 10 * MS;
	assert_true(foreign_ns(&counts) == 310 * MS);
}

TEST("disk traffic of this process is not foreign")
{
	struct traffic_counts counts = begin();

	/* Dirty now, written later. */
	counts.own_bytes += 80 * MIB;
	assert_true(foreign_ns(&counts) == 0);
	counts.moved_bytes += 80 * MIB;
	counts.busy_ns += 100 * MS;
	assert_true(foreign_ns(&counts) == 0);
	/* A journal's blocks. */
	counts.metadata_bytes += 16 * TRAFFIC_METADATA;
	counts.moved_bytes += 16 * TRAFFIC_METADATA;
	counts.busy_ns += 100 * MS;
	assert_true(foreign_ns(&counts) == 0);
}

TEST("discarded dirty pages do not hide foreign traffic")
{
	struct traffic_counts counts = begin();

	counts.own_bytes += 80 * MIB;
	counts.cancelled_bytes += 80 * MIB;
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_true(foreign_ns(&counts) == 50 * MS);
	/* Dirty in one stretch, thrown away in the next. */
	counts.own_bytes += 80 * MIB;
	assert_true(foreign_ns(&counts) == 50 * MS);
	counts.cancelled_bytes += 80 * MIB;
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_true(foreign_ns(&counts) == 100 * MS);
}

/* What was reckoned for metadata and not used is forgotten with the last dirty page. */
TEST("an unused allowance for metadata does not accumulate")
{
	struct traffic_counts counts = begin();

	counts.metadata_bytes += 10000 * TRAFFIC_METADATA;
	counts.pending_bytes = 0;
	assert_true(foreign_ns(&counts) == 0);
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_true(foreign_ns(&counts) == 50 * MS);
}

TEST("an idle disk has no foreign time")
{
	struct traffic_counts counts = begin();

	counts.busy_ns += 50 * MS;
	assert_true(foreign_ns(&counts) == 0);
	/* A counter that has begun again. */
	counts.moved_bytes = 0;
	counts.busy_ns = 0;
	assert_true(foreign_ns(&counts) == 0);
}

TEST("the kernel's counters of all watched disks are read")
{
	struct traffic_counts counts = {.metadata_bytes = 3};
	char root[64];

	traffic = (struct traffic){0};
	fakeroot_make(root);
	assert_int_equal(traffic_read(root, &traffic, &counts), -ENODEV);
	traffic = (struct traffic){.disk_count = 2, .disks = {"sdx", "sdy"}};
	fakeroot_put(root, "/sys/block/sdx/stat",
		"  317    72   1000   258  743   536   3000  1156   0   114   1458  15   3  26   35   12    8\n");
	fakeroot_put(root, "/proc/vmstat", "nr_dirty 2\nnr_writeback 1\n");
	assert_true(traffic_read(root, &traffic, &counts) < 0);
	fakeroot_put(root, "/sys/block/sdy/stat", "1 0 10 1 1 0 20 1 0 6 1 0 0 0 0\n");
	assert_int_equal(traffic_read(root, &traffic, &counts), 0);
	assert_int_equal(counts.moved_bytes, 4030 * 512);
	assert_int_equal(counts.busy_ns, 120 * MS);
	assert_int_equal(counts.metadata_bytes, 3);
	assert_int_equal(counts.pending_bytes, 3 * sysconf(_SC_PAGESIZE));
	assert_int_equal(counts.own_bytes, 0);
	fakeroot_put(root, "/sys/block/sdx/queue/iostats", "0\n");
	assert_int_equal(traffic_read(root, &traffic, &counts), -EOPNOTSUPP);
	fakeroot_put(root, "/sys/block/sdx/queue/iostats", "1\n");
	fakeroot_put(root, "/sys/block/sdx/stat", "1 2\n");
	assert_int_equal(traffic_read(root, &traffic, &counts), -EINVAL);
	fakeroot_remove(root);
}

TEST("the bytes that processes caused are added")
{
	struct traffic_counts counts = {0};
	char root[64];

	fakeroot_make(root);
	assert_true(traffic_read_process(root, 0, &counts) < 0);
	fakeroot_put(root, "/proc/self/io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\n"
					     "write_bytes: 8192\ncancelled_write_bytes: 512\n");
	fakeroot_put(root, "/proc/17/io", "read_bytes: 0\nwrite_bytes: 4096\ncancelled_write_bytes: 0\n");
	assert_int_equal(traffic_read_process(root, 0, &counts), 0);
	assert_int_equal(traffic_read_process(root, 17, &counts), 0);
	assert_int_equal(counts.own_bytes, 16384);
	assert_int_equal(counts.cancelled_bytes, 512);
	fakeroot_remove(root);
}

TEST("only traffic within a window is its own, and windows add up")
{
	struct traffic_counts counts = begin();
	struct traffic_sums window;

	counts.moved_bytes += 900 * MIB;
	traffic_add(&traffic, &counts);
	traffic_begin(&traffic);
	counts.time_ns += 2000 * MS;
	counts.moved_bytes += 30 * MIB;
	counts.own_bytes += 10 * MIB;
	traffic_add(&traffic, &counts);
	window = traffic_end(&traffic);
	assert_true(window.time_ns == 2000 * MS && window.moved_bytes == 30 * MIB && window.own_bytes == 10 * MIB &&
		window.foreign_bytes == 20 * MIB);
	traffic_begin(&traffic);
	counts.moved_bytes += 1 * MIB;
	traffic_add(&traffic, &counts);
	window = traffic_end(&traffic);
	assert_true(window.foreign_bytes == 1 * MIB && traffic.measured.foreign_bytes == 21 * MIB);
}

TEST("bytes written before a window that reach the disk within it are the run's")
{
	struct traffic_counts counts = begin();
	struct traffic_sums window;

	counts.own_bytes += 80 * MIB;
	traffic_add(&traffic, &counts);
	traffic_begin(&traffic);
	counts.moved_bytes += 80 * MIB;
	counts.pending_bytes = 0;
	traffic_add(&traffic, &counts);
	window = traffic_end(&traffic);
	assert_true(window.foreign_bytes == 0);
}

TEST("foreign traffic is found above 5 % of the run's own and above that of an idle system")
{
	static const struct {
		double seconds, own, foreign;
		bool is_found;
	} rows[] = {
		{1, 4.78e6, 284e6, true},
		{1, 0, 1e9, true},
		{1, 100e6, 4.9e6, false},
		{1, 100e6, 5.1e6, true},
		{1, 1e6, 1.3e6, false}, /* 1 MiB + 256 KiB */
		{1, 1e6, 1.4e6, true},
		{60, 1e6, 16e6, false},
		{60, 1e6, 17e6, true},
		{1, 0, 0, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct traffic_sums window = {.time_ns = rows[i].seconds * 1e9, .own_bytes = rows[i].own,
			.foreign_bytes = rows[i].foreign};

		assert_int_equal(traffic_is_foreign(&window), rows[i].is_found);
	}
}

TEST("the sentence names the disks, both numbers of bytes and the time")
{
	const struct traffic_sums window = {.time_ns = 2e9, .own_bytes = 9 * MIB, .foreign_bytes = 568 * MIB};
	const struct traffic disks = {.disk_count = 2, .disks = {"sdx", "nvme0n1"}};
	char text[320];

	traffic_text(&disks, &window, text, sizeof(text));
	assert_string_equal(text, "other programs read or wrote 568 MiB on sdx, nvme0n1 in 2.0 s, the run itself 9 MiB: stop "
		"them, or use a disk that they do not use");
}

TEST("the disk below a volume on one disk is watched, an array and a loop device are watched themselves")
{
	static const struct durability volume = {.count = 3, .layers = {{.name = "dm-1", .is_followed = true},
		{.name = "dm-0", .is_followed = true}, {.name = "sda"}}};
	static const struct durability array = {.count = 4, .layers = {{.name = "dm-0", .is_followed = true},
		{.name = "md0", .is_followed = true}, {.name = "sda", .stack = 3}, {.name = "sdb", .stack = 3}}};
	static const struct durability several = {.count = 2, .layers = {{.name = "sda", .stack = 1}, {.name = "sdb", .stack = 1}}};
	static const struct durability loop = {.count = 2, .layers = {{.name = "loop0"}, {.name = "sda"}}};
	static const struct durability none = {.unknown = "no block device is known"};

	traffic = (struct traffic){0};
	traffic_watch(&none, &traffic);
	traffic_watch(&several, &traffic);
	assert_int_equal(traffic.disk_count, 0);
	traffic_watch(&volume, &traffic);
	traffic_watch(&array, &traffic);
	traffic_watch(&loop, &traffic);
	traffic_watch(&volume, &traffic);
	assert_int_equal(traffic.disk_count, 3);
	assert_string_equal(traffic.disks[0], "sda");
	assert_string_equal(traffic.disks[1], "md0");
	assert_string_equal(traffic.disks[2], "loop0");
}

TEST("metadata are allowed for by file system, and not where a sync writes none")
{
	struct target target = {.kind = TARGET_DEVICE, .file_system = "none"};

	assert_int_equal(traffic_metadata(&target, false), 0);
	target = (struct target){.kind = TARGET_FILE, .file_system = "ext4"};
	assert_int_equal(traffic_metadata(&target, false), TRAFFIC_METADATA);
	assert_int_equal(traffic_metadata(&target, true), 0);
	target = (struct target){.kind = TARGET_FILE, .file_system = "btrfs"};
	assert_int_equal(traffic_metadata(&target, true), TRAFFIC_METADATA_COPIED);
}
