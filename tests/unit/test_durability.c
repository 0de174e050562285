/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeblock.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "common/base/sysfs.h"
#include "common/storage/storage.h"

#define DISK "/sys/devices/pci0000:00/virtio2/block/vda"
#define MAPPED "/sys/devices/virtual/block/dm-0"
#define LOOP "/sys/devices/virtual/block/loop3"

static struct durability durability;

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	fakeroot_put(root, "/sys/dev/block/.keep", "");
	fakeroot_put(root, "/proc/self/mountinfo",
		"27 1 254:2 / / rw,relatime shared:1 - ext4 /dev/root rw,errors=remount-ro\n"
		"90 27 253:0 / /mnt rw,noatime - ext4 /dev/mapper/a rw,nobarrier,stripe=64\n");
	return 0;
}

static void put_flushes(const char *folder, unsigned flushes)
{
	char line[128];

	snprintf(line, sizeof(line), "  10 0 80 4 20 3 160 9 0 7 13 0 0 0 0 %u 1\n", flushes);
	put(folder, "stat", line);
}

static void put_disk(const char *write_cache, const char *fua)
{
	put(DISK, "dev", "254:0\n");
	put(DISK, "device/model", "Fast Disk  \n");
	put(DISK, "device/firmware_rev", "1.07\n");
	put(DISK, "queue/write_cache", write_cache);
	put(DISK, "queue/fua", fua);
	put(DISK, "mq/0/nr_tags", "256\n");
	put_flushes(DISK, 5);
	put_link("254:0", DISK);
	put(DISK "/vda2", "partition", "2\n");
	put_link("254:2", DISK "/vda2");
}

/* So many syncs, while the disk of put_disk completes so many flushes. */
static struct durability_check checked(uint64_t syncs, unsigned outstanding, unsigned flushes, bool is_fua_possible)
{
	struct durability_check check = {.syncs = syncs, .outstanding = outstanding, .is_fua_possible = is_fua_possible};
	struct durability_flushes before, after;

	durability_flushes(root, &durability, &before);
	put_flushes(DISK, 5 + flushes);
	durability_flushes(root, &durability, &after);
	put_flushes(DISK, 5);
	durability_add(&before, &after, &check);
	durability_decide(&durability, &check);
	return check;
}

