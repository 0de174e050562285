/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of a block device, its contents, and whether it is in use. `root` as in sysfs.h. Functions return 0 or -errno.
 */
#ifndef COMMON_KERNEL_BLOCKDEV_H
#define COMMON_KERNEL_BLOCKDEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct blockdev {
	char name[32]; /* the kernel's: "zram1", "vda1" */
	uint64_t size_bytes;
	unsigned logical_block_bytes;
	bool is_rotational, is_read_only;
};

/* The signature that libblkid finds at its start; "" = none. */
struct blockdev_content {
	char type[32]; /* "ext4", "swap", "gpt", ... */
	char uuid[64];
	char label[64];
};

/* Reads facts from /sys/dev/block/MAJOR:MINOR. -ENOENT: no such device. */
int blockdev_read(const char *root, dev_t device, struct blockdev *facts);
/* Returns the device's sequence number, which the kernel never gives twice in one boot (for a partition its disk's); 0 =
 * unknown (before Linux 5.15). */
uint64_t blockdev_diskseq(dev_t device);
/* Reads the number in a file below root, "254:0". -EINVAL: the file has none. */
int blockdev_number(const char *root, const char *path, dev_t *device);
/* Reads the content of a device or file; -errno when it cannot be read. */
int blockdev_content(const char *path, struct blockdev_content *content);
/* Lists all signatures on an open device or file, as "ext4 labelled home, swap"; "" = none. Returns 0 or -errno. */
int blockdev_signatures(int fd, char *list, size_t length);
/* Tells whether these bytes of an open device (0, 0: all) are part of an array, volume group or pool, also when other
 * signatures are present. Returns 0 and their type ("LVM2_member"), -ENODATA when they are not, or -errno of a failed read. */
int blockdev_member(int fd, uint64_t offset, uint64_t bytes, char *type, size_t length);
/*
 * Opens for writing a device that is not in use (not mounted, swapped on, or held by another device) and
 * has no known signature. -EBUSY: it is in use; -EEXIST: it has a signature; -ENOTBLK: it is no block device.
 */
int blockdev_open_unused(const char *path, int *fd);

#endif
