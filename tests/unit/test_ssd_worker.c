/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop: depth, order, pauses, errors, data. */
#include "config.h"
#include "tests/unit/ssd_worker_bench.h"

TEST("a worker keeps its number of writes outstanding")
{
	static const unsigned depths[] = {1, 2, 8, 64, 100};

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		struct bench *bench = set_up(depths[i], 100000, uneven_time);
		const struct counts *counts = bench->worker.counts;
		double mean, rate, held;

		bench->worker.until_ns = BEGIN + SECOND / 20;
		worker_run(&bench->worker);
		assert_int_equal(bench->worker.error, 0);
		assert_int_equal(bench->fake.deepest, depths[i]);
		assert_int_equal(counts->operations, bench->fake.count);
		assert_int_equal(counts->bytes, (uint64_t)bench->fake.count * BLOCK);
		assert_int_equal(ring_count(&bench->ring), bench->fake.count);
		/* Little's law: what is in flight is the rate times the latency. At the end it runs out. */
		mean = counts->latencies[COUNTS_RESPONSE].sum_ns / (double)counts->operations;
		rate = (double)counts->operations / (double)(bench->worker.ended_ns - BEGIN);
		held = mean * rate;
		assert_true(held > 0.85 * depths[i] && held <= depths[i]);
		check_and_tear_down(bench);
	}
}

TEST("a batch is as deep as it is")
{
	struct bench *bench = set_up(8, 100, fixed_time);
	const struct counts *counts = bench->worker.counts;

	worker_run(&bench->worker);
	assert_true(counts->operations > 1000);
	for (uint64_t i = 0; i < 8; i++)
		assert_int_equal(ring_at(&bench->ring, i)->inflight_own, 8);
	tear_down(bench);
}

TEST("a worker never has two outstanding writes to one block")
{
	struct bench *bench = set_up(8, 9, uneven_time);

	worker_run(&bench->worker);
	assert_true(bench->worker.stream.pass > 20);
	assert_int_equal(bench->worker.counts->passes, bench->worker.stream.pass + (bench->worker.stream.block > 0));
	check_and_tear_down(bench);
}

TEST("a worker continues where it stopped")
{
	struct bench *bench = set_up(4, 10, fixed_time);

	bench->worker.stream.sequence = 37;
	bench->worker.stream.block = 7;
	bench->worker.stream.pass = 3;
	ack_log_start(&bench->ack_log, 37);
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.writes[0].offset, (1 << 20) + 7 * BLOCK);
	assert_int_equal(ring_at(&bench->ring, 0)->sequence, 37);
	check_and_tear_down(bench);
}

TEST("writes of the warm-up are not counted")
{
	struct bench *bench = set_up(4, 100, fixed_time);
	uint64_t middle = BEGIN + SECOND / 20;

	bench->worker.measure_ns = middle;
	worker_run(&bench->worker);
	assert_true(bench->worker.counts->operations < bench->fake.count * 6 / 10);
	assert_true(bench->worker.counts->operations > bench->fake.count * 4 / 10);
	assert_int_equal(ring_count(&bench->ring), bench->worker.counts->operations);
	assert_true(ring_at(&bench->ring, 0)->prep_ns >= middle);
	check_and_tear_down(bench);
}

TEST("a worker pauses between passes for the time given")
{
	struct bench *bench = set_up(4, 16, uneven_time);
	uint64_t pause = 2000000, last = 0;

	bench->worker.pause_ns = pause;
	worker_run(&bench->worker);
	assert_true(bench->fake.count > 5 * 16);
	for (unsigned i = 0; i < bench->fake.count; i++) {
		const struct fake_write *write = &bench->fake.writes[i];

		if (i && i % 16 == 0) {
			assert_true(write->queued_ns >= last + pause);
			assert_true(write->queued_ns < last + pause + 10000);
		}
		last = write->done_ns > last ? write->done_ns : last;
	}
	check_and_tear_down(bench);
}

/* Passes of 16 writes every 20 ms, over a half of that; each write takes much less than its turn. */
TEST("a paced checkpoint is spread over its share")
{
	const uint64_t every = 20000000, step = every / 2 / 16;
	struct bench *bench = set_up(2, 16, fixed_time);

	bench->worker.every_ns = every;
	bench->worker.spread_ns = every / 2;
	worker_run(&bench->worker);
	assert_int_equal(bench->worker.error, 0);
	assert_true(bench->fake.count >= 4 * 16);
	for (unsigned i = 0; i < bench->fake.count; i++) {
		const struct fake_write *write = &bench->fake.writes[i];
		uint64_t turn = bench->fake.writes[i / 16 * 16].queued_ns + i % 16 * step;

		assert_in_range(write->queued_ns, turn, turn + 10000);
		if (i && i % 16 == 0)
			assert_in_range(write->queued_ns, bench->fake.writes[i - 16].queued_ns + every,
				bench->fake.writes[i - 16].queued_ns + every + 10000);
	}
	check_and_tear_down(bench);
}

