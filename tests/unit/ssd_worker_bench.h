/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop with a backend whose every time is known, and what holds of each of its runs. */
#ifndef TESTS_UNIT_SSD_WORKER_BENCH_H
#define TESTS_UNIT_SSD_WORKER_BENCH_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ssd-workloads/engine/threads.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/unit.h"

#define BLOCK 4096u
#define SECOND 1000000000ull
#define BEGIN (1000 * SECOND)

struct bench {
	struct fake_backend fake;
	struct worker worker;
	struct worker_shared own, other;
	struct ring ring;
	struct ring_control control;
	struct ack_log_worker ack_log;
	int stop;
};

static inline uint64_t fixed_time(unsigned n)
{
	(void)n;
	return 100000;
}

/* Some are a hundred times slower, so that completions come out of order. */
static inline uint64_t uneven_time(unsigned n)
{
	return 50000 + (n * 2654435761u >> 8) % 100000 + (n % 97 == 5 ? 5000000 : 0);
}

static inline struct bench *set_up(unsigned depth, uint64_t blocks, uint64_t (*service)(unsigned n))
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct worker *worker;

	assert_non_null(bench);
	worker = &bench->worker;
	bench->fake = (struct fake_backend){.now_ns = BEGIN, .step_ns = 20, .service = service};
	bench->other.inflight = 7;
	*worker = (struct worker){.backend = &fake_ops, .state = &bench->fake, .depth = depth, .slot_bytes = BLOCK,
		.measure_ns = BEGIN, .until_ns = BEGIN + SECOND / 10, .stop = &bench->stop, .own = &bench->own,
		.other = &bench->other, .ring = &bench->ring, .ack_log = &bench->ack_log,
		.stamp = {1, 0, 0, BLOCK}, .pace = {.commits = 1}};
	worker->slots = calloc(depth, sizeof(*worker->slots));
	worker->free = calloc(depth, sizeof(*worker->free));
	worker->queued = calloc(depth, sizeof(*worker->queued));
	worker->counts = counts_new(0);
	worker->buffers = calloc(depth, BLOCK);
	assert_true(worker->slots && worker->free && worker->queued && worker->counts && worker->buffers);
	stream_init(&worker->stream, 1 << 20, blocks, BLOCK);
	bench->control.begin_ns = BEGIN;
	assert_int_equal(ring_open(&bench->ring, &bench->control, FAKE_WRITES), 0);
	worker_reset(worker);
	return bench;
}

static inline void tear_down(struct bench *bench)
{
	ring_close(&bench->ring);
	counts_free(bench->worker.counts);
	free(bench->worker.slots);
	free(bench->worker.free);
	free(bench->worker.queued);
	free(bench->worker.buffers);
	free(bench);
}

/* A sync is behind the last write before it. */
static inline void check_sync(const struct bench *bench, const struct record *sync, const struct record *write)
{
	assert_int_equal(sync->sequence, write->sequence);
	assert_int_equal(sync->pass, write->pass);
	assert_true(!record_is_sync(write) && sync->prep_ns >= write->reap_ns);
	assert_true(sync->prep_ns == sync->enter_ns && sync->enter_ns <= sync->reap_ns);
	assert_int_equal(sync->entered_ns, 0);
	assert_int_equal(sync->inflight_other, 7);
	assert_in_range(sync->offset, 1 << 20, (1 << 20) + bench->worker.stream.blocks * BLOCK);
}

/* Everything that holds of each record, whatever was asked for. */
static inline void check_records(struct bench *bench)
{
	const struct worker *worker = &bench->worker;
	uint64_t count = ring_count(&bench->ring), syncs = 0;
	const struct record *records = ring_sort(&bench->ring);

	for (uint64_t i = 0; i < count; i++) {
		const struct record *record = &records[i];
		uint64_t block = record->sequence % worker->stream.blocks;

		if (record_is_sync(record)) {
			assert_true(i > 0);
			check_sync(bench, record, record - 1);
			syncs++;
			continue;
		}
		assert_int_equal(record->sequence, records[0].sequence + i - syncs);
		assert_int_equal(record->offset, (1 << 20) + block * BLOCK);
		assert_int_equal(record->pass, (uint16_t)(record->sequence / worker->stream.blocks));
		assert_true(record->prep_ns <= record->enter_ns);
		assert_true(record->enter_ns + record->entered_ns <= record->reap_ns);
		assert_in_range(record->inflight_own, 1, worker->depth);
		assert_int_equal(record->inflight_other, 7);
		assert_int_equal(record->length, BLOCK);
		if (i)
			assert_true(record->batch >= records[i - 1].batch && record->batch - records[i - 1].batch <= 1);
	}
}

static inline void check_end(const struct bench *bench)
{
	assert_int_equal(bench->fake.outstanding, 0);
	assert_int_equal(bench->own.inflight, 0);
	assert_int_equal(bench->worker.inflight, 0);
	assert_int_equal(bench->worker.free_count, bench->worker.depth);
	assert_int_equal(bench->ack_log.floor, bench->worker.stream.sequence);
}

static inline void check_and_tear_down(struct bench *bench)
{
	check_records(bench);
	check_end(bench);
	tear_down(bench);
}

#endif
