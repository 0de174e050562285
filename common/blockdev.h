/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A block device: what it is, what is on it, and whether it is in use. `root` as in sysfs.h. Return 0
 * or -errno.
 */
#ifndef COMMON_BLOCKDEV_H
#define COMMON_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct blockdev {
	char name[32]; /* the kernel's: "zram1", "vda1" */
	uint64_t size_bytes;
	unsigned logical_block_bytes, physical_block_bytes;
	bool is_rotational, is_read_only;
};

/* What libblkid finds at its start; "" = nothing. */
struct blockdev_content {
	char type[32]; /* "ext4", "swap", "gpt", ... */
	char uuid[64];
	char label[64];
};

/* Facts from /sys/dev/block/MAJOR:MINOR. -ENOENT: no such device. */
int blockdev_read(const char *root, dev_t device, struct blockdev *facts);
/* The number of a device that the kernel never gives twice in one boot, of a partition its disk's; 0 = unknown (before
 * Linux 5.15). */
uint64_t blockdev_diskseq(const char *root, dev_t device);
/* Content of a device or file; -errno when it cannot be read. */
int blockdev_content(const char *path, struct blockdev_content *content);
/* All of it that is there, as "ext4 labelled home, swap", of an open device or file; "" = nothing. 0 or -errno. */
int blockdev_signatures(int fd, char *list, size_t length);
/* Whether these bytes of an open device (0, 0: all) are a part of an array, volume group or pool, also when other signatures are
 * there: -ENODATA: they are not; 0 and what they are ("LVM2_member"); -errno when it cannot be read. */
int blockdev_member(int fd, uint64_t offset, uint64_t bytes, char *type, size_t length);
/*
 * Opens for writing a device that is not in use (not mounted, swapped on, or held by another device) and
 * that carries nothing. -EBUSY used, -EEXIST something is on it, -ENOTBLK no block device.
 */
int blockdev_open_unused(const char *path, int *fd);

#endif
