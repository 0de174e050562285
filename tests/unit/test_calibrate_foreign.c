/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a disk did for others is what it moved beyond what this process has caused; never more than that. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/calibrate/foreign.h"
#include "tests/unit/fakeroot.h"

#define MIB (1ull << 20)
#define MS 1000000ull

/* As everything stands when a calibration begins. */
static struct foreign_counts begin(struct foreign *foreign)
{
	struct foreign_counts counts = {1000 * MIB, 5000 * MS, 10 * MIB, 2 * MIB, 7, 100 * MIB};

	*foreign = (struct foreign){0};
	assert_int_equal(foreign_add(foreign, &counts), 0);
	return counts;
}

TEST("disk traffic that this process did not cause is foreign")
{
	struct foreign foreign;
	struct foreign_counts counts = begin(&foreign);

	counts.moved_bytes += 100 * MIB;
	counts.own_bytes += 25 * MIB;
	counts.busy_ns += 400 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 300 * MS);
	/* It adds up. */
	counts.moved_bytes += 1 * MIB;
	counts.busy_ns += 10 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 310 * MS);
}

TEST("disk traffic of this process is not foreign")
{
	struct foreign foreign;
	struct foreign_counts counts = begin(&foreign);

	/* Dirty now, written later. */
	counts.own_bytes += 80 * MIB;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
	counts.moved_bytes += 80 * MIB;
	counts.busy_ns += 100 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
	/* A journal's blocks. */
	counts.own_syncs += 16;
	counts.moved_bytes += 16 * FOREIGN_METADATA;
	counts.busy_ns += 100 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
}

TEST("discarded dirty pages do not hide foreign traffic")
{
	struct foreign foreign;
	struct foreign_counts counts = begin(&foreign);

	counts.own_bytes += 80 * MIB;
	counts.cancelled_bytes += 80 * MIB;
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 50 * MS);
	/* Dirty in one stretch, thrown away in the next. */
	counts.own_bytes += 80 * MIB;
	assert_int_equal(foreign_add(&foreign, &counts), 50 * MS);
	counts.cancelled_bytes += 80 * MIB;
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 100 * MS);
}

/* What was reckoned for metadata and not used is forgotten with the last dirty page. */
TEST("an unused allowance for metadata does not accumulate")
{
	struct foreign foreign;
	struct foreign_counts counts = begin(&foreign);

	counts.own_syncs += 10000;
	counts.pending_bytes = 0;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
	counts.moved_bytes += 40 * MIB;
	counts.busy_ns += 50 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 50 * MS);
}

TEST("an idle disk has no foreign time")
{
	struct foreign foreign;
	struct foreign_counts counts = begin(&foreign);

	counts.busy_ns += 50 * MS;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
	/* A counter that has begun again. */
	counts.moved_bytes = 0;
	counts.busy_ns = 0;
	assert_int_equal(foreign_add(&foreign, &counts), 0);
}

TEST("the kernel's counters are read")
{
	struct foreign_counts counts = {.own_syncs = 3, .pending_bytes = 4};
	char root[64];

	fakeroot_make(root);
	assert_true(foreign_read(root, "sdx", &counts) < 0);
	fakeroot_put(root, "/sys/block/sdx/stat",
		"  317    72   1000   258  743   536   3000  1156   0   114   1458  15   3  26   35   12    8\n");
	assert_true(foreign_read(root, "sdx", &counts) < 0);
	fakeroot_put(root, "/proc/self/io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 4096\n"
					     "write_bytes: 8192\ncancelled_write_bytes: 512\n");
	assert_int_equal(foreign_read(root, "sdx", &counts), 0);
	assert_int_equal(counts.moved_bytes, 4000 * 512);
	assert_int_equal(counts.busy_ns, 114 * MS);
	assert_int_equal(counts.own_bytes, 12288);
	assert_int_equal(counts.cancelled_bytes, 512);
	assert_int_equal(counts.own_syncs, 3);
	assert_int_equal(counts.pending_bytes, 4);
	fakeroot_put(root, "/sys/block/sdx/stat", "1 2\n");
	assert_int_equal(foreign_read(root, "sdx", &counts), -EINVAL);
	fakeroot_remove(root);
}
