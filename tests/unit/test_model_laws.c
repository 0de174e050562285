/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for each model, whatever is written on whatever machine. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/predict/predict.h"

#define MIB (1ull << 20)
#define NS 1e-9
#define ROUNDS 60

static struct system_point buffered_points[] = {{4096, {.value = 3000}}, {65536, {.value = 20000}},
	{MIB, {.value = 200000}}, {64 * MIB, {.value = 12800000}}};
static struct system_point sync_points[] = {{512, {.value = 100000}}, {4096, {.value = 110240}}};

static double between(struct rng *rng, double low, double high)
{
	return low * pow(high / low, rng_double(rng));
}

/* A machine as there are: the device slower or faster than the page cache, small and large thresholds. */
static void some_machine(struct rng *rng, struct system *system)
{
	struct system_value *values = system->parameters;
	double hard = between(rng, 16e6, 4e9);

	system_init(system);
	values[SYSTEM_BW_DEV].value = between(rng, 20e6, 8e9);
	values[SYSTEM_BW_SYNC].value = between(rng, 20e6, 8e9);
	values[SYSTEM_BW_CACHE_WARM].value = between(rng, 5e8, 2e10);
	values[SYSTEM_BW_CACHE_COLD].value = between(rng, 2e8, 5e8);
	values[SYSTEM_BW_CACHE_REWRITE].value = between(rng, 5e8, 2e10);
	values[SYSTEM_BW_RDEV].value = values[SYSTEM_BW_DEV].value;
	values[SYSTEM_BW_MEM].value = 1e10;
	values[SYSTEM_COEFF_BG].value = between(rng, 0.3, 1.2);
	values[SYSTEM_SC_W].value = between(rng, 100, 3000);
	values[SYSTEM_SC_SK].value = rng_below(rng, 2) ? 4000 : NAN;
	values[SYSTEM_BLOCK].value = 512;
	values[SYSTEM_FS_BLOCK].value = 4096;
	values[SYSTEM_LAT_RDEV].value = 50000;
	values[SYSTEM_LIB_METACOST].value = 20;
	values[SYSTEM_LIB_BUFFER].value = 4096;
	values[SYSTEM_LIMIT_HARD].value = hard;
	values[SYSTEM_LIMIT_BG].value = hard * rng_double(rng) * 1.1; /* now and then not below the limit */
	values[SYSTEM_DIRTY_EXPIRE].value = between(rng, 1e9, 30e9);
	values[SYSTEM_DIRTY_WRITEBACK].value = rng_below(rng, 4) ? 5e9 : 0;
	if (rng_below(rng, 2)) {
		values[SYSTEM_BW_SYNC_LATE].value = values[SYSTEM_BW_SYNC].value * between(rng, 0.1, 1);
		values[SYSTEM_SYNC_CACHE].value = between(rng, 1e6, 1e9);
	}
	values[SYSTEM_WARM_POOL].value = between(rng, 1e6, 1e9);
	system->curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 4, .points = buffered_points};
	for (int mode = OP_SYNC; mode < OP_MODES; mode++)
		system->curves[mode][OP_OVERWRITE] = (struct system_curve){.count = 2, .points = sync_points};
	for (int i = 0; i < SYSTEM_BANDS && rng_below(rng, 2); i++) {
		system->throttled[i].p10 = between(rng, 0.01, 1);
		system->throttled[i].p50 = system->throttled[i].p10 * between(rng, 1, 3);
		system->throttled[i].p90 = system->throttled[i].p50 * between(rng, 1, 10);
	}
}

static struct model_setup some_setup(struct rng *rng)
{
	return (struct model_setup){
		.mode = rng_below(rng, 3) ? OP_BUFFERED : (enum op_mode)rng_below(rng, OP_MODES),
		.regime = (enum op_regime)rng_below(rng, OP_REGIMES),
		.memory = (enum model_memory)rng_below(rng, 3),
		.dirty_bytes = rng_below(rng, 2) ? rng_below(rng, 3000 * MIB) : 0,
		.writeback_bytes = rng_below(rng, 2) ? rng_below(rng, 3000 * MIB) : 0,
		.is_detailed = rng_below(rng, 2),
		.control.ratelimit = rng_below(rng, 2) ? between(rng, 1e6, 1e9) : 0,
	};
}

static struct op some_write(struct rng *rng)
{
	struct op op = {.offset = rng_below(rng, 1000 * MIB), .size = 1 + rng_below(rng, 16 * MIB)};

	if (!rng_below(rng, 3))
		op.delay_ns = rng_below(rng, rng_below(rng, 20) ? 50000000 : 40000000000);
	if (!rng_below(rng, 4))
		op.size = 1 + rng_below(rng, 5000);
	return op;
}

