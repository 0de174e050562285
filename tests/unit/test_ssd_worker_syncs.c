/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop: what is made durable, of a write and of a pass. */
#include "config.h"
#include "tests/unit/ssd_worker_bench.h"

TEST("each pass ends with a sync")
{
	static const uint64_t pauses[] = {0, 300000};

	for (size_t k = 0; k < 2; k++) {
		struct bench *bench = set_up(8, 100, uneven_time);
		const struct latency *latency = &bench->worker.counts->latencies[COUNTS_SYNC];
		uint64_t last = 0;

		bench->worker.has_pass_syncs = true;
		bench->worker.pause_ns = pauses[k];
		bench->fake.sync_ns = 700000;
		worker_run(&bench->worker);
		assert_int_equal(bench->worker.error, 0);
		assert_true(bench->fake.wholes > 3);
		for (unsigned i = 0; i < bench->fake.wholes && i < FAKE_SLOTS; i++)
			assert_int_equal(bench->fake.whole_after[i], (i + 1) * 100);
		for (unsigned i = 0; i < bench->fake.count; i++) {
			const struct fake_write *write = &bench->fake.writes[i];

			if (i && i % 100 == 0)
				assert_true(write->queued_ns >= last + 700000 + pauses[k]);
			last = write->done_ns > last ? write->done_ns : last;
		}
		assert_int_equal(latency->count, bench->fake.wholes);
		assert_int_equal(ring_count(&bench->ring), bench->fake.count + bench->fake.wholes);
		for (uint64_t i = 1; i < ring_count(&bench->ring); i++) {
			const struct record *record = &ring_sort(&bench->ring)[i];

			if (!record_is_sync(record))
				continue;
			assert_int_equal(record->sequence % 100, 99);
			assert_int_equal(record->offset, 1 << 20);
			assert_in_range(record->reap_ns - record->prep_ns, 700000, 710000);
		}
		assert_true(latency->min_ns >= 700000 && latency->max_ns < 710000);
		check_and_tear_down(bench);
	}
}

TEST("a pass without syncs makes none")
{
	struct bench *bench = set_up(4, 1000000, fixed_time);

	bench->worker.has_pass_syncs = true;
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.wholes, 0);
	assert_int_equal(bench->worker.counts->latencies[COUNTS_SYNC].count, 0);
	tear_down(bench);
}

TEST("no write is outstanding during a sync")
{
	struct bench *bench = set_up(4, 100, fixed_time);

	bench->worker.has_pass_syncs = true;
	bench->fake.sync_ns = SECOND;
	bench->fake.early_ns = BEGIN + SECOND / 5;
	worker_run(&bench->worker);
	assert_int_equal(bench->worker.error, 0);
	assert_int_equal(bench->fake.wholes, 1);
	assert_int_equal(bench->fake.count, 100);
	/* By sleeping. */
	assert_true(bench->fake.enters < 200);
	assert_int_equal(bench->worker.counts->latencies[COUNTS_SYNC].count, 1);
	assert_true(bench->worker.ended_ns >= BEGIN + SECOND);
	check_end(bench);
	tear_down(bench);
}

TEST("a failed sync ends the worker")
{
	struct bench *bench = set_up(4, 100, fixed_time);

	bench->worker.has_pass_syncs = true;
	bench->fake.whole_fail_at = 2;
	bench->fake.fail_result = -EIO;
	worker_run(&bench->worker);
	assert_int_equal(bench->worker.error, -EIO);
	assert_int_equal(bench->worker.counts->failed, 1);
	assert_int_equal(bench->worker.counts->latencies[COUNTS_SYNC].count, 1);
	assert_int_equal(bench->fake.count, 200);
	check_end(bench);
	tear_down(bench);
}

TEST("a sync is part of the commit only")
{
	struct bench *bench = set_up(2, 100, fixed_time);
	const struct counts *counts = bench->worker.counts;

	bench->fake.durability = BACKEND_FDATASYNC;
	bench->fake.sync_ns = 400000;
	bench->worker.has_commits = true;
	bench->worker.pace.commits = 3;
	worker_run(&bench->worker);
	assert_int_equal(counts->latencies[COUNTS_COMMIT].count, 3 * counts->operations);
	assert_in_range(counts->latencies[COUNTS_RESPONSE].max_ns, 100000, 101000);
	assert_in_range(counts->latencies[COUNTS_COMMIT].min_ns, 500000, 501000);
	check_and_tear_down(bench);
}

TEST("a write and its sync add up to the commit")
{
	static const unsigned depths[] = {1, 8};

	for (size_t k = 0; k < 2; k++) {
		struct bench *bench = set_up(depths[k], 100, uneven_time);
		const struct latency *commits = &bench->worker.counts->latencies[COUNTS_COMMIT];
		const struct record *records;
		double sum_ns = 0;

		bench->fake.durability = BACKEND_FDATASYNC;
		bench->fake.sync_ns = 400000;
		bench->worker.has_commits = true;
		worker_run(&bench->worker);
		records = ring_sort(&bench->ring);
		assert_int_equal(ring_count(&bench->ring), 2 * bench->fake.count);
		for (uint64_t i = 0; i < 2 * bench->fake.count; i++) {
			assert_int_equal(record_is_sync(&records[i]), i % 2);
			sum_ns += (double)(records[i].reap_ns - records[i].prep_ns);
			if (i % 2)
				assert_int_equal(records[i].prep_ns, records[i - 1].reap_ns);
		}
		assert_int_equal(commits->count, bench->fake.count);
		assert_true(commits->sum_ns == sum_ns);
		check_and_tear_down(bench);
	}
}

