/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equations and algorithms against numbers computed by hand or by another program, and laws that hold for any. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "common/hot/rng.h"
#include "iowrite-bench/predict/predict.h"

#define MIB (1ull << 20)

static struct system_point warm_points[] = {{4096, {.value = 3000}}, {65536, {.value = 20000}},
	{MIB, {.value = 200000}}, {64 * MIB, {.value = 12800000}}};
static struct system_point sync_points[] = {{512, {.value = 100000}}, {4096, {.value = 110240}}};

static void set(struct system *system, enum system_parameter parameter, double value)
{
	system->parameters[parameter].value = value;
}

static void known_system(struct system *system)
{
	system_init(system);
	set(system, SYSTEM_BW_DEV, 100e6);
	set(system, SYSTEM_BW_SYNC, 100e6);
	set(system, SYSTEM_BW_CACHE_WARM, 1e9);
	set(system, SYSTEM_BW_CACHE_COLD, 0.5e9);
	set(system, SYSTEM_BW_CACHE_REWRITE, 2e9);
	set(system, SYSTEM_BW_RDEV, 200e6);
	set(system, SYSTEM_BW_MEM, 10e9);
	set(system, SYSTEM_COEFF_BG, 0.9);
	set(system, SYSTEM_SC_W, 1000);
	set(system, SYSTEM_SC_SK, 5000);
	set(system, SYSTEM_BLOCK, 512);
	set(system, SYSTEM_FS_BLOCK, 4096);
	set(system, SYSTEM_LAT_RDEV, 50000);
	set(system, SYSTEM_LIB_METACOST, 20);
	set(system, SYSTEM_LIB_BUFFER, 4096);
	set(system, SYSTEM_LIMIT_BG, 100e6);
	set(system, SYSTEM_LIMIT_HARD, 300e6);
	set(system, SYSTEM_DIRTY_EXPIRE, 30e9);
	set(system, SYSTEM_DIRTY_WRITEBACK, 5e9);
	system->curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 4, .points = warm_points};
	for (int mode = OP_SYNC; mode < OP_MODES; mode++) {
		system->curves[mode][OP_APPEND] = (struct system_curve){.count = 2, .points = sync_points,
			.segment_count = 1, .segments = {{0, 100000, 2.5}}};
		system->curves[mode][OP_OVERWRITE] = system->curves[mode][OP_APPEND];
	}
}

struct asked {
	struct system system;
	struct model_setup setup;
	const struct model_kind *kind;
	void *model;
};

static void ask(struct asked *asked, const char *kind, struct model_setup setup)
{
	const char *missing = NULL;

	known_system(&asked->system);
	asked->setup = setup;
	asked->kind = model_kind(kind);
	assert_int_equal(asked->kind->create(&asked->system, &asked->setup, &asked->model, &missing), 0);
}

static struct model_cost answer(struct asked *asked, uint64_t delay_ns, uint64_t offset, uint64_t size)
{
	struct op op = {delay_ns, offset, size};
	struct model_cost cost;

	assert_int_equal(asked->kind->write(asked->model, &op, &cost), 0);
	return cost;
}

static void assert_near(double value, double wanted, double relative)
{
	if (!(fabs(value - wanted) <= relative * fabs(wanted)))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

static void naive_is_size_by_bandwidth(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "naive", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 4096).ns, 40960, 1e-12);
	assert_near(answer(&asked, 99, 7, 64 * MIB).ns, 671088640, 1e-12);
	asked.kind->free(asked.model);
}

static void equation_2(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "cawl", (struct model_setup){.mode = OP_DIRECT_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 0, 4096).ns, 100000 + 40960, 1e-12);
	assert_near(answer(&asked, 0, 4096, 1000000).ns, 100000 + 1e7, 1e-12);
	/* Elsewhere than where the last one ended. */
	assert_near(answer(&asked, 0, 0, 4096).ns, 100000 + 5000 + 40960, 1e-12);
	asked.kind->free(asked.model);
}

static void equation_3(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "cawl", (struct model_setup){.mode = OP_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 0, 1024).ns, 100000 + 1024 + 10240, 1e-12);
	/* 1000 = 512 + 488: a block is read and written more. */
	assert_near(answer(&asked, 0, 1024, 1000).ns, 100000 + 1000 + 5120 + 2560 + 5120, 1e-12);
	asked.kind->free(asked.model);
}

