/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of a machine and a device whose costs are known: found again, or said to be unstable or unknown. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "iowrite-bench/calibrate/finish.h"
#include "tests/unit/fake_store.h"

#define MIB (1ull << 20)

struct tried {
	struct fake_store store;
	struct calibrate_hooks hooks;
	struct calibrate_plan plan;
	struct progress progress;
	struct rig rig;
	struct schedule schedule;
	struct system system;
};

static int setup(void **state)
{
	struct tried *tried = calloc(1, sizeof(*tried));

	assert_non_null(tried);
	fake_store_init(&tried->store);
	fake_store_hooks(&tried->store, &tried->hooks);
	tried->plan = (struct calibrate_plan){
		.runtime_ns = 60000000000u,
		.size_bytes = 1024 * MIB,
		.written_bytes = 64 * MIB,
		.max_bytes = 200ull << 30,
		.largest_bytes = 128 * MIB,
		.dirty_bytes = 256 * MIB,
		.cache_bytes = 1 * MIB,
		.fs_block = 4096,
		.align = 512,
		.has_direct = true,
		.has_append = true,
		.is_fed = true,
		.background_bytes = 400000000,
		.threshold_bytes = 800000000,
	};
	system_init(&tried->system);
	tried->system.parameters[SYSTEM_LIMIT_BG].value = 400e6;
	tried->system.parameters[SYSTEM_LIMIT_HARD].value = 800e6;
	tried->system.parameters[SYSTEM_DIRTY_EXPIRE].value = 30e9;
	tried->system.parameters[SYSTEM_DIRTY_WRITEBACK].value = 5e9;
	tried->system.parameters[SYSTEM_FS_BLOCK].value = 4096;
	*state = tried;
	return 0;
}

static int teardown(void **state)
{
	struct tried *tried = *state;

	rig_close(&tried->rig);
	schedule_free(&tried->schedule);
	system_free(&tried->system);
	free(tried);
	return 0;
}

static void calibrate(struct tried *tried)
{
	assert_int_equal(rig_open(&tried->hooks, &tried->plan, &tried->rig), 0);
	assert_int_equal(schedule_run(&tried->rig, &tried->progress, &tried->schedule), 0);
	assert_int_equal(finish(&tried->rig, &tried->schedule, &tried->system), 0);
}

static void assert_value(const struct system_value *value, const char *name, double wanted, double relative)
{
	if (!(fabs(value->value - wanted) <= relative * wanted))
		fail_msg("%s: %.6g, wanted %.6g", name, value->value, wanted);
	if (!(value->low <= value->value && value->value <= value->high))
		fail_msg("%s: not %.6g <= %.6g <= %.6g", name, value->low, value->value, value->high);
	if (value->unstable[0])
		fail_msg("%s: %s", name, value->unstable);
}

static void assert_parameter(const struct tried *tried, enum system_parameter parameter, double wanted, double relative)
{
	assert_value(&tried->system.parameters[parameter], system_row(parameter)->name, wanted, relative);
}

static void assert_all(const struct tried *tried, double relative)
{
	const struct fake_store *store = &tried->store;

	assert_parameter(tried, SYSTEM_BW_MEM, 20e9, relative);
	assert_parameter(tried, SYSTEM_BW_MEM_L2, 20e9, relative);
	assert_parameter(tried, SYSTEM_BW_MEM_DRAM, 20e9, relative);
	assert_parameter(tried, SYSTEM_BW_CACHE_WARM, 1e9 / 0.18, relative);
	assert_parameter(tried, SYSTEM_BW_CACHE_COLD, 1e9 / 2.2, relative);
	assert_parameter(tried, SYSTEM_BW_CACHE_REWRITE, 1e9 / 0.07, relative);
	assert_parameter(tried, SYSTEM_COEFF_BG, 0.8, relative);
	assert_parameter(tried, SYSTEM_BW_DEV, 1e9 / 0.8, relative);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, relative);
	assert_parameter(tried, SYSTEM_BW_RDEV, 1e9 / 0.5, relative + 0.02);
	assert_parameter(tried, SYSTEM_LAT_RDEV, 60000 + 2048, relative);
	assert_parameter(tried, SYSTEM_SC_W, store->rewrite.fixed_ns, relative);
	assert_parameter(tried, SYSTEM_SC_SK, store->seek_ns, 3 * relative);
	assert_parameter(tried, SYSTEM_LAT_RMW, store->edge_ns, 4 * relative);
	assert_parameter(tried, SYSTEM_LIB_METACOST, store->lib_ns, 3 * relative);
	assert_parameter(tried, SYSTEM_LIB_BUFFER, 4096, 0);
	assert_parameter(tried, SYSTEM_LIB_FIRST, 1, 0);
	assert_parameter(tried, SYSTEM_WARM_POOL, 120 * MIB, 0.05);
	assert_true(tried->system.parameters[SYSTEM_CLOCK].value == 20);
}

