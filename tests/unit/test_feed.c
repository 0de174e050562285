/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host-backed memory is asked for as it will be given, and what it does not suffice for is counted. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include "iowrite-bench/memory.h"

#define MIB (1ull << 20)

static struct op *writes_of(uint64_t size, size_t count)
{
	struct op *ops = calloc(count, sizeof(*ops));

	assert_non_null(ops);
	for (size_t i = 0; i < count; i++)
		ops[i] = (struct op){0, i * size, size};
	return ops;
}

TEST("the pool frees exactly what a write needs")
{
	static const uint64_t sizes[] = {1, 1000, 4096, 65536, MIB, 2 * MIB - 1, 2 * MIB, 3 * MIB + 1, 4 * MIB, 4 * MIB + 1,
		6 * MIB, 6 * MIB + 1, 7 * MIB, 8 * MIB, 16 * MIB};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t count = sizes[i] < 65536 ? 5000 : 13;
		struct op *ops = writes_of(sizes[i], count);
		uint64_t need = memory_need(ops, count);
		struct memory_pool feed;

		assert_int_equal(need, memory_need_each(sizes[i], count * sizes[i]));
		assert_true(need >= count * sizes[i]);
		assert_int_equal(memory_pool_open(need, memory_limit(), &feed), 0);
		assert_int_equal(feed.bytes, need);
		for (size_t k = 0; k < count; k++)
			memory_pool_refill(&feed, ops[k].size);
		assert_int_equal(feed.used, need);
		assert_int_equal(feed.unbacked, 0);
		memory_pool_close(&feed);
		free(ops);
	}
	assert_int_equal(memory_need(NULL, 0), 0);
	assert_int_equal(memory_need_each(0, 0), 0);
	assert_int_equal(memory_need_each(MIB, 0), 0);
	/* 10 MiB for one write of 6 MiB and a byte, of which 2 are taken back; 10 for six of 1 MiB. */
	assert_int_equal(memory_need_each(6 * MIB + 1, 6 * MIB + 1), 10 * MIB);
	assert_int_equal(memory_need_each(6 * MIB + 1, 12 * MIB + 2), 18 * MIB);
	assert_int_equal(memory_need_each(MIB, 7 * MIB), 20 * MIB);
}

/* The most is given before the last write, and what is written again is given nothing. */
TEST("a mixed list of writes gets the memory that it needs")
{
	static const struct op ops[] = {{0, 0, MIB}, {0, MIB, 2 * MIB}, {0, 3 * MIB, 16 * MIB}, {0, 3 * MIB, 16 * MIB},
		{0, 11 * MIB, 16 * MIB}, {0, 27 * MIB, MIB}, {0, 28 * MIB, 3 * MIB}};
	size_t count = sizeof(ops) / sizeof(ops[0]);
	uint64_t need = memory_need(ops, count), most = 0;
	struct memory_range cached = {0};
	struct memory_pool feed;

	assert_int_equal(memory_pool_open(need, memory_limit(), &feed), 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t used = feed.used, size = memory_range_add(&cached, ops[i].offset, ops[i].size);

		memory_pool_refill(&feed, size);
		assert_true(size || feed.used == used);
		most = feed.used > most ? feed.used : most;
	}
	assert_int_equal(feed.unbacked, 0);
	assert_int_equal(most, need);
	assert_true(feed.used < most);
	memory_pool_close(&feed);
}

TEST("bytes without pooled memory are counted")
{
	struct memory_pool feed;

	assert_int_equal(memory_pool_open(12 * MIB, memory_limit(), &feed), 0);
	memory_pool_refill(&feed, 4 * MIB); /* 6: 2 are ahead, and taken back */
	assert_int_equal(feed.used, 6 * MIB);
	memory_pool_refill(&feed, 5 * MIB); /* the last 8: of 3 that are ahead 2 are taken back */
	assert_int_equal(feed.used, 12 * MIB);
	assert_int_equal(feed.unbacked, 0);
	memory_pool_refill(&feed, 5 * MIB); /* these 3 */
	assert_int_equal(feed.unbacked, 2 * MIB);
	memory_pool_refill(&feed, 7);
	assert_int_equal(feed.unbacked, 2 * MIB + 7);
	/* From the beginning again; what was missing stays counted. */
	memory_pool_reclaim(&feed);
	memory_pool_refill(&feed, 4 * MIB);
	assert_int_equal(feed.unbacked, 2 * MIB + 7);
	memory_pool_close(&feed);
}

static uint64_t held_bytes(const struct memory_pool *feed)
{
	unsigned char *pages = malloc(feed->bytes / 4096);
	uint64_t held = 0;

	assert_non_null(pages);
	assert_int_equal(mincore(feed->begin, feed->bytes, pages), 0);
	for (size_t i = 0; i < feed->bytes / 4096; i++)
		held += pages[i] & 1 ? 4096 : 0;
	free(pages);
	return held;
}

/* Huge pages that are free are told to the host: no more than are used up soon. Small writes do not take them at once. */
TEST("memory left by a large write is reclaimed")
{
	struct memory_pool feed;

	assert_int_equal(memory_pool_open(64 * MIB, memory_limit(), &feed), 0);
	assert_int_equal(held_bytes(&feed), 64 * MIB);
	memory_pool_refill(&feed, 16 * MIB);
	assert_int_equal(held_bytes(&feed), (64 - 18) * MIB);
	memory_pool_refill(&feed, 16 * MIB);
	assert_int_equal(held_bytes(&feed), (64 - 34) * MIB);
	memory_pool_refill(&feed, MIB); /* 10 more, of which 9 are left */
	assert_int_equal(held_bytes(&feed), (64 - 44) * MIB);
	memory_pool_refill(&feed, 2 * MIB); /* 8 of them back, and 4 more */
	assert_int_equal(held_bytes(&feed), (64 - 40) * MIB);
	assert_int_equal(feed.used, 40 * MIB);
	memory_pool_reclaim(&feed);
	assert_int_equal(held_bytes(&feed), 64 * MIB);
	memory_pool_close(&feed);
}

TEST("an empty pool frees nothing")
{
	struct memory_pool feed;

	assert_int_equal(memory_pool_open(0, memory_limit(), &feed), 0);
	assert_int_equal(feed.bytes, 0);
	memory_pool_refill(&feed, 100);
	assert_int_equal(feed.unbacked, 100);
	memory_pool_reclaim(&feed);
	memory_pool_close(&feed);
}

/* Several at once share what there is. */
TEST("a pool takes no more than its share")
{
	struct memory_pool feed;

	assert_int_equal(memory_pool_open(64 * MIB, 7 * MIB, &feed), 0);
	assert_int_equal(feed.bytes, 6 * MIB);
	memory_pool_close(&feed);
	assert_int_equal(memory_pool_open(64 * MIB, 0, &feed), 0);
	assert_int_equal(feed.bytes, 0);
	memory_pool_close(&feed);
	assert_true(memory_limit() > 0);
	assert_true(memory_limit() <= memory_available());
}
