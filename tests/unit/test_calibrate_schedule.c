/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration of a machine and a device whose costs are known: found again, or said to be unstable. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/calibrate_tried.h"

#include <string.h>

#include "iowrite-bench/predict/predict.h"

static void assert_all(const struct tried *tried, double relative)
{
	const struct store *store = &tried->store;

	assert_parameter(tried, SYSTEM_BW_MEM, 20e9, relative);
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

/* Over what was written by writes of the same size. */
static void assert_rewrites(const struct tried *tried)
{
	const struct system_curve *curve = &tried->system.curves[OP_BUFFERED][OP_OVERWRITE];
	const struct fake_line *line = &tried->store.rewrite;

	assert_true(curve->count > 10);
	for (size_t i = 0; i < curve->count; i++) {
		if (curve->points[i].size >= 4096)
			assert_value(&curve->points[i].ns, "rewrite",
				line->fixed_ns + line->ns_per_byte * (double)curve->points[i].size, 0.01);
	}
}

/* is_exact: without noise, so that no break is found in it. */
static void assert_curves(const struct tried *tried, double relative, bool is_exact)
{
	for (int i = OP_REGIMES; i < OP_MODES * OP_REGIMES; i++) {
		enum op_mode mode = i / OP_REGIMES;
		enum op_regime regime = i % OP_REGIMES;
		const struct fake_line *line = &tried->store.device[mode][regime];
		const struct system_curve *curve = &tried->system.curves[mode][regime];
		const char *name = system_curve_name(mode, regime);

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

TEST_WITH("a calibration finds the known costs of a fake store", setup, teardown)
{
	struct tried *tried = *state;

	calibrate(tried);
	assert_all(tried, 0.015);
	assert_curves(tried, 0.002, true);
	assert_rewrites(tried);
	assert_string_equal(tried->system.parameters[SYSTEM_SYNC_CACHE].unstable, "not measured without --find-cache");
	/* All was known long before the time was over: three blocks ten seconds from each other. */
	assert_in_range(tried->elapsed_ns, 10000000000u, 40000000000u);
	for (size_t i = 0; i < probe_count; i++)
		assert_true(tried->schedule.rows[i].turns >= 3 || tried->schedule.rows[i].state == SCHEDULE_LACKING);
}

TEST_WITH("a calibration averages noise out", setup, teardown)
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

static void assert_means(const struct tried *tried, uint64_t from, uint64_t to)
{
	const struct system_curve *curve = &tried->system.curves[OP_SYNC][OP_APPEND];
	const struct fake_line *truth = &tried->store.device[OP_SYNC][OP_APPEND];

	assert_true(curve->count > 0 && curve->points[0].size <= from);
	for (size_t i = 0; i < curve->count; i++) {
		double ns = truth->fixed_ns + truth->ns_per_byte * (double)curve->points[i].size;

		if (curve->points[i].size >= from && curve->points[i].size <= to)
			assert_true(fabs(curve->points[i].ns.mean / ns - 1) < 0.02);
	}
}

/* What only the first write of a file costs more is no part of what the others cost. */
TEST_WITH("the first write of a block is not counted", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.max_bytes = 1ull << 50;
	tried->store.first_ns = 1e5;
	calibrate(tried);
	assert_means(tried, 1 << 10, 4 << 10);
}

TEST_WITH("a large write before a block is not counted", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.max_bytes = 1ull << 50;
	tried->store.after_large_ns = 1e5;
	calibrate(tried);
	assert_means(tried, 4 << 10, 1 << 20);
}

/* Within a block all is quiet; only the blocks see it. */
TEST_WITH("a value that drifts is unstable", setup, teardown)
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
	assert_non_null(strstr(tried->system.parameters[SYSTEM_LAT_RDEV].unstable, "off by up to"));
	assert_non_null(strstr(tried->system.parameters[SYSTEM_LAT_RDEV].unstable, ": two modes, 6.2e+04 and "));
	assert_non_null(strstr(tried->system.parameters[SYSTEM_LAT_RDEV].unstable, "other processes competed for CPU "
			"or disk 40 %"));
}

TEST_WITH("blocks in which the process was stopped are left out", setup, teardown)
{
	struct tried *tried = *state;
	unsigned turns = 0, stopped = 0;

	/* What is warm is measured once, in the beginning. */
	tried->store.stopped_from_ns = 4e9;
	tried->store.stopped_until_ns = 15e9;
	calibrate(tried);
	assert_all(tried, 0.015);
	assert_curves(tried, 0.002, true);
	for (size_t i = 0; i < probe_count; i++) {
		turns += tried->schedule.rows[i].turns;
		stopped += tried->schedule.rows[i].stopped;
	}
	assert_true(turns > 0 && stopped > 0);
	assert_int_equal(tried->schedule.stops.stopped_ns, stopped * 400000000ull);
	assert_int_equal(tried->schedule.stops.longest_ns, 400000000);
	assert_true(tried->system.parameters[SYSTEM_LAT_RDEV].left_out > 0);
}

TEST_WITH("a value is unstable if the process was stopped in each of its blocks", setup, teardown)
{
	struct tried *tried = *state;
	const struct system_curve *curve = &tried->system.curves[OP_SYNC][OP_APPEND];

	tried->plan.is_staged = true;
	tried->store.stopped_until_ns = 1e18;
	calibrate(tried);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_DEV].unstable, "the process was stopped in each of its blocks");
	assert_true(curve->count > 0);
	assert_int_equal(count_unstable(curve), curve->count);
	/* The runs that bands are made of are not kept. */
	assert_string_equal(tried->system.throttled_unknown, "the process was stopped in each of its blocks");
	assert_int_equal(tried->session.run_count, 0);
}

