/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/blockdev.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#define ZFS_SUPER_MAGIC 0x2fc12fc1

static void name_file_system(long magic, char *name, size_t length)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{EXT4_SUPER_MAGIC, "ext4"}, {XFS_SUPER_MAGIC, "xfs"}, {BTRFS_SUPER_MAGIC, "btrfs"},
		{F2FS_SUPER_MAGIC, "f2fs"}, {TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"},
		{OVERLAYFS_SUPER_MAGIC, "overlay"}, {NFS_SUPER_MAGIC, "nfs"}, {ZFS_SUPER_MAGIC, "zfs"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if ((unsigned long)magic == known[i].magic) {
			snprintf(name, length, "%s", known[i].name);
			return;
		}
	}
	snprintf(name, length, "0x%lx", (unsigned long)magic);
}

/* In memory only: O_DIRECT is accepted by some of them and means nothing. */
static bool is_memory(const char *file_system)
{
	return !strcmp(file_system, "tmpfs") || !strcmp(file_system, "ramfs");
}

static bool opens_direct(const struct target *target)
{
	int fd, how = fcntl(target->fd, F_GETFL) & O_ACCMODE;

	if (target_reopen(target, how | O_DIRECT, &fd))
		return false;
	close(fd);
	return true;
}

/* Kernels before 6.1 do not say; the device's logical block is what they then check. */
static void take_device_alignment(struct target *target)
{
	struct blockdev facts;
	unsigned block = 512;

	if (!blockdev_read("", target->device, &facts) && facts.logical_block_bytes)
		block = facts.logical_block_bytes;
	target->memory_align = target->offset_align = block;
}

int target_facts(struct target *target)
{
	struct statx facts;
	struct statfs fs;

	if (statx(target->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &facts))
		return -errno;
	target->fs_block = facts.stx_blksize;
	snprintf(target->file_system, sizeof(target->file_system), "none");
	if (target->kind != TARGET_DEVICE) {
		if (fstatfs(target->fd, &fs))
			return -errno;
		name_file_system((long)fs.f_type, target->file_system, sizeof(target->file_system));
	}
	target->has_direct = !is_memory(target->file_system) && opens_direct(target);
	if (!(facts.stx_mask & STATX_DIOALIGN)) {
		take_device_alignment(target);
	} else {
		target->memory_align = facts.stx_dio_mem_align;
		target->offset_align = facts.stx_dio_offset_align;
		/* Zero: this file has none, whatever open(2) says. */
		if (!target->offset_align)
			target->has_direct = false;
	}
	return 0;
}
