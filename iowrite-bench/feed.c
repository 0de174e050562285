/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/feed.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "common/available.h"
#include "iowrite-bench/stretch.h"

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
