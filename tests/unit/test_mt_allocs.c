/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "memtrace/names/allocs_ring.h"

#define WRITERS 4
#define EACH 20000u

static void *write_entries(void *data)
{
	struct allocs_ring *ring = data;

	for (uint32_t i = 0; i < EACH; i++) {
		struct alloc alloc = {.address = i, .bytes = ~(uint64_t)i, .kind = ALLOC_NEW};

		while (!allocs_put(ring, &alloc))
			sched_yield();
	}
	return NULL;
}

TEST("a full ring drops what comes, and counts it")
{
	struct allocs_ring *ring = calloc(1, sizeof(*ring));

	assert_non_null(ring);
	for (unsigned i = 0; i < ALLOCS_SLOTS; i++)
		assert_true(allocs_put(ring, &(struct alloc){.address = i}));
	assert_false(allocs_put(ring, &(struct alloc){.address = 1}));
	assert_int_equal(ring->dropped, 1);
	assert_int_equal(ring->slots[0].turn, 1);
	assert_int_equal(ring->slots[0].alloc.address, 0);
	ring->tail = 1;
	assert_true(allocs_put(ring, &(struct alloc){.address = 77}));
	assert_int_equal(ring->slots[0].turn, ALLOCS_SLOTS + 1);
	assert_int_equal(ring->slots[0].alloc.address, 77);
	free(ring);
}

TEST("what several threads write arrives whole, each entry once")
{
	struct allocs_ring *ring = calloc(1, sizeof(*ring));
	pthread_t threads[WRITERS];
	uint64_t sum = 0;

	assert_non_null(ring);
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_entries, ring), 0);
	for (uint64_t tail = 0; tail < (uint64_t)WRITERS * EACH; tail++) {
		const struct alloc_slot *slot = &ring->slots[tail % ALLOCS_SLOTS];

		while (__atomic_load_n(&slot->turn, __ATOMIC_ACQUIRE) != tail + 1)
			sched_yield();
		assert_int_equal(slot->alloc.bytes, ~slot->alloc.address);
		sum += slot->alloc.address;
		__atomic_store_n(&ring->tail, tail + 1, __ATOMIC_RELEASE);
	}
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(sum, (uint64_t)WRITERS * EACH * (EACH - 1) / 2);
	free(ring);
}
