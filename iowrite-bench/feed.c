/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/feed.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>

#define MORE (8ull << 20) /* what else the kernel takes meanwhile */
#define OTHERS 8          /* of 8 bytes that are written others take one */
#define HUGE (2ull << 20)

static uint64_t half_of_free(void)
{
	struct sysinfo info;

	return sysinfo(&info) ? 0 : (uint64_t)info.freeram * info.mem_unit / 2;
}

/* Of a write, with what others take of the free memory meanwhile. */
static uint64_t taken(uint64_t size)
{
	return size + size / OTHERS;
}

int feed_open(uint64_t bytes, uint64_t largest, struct feed *feed)
{
	uint64_t most = half_of_free();
	char *begin;

	/* What is ahead is at most twice what a write is given. */
	bytes = taken(bytes) + 2 * (taken(largest) + MORE + HUGE);
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
	for (uint64_t i = 0; i < bytes; i += 4096)
		*(volatile char *)(begin + i) = 1;
	*feed = (struct feed){begin, bytes, 0, 0};
	return 0;
}

void feed_give(struct feed *feed, uint64_t size)
{
	uint64_t wanted = (taken(size) + MORE + HUGE - 1) / HUGE * HUGE, left = feed->bytes - feed->used;

	wanted = wanted < left ? wanted : left;
	if (wanted && feed->ahead < taken(size) + MORE) {
		madvise(feed->begin + feed->used, wanted, MADV_DONTNEED);
		feed->used += wanted;
		feed->ahead += wanted;
	}
	feed->ahead -= taken(size) < feed->ahead ? taken(size) : feed->ahead;
}

void feed_close(struct feed *feed)
{
	if (feed->begin)
		munmap(feed->begin, feed->bytes);
	*feed = (struct feed){0};
}
