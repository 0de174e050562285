/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings of records: the last ones in order, everything counted, and what a freeze leaves. */
#include "config.h"
#include "tests/unit/unit.h"
#include <pthread.h>

#include "ssd-workloads/record/ring.h"

static struct record make(uint64_t sequence, uint64_t latency_ns)
{
	return (struct record){.sequence = sequence, .prep_ns = 1000 + sequence * 10, .enter_ns = 1000 + sequence * 10,
		.reap_ns = 1000 + sequence * 10 + latency_ns, .length = 16384, .result = 16384};
}

static void add(struct ring *ring, uint64_t sequence, uint64_t latency_ns)
{
	struct record record = make(sequence, latency_ns);

	ring_add(ring, &record, record.prep_ns);
}

/* Records first .. first + count - 1, oldest first. */
static void assert_holds(const struct ring *ring, uint64_t first, uint64_t count)
{
	assert_int_equal(ring_count(ring), count);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(ring_at(ring, i)->sequence, first + i);
	assert_int_equal(ring->emitted, ring_count(ring) + ring_overwritten(ring));
}

TEST("a ring keeps the last records")
{
	struct ring_control control = {.begin_ns = 1};
	struct ring ring;

	assert_int_equal(ring_open(&ring, &control, 5), 0);
	assert_int_equal(ring.mask, 7);
	assert_holds(&ring, 0, 0);
	for (uint64_t i = 0; i < 100; i++) {
		add(&ring, i, 5);
		assert_holds(&ring, i < 8 ? 0 : i - 7, i < 8 ? i + 1 : 8);
	}
	assert_int_equal(ring.emitted, 100);
	assert_int_equal(ring_overwritten(&ring), 92);
	assert_int_equal(ring.dropped, 0);
	ring_close(&ring);
	assert_int_equal(ring_count(&ring), 0);
}

TEST("capacities are rounded up to a power of two")
{
	static const struct { uint64_t wanted, mask; } cases[] = {{1, 0}, {2, 1}, {3, 3}, {4, 3}, {1000, 1023}, {1024, 1023}};
	struct ring_control control = {.begin_ns = 1};
	struct ring ring;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(ring_open(&ring, &control, cases[i].wanted), 0);
		assert_int_equal(ring.mask, cases[i].mask);
		for (uint64_t k = 0; k < 3000; k++)
			add(&ring, k, 5);
		assert_holds(&ring, 3000 - cases[i].mask - 1, cases[i].mask + 1);
		ring_close(&ring);
	}
	assert_int_equal(ring_open(&ring, &control, UINT64_MAX), -ENOMEM);
	assert_int_equal(ring_open(&ring, &control, 1ull << 57), -ENOMEM);
}

TEST("a ring of no records keeps none")
{
	struct ring_control control = {.begin_ns = 1};
	struct ring ring;

	assert_int_equal(ring_open(&ring, &control, 0), 0);
	add(&ring, 0, 5);
	assert_int_equal(ring_count(&ring), 0);
	assert_int_equal(ring_overwritten(&ring), 0);
	ring_close(&ring);
}

/* Fires at sequence 20 of the first ring. */
static void freeze_at_20(struct ring_control *control, uint64_t post)
{
	*control = (struct ring_control){.begin_ns = 1, .post = post,
		.freeze = {.count = 1, .terms = {{.field = FREEZE_SEQUENCE, .operator = FREEZE_EQUAL, .stream = -1, .value = 20}}}};
}

TEST("after a match the ring is frozen")
{
	struct ring_control control;
	struct ring ring;
	struct record copy[16];

	freeze_at_20(&control, 0);
	assert_int_equal(ring_open(&ring, &control, 16), 0);
	for (uint64_t i = 0; i < 30; i++) {
		add(&ring, i, 7);
		if (i == 20)
			memcpy(copy, ring.records, sizeof(copy));
	}
	assert_int_equal(control.fired_ns, 1000 + 200 + 7);
	assert_int_equal(control.fired_sequence, 20);
	assert_holds(&ring, 5, 16);
	assert_int_equal(ring.dropped, 9);
	assert_memory_equal(copy, ring.records, sizeof(copy));
	ring_close(&ring);
}

TEST("the records kept after a match are shared by all rings")
{
	struct ring_control control;
	struct ring rings[2];

	freeze_at_20(&control, 7);
	for (int i = 0; i < 2; i++)
		assert_int_equal(ring_open(&rings[i], &control, 64), 0);
	for (uint64_t i = 0; i < 30; i++) {
		add(&rings[0], i, 7);
		add(&rings[1], 1000 + i, 7);
	}
	/* 20 fires; 1020, 21, 1021, 22, 1022, 23, 1023 are kept after it. */
	assert_holds(&rings[0], 0, 24);
	assert_holds(&rings[1], 1000, 24);
	assert_int_equal(rings[0].dropped, 6);
	assert_int_equal(rings[1].dropped, 6);
	for (int i = 0; i < 2; i++)
		ring_close(&rings[i]);
}

