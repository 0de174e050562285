/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/blockdev.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/sysfs.h"

#define SECTOR_BYTES 512 /* the unit of sysfs, whatever the device's own is */

static uint64_t read_fact(const char *root, dev_t device, const char *name)
{
	static const char *const places[] = {"", "../"}; /* a partition's queue is its disk's */
	uint64_t value = 0;

	for (size_t i = 0; i < 2; i++) {
		if (!sysfs_read_u64(root, SYSFS_PATH("/sys/dev/block/%u:%u/%s%s", major(device), minor(device), places[i], name),
			    &value))
			break;
	}
	return value;
}

uint64_t blockdev_diskseq(dev_t device)
{
	return read_fact("", device, "diskseq");
}

int blockdev_number(const char *root, const char *path, dev_t *device)
{
	unsigned first, second;
	char text[32];
	int ret = sysfs_read(root, path, text, sizeof(text));

	if (!ret && sscanf(text, "%u:%u", &first, &second) != 2)
		ret = -EINVAL;
	if (!ret)
		*device = makedev(first, second);
	return ret;
}

static int read_name(const char *root, dev_t device, char *name, size_t length)
{
	char *text, *line, *rest;
	int ret;
	size_t size;

	ret = sysfs_slurp(root, SYSFS_PATH("/sys/dev/block/%u:%u/uevent", major(device), minor(device)), 64 * 1024, &text,
		&size);
	if (ret)
		return ret;
	ret = -ENODATA;
	rest = text;
	while (ret && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "DEVNAME=", 8))
			ret = snprintf(name, length, "%s", line + 8) < (int)length ? 0 : -ENAMETOOLONG;
	free(text);
	return ret;
}

int blockdev_read(const char *root, dev_t device, struct blockdev *facts)
{
	struct blockdev found = {0};
	int ret = read_name(root, device, found.name, sizeof(found.name));

	if (ret)
		return ret;
	found.size_bytes = read_fact(root, device, "size") * SECTOR_BYTES;
	found.logical_block_bytes = (unsigned)read_fact(root, device, "queue/logical_block_size");
	found.is_rotational = read_fact(root, device, "queue/rotational") != 0;
	found.is_read_only = read_fact(root, device, "ro") != 0;
	*facts = found;
	return 0;
}

static void copy_value(blkid_probe probe, const char *name, char *value, size_t length)
{
	const char *found;

	if (!blkid_probe_lookup_value(probe, name, &found, NULL))
		snprintf(value, length, "%s", found);
}

/* These bytes of the file (0, 0: all). NULL: *ret is -ENOMEM or -EIO. */
static blkid_probe open_probe(int fd, uint64_t offset, uint64_t bytes, int flags, int *ret)
{
	blkid_probe probe = blkid_new_probe();

	*ret = probe ? 0 : -ENOMEM;
	if (!probe)
		return NULL;
	if (blkid_probe_set_device(probe, fd, (blkid_loff_t)offset, (blkid_loff_t)bytes)) {
		*ret = -EIO;
		blkid_free_probe(probe);
		return NULL;
	}
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | flags);
	return probe;
}

static int probe_fd(int fd, struct blockdev_content *content)
{
	struct blockdev_content found = {.type = ""};
	char table[sizeof(found.type)] = "";
	int ret;
	blkid_probe probe = open_probe(fd, 0, 0, BLKID_SUBLKS_UUID | BLKID_SUBLKS_LABEL, &ret);

	if (!probe)
		return ret;
	blkid_probe_enable_partitions(probe, 1);
	/* Results: 0 one signature, 1 none, -2 several at once; only other values are errors. */
	switch (blkid_do_safeprobe(probe)) {
	case 0:
		copy_value(probe, "PTTYPE", table, sizeof(table));
		copy_value(probe, "TYPE", found.type, sizeof(found.type));
		/* A partition table and the header of a swap area do not overlap: only one of them is in use. */
		if (table[0])
			snprintf(found.type, sizeof(found.type), "%s", found.type[0] ? "ambivalent" : table);
		copy_value(probe, "UUID", found.uuid, sizeof(found.uuid));
		copy_value(probe, "LABEL", found.label, sizeof(found.label));
		break;
	case 1:
		break;
	case -2:
		snprintf(found.type, sizeof(found.type), "ambivalent");
		break;
	default:
		ret = -EIO;
	}
	if (!ret)
		*content = found;
	blkid_free_probe(probe);
	return ret;
}

int blockdev_content(const char *path, struct blockdev_content *content)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret;

	if (fd < 0)
		return -errno;
	ret = probe_fd(fd, content);
	close(fd);
	return ret;
}

int blockdev_signatures(int fd, char *list, size_t length)
{
	size_t used = 0;
	int rc;
	blkid_probe probe = open_probe(fd, 0, 0, BLKID_SUBLKS_LABEL, &rc);

	list[0] = '\0';
	/* A file shorter than any signature has none. */
	if (!probe)
		return rc == -EIO ? 0 : rc;
	blkid_probe_enable_partitions(probe, 1);
	while ((rc = blkid_do_probe(probe)) == 0) {
		char type[32] = "", label[64] = "";

		copy_value(probe, "PTTYPE", type, sizeof(type));
		copy_value(probe, "TYPE", type, sizeof(type));
		copy_value(probe, "LABEL", label, sizeof(label));
		if (type[0])
			snprintf(list + used, length - used, "%s%s%s%s", used ? ", " : "", type,
				label[0] ? " labelled " : "", label);
		used = strlen(list);
	}
	blkid_free_probe(probe);
	return rc == 1 ? 0 : -EIO;
}

int blockdev_member(int fd, uint64_t offset, uint64_t bytes, char *type, size_t length)
{
	/* Types that are part of a larger object although libblkid does not classify them as "raid". */
	static const char *const members[] = {"zfs_member", "bcache", "drbd", "ceph_bluestore", "VMFS_volume_member"};
	bool is_member = false;
	blkid_probe probe;
	int rc;

	/* Empties the device's page cache (root only): a partition has its own, so the disk's may be out of date. */
	ioctl(fd, BLKFLSBUF, 0);
	probe = open_probe(fd, offset, bytes, BLKID_SUBLKS_USAGE, &rc);
	if (!probe)
		return rc;
	/* libblkid returns one signature per call. */
	while (!is_member && (rc = blkid_do_probe(probe)) == 0) {
		char found[32] = "", usage[32] = "";

		copy_value(probe, "TYPE", found, sizeof(found));
		copy_value(probe, "USAGE", usage, sizeof(usage));
		is_member = !strcmp(usage, "raid");
		for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
			is_member |= !strcmp(found, members[i]);
		if (is_member)
			snprintf(type, length, "%s", found);
	}
	blkid_free_probe(probe);
	if (is_member)
		return 0;
	return rc == 1 ? -ENODATA : -EIO;
}

int blockdev_open_unused(const char *path, int *fd)
{
	struct blockdev_content content;
	struct stat stat;
	/* O_EXCL on a block device: refused while a mount, swap or holder has it. */
	int device = open(path, O_RDWR | O_EXCL | O_CLOEXEC);
	int ret = 0;

	if (device < 0)
		return -errno;
	if (fstat(device, &stat))
		ret = -errno;
	else if (!S_ISBLK(stat.st_mode))
		ret = -ENOTBLK;
	if (!ret)
		ret = probe_fd(device, &content);
	if (!ret && content.type[0])
		ret = -EEXIST;
	if (ret)
		close(device);
	else
		*fd = device;
	return ret;
}