/* The five costs are another program's, blocks in a plain queue: free, free, background, throttled, throttled. */
static void algorithm_1_as_printed(void **state)
{
	static const double wanted[] = {50001000, 100001000, 166667666.66666666, 17430132.92429554, 70771741.22152364};
	static const double dirty[] = {50000000, 139999900, 273333133.3333333, 281590120.04090375,
		304512945.91875136};
	static const uint64_t sizes[] = {50000000, 100000000, 150000000, 10000000, 30000000};
	static const enum model_state states[] = {MODEL_FREE, MODEL_FREE, MODEL_BACKGROUND, MODEL_THROTTLED,
		MODEL_THROTTLED};
	struct model_cost cost;
	struct asked asked;
	uint64_t offset = 0;

	(void)state;
	ask(&asked, "cawl", (struct model_setup){.is_paper_literal = true});
	for (int i = 0; i < 5; i++) {
		cost = answer(&asked, 0, offset, sizes[i]);
		assert_near(cost.ns, wanted[i], 1e-7);
		assert_near(cost.dirty_bytes, dirty[i], 1e-7);
		assert_int_equal(cost.state, states[i]);
		offset += sizes[i];
	}
	/* Beyond the hard limit the printed rate is negative. */
	assert_true(answer(&asked, 0, offset, 10000000).ns < 0);
	asked.kind->free(asked.model);
}

/* A second of delay lets the device write 100 MB, as long as there is something above the threshold. */
static void delays_are_flushed(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "cawl", (struct model_setup){.is_paper_literal = true});
	answer(&asked, 0, 0, 90000000);
	assert_near(answer(&asked, 1000000000, 90000000, 1).dirty_bytes, 90000001, 1e-12);
	answer(&asked, 0, 90000001, 50000000);
	/* 140 MB less the flushes of the write itself and of 0.1 s, in which 10 MB go. */
	assert_near(answer(&asked, 100000000, 140000001, 1).dirty_bytes,
		140000002 - 100e6 * (0.05 + 1e-6 + 0.1 + 1e-6 + 1e-9), 1e-6);
	asked.kind->free(asked.model);
}

/* With clamps and steps nothing is negative or unbounded, also where the printed text breaks down: 64 MiB writes into
 * a window of 128 MiB. Long runs go at the speed of the device. */
static void limits_hold(const char *kind)
{
	struct asked asked;
	double total = 0, written = 0;

	ask(&asked, kind, (struct model_setup){0});
	set(&asked.system, SYSTEM_LIMIT_BG, 64 * (double)MIB);
	set(&asked.system, SYSTEM_LIMIT_HARD, 128 * (double)MIB);
	asked.kind->free(asked.model);
	assert_int_equal(asked.kind->create(&asked.system, &asked.setup, &asked.model, &(const char *){NULL}), 0);
	for (uint64_t i = 0; i < 64; i++) {
		struct model_cost cost = answer(&asked, 0, i * 64 * MIB, 64 * MIB);

		assert_true(cost.ns > 0 && isfinite(cost.ns));
		assert_near(cost.syscall_ns + cost.copy_ns + cost.throttle_ns + cost.device_ns, cost.ns, 1e-9);
		assert_true(cost.low_ns <= cost.ns && cost.ns <= cost.high_ns);
		assert_true(cost.dirty_bytes + cost.writeback_bytes <= 128 * (double)MIB * 1.5);
		total += cost.ns;
		written += 64 * (double)MIB;
	}
	/* All but what may stay dirty has gone to the device, and no faster than it can. */
	assert_true(total >= (written - 192 * (double)MIB) / 100e6 * 1e9);
	assert_true(total <= written / 100e6 * 1e9 * 1.05);
	asked.kind->free(asked.model);
}
static void cawl_is_bounded(void **state)
{
	(void)state;
	limits_hold("cawl");
}
static void kernel_is_bounded(void **state)
{
	(void)state;
	limits_hold("kernel");
}

static void kernel_below_freerun_is_the_table(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "kernel", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 4096).ns, 3000, 1e-12);
	assert_near(answer(&asked, 0, 4096, 65536).ns, 20000, 1e-12);
	/* Half way between two sizes of the table, in logarithms. */
	assert_near(answer(&asked, 0, 1 * MIB, 16384).ns, sqrt(3000.0 * 20000.0), 1e-12);
	/* Over cached pages: 2 GB/s. */
	assert_near(answer(&asked, 0, 0, 4096).ns, 2048, 1e-12);
	asked.kind->free(asked.model);
}

