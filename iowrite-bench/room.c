/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/room.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/target.h"

#define LEAST (4ull << 20)    /* less is in one group, and written at once */
#define STRETCH (32ull << 20) /* of a free one: more than the file system asks for at a time */
#define EXTENTS 64
#define BLOCK 4096

/* Where in the file the first long stretch begins; 0 where there is none, or nothing is known. */
static uint64_t find_stretch(int fd)
{
	struct fiemap *map = calloc(1, sizeof(*map) + EXTENTS * sizeof(struct fiemap_extent));
	uint64_t at = 0;

	if (!map)
		return 0;
	map->fm_length = FIEMAP_MAX_OFFSET;
	map->fm_extent_count = EXTENTS;
	if (!ioctl(fd, FS_IOC_FIEMAP, map)) {
		for (unsigned i = 0; i < map->fm_mapped_extents && !at; i++) {
			if (map->fm_extents[i].fe_length >= STRETCH)
				at = map->fm_extents[i].fe_logical;
			if (!i && map->fm_extents[i].fe_length >= STRETCH)
				break;
		}
	}
	free(map);
	return at;
}

/* The flusher goes on in a file where it stopped the last time (writeback_index), and only what lies behind a block that
 * has its place is put there, too: so it writes the first one. */
static int begin_behind(int fd, uint64_t offset)
{
	static const char block[BLOCK];

	if (pwrite(fd, block, BLOCK, (off_t)offset) != BLOCK)
		return -EIO;
	return fsync(fd) ? -errno : 0;
}

int room_free(const char *folder, uint64_t *bytes)
{
	struct statvfs facts;
	uint64_t room;

	if (statvfs(folder, &facts))
		return -errno;
	room = (uint64_t)facts.f_bavail * facts.f_frsize;
	*bytes = room > TARGET_MARGIN_BYTES ? room - TARGET_MARGIN_BYTES : 0;
	return 0;
}

uint64_t room_bytes(uint64_t wanted, uint64_t free_bytes)
{
	uint64_t bytes = wanted < free_bytes / 2 ? wanted : free_bytes / 2;

	bytes = bytes < ROOM_MOST ? bytes : ROOM_MOST;
	return bytes < LEAST ? 0 : bytes - bytes % BLOCK;
}

/* Of what is asked for; 0 = nothing: there is little to find, no room, or no device behind it. */
static uint64_t allowed(int fd, uint64_t bytes)
{
	struct statvfs room;
	struct statfs facts;

	if (bytes < LEAST || fstatfs(fd, &facts) || fstatvfs(fd, &room))
		return 0;
	if (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC || facts.f_type == HUGETLBFS_MAGIC)
		return 0;
	return room_bytes(bytes, (uint64_t)room.f_bavail * room.f_frsize);
}

static int cut(int fd, uint64_t length)
{
	return ftruncate(fd, (off_t)length) ? -errno : 0;
}

int room_warm(int fd, uint64_t bytes)
{
	uint64_t at;

	bytes = allowed(fd, bytes);
	if (!bytes)
		return 0;
	/* What was reserved until it failed is there. */
	if (fallocate(fd, 0, 0, (off_t)bytes))
		return cut(fd, 0);
	at = find_stretch(fd);
	/* What is before it goes: the stretch begins the file then. */
	if (at && at + BLOCK <= bytes)
		(void)fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, (off_t)at);
	return cut(fd, BLOCK) || begin_behind(fd, 0) ? cut(fd, 0) : 0;
}

int room_warm_behind(int fd, uint64_t length, uint64_t bytes)
{
	int rc;

	bytes = allowed(fd, bytes);
	if (length < BLOCK || !bytes)
		return 0;
	(void)fallocate(fd, 0, (off_t)length, (off_t)bytes);
	rc = cut(fd, length);
	return rc ? rc : begin_behind(fd, length - BLOCK);
}