/* is_exact: without noise, so that no break is found in it. */
static void assert_curves(const struct tried *tried, double relative, bool is_exact)
{
	for (int i = OP_REGIMES; i < OP_MODES * OP_REGIMES; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		const struct fake_line *line = &tried->store.device[mode][regime];
		const struct system_curve *curve = &tried->system.curves[mode][regime];
		char name[SYSTEM_CURVE_NAME];

		system_curve_name(mode, regime, name);
		assert_in_range(curve->count, 8, 14);
		for (size_t k = 0; k < curve->count; k++)
			assert_value(&curve->points[k].ns, name,
				line->fixed_ns + line->ns_per_byte * (double)curve->points[k].size, relative);
		if (!is_exact)
			continue;
		assert_int_equal(curve->segment_count, 1);
		assert_true(fabs(curve->segments[0].fixed_ns - line->fixed_ns) < 2 * relative * line->fixed_ns);
		assert_true(fabs(curve->segments[0].ns_per_byte - line->ns_per_byte) < 4 * relative * line->ns_per_byte);
	}
}

static void known_costs_are_found(void **state)
{
	struct tried *tried = *state;

	calibrate(tried);
	assert_all(tried, 0.015);
	assert_curves(tried, 0.002, true);
	/* All was known long before the time was over: three blocks ten seconds from each other. */
	assert_false(tried->schedule.is_late);
	assert_in_range(tried->schedule.end_ns - tried->schedule.begin_ns, 10000000000u, 40000000000u);
	for (size_t i = 0; i < probe_count; i++)
		assert_true(tried->schedule.rows[i].turns >= 3 || tried->schedule.rows[i].state == SCHEDULE_LACKING);
}

static void noise_is_averaged_out(void **state)
{
	struct tried *tried = *state;

	tried->store.noise = 0.05;
	calibrate(tried);
	assert_all(tried, 0.05);
	assert_curves(tried, 0.06, false);
}

static size_t count_unstable(const struct system_curve *curve)
{
	size_t count = 0;

	for (size_t i = 0; i < curve->count; i++)
		count += curve->points[i].ns.unstable[0] != '\0';
	return count;
}

/* Within a block all is quiet; only the blocks see it. */
static void drift_is_unstable(void **state)
{
	struct tried *tried = *state;
	const struct system_curve *curve;

	tried->plan.runtime_ns *= 4;
	tried->plan.max_bytes = 1ull << 50;
	tried->store.drift = 0.5;
	tried->store.others = 0.4;
	calibrate(tried);
	curve = &tried->system.curves[OP_DIRECT][OP_APPEND];
	assert_true(count_unstable(curve) > curve->count / 2);
	assert_non_null(strstr(tried->system.parameters[SYSTEM_SC_W].unstable, "off by up to"));
	assert_non_null(strstr(tried->system.parameters[SYSTEM_SC_W].unstable, "others wanted the CPUs 40 %"));
}

static void a_cap_is_respected(void **state)
{
	struct tried *tried = *state;

	tried->plan.max_bytes = 700 * MIB;
	calibrate(tried);
	assert_true(tried->store.written <= 700 * MIB);
	assert_true(tried->store.written > 500 * MIB);
	assert_false(tried->schedule.is_failed);
	assert_true(isnan(system_get(&tried->system, SYSTEM_BW_SYNC)));
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable,
		"more bytes than --max-bytes would have been written");
	assert_true(isfinite(system_get(&tried->system, SYSTEM_LIB_METACOST)));
}