static void cold_memory_costs_more(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "kernel", (struct model_setup){.memory = MODEL_COLD});
	assert_near(answer(&asked, 0, 0, MIB).ns, (double)MIB / 0.5e9 * 1e9, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "kernel", (struct model_setup){.memory = MODEL_AS_IS});
	asked.kind->free(asked.model);
	set(&asked.system, SYSTEM_WARM_POOL, 2.0 * (double)MIB);
	assert_int_equal(asked.kind->create(&asked.system, &asked.setup, &asked.model, &(const char *){NULL}), 0);
	assert_near(answer(&asked, 0, 0, MIB).ns, 200000, 1e-12);
	assert_near(answer(&asked, 0, MIB, 2 * MIB).ns, 200000.0 * 1.0 + (double)MIB / 0.5, 0.05);
	assert_near(answer(&asked, 0, 3 * MIB, MIB).ns, (double)MIB / 0.5, 1e-12);
	asked.kind->free(asked.model);
}

/* What is dirty already is no news to the throttle: only the table's cost. */
static void rewrites_are_not_throttled(void **state)
{
	struct asked asked;
	struct model_cost cost = {0};

	(void)state;
	ask(&asked, "kernel", (struct model_setup){0});
	for (uint64_t i = 0; i < 400; i++)
		cost = answer(&asked, 0, i * MIB, MIB);
	assert_int_equal(cost.state, MODEL_THROTTLED);
	assert_true(cost.throttle_ns > 0);
	cost = answer(&asked, 0, 399 * MIB, 4096);
	assert_true(cost.throttle_ns == 0);
	asked.kind->free(asked.model);
}

/* A block that is written in part is read first, unless it is cached: none, one or two edges. */
static void partial_blocks_are_read(void **state)
{
	struct asked asked;
	double table;

	(void)state;
	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_OVERWRITE});
	table = answer(&asked, 0, 0, 4096).ns;
	assert_near(table, 110240, 1e-12);
	/* 5000: not where the last one ended. */
	assert_near(answer(&asked, 0, 8192 + 1536, 4096).ns, table + 2 * 50000 + 5000, 1e-12);
	assert_near(answer(&asked, 0, 8192 + 1536, 4096).ns, table + 5000, 1e-12);
	assert_near(answer(&asked, 0, 8192 + 4096 + 1536, 4096).ns, table + 50000, 1e-12);
	assert_near(answer(&asked, 0, 40960 + 1, 512).ns, 100000 + 50000 + 5000, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 1536, 4096).ns, table, 1e-12);
	asked.kind->free(asked.model);
}

/* Data of 30 s is written whole at the next look: then nothing is dirty. */
static void old_data_is_written(void **state)
{
	struct asked asked;

	(void)state;
	ask(&asked, "kernel", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 10 * MIB).dirty_bytes, 10 * (double)MIB, 1e-12);
	assert_near(answer(&asked, 29000000000, 10 * MIB, 4096).dirty_bytes, 10 * (double)MIB + 4096, 1e-12);
	assert_near(answer(&asked, 7000000000, 20 * MIB, 4096).dirty_bytes, 4096, 1e-12);
	asked.kind->free(asked.model);
}

/* --- the libc's buffer: which write(2) calls come out --- */

struct calls {
	uint64_t offsets[16], sizes[16];
	size_t count;
};

static int record(void *model, const struct op *op, struct model_cost *cost)
{
	struct calls *calls = model;

	assert_true(calls->count < 16);
	calls->offsets[calls->count] = op->offset;
	calls->sizes[calls->count++] = op->size;
	*cost = (struct model_cost){.ns = 1000, .low_ns = 1000, .high_ns = 1000, .syscall_ns = 1000};
	return 0;
}

static void assert_calls(const char *policy_name, uint64_t size, int times, const char *wanted)
{
	const struct model_kind kind = {.write = record};
	const struct stdio_policy *policy = stdio_policies;
	struct system system;
	struct calls calls = {.count = 0};
	struct model_cost cost;
	const char *missing;
	struct stdio stdio;
	char text[256] = "";

	while (strcmp(policy->name, policy_name))
		policy++;
	known_system(&system);
	assert_int_equal(stdio_init(&stdio, policy, 0, &system, &kind, &calls, &missing), 0);
	for (int i = 0; i < times; i++) {
		struct op op = {0, (uint64_t)i * size, size};

		assert_int_equal(stdio_write(&stdio, &op, &cost), 0);
	}
	assert_int_equal(stdio_flush(&stdio, &cost), 0);
	for (size_t i = 0; i < calls.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%llu@%llu", i ? " " : "",
			(unsigned long long)calls.sizes[i], (unsigned long long)calls.offsets[i]);
	assert_string_equal(text, wanted);
}