TEST("a run that begins in the midst of a pass goes on with its pace")
{
	const uint64_t every = 20000000, step = every / 16;
	struct bench *bench = set_up(2, 16, fixed_time);

	bench->worker.every_ns = bench->worker.spread_ns = every;
	bench->worker.stream.sequence = 12;
	bench->worker.stream.block = 12;
	ack_log_start(&bench->ack_log, 12);
	worker_reset(&bench->worker);
	worker_run(&bench->worker);
	for (unsigned i = 0; i < 8; i++)
		assert_in_range(bench->fake.writes[i].queued_ns, BEGIN + i * step, BEGIN + i * step + 10000);
	check_and_tear_down(bench);
}

TEST("a checkpoint longer than its time is followed at once")
{
	struct bench *bench = set_up(2, 16, fixed_time);

	bench->worker.every_ns = bench->worker.spread_ns = 1000;
	worker_run(&bench->worker);
	assert_true(bench->fake.count > 5 * 16);
	for (unsigned i = 16; i < bench->fake.count; i += 16)
		assert_in_range(bench->fake.writes[i].queued_ns, bench->fake.writes[i - 1].done_ns,
			bench->fake.writes[i - 1].done_ns + 10000);
	check_and_tear_down(bench);
}

TEST("each checkpoint but the first has its lateness, and one that is in time has next to none")
{
	/* Sixteen writes of 100 us, two at a time. */
	static const struct { uint64_t every_ns, late_ns; } cases[] = {{200000, 600000}, {20000000, 0}};

	for (size_t i = 0; i < 2; i++) {
		struct bench *bench = set_up(2, 16, fixed_time);
		const struct latency *late = &bench->worker.counts->latencies[COUNTS_LATE];

		bench->worker.every_ns = cases[i].every_ns;
		bench->worker.measure_ns = BEGIN + 25000000;
		worker_run(&bench->worker);
		/* Those that begin within the measurement. */
		assert_in_range(late->count, 3, bench->fake.count / 16 - 2);
		assert_in_range(late->min_ns, cases[i].late_ns, cases[i].late_ns + 10000);
		assert_in_range(late->max_ns, cases[i].late_ns, cases[i].late_ns + 10000);
		tear_down(bench);
	}
}

TEST("the first pass begins without a pause")
{
	struct bench *bench = set_up(4, 16, uneven_time);

	bench->worker.pause_ns = SECOND;
	bench->worker.stream.sequence = 32;
	bench->worker.stream.pass = 2;
	ack_log_start(&bench->ack_log, 32);
	worker_reset(&bench->worker);
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.count, 16);
	assert_in_range(bench->fake.writes[0].queued_ns, BEGIN, BEGIN + 10000);
	check_and_tear_down(bench);
}

TEST("a failed or short write ends a worker with its error")
{
	static const struct {
		int32_t result;
		int error;
		uint64_t short_writes, failed;
	} cases[] = {{-ENOSPC, -ENOSPC, 0, 1}, {-EIO, -EIO, 0, 1}, {512, -EIO, 1, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *bench = set_up(4, 100, fixed_time);

		bench->fake.fail_at = 50;
		bench->fake.fail_result = cases[i].result;
		worker_run(&bench->worker);
		assert_int_equal(bench->worker.error, cases[i].error);
		assert_int_equal(bench->stop, 1);
		assert_int_equal(bench->worker.counts->short_writes, cases[i].short_writes);
		assert_int_equal(bench->worker.counts->failed, cases[i].failed);
		assert_in_range(bench->fake.count, 50, 54);
		assert_int_equal(bench->worker.counts->operations, bench->fake.count - 1);
		assert_int_equal(bench->fake.outstanding, 0);
		/* What has failed is not acknowledged, what came after it is. */
		assert_int_equal(bench->ack_log.floor, 49);
		assert_false(ack_log_knows(&bench->ack_log, 49));
		assert_int_equal(ring_count(&bench->ring), bench->fake.count);
		tear_down(bench);
	}
}

TEST("a broken backend ends a worker")
{
	struct bench *bench = set_up(4, 100, fixed_time);

	bench->fake.break_at = 10;
	worker_run(&bench->worker);
	assert_int_equal(bench->worker.error, -EBADF);
	assert_int_equal(bench->stop, 1);
	tear_down(bench);
}

TEST("a worker ends by the stop flag")
{
	struct bench *bench = set_up(4, 100, fixed_time);

	bench->stop = 1;
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.count, 0);
	tear_down(bench);
}

TEST("each write has a stamp with its sequence, offset and checksum")
{
	struct bench *bench = set_up(1, 100, fixed_time);
	const struct stamp *stamp;

	worker_run(&bench->worker);
	stamp = (const struct stamp *)(const void *)bench->worker.buffers;
	assert_int_equal(stamp->sequence, bench->worker.stream.sequence - 1);
	assert_int_equal(stamp->offset, bench->fake.writes[bench->fake.count - 1].offset);
	assert_int_equal(stamp->checksum, stamp_checksum(stamp));
	tear_down(bench);
}