static void check_cost(const struct model_cost *cost)
{
	double sum = cost->syscall_ns + cost->copy_ns + cost->throttle_ns + cost->device_ns;

	assert_true(cost->ns > 0 && isfinite(cost->ns));
	assert_true(fabs(sum - cost->ns) <= 1e-9 * fmax(1, cost->ns));
	assert_true(cost->syscall_ns >= 0 && cost->copy_ns >= 0 && cost->device_ns >= 0);
	assert_true(cost->throttle_ns >= -1e-6 * cost->ns - 1e-3);
	assert_true(cost->low_ns >= 0 && cost->low_ns <= cost->high_ns && isfinite(cost->high_ns));
	assert_true(cost->state == MODEL_THROTTLED || (cost->low_ns == cost->ns && cost->high_ns == cost->ns));
	assert_true(cost->typical_ns >= 0 && isfinite(cost->typical_ns));
	assert_true(cost->low_ns == cost->high_ns || (cost->low_ns <= cost->typical_ns && cost->typical_ns <= cost->high_ns));
	assert_true(cost->dirty_bytes >= 0 && cost->writeback_bytes >= 0);
}

/* Bytes are dirty, on their way, or on the device; and the device has not taken more than time allows. Each random
 * write may dirty all of its bytes or none. */
static void check_bytes(const struct system *system, const struct model_setup *setup, const struct model_cost *cost,
	double written, double seconds, bool is_append)
{
	double before = (double)setup->dirty_bytes + (double)setup->writeback_bytes;
	double there = cost->dirty_bytes + cost->writeback_bytes;
	double rate = fmax(system_get(system, SYSTEM_BW_DEV), system_get(system, SYSTEM_BW_SYNC));

	if (setup->mode != OP_BUFFERED)
		return;
	assert_true(there <= (before + written) * (1 + 1e-9));
	/* The paper's model knows no bytes on their way. */
	if (is_append)
		assert_true(there >= (double)setup->dirty_bytes + written - rate * seconds - 1 - 1e-6 * written);
}

static void run_one(struct rng *rng, const struct model_kind *kind, const struct system *system, bool is_append)
{
	struct model_setup setup = some_setup(rng);
	double seconds = 0, written = 0;
	uint64_t end = 0;
	const char *missing = NULL;
	void *model;
	int rc = kind->create(system, &setup, &model, &missing);

	if (rc) /* no seek time, and an equation has it */
		assert_true(rc == -ENODATA && missing);
	for (int i = 0; i < 300 && !rc; i++) {
		struct op op = some_write(rng);
		struct model_cost cost;

		if (is_append)
			op.offset = end;
		end = op.offset + op.size;
		assert_int_equal(kind->write(model, &op, &cost), 0);
		check_cost(&cost);
		seconds += ((double)op.delay_ns + cost.ns) * NS;
		written += (double)op.size;
		if (kind->has_cache)
			check_bytes(system, &setup, &cost, written, seconds, is_append);
	}
	if (!rc) {
		double left = kind->drain(model);

		assert_true(left >= 0 && isfinite(left));
		kind->free(model);
	}
}

TEST("every model returns costs and dirty bytes within its laws")
{
	struct rng rng;

	rng_seed(&rng, 11, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct system system;

		some_machine(&rng, &system);
		for (int i = 0; i < MODEL_KINDS; i++)
			run_one(&rng, model_kinds[i], &system, round % 2);
	}
}

/* Numbers that no machine has are refused, or give costs that are finite all the same. */
TEST("models keep their laws with any calibration file")
{
	static const double strange[] = {0, 1e-300, 1e-9, 0.5, 1, 7, 1e9, 1e18, 1e19, 1e300, NAN};
	struct rng rng;
	int refused = 0, accepted = 0;

	rng_seed(&rng, 12, 0);
	for (int round = 0; round < 3000; round++) {
		const struct model_kind *kind = model_kinds[rng_below(&rng, MODEL_KINDS)];
		struct model_setup setup = some_setup(&rng);
		const char *missing = NULL;
		struct system system;
		void *model;

		some_machine(&rng, &system);
		for (uint64_t i = rng_below(&rng, 3) + 1; i; i--)
			system.parameters[rng_below(&rng, SYSTEM_PARAMETERS)].value =
				strange[rng_below(&rng, sizeof(strange) / sizeof(strange[0]))];
		if (kind->create(&system, &setup, &model, &missing)) {
			assert_non_null(missing);
			refused++;
			continue;
		}
		accepted++;
		for (int i = 0; i < 10; i++) {
			struct op op = some_write(&rng);
			struct model_cost cost;

			assert_int_equal(kind->write(model, &op, &cost), 0);
			assert_true(cost.ns >= 0 && isfinite(cost.ns) && isfinite(cost.dirty_bytes));
		}
		assert_true(isfinite(kind->drain(model)));
		kind->free(model);
	}
	assert_true(refused > 100 && accepted > 100);
}

static double total(const struct system *system, const struct model_kind *kind, const struct model_setup *setup,
	const struct op *ops, size_t count, struct prediction *prediction)
{
	const struct predict_setup asked = {.kind = kind, .model = *setup};
	const char *missing;

	assert_int_equal(predict(system, &asked, ops, count, prediction, &missing), 0);
	return prediction->total_ns;
}

