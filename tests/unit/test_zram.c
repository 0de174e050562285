/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>

#include "common/base/sysfs.h"
#include "common/kernel/swap.h"

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

static void put(unsigned id, const char *name, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/zram%u/%s", id, name);
	fakeroot_put(root, path, value);
}

static void put_device(unsigned id, const char *diskseq, const char *disksize)
{
	put(id, "disksize", disksize);
	put(id, "initstate", strcmp(disksize, "0\n") ? "1\n" : "0\n");
	put(id, "diskseq", diskseq);
	put(id, "comp_algorithm", "[lzo-rle] lzo lz4 \n");
	put(id, "mem_limit", "");
	put(id, "reset", "");
}

static void assert_value(const char *path, const char *expected)
{
	char value[64];

	assert_int_equal(sysfs_read(root, path, value, sizeof(value)), 0);
	assert_string_equal(value, expected);
}

TEST_WITH("zram devices are listed", set_up, tear_down)
{
	unsigned ids[3];
	size_t count;

	assert_false(zram_is_available(root));
	fakeroot_put(root, "/sys/class/zram-control/hot_add", "");
	assert_true(zram_is_available(root));
	fakeroot_put(root, "/sys/block/vda/diskseq", "9\n");
	assert_int_equal(zram_list(root, ids, 3, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(zram_next_id(ids, count), 0);
	put_device(10, "11\n", "0\n");
	put_device(0, "10\n", "0\n");
	put_device(1, "17\n", "0\n");
	assert_int_equal(zram_list(root, ids, 3, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(ids[0], 0);
	assert_int_equal(ids[1], 1);
	assert_int_equal(ids[2], 10);
	assert_int_equal(zram_next_id(ids, count), 2);
	assert_int_equal(zram_list(root, ids, 2, &count), -E2BIG);
	assert_int_equal(zram_newest_diskseq(root), 17);
}

TEST_WITH("a blank zram device was not configured", set_up, tear_down)
{
	assert_false(zram_is_blank(root, 1));
	put_device(1, "1\n", "0\n");
	assert_true(zram_is_blank(root, 1));
	put_device(1, "1\n", "4096\n");
	assert_false(zram_is_blank(root, 1));
}

TEST_WITH("settings of a zram device are written", set_up, tear_down)
{
	char list[64];

	assert_int_equal(zram_algorithms(root, list, sizeof(list)), -ENOENT);
	put_device(1, "1\n", "0\n");
	assert_int_equal(zram_algorithms(root, list, sizeof(list)), 0);
	assert_string_equal(list, "lzo-rle lzo lz4");
	assert_int_equal(zram_configure(root, 1, "", 0, 8192), 0);
	assert_value("/sys/block/zram1/comp_algorithm", "[lzo-rle] lzo lz4");
	assert_value("/sys/block/zram1/mem_limit", "");
	assert_value("/sys/block/zram1/disksize", "8192");
	assert_int_equal(zram_configure(root, 1, "lz4", 4096, 8192), 0);
	assert_value("/sys/block/zram1/comp_algorithm", "lz4");
	assert_value("/sys/block/zram1/mem_limit", "4096");
}

TEST_WITH("only the device with the same number and diskseq is removed", set_up, tear_down)
{
	struct zram zram = {.id = 1, .diskseq = 12};

	fakeroot_put(root, "/sys/class/zram-control/hot_remove", "");
	assert_int_equal(zram_remove(root, &zram), 0); /* gone already */
	put_device(1, "13\n", "0\n");
	assert_int_equal(zram_remove(root, &zram), -ESTALE);
	assert_value("/sys/block/zram1/reset", "");
	assert_value("/sys/class/zram-control/hot_remove", "");
	put_device(1, "12\n", "0\n");
	assert_int_equal(zram_remove(root, &zram), 0);
	assert_value("/sys/block/zram1/reset", "1");
	assert_value("/sys/class/zram-control/hot_remove", "1");
}
