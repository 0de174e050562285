/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <sys/sysmacros.h>
#include "iowrite-bench/write/dirty.h"

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

TEST_WITH("a disk and its partitions have the disk's bdi name", set_up, tear_down)
{
	char name[16] = "";

	put_link("/sys/dev/block/254:0", "../../devices/pci0000:00/block/vda");
	put_link("/sys/dev/block/254:1", "../../devices/pci0000:00/block/vda/vda1");
	put_link(DISK "/bdi", "../../../virtual/bdi/254:0");
	assert_int_equal(bdi_of(root, makedev(254, 0), name, sizeof(name)), 0);
	assert_string_equal(name, "254:0");
	name[0] = '\0';
	assert_int_equal(bdi_of(root, makedev(254, 1), name, sizeof(name)), 0);
	assert_string_equal(name, "254:0");
}

TEST_WITH("a file system without a block device has no bdi name", set_up, tear_down)
{
	char name[16] = "as before";

	assert_int_equal(bdi_of(root, makedev(0, 57), name, sizeof(name)), 0);
	assert_string_equal(name, "0:57");
	assert_int_equal(bdi_of(root, makedev(0, 58), name, sizeof(name)), -ENODEV);
	assert_string_equal(name, "0:57");
}

TEST_WITH("a bdi name that is too long is refused", set_up, tear_down)
{
	char name[5] = "";

	put_link("/sys/dev/block/7:0", "../../devices/virtual/block/loop0");
	fakeroot_put(root, "/sys/devices/virtual/block/loop0/dev", "7:0\n");
	put_link("/sys/devices/virtual/block/loop0/bdi", "../../bdi/12345");
	assert_int_equal(bdi_of(root, makedev(7, 0), name, sizeof(name)), -ENODEV);
	assert_string_equal(name, "");
	assert_int_equal(bdi_of(root, makedev(0, 57), name, 4), -ENODEV);
	assert_int_equal(bdi_of(root, makedev(0, 57), name, 5), 0);
}

#define MOUNT_V2 "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
#define MOUNT_BLKIO "31 24 0:27 / /sys/fs/cgroup/blkio rw - cgroup cgroup rw,blkio\n"

static uint64_t number_of(const char *path)
{
	char full[256];
	struct stat status;

	snprintf(full, sizeof(full), "%s%s", root, path);
	assert_int_equal(stat(full, &status), 0);
	return status.st_ino;
}

/* The nearest one upwards that the memory is counted for. */
TEST_WITH("the cgroup of a writer is found", set_up, tear_down)
{
	fakeroot_put(root, "/proc/self/cgroup", "0::/a/b/c\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "cpu io memory pids\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.controllers", "io memory\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/b/cgroup.controllers", "memory_of_another pids\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/b/c/cgroup.controllers", "\n");
	assert_int_equal(bdi_cgroup(root, "ext4"), number_of("/sys/fs/cgroup/a"));
	fakeroot_put(root, "/sys/fs/cgroup/a/b/c/cgroup.controllers", "memory\n");
	assert_int_equal(bdi_cgroup(root, "none"), number_of("/sys/fs/cgroup/a/b/c"));
	assert_int_equal(bdi_cgroup(root, "fuse.sshfs"), BDI_CGROUP_FIRST);
	fakeroot_put(root, "/proc/self/cgroup", "0::/\n");
	assert_int_equal(bdi_cgroup(root, "xfs"), number_of("/sys/fs/cgroup"));
}

TEST_WITH("all are in one", set_up, tear_down)
{
	fakeroot_put(root, "/proc/self/cgroup", "0::/a\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_V2);
	fakeroot_put(root, "/sys/fs/cgroup/cgroup.controllers", "pids\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.controllers", "pids\n");
	assert_int_equal(bdi_cgroup(root, "ext4"), BDI_CGROUP_FIRST);
	fakeroot_put(root, "/sys/fs/cgroup/a/cgroup.controllers", "memory\n");
	fakeroot_put(root, "/proc/self/cgroup", "7:blkio:/\n0::/a\n");
	fakeroot_put(root, "/proc/self/mountinfo", MOUNT_BLKIO MOUNT_V2);
	assert_int_equal(bdi_cgroup(root, "ext4"), BDI_CGROUP_FIRST);
}