/* The same writes and each of them larger: in sum, with what is still to be written back, never cheaper. */
TEST("more bytes are never cheaper")
{
	struct rng rng;

	rng_seed(&rng, 13, 0);
	for (int round = 0; round < 2 * ROUNDS; round++) {
		const struct model_kind *kind = model_kinds[round % MODEL_KINDS];
		struct model_setup setup = {.mode = OP_BUFFERED, .memory = round % 2 ? MODEL_WARM : MODEL_COLD};
		struct prediction small, large;
		struct op ops[200];
		struct system system;
		double less, more;
		size_t count = sizeof(ops) / sizeof(ops[0]);
		uint64_t size = 1 + rng_below(&rng, 8 * MIB), factor = 2 + rng_below(&rng, 3);

		some_machine(&rng, &system);
		system.parameters[SYSTEM_BW_SYNC].value = system.parameters[SYSTEM_BW_DEV].value;
		for (size_t i = 0; i < count; i++)
			ops[i] = (struct op){0, i * size, size};
		less = total(&system, kind, &setup, ops, count, &small) + (kind->has_cache ? small.drain_ns : 0);
		for (size_t i = 0; i < count; i++)
			ops[i] = (struct op){0, i * size * factor, size * factor};
		more = total(&system, kind, &setup, ops, count, &large) + (kind->has_cache ? large.drain_ns : 0);
		if (!(more >= less * (1 - 1e-9)))
			fail_msg("round %d, %s: %.0f ns for %llu times as much as in %.0f ns", round, kind->name, more,
				(unsigned long long)factor, less);
		predict_free(&small);
		predict_free(&large);
	}
}

/* More writes behind the first ones change nothing of what these cost. */
TEST("later writes do not change earlier costs")
{
	struct rng rng;

	rng_seed(&rng, 14, 0);
	for (int round = 0; round < ROUNDS; round++) {
		const struct model_kind *kind = model_kinds[round % MODEL_KINDS];
		struct model_setup setup = {.mode = OP_BUFFERED};
		struct prediction first, all;
		struct op ops[200];
		struct system system;

		some_machine(&rng, &system);
		for (int i = 0; i < 200; i++)
			ops[i] = some_write(&rng);
		total(&system, kind, &setup, ops, 100, &first);
		assert_true(total(&system, kind, &setup, ops, 200, &all) >= first.total_ns);
		for (int i = 0; i < 100; i++)
			assert_true(first.costs[i].ns == all.costs[i].ns);
		predict_free(&first);
		predict_free(&all);
	}
}

/* A writer that never rests is held at the device's speed in the long run, wherever the rate limit began. */
TEST("long runs reach the speed of the device")
{
	struct rng rng;

	rng_seed(&rng, 15, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct system_value *values;
		struct model_setup setup = {.mode = OP_BUFFERED};
		struct prediction prediction;
		struct system system;
		struct op ops[1000];
		double tail = 0, rate;

		some_machine(&rng, &system);
		values = system.parameters;
		values[SYSTEM_BW_SYNC].value = rate = between(&rng, 50e6, 400e6);
		values[SYSTEM_BW_SYNC_LATE].value = NAN;
		values[SYSTEM_LIMIT_HARD].value = between(&rng, 200e6, 800e6);
		values[SYSTEM_LIMIT_BG].value = values[SYSTEM_LIMIT_HARD].value / 2;
		values[SYSTEM_COEFF_BG].value = 0.9;
		values[SYSTEM_BW_CACHE_WARM].value = 5e9;
		setup.is_detailed = round % 4 > 1;
		if (round % 2)
			setup.control.ratelimit = rate * between(&rng, 0.3, 3);
		for (uint64_t i = 0; i < 1000; i++)
			ops[i] = (struct op){0, i * 4 * MIB, 4 * MIB};
		total(&system, model_kind("kernel"), &setup, ops, 1000, &prediction);
		for (int i = 500; i < 1000; i++)
			tail += prediction.costs[i].ns * NS;
		tail = 500 * 4 * (double)MIB / tail / rate;
		if (!(tail > 0.97 && tail < 1.03))
			fail_msg("round %d: %.3f of the device's rate, from a limit of %.3f", round, tail,
				setup.control.ratelimit / rate);
		predict_free(&prediction);
	}
}

/* As printed there are no such laws, but an end and a number or none. */
TEST("cawl as printed terminates")
{
	struct rng rng;

	rng_seed(&rng, 16, 0);
	for (int round = 0; round < ROUNDS; round++) {
		struct model_setup setup = some_setup(&rng);
		const struct model_kind *kind = model_kind("cawl");
		const char *missing;
		struct system system;
		struct model_cost cost;
		void *model;

		some_machine(&rng, &system);
		setup.is_paper_literal = true;
		if (kind->create(&system, &setup, &model, &missing))
			continue;
		for (int i = 0; i < 300; i++) {
			struct op op = some_write(&rng);

			assert_int_equal(kind->write(model, &op, &cost), 0);
		}
		kind->free(model);
	}
}
