/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How large rings are made: from what a trial showed, from what a run showed, and as memory allows. */
#include "config.h"
#include "tests/unit/said.h"

#include <string.h>

#include "common/base/diag.h"
#include "ssd-workloads/run/rings.h"
#include "tests/unit/fakeroot.h"

#define SECOND 1000000000ull

TEST("the records wanted follow from the rates of the trial")
{
	/* A trial that fell into a slow moment: one write at a time, 40 us the quickest. */
	struct engine_rate rate = {.peak = 1000, .ceiling = 25000};

	assert_int_equal(rings_wanted(&rate, 1, 10 * SECOND), 524288);   /* 1.5 x ceiling: 375000 */
	rate.ceiling = 1e9;
	assert_int_equal(rings_wanted(&rate, 1, 10 * SECOND), 1 << 20);  /* what is cheap */
	assert_int_equal(rings_wanted(&rate, 4, 10 * SECOND), 1 << 18);  /* for each of four */
	rate.peak = 100000;
	assert_int_equal(rings_wanted(&rate, 1, 10 * SECOND), 1 << 21);  /* 2 x peak: 2000000 */
	rate = (struct engine_rate){.peak = 1000, .ceiling = 900};
	assert_int_equal(rings_wanted(&rate, 1, 10 * SECOND), 32768);    /* 20000 */
	rate.ceiling = 0;
	assert_int_equal(rings_wanted(&rate, 1, SECOND), 4096);
	rate.peak = 0;
	assert_int_equal(rings_wanted(&rate, 0, 10 * SECOND), 4096);
	/* 15000 in 5 s are 30000 in 10 s; half as much again. */
	assert_int_equal(rings_wanted_again(15000, 5 * SECOND, 10 * SECOND), 65536);
	assert_int_equal(rings_wanted_again(10, 0, 10 * SECOND), 4096);
}

TEST("rings are not longer than the run")
{
	struct ssd_run_options options = {.runtime_ns = 3 * SECOND, .record_ns = 10 * SECOND};

	assert_int_equal(rings_held_ns(&options), 3 * SECOND);
	assert_int_equal(rings_trial_ns(&options), 3 * SECOND / 10);
	options.runtime_ns = 60 * SECOND;
	assert_int_equal(rings_held_ns(&options), 10 * SECOND);
	assert_int_equal(rings_trial_ns(&options), SECOND);
	options.runtime_ns = 1000;
	assert_int_equal(rings_trial_ns(&options), SECOND / 10);
}

TEST("rings are shortened to the available memory")
{
	const unsigned workers[MIX_STREAMS] = {2, 1}, alone[MIX_STREAMS] = {0, 1};
	uint64_t capacity[MIX_STREAMS] = {1 << 16, 1 << 15};
	uint64_t whole = 64ull * (2 * (1 << 16) + (1 << 15));

	assert_true(rings_fit(capacity, workers, whole) == 1);
	assert_int_equal(capacity[MIX_LOG], 1 << 16);
	assert_true(rings_fit(capacity, workers, whole - 1) == 0.5);
	assert_int_equal(capacity[MIX_LOG], 1 << 15);
	assert_int_equal(capacity[MIX_CHECKPOINT], 1 << 15);
	assert_true(rings_fit(capacity, workers, 64 * 3 * 4096) == 0.125);
	assert_int_equal(capacity[MIX_LOG], 4096);
	assert_int_equal(capacity[MIX_CHECKPOINT], 4096);
	assert_true(rings_fit(capacity, workers, 64 * 3 * 4096 - 1) == 0);
	/* A stream that does not run takes nothing. */
	capacity[MIX_LOG] = 1 << 30;
	capacity[MIX_CHECKPOINT] = 4096;
	assert_true(rings_fit(capacity, alone, 64 * 4096) == 1);
}