TEST_WITH("a partition's flushes are those of its disk", set_up, tear_down)
{
	put_disk("write back\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	assert_int_equal(durability.count, 1);
	assert_string_equal(durability.layers[0].name, "vda");
	assert_string_equal(durability.layers[0].model, "Fast Disk");
	assert_string_equal(durability.layers[0].firmware, "1.07");
	assert_string_equal(durability.layers[0].write_cache, "write back");
	assert_string_equal(durability.layers[0].mount_options, "rw,relatime,rw,errors=remount-ro");
	assert_string_equal(durability.unknown, "");
	assert_int_equal(checked(100, 1, 100, false).status, DURABILITY_FLUSHED);
}

TEST_WITH("fewer flushes than syncs can share are not confirmed", set_up, tear_down)
{
	struct durability_check check;

	put_disk("write back\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	check = checked(100, 1, 99, false);
	assert_int_equal(check.status, DURABILITY_NOT_CONFIRMED);
	assert_non_null(strstr(check.why, "100 syncs"));
	assert_non_null(strstr(check.why, "completed 99 flushes of 100 needed"));
	/* The same of a write that says itself that it has to be durable: the device has no FUA. */
	assert_int_equal(checked(100, 1, 99, true).status, DURABILITY_NOT_CONFIRMED);
}

TEST_WITH("syncs that wait together may share a flush", set_up, tear_down)
{
	put_disk("write back\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	assert_int_equal(checked(100, 8, 13, false).status, DURABILITY_FLUSHED);
	assert_int_equal(checked(100, 8, 12, false).status, DURABILITY_NOT_CONFIRMED);
}

TEST_WITH("without syncs nothing is checked", set_up, tear_down)
{
	put_disk("write back\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	assert_int_equal(checked(0, 1, 0, false).status, DURABILITY_UNASKED);
}

TEST_WITH("fua writes are not counted", set_up, tear_down)
{
	put_disk("write back\n", "1\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	assert_int_equal(checked(100, 1, 0, true).status, DURABILITY_NOT_COUNTED);
	assert_int_equal(checked(100, 1, 100, true).status, DURABILITY_FLUSHED);
	/* But a sync behind the write is a flush. */
	assert_int_equal(checked(100, 1, 0, false).status, DURABILITY_NOT_CONFIRMED);
}

TEST_WITH("a device without a volatile cache needs no flush", set_up, tear_down)
{
	put_disk("write through\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	assert_int_equal(checked(100, 1, 0, false).status, DURABILITY_NOT_NEEDED);
}

TEST_WITH("a device without a counter says so", set_up, tear_down)
{
	struct durability_check check;

	put_disk("write back\n", "0\n");
	put(DISK, "stat", "10 0 80 4 20 3 160 9 0 7 13\n"); /* an old kernel */
	durability_read(root, makedev(254, 2), 0, &durability);
	check = (struct durability_check){.syncs = 1, .outstanding = 1};
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
	assert_string_equal(check.why, "the kernel counts no flushes of vda");
	durability_read(root, makedev(0, 38), 0, &durability); /* tmpfs */
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
	assert_string_equal(check.why, "no block device is known");
}

TEST_WITH("below a mapped device the disk is counted", set_up, tear_down)
{
	put_disk("write back\n", "0\n");
	put(MAPPED, "dev", "253:0\n");
	put(MAPPED, "queue/write_cache", "write back\n");
	put(MAPPED, "slaves/vda2/dev", "254:2\n");
	put_flushes(MAPPED, 0);
	put_link("253:0", MAPPED);
	put(DISK "/vda2", "dev", "254:2\n");
	fakeroot_put(root, "/proc/self/mountinfo", "90 27 253:0 / /mnt rw,noatime - ext4 /dev/mapper/a rw,stripe=64\n");
	durability_read(root, makedev(253, 0), 0, &durability);
	assert_int_equal(durability.count, 2);
	assert_string_equal(durability.layers[0].name, "dm-0");
	assert_string_equal(durability.layers[1].name, "vda");
	assert_int_equal(checked(100, 1, 100, false).status, DURABILITY_FLUSHED);
	assert_int_equal(checked(100, 1, 1, false).status, DURABILITY_NOT_CONFIRMED);
}

/* Two disks below one volume: as of a cache in front of a disk, not each of them has to be flushed. */
TEST_WITH("of devices in one stack the flushes are added up", set_up, tear_down)
{
	struct durability_check check = {.syncs = 100, .outstanding = 1};
	struct durability_flushes before, after;

	put_disk("write back\n", "0\n");
	put(DISK, "dev", "254:0\n");
	put(LOOP, "dev", "7:3\n");
	put(LOOP, "queue/write_cache", "write back\n");
	put(LOOP, "queue/fua", "0\n");
	put(LOOP, "mq/0/nr_tags", "1\n");
	put_flushes(LOOP, 0);
	put_link("7:3", LOOP);
	put(MAPPED, "dev", "253:0\n");
	put(MAPPED, "queue/write_cache", "write back\n");
	put(MAPPED, "slaves/vda/dev", "254:0\n");
	put(MAPPED, "slaves/loop3/dev", "7:3\n");
	put_link("253:0", MAPPED);
	fakeroot_put(root, "/proc/self/mountinfo", "");
	durability_read(root, makedev(253, 0), 0, &durability);
	assert_int_equal(durability.count, 3);
	durability_flushes(root, &durability, &before);
	put_flushes(LOOP, 40);
	put_flushes(DISK, 5 + 60);
	durability_flushes(root, &durability, &after);
	durability_add(&before, &after, &check);
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_FLUSHED);
	check.syncs = 101;
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_CONFIRMED);
	/* One that needs no flush may have taken all of it. */
	put(LOOP, "queue/write_cache", "write through\n");
	durability_read(root, makedev(253, 0), 0, &durability);
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
}

TEST_WITH("others flushes do not confirm a mount without barriers", set_up, tear_down)
{
	struct durability_check check;

	put_disk("write back\n", "0\n");
	fakeroot_put(root, "/proc/self/mountinfo", "90 27 254:2 / /mnt rw,noatime - ext4 /dev/vda2 rw,nobarrier,stripe=64\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	check = checked(100, 1, 1000, false);
	assert_int_equal(check.status, DURABILITY_NOT_CONFIRMED);
	assert_non_null(strstr(check.why, "nobarrier"));
}

TEST_WITH("of a loop device without its file the rest is unknown", set_up, tear_down)
{
	struct durability_check check = {.syncs = 1, .outstanding = 1};

	put(LOOP, "queue/write_cache", "write through\n");
	put(LOOP, "loop/backing_file", "/somewhere/else (deleted)\n");
	put_link("7:3", LOOP);
	durability_read(root, makedev(7, 3), 0, &durability);
	assert_int_equal(durability.count, 1);
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
	assert_string_equal(check.why, "cannot examine the backing file of loop3");
}

/* A check of one sync, of the target that was read last. */
static struct durability_check decided(void)
{
	struct durability_check check = {.syncs = 1, .outstanding = 1};

	durability_decide(&durability, &check);
	return check;
}

TEST_WITH("no sync is durable in memory", set_up, tear_down)
{
	static const char *const types[] = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"};
	struct durability_check check;
	char line[128];

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		snprintf(line, sizeof(line), "31 1 0:38 / /m rw - %s none rw,size=4k\n", types[i]);
		fakeroot_put(root, "/proc/self/mountinfo", line);
		durability_read(root, makedev(0, 38), i % 2 ? 31 : 0, &durability);
		check = decided();
		assert_int_equal(check.status, DURABILITY_NOT_DURABLE);
		snprintf(line, sizeof(line), "the target is memory: nothing is durable (%s)", types[i]);
		assert_string_equal(check.why, line);
		assert_string_equal(durability_doubt(&durability, &check), line);
		assert_true(durability.is_page_cache);
	}
}

TEST_WITH("of two mounts of a device that of the file counts", set_up, tear_down)
{
	fakeroot_put(root, "/proc/self/mountinfo", "31 1 0:38 / /a rw - tmpfs none rw\n32 1 0:38 / /b rw - 9p none rw\n");
	durability_read(root, makedev(0, 38), 32, &durability);
	assert_string_equal(durability.not_durable, "");
	assert_int_equal(decided().status, DURABILITY_NOT_COUNTED);
}

TEST_WITH("block devices in memory are found by their names and models", set_up, tear_down)
{
	static const char *const folders[] = {"/sys/devices/virtual/block/ram0", "/sys/devices/virtual/block/zram12",
		"/sys/devices/virtual/block/nullb1"};
	char number[16];

	for (unsigned i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		put(folders[i], "queue/write_cache", "write through\n");
		snprintf(number, sizeof(number), "9:%u", i);
		put_link(number, folders[i]);
		durability_read(root, makedev(9, i), 0, &durability);
		assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
		assert_non_null(strstr(durability.not_durable, strrchr(folders[i], '/') + 1));
		assert_false(durability.is_page_cache);
	}
	put_disk("write through\n", "0\n");
	put(DISK, "device/model", "scsi_debug      \n");
	durability_read(root, makedev(254, 0), 0, &durability);
	assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
	/* A name that only begins like one. */
	put(DISK, "device/model", "Fast Disk\n");
	durability_read(root, makedev(254, 0), 0, &durability);
	assert_int_equal(decided().status, DURABILITY_NOT_NEEDED);
}

TEST_WITH("a volume with a part in memory is unknown, and one that is all in memory is memory", set_up, tear_down)
{
	static const char zram[] = "/sys/devices/virtual/block/zram0";
	struct durability_check check;

	put_disk("write through\n", "0\n");
	put(DISK, "dev", "254:0\n");
	put(zram, "dev", "250:0\n");
	put(zram, "queue/write_cache", "write through\n");
	put_link("250:0", zram);
	put(MAPPED, "queue/write_cache", "write through\n");
	put(MAPPED, "dm/name", "v\n");
	put(MAPPED, "slaves/zram0/dev", "250:0\n");
	put_link("253:0", MAPPED);
	durability_read(root, makedev(253, 0), 0, &durability);
	assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
	put(MAPPED, "slaves/vda/dev", "254:0\n");
	durability_read(root, makedev(253, 0), 0, &durability);
	check = decided();
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
	assert_string_equal(durability_doubt(&durability, &check), "a part of it is in memory");
}

TEST_WITH("a mapped device over no device is unknown", set_up, tear_down)
{
	struct durability_check check;

	put(MAPPED, "queue/write_cache", "write through\n");
	put(MAPPED, "dm/name", "zero\n");
	put_link("253:0", MAPPED);
	durability_read(root, makedev(253, 0), 0, &durability);
	check = decided();
	assert_string_equal(durability_doubt(&durability, &check), "no device is known below dm-0");
}

TEST_WITH("a loop device over a file in memory is memory", set_up, tear_down)
{
	char path[256], line[128];
	struct stat facts;

	put(LOOP, "queue/write_cache", "write through\n");
	put(LOOP, "loop/backing_file", "/image\n");
	put_link("7:3", LOOP);
	fakeroot_put(root, "/image", "");
	snprintf(path, sizeof(path), "%s/image", root);
	assert_int_equal(stat(path, &facts), 0);
	snprintf(line, sizeof(line), "1000000 1 %u:%u / /m rw - tmpfs none rw\n", major(facts.st_dev), minor(facts.st_dev));
	fakeroot_put(root, "/proc/self/mountinfo", line);
	durability_read(root, makedev(7, 3), 0, &durability);
	assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
	assert_false(durability.is_page_cache);
}

TEST_WITH("an overlay is what its upper folder is", set_up, tear_down)
{
	char path[256], line[512];
	struct durability_check check;
	struct stat facts;

	fakeroot_put(root, "/up,per/.keep", "");
	fakeroot_put(root, "/merged/.keep", "");
	snprintf(path, sizeof(path), "%s/up,per", root);
	assert_int_equal(stat(path, &facts), 0);
	snprintf(line, sizeof(line), "1000000 1 %u:%u / /m rw - ramfs none rw\n"
		"1000001 1 0:91 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/up\\054per,workdir=/w\n",
		major(facts.st_dev), minor(facts.st_dev));
	fakeroot_put(root, "/proc/self/mountinfo", line);
	/* Its files may have another device number than the overlay has. */
	durability_read(root, makedev(0, 92), 1000001, &durability);
	assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
	assert_true(durability.is_page_cache);
	fakeroot_put(root, "/proc/self/mountinfo",
		"1000001 1 0:91 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/elsewhere,workdir=/w\n");
	durability_read(root, makedev(0, 91), 1000001, &durability);
	check = decided();
	assert_int_equal(check.status, DURABILITY_NOT_COUNTED);
	assert_string_equal(durability_doubt(&durability, &check), "the upper folder of an overlay is not visible here");
	fakeroot_put(root, "/proc/self/mountinfo", "1000001 1 0:91 / /merged rw - overlay overlay "
		"rw,lowerdir=/l,upperdir=/elsewhere,workdir=/w,volatile\n");
	durability_read(root, makedev(0, 91), 1000001, &durability);
	check = decided();
	assert_int_equal(check.status, DURABILITY_NOT_DURABLE);
	assert_non_null(strstr(check.why, "volatile"));
}

TEST_WITH("a sync in which no flush completed is not confirmed by others' flushes", set_up, tear_down)
{
	struct durability_check check = {.syncs = 89, .outstanding = 1, .examined = 20, .unflushed = 1,
		.flushes = {.is_known = {true}, .count = {237}}};

	put_disk("write back\n", "0\n");
	durability_read(root, makedev(254, 2), 0, &durability);
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_NOT_CONFIRMED);
	assert_non_null(strstr(check.why, "1 of 20 examined syncs"));
	assert_non_null(durability_doubt(&durability, &check));
	check.unflushed = 0;
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_FLUSHED);
	assert_non_null(strstr(check.why, "237 flushes, for all processes, of at least 89 needed"));
	assert_non_null(strstr(check.why, "one or more during each of 20 examined syncs"));
	check.examined = 0;
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_FLUSHED);
	assert_null(strstr(check.why, "examined"));
	/* A FUA write needs no flush, and a cache that is not volatile none either. */
	check.examined = check.unflushed = 20;
	check.is_fua_possible = true;
	durability.layers[0].fua[0] = '1';
	durability_decide(&durability, &check);
	assert_int_equal(check.status, DURABILITY_FLUSHED);
}

TEST_WITH("the counter is that of the lowest device that flushes alone", set_up, tear_down)
{
	struct durability_counter counter;

	put_disk("write back\n", "0\n");
	put(DISK "/vda2", "dev", "254:2\n");
	put(MAPPED, "dev", "253:0\n");
	put(MAPPED, "queue/write_cache", "write back\n");
	put(MAPPED, "slaves/vda2/dev", "254:2\n");
	put_link("253:0", MAPPED);
	durability_read(root, makedev(253, 0), 0, &durability);
	durability_counter_open(root, &durability, &counter);
	assert_int_equal(counter.layer, 1);
	assert_int_equal(durability_counter_read(&counter), 5);
	put_flushes(DISK, 7);
	durability_counter_close(&counter);
	durability_counter_open(root, &durability, &counter);
	assert_int_equal(durability_counter_read(&counter), 7);
	durability_counter_close(&counter);
	/* An old kernel has no such counter. */
	put(DISK, "stat", "10 0 80 4 20 3 160 9 0 7 13\n");
	durability_counter_open(root, &durability, &counter);
	assert_int_equal(counter.fd, -1);
	put_flushes(DISK, 5);
	put(DISK, "queue/write_cache", "write through\n");
	durability_read(root, makedev(253, 0), 0, &durability);
	durability_counter_open(root, &durability, &counter);
	assert_int_equal(counter.fd, -1);
}

TEST_WITH("a volatile overlay over a mapped device is not durable", set_up, tear_down)
{
	char path[256], line[512];
	struct stat facts;

	/* The device of the test's folder may be 254:0. */
	put(DISK, "queue/write_cache", "write through\n");
	put_link("4095:0", DISK);
	put(MAPPED, "queue/write_cache", "write through\n");
	put(MAPPED, "dm/name", "v\n");
	put(MAPPED, "slaves/vda/dev", "4095:0\n");
	fakeroot_put(root, "/upper/.keep", "");
	fakeroot_put(root, "/merged/.keep", "");
	snprintf(path, sizeof(path), "%s/upper", root);
	assert_int_equal(stat(path, &facts), 0);
	put_link(SYSFS_PATH("%u:%u", major(facts.st_dev), minor(facts.st_dev)), MAPPED);
	snprintf(line, sizeof(line), "1000000 1 %u:%u / /m rw - ext4 none rw\n"
		"1000001 1 0:91 / /merged rw - overlay overlay rw,lowerdir=/l,upperdir=/upper,workdir=/w,volatile\n",
		major(facts.st_dev), minor(facts.st_dev));
	fakeroot_put(root, "/proc/self/mountinfo", line);
	durability_read(root, makedev(0, 91), 1000001, &durability);
	assert_int_equal(durability.count, 2);
	assert_int_equal(decided().status, DURABILITY_NOT_DURABLE);
}
