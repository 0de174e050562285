/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeblock.h"

#include <errno.h>
#include <sys/sysmacros.h>
#include "common/storage/storage.h"

#define DISK "/sys/devices/pci0000:00/virtio2/block/vda"
#define LOOP "/sys/devices/virtual/block/loop3"

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, "/sys/dev/block/.keep", "");
	return 0;
}

static void put_disk(void)
{
	put(DISK, "dev", "254:0\n");
	put(DISK, "stat", "  10 0 80 4   20 3 160 9 0 7 13 0 0 0 0 2 1\n");
	put(DISK, "queue/scheduler", "none [mq-deadline] kyber\n");
	put(DISK, "queue/rotational", "1\n");
	put(DISK, "queue/write_cache", "write back\n");
	put(DISK, "queue/nr_requests", "256\n");
	put(DISK, "bdi/max_ratio", "100\n");
	put_link("254:0", DISK);
	put(DISK "/vda2", "dev", "254:2\n");
	put(DISK "/vda2", "partition", "2\n");
	put(DISK "/vda2", "stat", "1 0 8 0 5 0 40 1 0 1 1\n");
	put_link("254:2", DISK "/vda2");
}

static const char *setting(const struct storage *storage, const char *name)
{
	for (size_t i = 0; i < storage->setting_count; i++) {
		if (!strcmp(storage->settings[i].name, name))
			return storage->settings[i].value;
	}
	return "(none)";
}

static void assert_disk_settings(const struct storage *storage)
{
	assert_string_equal(storage->disk, "vda");
	assert_string_equal(setting(storage, "queue.scheduler"), "mq-deadline");
	assert_string_equal(setting(storage, "queue.rotational"), "1");
	assert_string_equal(setting(storage, "queue.write_cache"), "write back");
	assert_string_equal(setting(storage, "queue.nr_requests"), "256");
	assert_string_equal(setting(storage, "bdi.max_ratio"), "100");
	/* What the kernel has not is not in the list. */
	assert_int_equal(storage->setting_count, 5);
}

TEST_WITH("the disk of a disk is itself", set_up, tear_down)
{
	struct storage storage;

	put_disk();
	storage_read(root, makedev(254, 0), &storage);
	assert_string_equal(storage.device, "vda");
	assert_string_equal(storage.stat_path, "/sys/dev/block/254:0/stat");
	assert_disk_settings(&storage);
}

TEST_WITH("a partition has the queue of its disk", set_up, tear_down)
{
	struct storage storage;

	put_disk();
	storage_read(root, makedev(254, 2), &storage);
	assert_string_equal(storage.device, "vda2");
	assert_disk_settings(&storage);
	/* But a file on it is counted for it alone. */
	assert_string_equal(storage.stat_path, "/sys/dev/block/254:2/stat");
}

TEST_WITH("a loop device is a disk", set_up, tear_down)
{
	struct storage storage;

	put(LOOP, "dev", "7:3\n");
	put(LOOP, "queue/scheduler", "none\n");
	put(LOOP, "queue/logical_block_size", "512\n");
	/* Beside it lies another disk, whose settings are nobody's business. */
	put("/sys/devices/virtual/block", "queue/rotational", "1\n");
	put_link("7:3", LOOP);
	storage_read(root, makedev(7, 3), &storage);
	assert_string_equal(storage.device, "loop3");
	assert_string_equal(storage.disk, "loop3");
	assert_int_equal(storage.setting_count, 2);
	assert_string_equal(setting(&storage, "queue.scheduler"), "none");
	assert_string_equal(setting(&storage, "queue.logical_block_size"), "512");
}

TEST_WITH("a file system without a device has no settings", set_up, tear_down)
{
	struct storage storage;

	put_disk();
	storage_read(root, makedev(0, 38), &storage); /* tmpfs */
	assert_string_equal(storage.device, "");
	assert_string_equal(storage.disk, "");
	assert_string_equal(storage.stat_path, "");
	assert_int_equal(storage.setting_count, 0);
}

TEST_WITH("a partition without a disk is alone", set_up, tear_down)
{
	struct storage storage;

	put(LOOP, "partition", "1\n");
	put_link("7:3", LOOP);
	storage_read(root, makedev(7, 3), &storage);
	assert_string_equal(storage.device, "loop3");
	assert_string_equal(storage.disk, "loop3");
	assert_int_equal(storage.setting_count, 0);
}

TEST_WITH("malformed settings are left out", set_up, tear_down)
{
	char long_value[5000], name[100];
	struct storage storage;

	memset(long_value, 'x', sizeof(long_value) - 1);
	long_value[sizeof(long_value) - 1] = '\0';
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	put_disk();
	put(DISK, "queue/nr_requests", long_value);
	long_value[64] = '\0'; /* one too long */
	put(DISK, "queue/write_cache", long_value);
	long_value[63] = '\0';
	put(DISK, "bdi/max_ratio", long_value);
	storage_read(root, makedev(254, 0), &storage);
	assert_string_equal(setting(&storage, "queue.nr_requests"), "(none)");
	assert_string_equal(setting(&storage, "queue.write_cache"), "(none)");
	assert_string_equal(setting(&storage, "bdi.max_ratio"), long_value);
	assert_int_equal(storage.setting_count, 3);

	snprintf(long_value, sizeof(long_value), "/sys/devices/%s", name);
	put_link("8:0", long_value);
	storage_read(root, makedev(8, 0), &storage);
	assert_int_equal(strlen(storage.device), sizeof(storage.device) - 1);
	assert_int_equal(strncmp(storage.device, name, sizeof(storage.device) - 1), 0);
}