/* The least of what the machine has and what any limit above leaves. */
TEST("records take at most three quarters of the memory that host and cgroups leave")
{
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, "/proc/meminfo", "MemTotal: 900000 kB\nMemAvailable: 400000 kB\n");
	fakeroot_put(root, "/proc/self/cgroup", "0::/a/b\n");
	fakeroot_put(root, "/proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/b/memory.max", "max\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "max\n");
	assert_int_equal(rings_memory(root), 400000ull * 1024 / 4 * 3);
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.max", "8000000\n");
	fakeroot_put(root, "/sys/fs/cgroup/a/memory.current", "2000000\n");
	assert_int_equal(rings_memory(root), 4500000);
	fakeroot_remove(root);
}

static int shorten(void *data)
{
	static struct ssd_run_plan plan;
	uint64_t *memory_bytes = data, capacity[MIX_STREAMS] = {1 << 16, 0};
	bool is_short = false;

	plan.baselines = (struct baseline_plan){.cell_count = 1, .runs = 1};
	plan.workload.streams[MIX_LOG].workers = 1;
	rings_shorten(&plan, *memory_bytes, capacity, &is_short);
	/* Once said is enough. */
	rings_shorten(&plan, *memory_bytes / 2, capacity, &is_short);
	printf("%d %d", (int)capacity[MIX_LOG], is_short);
	return DIAG_EXIT_OK;
}

TEST("shortened rings are reported once")
{
	uint64_t memory_bytes = 64 * (1 << 17);
	struct said said;

	said = said_of(shorten, &memory_bytes);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_string_equal(said.out, "65536 0");
	assert_string_equal(said.err, "");
	memory_bytes = 64 * (1 << 14);
	said = said_of(shorten, &memory_bytes);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_string_equal(said.out, "8192 1");
	assert_non_null(strstr(said.err, "rings of records are shortened to 1 MiB"));
	assert_null(strstr(strchr(said.err, '\n') + 1, "shortened"));
	/* The smallest were tried before the first write. */
	memory_bytes = 64 * 4095;
	said = said_of(shorten, &memory_bytes);
	assert_string_equal(said.out, "4096 1");
	assert_non_null(strstr(said.err, "rings of records are shortened"));
}

TEST("a later run allows for the rate of earlier ones")
{
	struct engine_worker workers[2] = {{.stream = MIX_LOG, .ring = {.emitted = 90000, .dropped = 10000}},
		{.stream = MIX_CHECKPOINT, .ring = {.emitted = 100}}};
	const struct engine_result engine = {.workers = workers, .worker_count = 2, .end_ns = 10 * SECOND};
	uint64_t capacity[MIX_STREAMS] = {65536, 4096};

	assert_true(rings_raise(&engine, 10 * SECOND, capacity));
	assert_int_equal(capacity[MIX_LOG], 262144);
	assert_int_equal(capacity[MIX_CHECKPOINT], 4096);
	assert_false(rings_raise(&engine, 10 * SECOND, capacity));
}

struct check {
	struct ssd_run_plan plan;
	uint64_t memory_bytes;
};

static int check(void *data)
{
	const struct check *wanted = data;

	return rings_check(&wanted->plan, wanted->memory_bytes);
}

TEST("a run without memory for the smallest rings is refused")
{
	struct ssd_run_options options = {.record_ns = 10 * SECOND};
	struct check wanted = {.plan = {.options = &options}, .memory_bytes = 8 << 20};
	struct said said;

	wanted.plan.workload.streams[MIX_LOG] = (struct workload_stream){.workers = 1, .depth = 4, .block_bytes = 1 << 20};
	said = said_of(check, &wanted);
	assert_int_equal(said.status, DIAG_EXIT_OK);
	wanted.memory_bytes = 5 << 20;
	said = said_of(check, &wanted);
	assert_int_equal(said.status, DIAG_EXIT_HOST);
	assert_non_null(strstr(said.err, "of memory are needed"));
	/* Rings that are not to be need nothing. */
	options.record_ns = 0;
	said = said_of(check, &wanted);
	assert_int_equal(said.status, DIAG_EXIT_OK);
}