TEST_WITH("traffic of other processes on the disk is reported", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.max_bytes = 1ull << 50;
	tried->store.drift = 0.5;
	tried->store.others = 0.2;
	tried->store.foreign = 0.3;
	calibrate(tried);
	assert_non_null(strstr(tried->system.parameters[SYSTEM_SC_W].unstable, "other processes competed for CPU or disk 30 %"));
}

/* A cache behind which the device has less than half of its speed, and one that is larger than what is looked through. */
TEST_WITH("the cache of a device is found", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.burst_bytes = 24ull << 30;
	tried->store.cache_bytes = 9e9;
	tried->store.late_rate = 400e6;
	tried->store.noise = 0.05;
	calibrate(tried);
	assert_parameter(tried, SYSTEM_SYNC_CACHE, 9e9, 0.03);
	assert_parameter(tried, SYSTEM_BW_SYNC_LATE, 400e6, 0.02);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, 0.05);
	/* It stops when it knows. */
	assert_true(tried->store.written_back < 24e9);
}

TEST_WITH("a device without a cache is reported", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.burst_bytes = 4ull << 30;
	tried->store.cache_bytes = 9e9;
	tried->store.late_rate = 400e6;
	calibrate(tried);
	assert_true(isnan(system_get(&tried->system, SYSTEM_SYNC_CACHE)));
	assert_string_equal(tried->system.parameters[SYSTEM_SYNC_CACHE].unstable,
		"the device did not become slower within --find-cache");
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC_LATE].unstable,
		"the device did not become slower within --find-cache");
}

TEST_WITH("a write-back rate measured after the cache was used up is marked unstable", setup, teardown)
{
	struct tried *tried = *state;

	assert_int_equal(session_open(&tried->store, &tried->plan, &tried->session), 0);
	tried->schedule.rows = calloc(probe_count, sizeof(*tried->schedule.rows));
	assert_non_null(tried->schedule.rows);
	tried->system.parameters[SYSTEM_BW_SYNC].value = 410e6;
	tried->system.parameters[SYSTEM_BW_SYNC_LATE].value = 400e6;
	tried->session.burst_rate = 900e6;
	assert_int_equal(finish(&tried->session, &tried->schedule, &tried->system), 0);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable,
		"measured after sync_cache: an idle device takes 9e+08");
}

/* A writer that is held to the device's bandwidth: the bands are around what the model says. */
TEST_WITH("with small thresholds the bands of throttled writes are measured", setup, teardown)
{
	struct tried *tried = *state;

	/* Half of the last third is under the limit before, for all that finish.c knows. */
	tried->plan.runtime_ns *= 4;
	tried->plan.is_staged = true;
	/* One who thinks is held back late. */
	tried->plan.size_bytes = 16384 * MIB;
	tried->plan.max_bytes *= 8;
	calibrate(tried);
	assert_int_equal(tried->store.thresholds_set, 1);
	assert_int_equal(tried->store.thresholds.threshold, 800000000);
	/* The machine's own, whatever was set meanwhile. */
	assert_true(system_get(&tried->system, SYSTEM_LIMIT_BG) == 400e6);
	assert_true(system_get(&tried->system, SYSTEM_LIMIT_HARD) == 800e6);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, 0.03);
	assert_parameter(tried, SYSTEM_COEFF_BG, 0.8, 0.03);
	assert_true(system_get(&tried->system, SYSTEM_SYNC_BURST) < 10e6);
	for (int i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &tried->system.throttled[i];

		assert_true(band->p10 > 0 && band->p10 <= band->p50 && band->p50 <= band->p90);
		assert_true(band->typical >= band->p10 && band->typical <= band->p90);
		assert_true(band->think == (i < 4 ? 0 : SYSTEM_THINKING));
		/* Who thinks has paid for some writes by that, and pays for others. */
		if (band->think > 0)
			assert_true(band->typical < 0.5 && band->p90 > 1.5);
		else
			assert_true(band->p50 > 0.5 && band->p50 < 2);
	}
}

