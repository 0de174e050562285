/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A round is explained as predict would predict the same writes: by the libc's rules, whatever its buffer's size is. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/run/result.h"
#include "tests/unit/fake_system.h"

#define WRITES 4

static void explain_writes(const struct run_cell *cell, uint64_t size, const struct system *system, struct explain *explain)
{
	const struct dirty_state before = {.background_threshold = 4000000000u, .threshold = 8000000000u};
	struct write_record records[WRITES];

	for (uint64_t i = 0; i < WRITES; i++)
		records[i] = (struct write_record){.offset = i * size, .size = size, .write_ns = 1000};
	explain_init(explain, system, cell, MODEL_WARM);
	explain_add(explain, &before, records, WRITES / 2);
	explain_add(explain, &before, records + WRITES / 2, WRITES / 2);
	explain_end_round(explain);
}

static double predicted_ns(const struct system *system, uint64_t size, const struct stdio_policy *policy, uint64_t buffer)
{
	struct predict_setup setup = {.kind = model_kind("kernel"), .policy = policy,
		.buffer_bytes = buffer};
	struct prediction prediction;
	struct op ops[WRITES];
	const char *missing;
	double total;

	for (uint64_t i = 0; i < WRITES; i++)
		ops[i] = (struct op){0, i * size, size};
	assert_int_equal(predict(system, &setup, ops, WRITES, &prediction, &missing), 0);
	total = prediction.total_ns;
	predict_free(&prediction);
	return total;
}

TEST("the explained calls are those that a run makes")
{
	static const struct {
		const char *method;
		struct run_buffer buffer;
		const char *policy; /* NULL = write(2), "" = this libc's */
	} ways[] = {
		{"pwrite", {METHOD_LIBC_DEFAULT, 0}, NULL},
		{"fwrite", {METHOD_LIBC_DEFAULT, 0}, ""},
		{"fwrite", {METHOD_FULL, 16384}, ""},
		{"fwrite", {METHOD_UNBUFFERED, 0}, "unbuffered"},
	};
	static const uint64_t sizes[] = {512, 16384, 40000};
	struct explain explain;
	struct system system;
	struct iow_cost_split_values split;

	fake_system(&system);
	for (size_t i = 0; i < 12; i++) {
		const char *policy = ways[i / 3].policy;
		const struct run_cell cell = {.method = method_of(ways[i / 3].method), .sync = method_sync_of("none"),
			.buffer = ways[i / 3].buffer};
		double wanted = predicted_ns(&system, sizes[i % 3],
			!policy ? NULL : *policy ? stdio_policy(policy) : stdio_policy_here(), cell.buffer.bytes);

		assert_true(explain_can(&cell, 1, 1));
		explain_writes(&cell, sizes[i % 3], &system, &explain);
		if (!(fabs(explain.sum.ns - wanted) < 1e-6))
			fail_msg("%s of %d by the buffer %d: %.12g, wanted %.12g", cell.method->name, (int)sizes[i % 3],
				(int)cell.buffer.bytes, explain.sum.ns, wanted);
		assert_true(explain_split(&explain, &split));
		assert_int_equal(explain.measured_ns, 1000 * WRITES);
	}
}

#ifdef __GLIBC__
/* As strace shows of glibc 2.36: with a buffer of 16384 by setvbuf(3) the first fwrite of 40000 is one write of 32768. */
TEST("the first goes past a buffer that was given")
{
	const struct run_cell cell = {.method = method_of("fwrite"), .sync = method_sync_of("none"),
		.buffer = {METHOD_FULL, 16384}};
	const struct dirty_state before = {.background_threshold = 4000000000u, .threshold = 8000000000u};
	const struct write_record record = {.size = 40000, .write_ns = 1000};
	struct explain explain;
	struct system system;

	fake_system(&system);
	explain_init(&explain, &system, &cell, MODEL_WARM);
	explain_add(&explain, &before, &record, 1);
	assert_int_equal(explain.stdio.held, 40000 - 32768);
	assert_true(fabs(explain.sum.ns - (system_cost_ns(&system, OP_BUFFERED, OP_APPEND, 32768) + 20 + 723.2)) < 1e-6);
	explain_end_round(&explain);
}
#endif

/* What was written before is in the cache: parts of blocks cost no read, new memory neither. */
TEST("overwriting is in the cache")
{
	const struct run_cell cell = {.method = method_of("pwrite"), .sync = method_sync_of("none"), .regime = OP_OVERWRITE};
	struct explain warm, cold;
	struct system system;

	fake_system(&system);
	explain_writes(&cell, 4096, &system, &warm);
	assert_true(warm.setup.is_cached);
	explain_init(&cold, &system, &cell, MODEL_COLD);
	explain_add(&cold, &(struct dirty_state){.threshold = 8000000000u, .background_threshold = 4000000000u},
		&(struct write_record){.size = 4 * 4096, .write_ns = 1}, 1);
	explain_end_round(&cold);
	assert_true(fabs(cold.sum.ns - 4 * 4096 / 7e9 * 1e9) < 1e-6);
}

TEST("what no model knows")
{
	struct run_cell cell = {.method = method_of("pwrite"), .sync = method_sync_of("none")};
	struct explain explain;
	struct system system;
	struct iow_cost_split_values split;

	assert_true(explain_can(&cell, 1, 1));
	assert_false(explain_can(&cell, 2, 1));
	cell.mode = OP_SYNC;
	assert_false(explain_can(&cell, 1, 1));
	cell.mode = OP_BUFFERED;
	cell.sync = method_sync_of("fsync");
	assert_false(explain_can(&cell, 1, 1));
	cell.sync = method_sync_of("none");
	cell.method = method_of("mmap");
	assert_false(explain_can(&cell, 1, 1));
	cell.method = method_of("pwrite");
	fake_system(&system);
	system.parameters[SYSTEM_DIRTY_EXPIRE].value = NAN;
	explain_writes(&cell, 4096, &system, &explain);
	assert_false(explain_split(&explain, &split));
	assert_string_equal(explain.missing, "dirty_expire");
	explain_writes(&cell, 4096, NULL, &explain);
	assert_false(explain_split(&explain, &split));
}
