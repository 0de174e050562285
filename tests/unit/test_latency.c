/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/stats/latency.h"

TEST("latencies with known statistics give them")
{
	static struct latency one, other;
	struct histogram_summary summary;

	latency_clear(&one);
	latency_clear(&other);
	latency_add(&one, 100, 98);
	latency_add(&one, 5, 1);
	latency_merge(&one, &other);
	assert_int_equal(one.min_ns, 5);
	latency_add(&other, 300, 1);
	latency_merge(&one, &other);
	latency_summarize(&one, &summary);
	assert_int_equal(summary.count, 100);
	assert_true(summary.min_ns == 5 && summary.max_ns == 300);
	assert_true(fabs(summary.mean_ns - 101.05) < 1e-9);
	assert_true(fabs(summary.stddev_ns - sqrt((98 * 1.05 * 1.05 + 96.05 * 96.05 + 198.95 * 198.95) / 99)) < 1e-6);
	assert_true(summary.p50_ns >= 100 && summary.p50_ns < 101);
	assert_true(latency_percentile(&one, 100) == 300);
}

TEST("statistics of no latencies are NaN")
{
	static struct latency latency;
	struct histogram_summary summary;

	latency_clear(&latency);
	latency_summarize(&latency, &summary);
	assert_true(summary.count == 0 && isnan(summary.mean_ns) && isnan(summary.min_ns) && isnan(summary.p99_ns));
}

TEST("the rule of the last five intervals decides steadiness")
{
	static const struct {
		double values[8];
		size_t count;
		enum latency_verdict verdict;
		double range, slope;
	} cases[] = {
		{{100, 100, 100, 100}, 4, LATENCY_UNKNOWN, NAN, NAN},
		{{100, 100, 100, 100, 100}, 5, LATENCY_STEADY, 0, 0},
		{{110, 100, 90, 100, 100}, 5, LATENCY_STEADY, 10, -8},
		{{111, 100, 90, 99, 100}, 5, LATENCY_NOT_STEADY, 11, -9.2},
		{{94, 97, 100, 103, 106}, 5, LATENCY_NOT_STEADY, 6, 12},
		{{96, 98, 100, 102, 104}, 5, LATENCY_STEADY, 4, 8},
		/* What was before the window counts for nothing. */
		{{1, 900, 3, 100, 100, 100, 100, 100}, 8, LATENCY_STEADY, 0, 0},
		{{0, 0, 0, 0, 0}, 5, LATENCY_UNKNOWN, NAN, NAN},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct latency_steady steady;

		latency_steady_last(cases[i].values, cases[i].count, &steady);
		assert_int_equal(steady.verdict, cases[i].verdict);
		if (isnan(cases[i].range)) {
			assert_true(isnan(steady.range_percent) && isnan(steady.slope_percent));
			continue;
		}
		assert_true(fabs(steady.range_percent - cases[i].range) < 1e-6);
		assert_true(fabs(steady.slope_percent - cases[i].slope) < 1e-6);
	}
}

TEST("the rule of the longest tail decides steadiness")
{
	double time[12], rate[12];
	struct latency_steady steady;

	for (size_t i = 0; i < 12; i++) {
		time[i] = (double)i + 1;
		rate[i] = i < 4 ? 10 : 100;
	}
	latency_steady_tail(time, rate, 12, &steady);
	assert_int_equal(steady.verdict, LATENCY_STEADY);
	assert_true(steady.from > 1 && steady.from <= 4 && steady.cv_percent <= 20);
	for (size_t i = 0; i < 12; i++)
		rate[i] = i % 2 ? 50 : 150;
	latency_steady_tail(time, rate, 12, &steady);
	assert_int_equal(steady.verdict, LATENCY_NOT_STEADY);
	assert_int_equal(steady.from, 6);
	latency_steady_tail(time, rate, LATENCY_TAIL_INTERVALS - 1, &steady);
	assert_int_equal(steady.verdict, LATENCY_UNKNOWN);
	assert_string_equal(latency_verdict_name(LATENCY_NOT_STEADY), "not-steady");
}