/* A device of 400 MB/s, as --slow-device builds it, in the time that calibrate takes by default. */
TEST_WITH("write back is measured in all blocks", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.is_staged = true;
	tried->plan.runtime_ns = PLAN_RUNTIME_NS;
	tried->plan.size_bytes = 1280 * MIB;
	tried->plan.max_bytes = 64ull << 30;
	tried->store.write_back = 400e6;
	calibrate(tried);
	assert_true(tried->system.parameters[SYSTEM_BW_SYNC].n >= 3);
	assert_parameter(tried, SYSTEM_BW_SYNC, 400e6, 0.03);
	for (int i = 0; i < SYSTEM_BANDS; i++)
		assert_true(tried->system.throttled[i].p50 > 0);
}

/* The file is full before the writer has been held back for BURST_NS. */
TEST_WITH("a device that writes back as fast as the file grows has its rate in all blocks", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.is_staged = true;
	tried->plan.runtime_ns = PLAN_RUNTIME_NS;
	tried->plan.size_bytes = 1280 * MIB;
	tried->plan.max_bytes = 64ull << 30;
	tried->store.write_back = 3.5e9;
	calibrate(tried);
	assert_true(tried->system.parameters[SYSTEM_BW_SYNC].n >= 3);
	assert_parameter(tried, SYSTEM_BW_SYNC, 3.5e9, 0.05);
	assert_true(system_get(&tried->system, SYSTEM_SYNC_BURST) < 1);
}

/* In less time the bands may be missing, but not what all predictions need. */
TEST_WITH("write-back is measured before the bands", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.is_staged = true;
	tried->plan.size_bytes = 1280 * MIB;
	tried->store.write_back = 400e6;
	calibrate(tried);
	assert_true(tried->system.parameters[SYSTEM_BW_SYNC].n >= 3);
	assert_string_equal(tried->system.parameters[SYSTEM_BW_SYNC].unstable, "");
}

TEST_WITH("other processes are reported with their share of the time", setup, teardown)
{
	struct tried *tried = *state;
	char text[FINISH_WHY];

	calibrate(tried);
	assert_false(finish_contention(&tried->schedule, text, sizeof(text)));
	session_close(&tried->session);
	schedule_free(&tried->schedule);
	tried->store.others = 0.33;
	tried->store.foreign = 0.12;
	calibrate(tried);
	assert_true(finish_contention(&tried->schedule, text, sizeof(text)));
	assert_string_equal(text,
		"other processes competed for the CPUs 33 % and for the disk 12 % of the time (at most 10 % each); stop them");
	session_close(&tried->session);
	schedule_free(&tried->schedule);
	tried->store.others = 0.05;
	calibrate(tried);
	assert_true(finish_contention(&tried->schedule, text, sizeof(text)));
	assert_string_equal(text, "other processes competed for the disk 12 % of the time (at most 10 %); stop them");
}

TEST_WITH("the bytes that a rested device takes at once are measured", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.is_staged = true;
	tried->plan.size_bytes = 2048 * MIB;
	tried->plan.runtime_ns *= 2;
	tried->store.burst_bytes = 60e6;
	tried->store.burst_rest_ns = 2e8;
	calibrate(tried);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, 0.03);
	assert_parameter(tried, SYSTEM_SYNC_BURST, 60e6, 0.1);
}

/* Writers that were let go at seven tenths of what the model says: that is the mean's error, and they all cost the same. */
TEST_WITH("a band is about its own mean", setup, teardown)
{
	enum { WRITES = 200 };
	struct predict_setup setup = {
		.kind = model_kind("kernel"), .model = {.regime = OP_APPEND, .memory = MODEL_WARM}};
	struct tried *tried = *state;
	struct system_band *band = &tried->system.throttled[1];
	struct prediction prediction;
	const char *missing;
	struct session_run *run;

	calibrate(tried);
	session_close(&tried->session);
	assert_int_equal(session_open(&tried->store, &tried->plan, &tried->session), 0);
	run = &tried->session.runs[tried->session.run_count++];
	*run = (struct session_run){.class = 1, .count = WRITES, .ops = calloc(WRITES, sizeof(*run->ops)),
		.ns = calloc(WRITES, sizeof(*run->ns))};
	for (unsigned i = 0; i < WRITES; i++)
		run->ops[i] = (struct op){0, i * 16 * MIB, 16 * MIB};
	assert_int_equal(predict(&tried->system, &setup, run->ops, WRITES, &prediction, &missing), 0);
	assert_int_equal(prediction.costs[WRITES - 1].state, MODEL_THROTTLED);
	for (unsigned i = 0; i < WRITES; i++)
		run->ns[i] = 0.7 * prediction.costs[i].ns;
	predict_free(&prediction);
	assert_int_equal(finish(&tried->session, &tried->schedule, &tried->system), 0);
	assert_float_equal(band->p10, 1, 1e-9);
	assert_float_equal(band->p50, 1, 1e-9);
	assert_float_equal(band->p90, 1, 1e-9);
}