/* As strace shows them of glibc 2.36. */
static void stdio_calls(void **state)
{
	(void)state;
	assert_calls("glibc", 1000, 5, "4096@0 904@4096");
	assert_calls("glibc", 4096, 3, "4096@0 4096@4096 4096@8192");
	assert_calls("glibc", 16384, 2, "16384@0 4096@16384 12288@20480");
	assert_calls("glibc", 5000, 3, "4096@0 4096@4096 4096@8192 2712@12288");
	assert_calls("musl", 3000, 2, "6000@0");
	assert_calls("unbuffered", 10, 3, "10@0 10@10 10@20");
}

/* Algorithm 2: a call that only copies costs l_lib + size / B_mem; the one that fills pays for the flush. */
static void stdio_costs(void **state)
{
	struct calls calls = {.count = 0};
	const struct model_kind kind = {.write = record};
	struct system system;
	struct model_cost cost;
	const char *missing;
	struct stdio stdio;

	(void)state;
	known_system(&system);
	stdio_init(&stdio, &stdio_policies[0], 0, &system, &kind, &calls, &missing);
	stdio_write(&stdio, &(struct op){0, 0, 3000}, &cost);
	assert_near(cost.ns, 20 + 300, 1e-12);
	stdio_write(&stdio, &(struct op){0, 3000, 3000}, &cost);
	assert_near(cost.ns, 20 + 109.6 + 1000 + 190.4, 1e-12);
	/* fseek writes what is held, then the write is copied. */
	stdio_write(&stdio, &(struct op){0, 100000, 100}, &cost);
	assert_near(cost.ns, 20 + 1000 + 10, 1e-12);
	assert_int_equal(calls.count, 2);
	assert_int_equal(calls.offsets[1], 4096);
	assert_int_equal(calls.sizes[1], 1904);
}

static void missing_parameters_are_named(void **state)
{
	struct system system;
	struct model_setup setup = {.mode = OP_BUFFERED};
	const char *missing = NULL;
	void *model;

	(void)state;
	known_system(&system);
	set(&system, SYSTEM_COEFF_BG, NAN);
	assert_int_equal(model_kind("cawl")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "coeff_bg");
	assert_int_equal(model_kind("kernel")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "coeff_bg");
	set(&system, SYSTEM_BW_DEV, NAN);
	assert_int_equal(model_kind("naive")->create(&system, &setup, &model, &missing), -ENODATA);
	assert_string_equal(missing, "bw_dev");
	assert_null(model_kind("other"));
}

/* Any sequence: costs above zero and finite, split complete, bytes neither lost nor made. */
static void laws_of_any_sequence(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 3, 0);
	for (int round = 0; round < 40; round++) {
		struct asked asked;
		struct model_cost cost;
		double total = 0, passed = 0;

		ask(&asked, round % 2 ? "kernel" : "cawl", (struct model_setup){.memory = round % 3});
		set(&asked.system, SYSTEM_WARM_POOL, 50e6);
		for (int i = 0; i < 300; i++) {
			uint64_t size = 1 + rng_below(&rng, 8 * MIB), delay = rng_below(&rng, 50000000);

			cost = answer(&asked, delay, rng_below(&rng, 500 * MIB), size);
			assert_true(cost.ns > 0 && isfinite(cost.ns));
			assert_near(cost.syscall_ns + cost.copy_ns + cost.throttle_ns + cost.device_ns, cost.ns, 1e-9);
			assert_true(cost.throttle_ns > -1 && cost.copy_ns >= 0);
			total += (double)size;
			passed += cost.ns + (double)delay;
			/* Not more than was written, and the device has taken what time allows. */
			assert_true(cost.dirty_bytes + cost.writeback_bytes <= total);
			assert_true(total - cost.dirty_bytes - cost.writeback_bytes >= 0);
		}
		assert_true(asked.kind->drain(asked.model) >= 0);
		asked.kind->free(asked.model);
		(void)passed;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(naive_is_size_by_bandwidth),
		cmocka_unit_test(equation_2),
		cmocka_unit_test(equation_3),
		cmocka_unit_test(algorithm_1_as_printed),
		cmocka_unit_test(delays_are_flushed),
		cmocka_unit_test(cawl_is_bounded),
		cmocka_unit_test(kernel_is_bounded),
		cmocka_unit_test(kernel_below_freerun_is_the_table),
		cmocka_unit_test(cold_memory_costs_more),
		cmocka_unit_test(rewrites_are_not_throttled),
		cmocka_unit_test(partial_blocks_are_read),
		cmocka_unit_test(old_data_is_written),
		cmocka_unit_test(stdio_calls),
		cmocka_unit_test(stdio_costs),
		cmocka_unit_test(missing_parameters_are_named),
		cmocka_unit_test(laws_of_any_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