TEST("a condition for freezing is of writes, not of syncs")
{
	struct bench *bench = set_up(1, 100, fixed_time);

	bench->fake.durability = BACKEND_FDATASYNC;
	bench->fake.sync_ns = 400000;
	bench->control.freeze = (struct freeze){.count = 1,
		.terms = {{.field = FREEZE_LATENCY, .operator = FREEZE_ABOVE, .stream = -1, .value = 200000}}};
	worker_run(&bench->worker);
	assert_int_equal(bench->control.fired_ns, 0);
	check_and_tear_down(bench);
}

TEST("the record of a sync that fails has its error, and a cancelled one none")
{
	static const struct { bool is_write; int32_t result; } cases[] = {{false, -EIO}, {true, -ENOSPC}};

	for (size_t i = 0; i < 2; i++) {
		struct bench *bench = set_up(1, 100, fixed_time);
		const struct record *last;

		bench->fake.durability = BACKEND_FDATASYNC;
		bench->fake.sync_ns = 1000;
		*(cases[i].is_write ? &bench->fake.fail_at : &bench->fake.sync_fail_at) = 50;
		bench->fake.fail_result = cases[i].result;
		worker_run(&bench->worker);
		last = ring_at(&bench->ring, ring_count(&bench->ring) - 1);
		assert_int_equal(last->result, cases[i].result);
		assert_int_equal(record_is_sync(last), !cases[i].is_write);
		tear_down(bench);
	}
}

TEST("a sync that fails acknowledges nothing")
{
	static const int32_t results[] = {-EIO, -ECANCELED};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct bench *bench = set_up(4, 100, fixed_time);

		bench->fake.durability = BACKEND_FDATASYNC;
		bench->fake.sync_ns = 1000;
		bench->fake.sync_fail_at = 50;
		bench->fake.fail_result = results[i];
		worker_run(&bench->worker);
		assert_int_equal(bench->worker.error, results[i]);
		assert_int_equal(bench->stop, 1);
		assert_int_equal(bench->worker.counts->failed, 1);
		assert_int_equal(bench->worker.counts->errors[0].error, -results[i]);
		assert_int_equal(bench->fake.outstanding, 0);
		assert_int_equal(bench->ack_log.floor, 49);
		assert_false(ack_log_knows(&bench->ack_log, 49));
		tear_down(bench);
	}
}

TEST("a cancelled sync is no second error")
{
	struct bench *bench = set_up(1, 100, fixed_time);

	bench->fake.durability = BACKEND_FDATASYNC;
	bench->fake.fail_at = 50;
	bench->fake.fail_result = -ENOSPC;
	worker_run(&bench->worker);
	assert_int_equal(bench->worker.error, -ENOSPC);
	assert_int_equal(bench->worker.counts->failed, 1);
	assert_int_equal(bench->ack_log.floor, 49);
	tear_down(bench);
}

static int64_t never_flushed(void *state)
{
	++*(unsigned *)state;
	return 7;
}

static int64_t always_flushed(void *state)
{
	return ++*(unsigned *)state;
}

TEST("commits, or else the syncs of passes, are examined with the flush counter")
{
	for (int k = 0; k < 4; k++) {
		struct bench *bench = set_up(k & 1 ? 8 : 1, 100, uneven_time);
		struct worker *worker = &bench->worker;
		unsigned reads = 0;

		worker->has_commits = k < 2;
		worker->has_pass_syncs = k >= 2;
		worker->probes[0] = (struct flush_probe){.count = k & 1 ? always_flushed : never_flushed, .state = &reads};
		worker_run(worker);
		assert_int_equal(worker->error, 0);
		assert_true(worker->probes[0].examined > 0);
		assert_int_equal(worker->probes[0].unflushed, k & 1 ? 0 : worker->probes[0].examined);
		/* A reading begins and one ends each; one at most was outstanding at the end. */
		assert_true(reads == 2 * worker->probes[0].examined || reads == 2 * worker->probes[0].examined + 1);
		if (k >= 2)
			assert_int_equal(worker->probes[0].examined, bench->fake.wholes);
		check_and_tear_down(bench);
	}
}

struct counted { /* the flushes of one target, read by a probe */
	const struct worker *worker;
	unsigned target, reads;
	const struct counted *first;
};

/* Each pair of readings is of one commit; the first one comes before its block was begun. Of a commit that syncs both targets
 * both are read. */
static int64_t count_target(void *state)
{
	struct counted *counted = state;

	if (counted->reads++ % 2 == 0 && !counted->worker->has_whole_syncs)
		assert_int_equal(counted->worker->stream.block % 2, counted->target);
	if (counted->worker->has_whole_syncs && counted->target)
		assert_int_equal(counted->reads, counted->first->reads);
	return counted->target ? 7 : counted->reads;
}

TEST("commits of a striped log are examined with the flush counters of the targets that they sync")
{
	for (int is_whole = 0; is_whole < 2; is_whole++) {
		struct bench *bench = set_up(1, 100, uneven_time);
		struct worker *worker = &bench->worker;
		struct counted counted[STRIPE_TARGETS];

		worker->has_commits = true;
		worker->stripes = STRIPE_TARGETS;
		worker->has_whole_syncs = is_whole;
		for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
			counted[i] = (struct counted){worker, i, 0, &counted[0]};
			worker->probes[i] = (struct flush_probe){.count = count_target, .state = &counted[i]};
		}
		worker_run(worker);
		for (unsigned i = 0; i < STRIPE_TARGETS; i++) {
			assert_true(worker->probes[i].examined > 0);
			assert_int_equal(worker->probes[i].unflushed, i ? worker->probes[i].examined : 0);
		}
		if (is_whole)
			assert_int_equal(worker->probes[0].examined, worker->probes[1].examined);
		check_and_tear_down(bench);
	}
}
