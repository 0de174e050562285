/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <sys/sysmacros.h>
#include "iowrite-bench/bdi.h"

#define DISK "/sys/devices/pci0000:00/block/vda"

static char root[64];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, "/sys/dev/block/.keep", "");
	fakeroot_put(root, DISK "/vda1/partition", "1\n");
	fakeroot_put(root, "/sys/class/bdi/0:57/read_ahead_kb", "128\n");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void put_link(const char *path, const char *target)
{
	char full[256];

	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(symlink(target, full), 0);
}

static void disks_and_partitions(void **state)
{
	char name[16] = "";

	(void)state;
	put_link("/sys/dev/block/254:0", "../../devices/pci0000:00/block/vda");
	put_link("/sys/dev/block/254:1", "../../devices/pci0000:00/block/vda/vda1");
	put_link(DISK "/bdi", "../../../virtual/bdi/254:0");
	assert_int_equal(bdi_of(root, makedev(254, 0), name, sizeof(name)), 0);
	assert_string_equal(name, "254:0");
	name[0] = '\0';
	assert_int_equal(bdi_of(root, makedev(254, 1), name, sizeof(name)), 0);
	assert_string_equal(name, "254:0");
}

static void no_block_device(void **state)
{
	char name[16] = "as before";

	(void)state;
	assert_int_equal(bdi_of(root, makedev(0, 57), name, sizeof(name)), 0);
	assert_string_equal(name, "0:57");
	assert_int_equal(bdi_of(root, makedev(0, 58), name, sizeof(name)), -ENODEV);
	assert_string_equal(name, "0:57");
}

static void a_name_that_is_too_long(void **state)
{
	char name[5] = "";

	(void)state;
	put_link("/sys/dev/block/7:0", "../../devices/virtual/block/loop0");
	fakeroot_put(root, "/sys/devices/virtual/block/loop0/dev", "7:0\n");
	put_link("/sys/devices/virtual/block/loop0/bdi", "../../bdi/12345");
	assert_int_equal(bdi_of(root, makedev(7, 0), name, sizeof(name)), -ENODEV);
	assert_string_equal(name, "");
	assert_int_equal(bdi_of(root, makedev(0, 57), name, 4), -ENODEV);
	assert_int_equal(bdi_of(root, makedev(0, 57), name, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(disks_and_partitions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_block_device, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_name_that_is_too_long, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("trace_bdi", tests, NULL, NULL);
}
