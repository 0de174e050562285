/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/available.h"
#include "common/target.h"

const char *const memory_names[] = {[MODEL_WARM] = "warm", [MODEL_COLD] = "cold", [MODEL_AS_IS] = "as-is", NULL};

const char *memory_name(enum model_memory memory)
{
	return memory_names[memory];
}

/* --- feed --- */

#define MORE (8ull << 20) /* for small writes: what else the kernel takes meanwhile */
#define HUGE (2ull << 20)

uint64_t feed_available(void)
{
	uint64_t bytes = available_memory("");

	return bytes == UINT64_MAX ? 0 : bytes;
}

uint64_t feed_most(void)
{
	return feed_available() / 2;
}

static void touch(char *begin, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += 4096)
		*(volatile char *)(begin + i) = 1;
}

int feed_open(uint64_t bytes, uint64_t most, struct feed *feed)
{
	char *map, *begin;

	bytes = bytes < most ? bytes : most;
	bytes -= bytes % HUGE;
	*feed = (struct feed){0};
	if (!bytes)
		return 0;
	map = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	/* Whole huge pages are given and taken back. */
	begin = map + -(uintptr_t)map % HUGE;
	/* Without huge pages it is slower and colder, not wrong. */
	(void)madvise(begin, bytes, MADV_HUGEPAGE);
	touch(begin, bytes);
	feed->map = map;
	feed->begin = begin;
	feed->bytes = bytes;
	return 0;
}

static uint64_t whole(uint64_t bytes)
{
	return (bytes + HUGE - 1) / HUGE * HUGE;
}

bool feed_is_large(uint64_t size)
{
	return size >= HUGE;
}

/* Small writes: one gift for many, or the feed is empty after a few. */
bool feed_take(struct feed *feed, uint64_t size)
{
	if (size && (feed_is_large(size) || feed->ahead < size + MORE / 2))
		return false;
	feed->ahead -= size;
	return true;
}

static uint64_t gift_for(uint64_t size)
{
	return whole(size + (feed_is_large(size) ? HUGE : MORE));
}

/* What is left of the gift before a large write: free for long, it would go to the host and come back cold. */
static uint64_t left_over(const struct feed *feed, uint64_t size)
{
	return feed_is_large(size) ? feed->ahead / HUGE * HUGE : 0;
}

static void take_back(struct feed *feed, uint64_t size)
{
	uint64_t bytes = left_over(feed, size);

	if (!bytes)
		return;
	feed->used -= bytes;
	feed->ahead -= bytes;
	touch(feed->begin + feed->used, bytes);
}

/* What is held turns cold, too, after seconds: touched now it costs no write any time. */
static void give_back(char *begin, uint64_t bytes)
{
	touch(begin, bytes);
	madvise(begin, bytes, MADV_DONTNEED);
}

void feed_give(struct feed *feed, uint64_t size)
{
	uint64_t gift, left, there;

	if (feed_take(feed, size))
		return;
	take_back(feed, size);
	left = feed->bytes - feed->used;
	gift = gift_for(size) < left ? gift_for(size) : left;
	if (gift)
		give_back(feed->begin + feed->used, gift);
	feed->used += gift;
	/* What is left of the gift before is not relied on, unless it is all that there is. */
	there = gift > size ? gift : feed->ahead + gift;
	feed->unfed += there < size ? size - there : 0;
	feed->ahead = there > size ? there - size : 0;
}

uint64_t feed_need(const struct op *ops, size_t count)
{
	struct stretch cached = {0};
	struct feed feed = {0};
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t size = stretch_add(&cached, ops[i].offset, ops[i].size);

		if (feed_take(&feed, size))
			continue;
		feed.used += gift_for(size) - left_over(&feed, size);
		feed.ahead = gift_for(size) - size;
		most = feed.used > most ? feed.used : most;
	}
	return most;
}

uint64_t feed_need_each(uint64_t size, uint64_t bytes)
{
	uint64_t gift = gift_for(size), writes;

	if (!size || !bytes)
		return 0;
	/* Of each gift all but what the write needs is taken back, of the last one nothing. */
	if (feed_is_large(size))
		return (bytes + size - 1) / size * whole(size) + HUGE;
	/* The first, and as long as what is left has enough for one more. */
	writes = 1 + (gift - size - MORE / 2) / size;
	return (bytes + writes * size - 1) / (writes * size) * gift;
}

uint64_t feed_need_some(uint64_t largest, uint64_t bytes)
{
	uint64_t need = feed_need_each(largest, bytes), twice = 2 * bytes;

	return need > twice ? need : twice;
}

void feed_refill(struct feed *feed)
{
	touch(feed->begin, feed->used);
	feed->used = feed->ahead = 0;
}

void feed_close(struct feed *feed)
{
	if (feed->map)
		munmap(feed->map, feed->bytes + HUGE);
	*feed = (struct feed){0};
}

/* --- stretch --- */

uint64_t stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size, before = stretch->end - stretch->begin;

	if (!before)
		*stretch = (struct stretch){offset, offset};
	if (offset > stretch->end || end < stretch->begin)
		return size;
	stretch->begin = offset < stretch->begin ? offset : stretch->begin;
	stretch->end = end > stretch->end ? end : stretch->end;
	return stretch->end - stretch->begin - before;
}

/* --- room --- */

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
