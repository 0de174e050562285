/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop: an open loop, and commits that wait for their write. */
#include "config.h"
#include "tests/unit/ssd_worker_bench.h"

static void set_rate(struct bench *bench, uint64_t rate, unsigned commits)
{
	uint64_t num = SECOND * commits, first = (commits - 1ull) * SECOND;

	bench->worker.has_commits = true;
	bench->worker.pace = (struct worker_pace){.den = rate, .step_ns = num / rate, .step_rest = num % rate,
		.due_ns = BEGIN + first / rate, .due_rest = first % rate, .commits = commits, .commit_gap_ns = SECOND / rate};
}

/* 3000 a second: the step is no whole number of ns, and the sum of steps still is exact. */
TEST("an open loop keeps its times")
{
	struct bench *bench = set_up(4, 100, fixed_time);

	set_rate(bench, 3000, 1);
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.count, 300);
	for (uint64_t i = 0; i < 300; i++) {
		uint64_t due = BEGIN + i * SECOND / 3000;

		assert_true(bench->fake.writes[i].queued_ns >= due);
		assert_true(bench->fake.writes[i].queued_ns < due + 1000);
	}
	assert_int_equal(bench->worker.counts->latencies[COUNTS_COMMIT].count, 300);
	check_and_tear_down(bench);
}

TEST("falling behind shows in the response")
{
	struct bench *bench = set_up(1, 100, fixed_time);
	const struct counts *counts = bench->worker.counts;

	set_rate(bench, 20000, 1);
	worker_run(&bench->worker);
	assert_in_range(bench->fake.count, 990, 1001);
	assert_true(counts->latencies[COUNTS_SERVICE].max_ns < 101000);
	assert_true(counts->latencies[COUNTS_RESPONSE].max_ns > 49000000);
	assert_true(counts->latencies[COUNTS_RESPONSE].max_ns < 51000000);
	check_end(bench);
	tear_down(bench);
}

TEST("a freeze sees that a write is late")
{
	struct bench *bench = set_up(1, 100, fixed_time);
	const char *why;

	assert_int_equal(freeze_parse("latency>10ms&&late>9ms&&service<1ms", &bench->control.freeze, &why), 0);
	set_rate(bench, 20000, 1);
	worker_run(&bench->worker);
	/* Each is 50 us later than the one before. */
	assert_in_range(bench->control.fired_sequence, 195, 205);
	assert_int_equal(ring_count(&bench->ring), bench->control.fired_sequence + 1);
	tear_down(bench);
}

TEST("commits wait for their write")
{
	struct bench *bench = set_up(8, 100, fixed_time);
	const struct latency *commits = &bench->worker.counts->latencies[COUNTS_COMMIT];

	set_rate(bench, 10000, 10);
	worker_run(&bench->worker);
	assert_int_equal(bench->fake.count, 100);
	assert_int_equal(commits->count, 1000);
	assert_in_range(commits->min_ns, 100000, 101000);
	assert_in_range(commits->max_ns, 1000000, 1001000);
	assert_in_range((uint64_t)(commits->sum_ns / 1000), 550000, 551000);
	check_end(bench);
	tear_down(bench);
}