static void the_time_is_respected(void **state)
{
	struct tried *tried = *state;

	tried->plan.runtime_ns = 1000000000u;
	calibrate(tried);
	assert_true(tried->schedule.is_late);
	assert_in_range(tried->schedule.end_ns - tried->schedule.begin_ns, 1000000000u, 4000000000u);
	assert_true(isfinite(system_get(&tried->system, SYSTEM_BW_MEM)));
	assert_string_equal(tried->system.parameters[SYSTEM_SC_W].unstable, "measured in 1 of 3 blocks");
}

static void a_failing_write_ends_it(void **state)
{
	struct tried *tried = *state;

	tried->store.fail_at = 300 * MIB;
	tried->store.fail_error = EIO;
	calibrate(tried);
	assert_true(tried->schedule.is_failed);
	assert_true(tried->store.written <= 300 * MIB);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable, "the calibration failed before");
}

static void a_signal_ends_it(void **state)
{
	struct tried *tried = *state;

	tried->store.stop_at_ns = 2000000000u;
	calibrate(tried);
	assert_true(tried->schedule.is_interrupted);
	assert_false(tried->schedule.is_failed);
	assert_true(tried->store.now_ns < 4e9);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable, "the calibration was interrupted before");
}

static void what_cannot_be_is_not_tried(void **state)
{
	struct tried *tried = *state;
	const struct system *system = &tried->system;

	tried->plan.has_direct = false;
	tried->plan.size_bytes = 512 * MIB;
	tried->store.warm_pool = tried->store.pool_left = 8192 * MIB;
	calibrate(tried);
	assert_true(isnan(system_get(system, SYSTEM_BW_DEV)));
	assert_string_equal(system->parameters[SYSTEM_BW_DEV].unstable, "O_DIRECT does not reach a device here");
	assert_string_equal(system->curves[OP_DIRECT][OP_APPEND].unknown, "O_DIRECT does not reach a device here");
	assert_string_equal(system->parameters[SYSTEM_BW_CACHE_COLD].unstable,
		"no memory was met that is slower than warm memory");
	assert_string_equal(system->throttled_unknown,
		"throttling begins beyond --size: give --stage as root, or a larger --size");
	assert_true(system->curves[OP_SYNC][OP_APPEND].count > 0);
}

static void a_device_does_not_grow(void **state)
{
	struct tried *tried = *state;

	tried->plan.has_append = false;
	tried->store.file_bytes = tried->store.device_bytes = tried->plan.size_bytes;
	calibrate(tried);
	assert_string_equal(tried->system.curves[OP_SYNC][OP_APPEND].unknown, "a device does not grow");
	assert_string_equal(tried->system.curves[OP_DIRECT][OP_PREALLOCATED].unknown, "a device does not grow");
	assert_true(tried->store.file_bytes == tried->plan.size_bytes);
	assert_parameter(tried, SYSTEM_BW_DEV, 1e9 / tried->store.device[OP_DIRECT][OP_OVERWRITE].ns_per_byte, 0.02);
	assert_true(tried->system.curves[OP_DIRECT][OP_OVERWRITE].count > 0);
}

/* A writer that is held to the device's bandwidth: the bands are around what the model says. */
static void the_stage_gives_bands(void **state)
{
	struct tried *tried = *state;

	tried->plan.is_staged = true;
	tried->plan.size_bytes = 2048 * MIB;
	calibrate(tried);
	assert_int_equal(tried->store.thresholds_set, 1);
	assert_int_equal(tried->store.thresholds.threshold, 800000000);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, 0.03);
	assert_parameter(tried, SYSTEM_COEFF_BG, 0.8, 0.03);
	for (int i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &tried->system.throttled[i];

		assert_true(band->p10 > 0 && band->p10 <= band->p50 && band->p50 <= band->p90);
		assert_true(band->p50 > 0.5 && band->p50 < 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(known_costs_are_found, setup, teardown),
		cmocka_unit_test_setup_teardown(noise_is_averaged_out, setup, teardown),
		cmocka_unit_test_setup_teardown(drift_is_unstable, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cap_is_respected, setup, teardown),
		cmocka_unit_test_setup_teardown(the_time_is_respected, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failing_write_ends_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_signal_ends_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_is_not_tried, setup, teardown),
		cmocka_unit_test_setup_teardown(a_device_does_not_grow, setup, teardown),
		cmocka_unit_test_setup_teardown(the_stage_gives_bands, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
