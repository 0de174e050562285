/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration with rests in it. */
#include "config.h"
#include "tests/unit/calibrate_tried.h"

#define SECOND 1000000000u
#define SPREAD (600ull * SECOND)

/* Three minutes of ten in which everything costs half more. */
static void make_slow(struct store *store)
{
	store->slow = 0.5;
	store->slow_until_ns = 180e9;
}

static double bw_dev(const struct tried *tried)
{
	return tried->system.parameters[SYSTEM_BW_DEV].value;
}

TEST_WITH("without rests a slow minute decides the values", setup, teardown)
{
	struct tried *tried = *state;

	make_slow(&tried->store);
	calibrate(tried);
	assert_true(fabs(bw_dev(tried) * 0.8 * 1.5 / 1e9 - 1) < 0.02);
	assert_int_equal(tried->schedule.rested_ns, 0);
}

TEST_WITH("rounds over ten minutes are not decided by the slow first three", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.spread_ns = SPREAD;
	make_slow(&tried->store);
	calibrate(tried);
	assert_true(fabs(bw_dev(tried) * 0.8 / 1e9 - 1) < 0.02);
	/* And that they were not all alike. */
	assert_string_not_equal(tried->system.parameters[SYSTEM_BW_DEV].unstable, "");
}

/* The last of the rounds begins when seven eighths are over. */
TEST_WITH("rounds start at even distances", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.spread_ns = SPREAD;
	calibrate(tried);
	assert_in_range(tried->elapsed_ns, SPREAD / 8 * 7, SPREAD);
	for (size_t i = 0; i < probe_count; i++)
		assert_true(tried->schedule.rows[i].turns == 8 || tried->schedule.rows[i].state == SCHEDULE_LACKING);
	assert_parameter(tried, SYSTEM_BW_CACHE_WARM, 1e9 / 0.18, 0.015);
	assert_parameter(tried, SYSTEM_BW_SYNC, 900e6, 0.015);
}

/* Rests are none of --runtime, and the time that others are held back is not spread. */
TEST_WITH("the phase of small thresholds has no rests", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.spread_ns = SPREAD;
	tried->plan.is_staged = true;
	calibrate(tried);
	assert_in_range(tried->session.staged_ns - tried->begin_ns, (SPREAD - 20ull * SECOND) / 8 * 7,
		SPREAD - 20ull * SECOND);
	assert_true(tried->begin_ns + tried->elapsed_ns < tried->session.staged_ns + 40ull * SECOND);
	assert_int_equal(tried->schedule.rested_ns, 0);
}

TEST_WITH("rounds with rests do not exceed the run time", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.runtime_ns = SECOND;
	tried->plan.spread_ns = SPREAD;
	calibrate(tried);
	assert_in_range(tried->elapsed_ns - tried->schedule.rested_ns, SECOND, 4ull * SECOND);
}

/* As little as there is to rest when the two are the same. */
TEST_WITH("no time is added to runtime", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.spread_ns = tried->plan.runtime_ns;
	calibrate(tried);
	assert_true(tried->elapsed_ns < tried->plan.runtime_ns + 4ull * SECOND);
}

TEST_WITH("a signal ends a rest between rounds", setup, teardown)
{
	struct tried *tried = *state;

	tried->plan.spread_ns = SPREAD;
	tried->store.stop_at_ns = 100ull * SECOND;
	calibrate(tried);
	assert_true(tried->schedule.is_interrupted);
	assert_true(tried->store.now_ns < 101e9);
	assert_true(tried->schedule.rested_ns > 0);
}