/* The first to match is who fired, whatever matches among what is kept after it. */
TEST("only the first match fires")
{
	struct ring_control control = {.begin_ns = 1, .post = 100,
		.freeze = {.count = 1, .terms = {{.field = FREEZE_LATENCY, .operator = FREEZE_ABOVE, .stream = -1, .value = 50}}}};
	struct ring ring;

	assert_int_equal(ring_open(&ring, &control, 16), 0);
	for (uint64_t i = 0; i < 10; i++)
		add(&ring, i, i < 3 ? 50 : 51);
	assert_int_equal(control.fired_sequence, 3);
	assert_int_equal(ring.emitted, 10);
	ring_close(&ring);
}

/* Whatever the order in which writes were completed, and wherever the oldest lies. */
TEST("records are sorted by the time they were prepared")
{
	struct ring_control control = {.begin_ns = 1};

	for (uint64_t total = 0; total < 150; total++) {
		struct ring ring;
		uint64_t at = 0;

		assert_int_equal(ring_open(&ring, &control, 64), 0);
		/* Backwards in groups of one to seven, as a queue of this depth might be. */
		for (uint64_t group = 1; at < total; group = group % 7 + 1) {
			uint64_t size = group < total - at ? group : total - at;

			for (uint64_t i = size; i-- > 0;)
				add(&ring, at + i, 5);
			at += size;
		}
		assert_ptr_equal(ring_sort(&ring), ring.records);
		assert_ptr_equal(ring_sort(&ring), ring.records);
		assert_int_equal(ring_count(&ring), total < 64 ? total : 64);
		for (uint64_t i = 1; i < ring_count(&ring); i++) {
			assert_true(ring_at(&ring, i)->sequence > ring_at(&ring, i - 1)->sequence);
			assert_ptr_equal(ring_at(&ring, i), ring.records + i);
			assert_int_equal(ring_at(&ring, i)->prep_ns, 1000 + ring_at(&ring, i)->sequence * 10);
		}
		if (total)
			assert_int_equal(ring_at(&ring, ring_count(&ring) - 1)->sequence, total - 1);
		ring_close(&ring);
	}
	assert_null(ring_sort(&(struct ring){.control = &control}));
}

#define THREADS 4
#define EACH 20000
#define POST 1000

static void *emit(void *argument)
{
	for (uint64_t i = 0; i < EACH; i++)
		add(argument, i, i == 10000 ? 100 : 5);
	return NULL;
}

/* All emit at once, each may be the one that fires: exactly POST are kept after it but for those that had passed the
 * gate already, at most one of each other thread. */
TEST("concurrent threads keep exactly POST records after a match")
{
	struct ring_control control = {.begin_ns = 1, .post = POST,
		.freeze = {.count = 1, .terms = {{.field = FREEZE_LATENCY, .operator = FREEZE_EQUAL, .stream = -1, .value = 100}}}};
	pthread_t threads[THREADS];
	struct ring rings[THREADS];
	uint64_t dropped = 0, emitted = 0;

	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(ring_open(&rings[i], &control, 512), 0);
		assert_int_equal(pthread_create(&threads[i], NULL, emit, &rings[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(rings[i].emitted + rings[i].dropped, EACH);
		/* A ring holds its own in order; after the freeze it only ever loses the newest. */
		assert_holds(&rings[i], rings[i].emitted < 512 ? 0 : rings[i].emitted - 512,
			rings[i].emitted < 512 ? rings[i].emitted : 512);
		dropped += rings[i].dropped;
		emitted += rings[i].emitted;
	}
	assert_true(control.fired_ns > 0);
	assert_int_equal(control.fired_sequence, 10000);
	assert_int_equal(control.kept_after, POST + dropped);
	assert_int_equal(emitted + dropped, (uint64_t)THREADS * EACH);
	for (int i = 0; i < THREADS; i++)
		ring_close(&rings[i]);
}

/* Counts outlive the memory. */
TEST("counts remain when the memory is freed")
{
	struct ring_control control = {.begin_ns = 1};
	struct ring ring;

	assert_int_equal(ring_open(&ring, &control, 8), 0);
	assert_int_equal(ring_first_ns(&ring), 0);
	for (uint64_t i = 0; i < 20; i++)
		add(&ring, i, 5);
	assert_int_equal(ring_first_ns(&ring), 1000 + 12 * 10);
	for (int i = 0; i < 2; i++) {
		ring_give_back(&ring);
		assert_null(ring.records);
		assert_int_equal(ring_count(&ring), 8);
		assert_int_equal(ring_overwritten(&ring), 12);
		assert_int_equal(ring_first_ns(&ring), 1000 + 12 * 10);
	}
	ring_close(&ring);
}

TEST("a ring that is begun anew has only what was prepared from then on")
{
	struct ring_control control = {.begin_ns = 1, .post = 3};
	struct ring ring;

	assert_int_equal(ring_open(&ring, &control, 64), 0);
	for (uint64_t i = 0; i < 100; i++)
		add(&ring, i, 5);
	ring_freeze(&control, 1995);
	ring_freeze(&control, 1996);
	assert_int_equal(control.fired_ns, 1995);
	assert_true(control.fired_sequence == RING_NO_WRITE);
	add(&ring, 100, 5);
	assert_int_equal(ring.dropped, 1);
	ring_restart(&control, 1000 + 105 * 10);
	ring_empty(&ring);
	for (uint64_t i = 101; i < 110; i++)
		add(&ring, i, 5);
	assert_holds(&ring, 105, 5);
	assert_int_equal(ring.dropped, 0);
	assert_int_equal(control.fired_ns, 0);
	ring_close(&ring);
}
