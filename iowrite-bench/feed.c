/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/feed.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

#include "common/available.h"

#define MORE (8ull << 20) /* that is free beyond what the next write needs */
#define TAKEN_PART 32     /* of what is written, which else the kernel takes meanwhile */
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
	char *begin;

	bytes = bytes < most ? bytes : most;
	bytes -= bytes % HUGE;
	*feed = (struct feed){0};
	if (!bytes)
		return 0;
	begin = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (begin == MAP_FAILED)
		return -errno;
	/* Without huge pages it is slower and colder, not wrong. */
	(void)madvise(begin, bytes, MADV_HUGEPAGE);
	touch(begin, bytes);
	feed->begin = begin;
	feed->bytes = bytes;
	return 0;
}

/* Small writes: one gift for many, or the feed is empty after a few. */
static bool has_enough(const struct feed *feed, uint64_t size)
{
	return feed->ahead >= size + MORE / 2;
}

static uint64_t taken_by(uint64_t size)
{
	return size + size / TAKEN_PART;
}

static uint64_t whole(uint64_t bytes)
{
	return (bytes + HUGE - 1) / HUGE * HUGE;
}

/* What the writes have left free would go back to the host, and be handed out again when it is cold. */
static void take_back(struct feed *feed)
{
	uint64_t bytes = feed->ahead / HUGE * HUGE;

	feed->used -= bytes;
	feed->ahead -= bytes;
	touch(feed->begin + feed->used, bytes);
}

static uint64_t gift_for(const struct feed *feed, uint64_t size)
{
	uint64_t wanted = whole(size + MORE), left = feed->bytes - feed->used;

	return wanted < left ? wanted : left;
}

void feed_give(struct feed *feed, uint64_t size)
{
	uint64_t gift, taken = taken_by(size);

	if (!has_enough(feed, size) && feed->used < feed->bytes) {
		take_back(feed);
		gift = gift_for(feed, size);
		madvise(feed->begin + feed->used, gift, MADV_DONTNEED);
		feed->used += gift;
		feed->ahead += gift;
	}
	feed->unfed += feed->ahead < size ? size - feed->ahead : 0;
	feed->ahead -= feed->ahead < taken ? feed->ahead : taken;
}

uint64_t feed_need(uint64_t bytes)
{
	return bytes ? whole(taken_by(bytes) + MORE) + HUGE : 0;
}

void feed_refill(struct feed *feed)
{
	touch(feed->begin, feed->used);
	feed->used = feed->ahead = 0;
}

void feed_close(struct feed *feed)
{
	if (feed->begin)
		munmap(feed->begin, feed->bytes);
	*feed = (struct feed){0};
}
