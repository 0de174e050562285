/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

#include "common/base/units.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/swap.h"

#define HEADING "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

static char root[64];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

TEST_WITH("active swap areas are listed", set_up, tear_down)
{
	struct swap_area areas[2];
	size_t count;

	assert_int_equal(swap_list(root, areas, 2, &count), 0);
	assert_int_equal(count, 0);
	fakeroot_put(root, "/proc/swaps", HEADING);
	assert_int_equal(swap_list(root, areas, 2, &count), 0);
	assert_int_equal(count, 0);
	fakeroot_put(root, "/proc/swaps",
		HEADING "/dev/zram1                              partition\t262140\t\t10\t\t32767\n"
			"/var/swap\\040file\\134x file\t\t1024\t\t0\t\t-2\n");
	assert_int_equal(swap_list(root, areas, 2, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(areas[0].path, "/dev/zram1");
	assert_int_equal(areas[0].size_bytes, 262140 * 1024);
	assert_int_equal(areas[0].used_bytes, 10 * 1024);
	assert_int_equal(areas[0].priority, 32767);
	assert_string_equal(areas[1].path, "/var/swap file\\x");
	assert_int_equal(areas[1].priority, -2);
	assert_int_equal(swap_list(root, areas, 1, &count), -E2BIG);
}

TEST_WITH("each run's area gets a priority below those of runs before it, whatever the system's own areas have", set_up, tear_down)
{
	static const struct {
		const char *areas;
		int priority;
	} cases[] = {
		{"", 32767},
		{"/dev/sda2 partition 1024 0 -2\n/dev/zram0 partition 1024 0 100\n", 32767},
		{"/dev/zram1 partition 1024 0 32767\n", 32766},
		{"/dev/zram1 partition 1024 0 32765\n/dev/zram2 partition 1024 0 32767\n", 32764},
		{"/dev/zram1 partition 1024 0 31745\n", 31744},
		{"/dev/zram1 partition 1024 0 31744\n/dev/zram2 partition 1024 0 31745\n", 31744},
	};

	assert_int_equal(swap_free_priority(root), 32767);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), HEADING "%s", cases[i].areas);
		fakeroot_put(root, "/proc/swaps", text);
		assert_int_equal(swap_free_priority(root), cases[i].priority);
	}
}

/* Decided by libblkid, which has never heard of our code. */
TEST_WITH("other programs can read the swap header", set_up, tear_down)
{
	static const unsigned char uuid[SWAP_UUID_BYTES] = {0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
		0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};
	struct blockdev_content content;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/area", root);
	assert_int_equal(swap_open(path, uuid, &fd), -ENOENT);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * UNITS_MIB), 0);
	assert_false(swap_has_uuid(path, uuid));
	assert_int_equal(blockdev_content(path, &content), 0);
	assert_string_equal(content.type, "");
	assert_int_equal(swap_format(fd, SWAP_MIN_BYTES - 1, uuid), -ERANGE);
	assert_int_equal(swap_format(fd, (1ull << 33) * 65536, uuid), -ERANGE);
	assert_int_equal(swap_format(fd, 2 * UNITS_MIB, uuid), 0);
	close(fd);
	assert_true(swap_has_uuid(path, uuid));
	assert_false(swap_has_uuid(path, (const unsigned char[SWAP_UUID_BYTES]){1}));
	assert_int_equal(blockdev_content(path, &content), 0);
	assert_string_equal(content.type, "swap");
	assert_string_equal(content.uuid, "00112233-4455-6677-8899-aabbccddeeff");
	assert_string_equal(content.label, SWAP_LABEL);
}

TEST_WITH("a file is refused as a device", set_up, tear_down)
{
	char path[128];
	int fd = -7;

	fakeroot_put(root, "/file", "");
	snprintf(path, sizeof(path), "%s/file", root);
	assert_int_equal(blockdev_open_unused(path, &fd), -ENOTBLK);
	snprintf(path, sizeof(path), "%s/none", root);
	assert_int_equal(blockdev_open_unused(path, &fd), -ENOENT);
	assert_int_equal(fd, -7);
}

TEST_WITH("facts of a block device are read", set_up, tear_down)
{
	struct blockdev facts;

	assert_int_equal(blockdev_read(root, makedev(253, 1), &facts), -ENOENT);
	fakeroot_put(
		root, "/sys/dev/block/253:1/uevent", "MAJOR=253\nMINOR=1\nDEVNAME=zram1\nDEVTYPE=disk\n");
	fakeroot_put(root, "/sys/dev/block/253:1/size", "2048\n");
	fakeroot_put(root, "/sys/dev/block/253:1/ro", "0\n");
	fakeroot_put(root, "/sys/dev/block/253:1/queue/logical_block_size", "4096\n");
	fakeroot_put(root, "/sys/dev/block/253:1/queue/rotational", "1\n");
	assert_int_equal(blockdev_read(root, makedev(253, 1), &facts), 0);
	assert_string_equal(facts.name, "zram1");
	assert_int_equal(facts.size_bytes, UNITS_MIB);
	assert_int_equal(facts.logical_block_bytes, 4096);
	assert_true(facts.is_rotational);
	assert_false(facts.is_read_only);
}
