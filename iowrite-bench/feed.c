/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/feed.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#define MORE (8ull << 20) /* what else the kernel takes meanwhile */
#define HUGE (2ull << 20)

static uint64_t half_of_free(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.freeram * info.mem_unit / 2;
}

static void touch(char *begin, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += 4096)
		*(volatile char *)(begin + i) = 1;
}

int feed_open(uint64_t bytes, struct feed *feed)
{
	uint64_t most = half_of_free();
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
	*feed = (struct feed){begin, bytes, 0, 0};
	return 0;
}

void feed_give(struct feed *feed, uint64_t size)
{
	uint64_t wanted = (size + MORE + HUGE - 1) / HUGE * HUGE, left = feed->bytes - feed->used;

	/* Small writes: one gift for many, or the feed is empty after a few. */
	if (feed->ahead >= size + MORE / 2) {
		feed->ahead -= size;
		return;
	}
	wanted = wanted < left ? wanted : left;
	if (wanted)
		madvise(feed->begin + feed->used, wanted, MADV_DONTNEED);
	feed->used += wanted;
	feed->ahead = wanted > size ? wanted - size : 0;
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
