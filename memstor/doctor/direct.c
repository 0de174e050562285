/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether O_DIRECT works at a path: one aligned block is written to a file without a name, or read from a device. */
#include "config.h"
#include "memstor/doctor/hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/nameless.h"

#ifndef STATX_DIOALIGN /* Linux 6.1 */
#define STATX_DIOALIGN 0x2000U
#endif
#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#ifndef F2FS_SUPER_MAGIC
#define F2FS_SUPER_MAGIC 0xF2F52010
#endif
#define ZFS_MAGIC 0x2FC12FC1
#define DIOALIGN_PLACE 0x98 /* of stx_dio_mem_align, which headers before 6.1 call spare; the offsets' is next to it */

static const struct {
	unsigned long magic;
	const char *name;
	bool is_memory;
} filesystems[] = {
	{EXT4_SUPER_MAGIC, "ext4", false},
	{XFS_SUPER_MAGIC, "xfs", false},
	{BTRFS_SUPER_MAGIC, "btrfs", false},
	{F2FS_SUPER_MAGIC, "f2fs", false},
	{ZFS_MAGIC, "zfs", false},
	{OVERLAYFS_SUPER_MAGIC, "overlay", false},
	{NFS_SUPER_MAGIC, "nfs", false},
	{FUSE_SUPER_MAGIC, "fuse", false},
	{V9FS_MAGIC, "9p", false},
	{TMPFS_MAGIC, "tmpfs", true},
	{RAMFS_MAGIC, "ramfs", true},
};

static void name_filesystem(const char *path, struct doctor_direct *direct)
{
	struct statfs status;

	if (statfs(path, &status))
		return;
	for (size_t i = 0; i < sizeof(filesystems) / sizeof(filesystems[0]); i++) {
		if (filesystems[i].magic != (unsigned long)(uint32_t)status.f_type)
			continue;
		snprintf(direct->filesystem, sizeof(direct->filesystem), "%s", filesystems[i].name);
		direct->is_cached = filesystems[i].is_memory;
	}
}

static void read_alignment(int fd, struct doctor_direct *direct)
{
	union {
		struct statx statx;
		uint32_t words[sizeof(struct statx) / sizeof(uint32_t)];
	} answer = {0};

	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &answer.statx) ||
		!(answer.statx.stx_mask & STATX_DIOALIGN))
		return;
	direct->has_alignment = true;
	direct->memory_bytes = answer.words[DIOALIGN_PLACE / sizeof(uint32_t)];
	direct->offset_bytes = answer.words[DIOALIGN_PLACE / sizeof(uint32_t) + 1];
}

/* One block, as large as a page or as the kernel asks for. */
static int move_block(int fd, bool is_device, const struct doctor_direct *direct)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	ssize_t moved;
	void *block;
	int err = 0;

	if (direct->offset_bytes > size)
		size = direct->offset_bytes;
	if (posix_memalign(&block, size, size))
		return -ENOMEM;
	memset(block, 0x5a, size);
	moved = is_device ? pread(fd, block, size, 0) : pwrite(fd, block, size, 0);
	if (moved < 0)
		err = -errno;
	else if ((size_t)moved != size)
		err = -EIO;
	free(block);
	return err;
}

/* A file stands for its folder: what it holds is not ours to touch. */
static int open_beside(const char *path)
{
	char *folder, *slash;
	int fd;

	folder = strdup(path);
	if (!folder)
		return -ENOMEM;
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	fd = nameless_open(slash ? folder : ".", O_DIRECT);
	free(folder);
	return fd;
}

static int open_device(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int doctor_try_direct(const char *path, struct doctor_direct *direct)
{
	struct stat status;
	bool is_device;
	int fd, err;

	*direct = (struct doctor_direct){.step = "open"};
	if (stat(path, &status))
		return -errno;
	is_device = S_ISBLK(status.st_mode);
	if (is_device)
		snprintf(direct->filesystem, sizeof(direct->filesystem), "device");
	else
		name_filesystem(path, direct);
	if (is_device)
		fd = open_device(path);
	else
		fd = S_ISDIR(status.st_mode) ? nameless_open(path, O_DIRECT) : open_beside(path);
	if (fd < 0)
		return fd;
	read_alignment(fd, direct);
	direct->step = is_device ? "read" : "write";
	err = move_block(fd, is_device, direct);
	close(fd);
	return err;
}
