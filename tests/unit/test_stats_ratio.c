/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/stats/stats.h"

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(1, fmax(fabs(a), fabs(b)));
}

/* Medians of two values resampled: 1, 1.5, 2 with probability 1/4, 1/2, 1/4, so ratios from 1/2 to 2, each end 1/16. */
TEST("a bootstrap interval of a ratio equals that by hand")
{
	static const double two[] = {1, 2}, more[] = {10, 20}, zero[] = {0, 1};
	struct stats_interval interval, again;
	double p, p_again;

	assert_int_equal(stats_ratio_bootstrap(two, 2, two, 2, 0.9, 4000, 1, &interval, &p), 0);
	assert_true(interval.low == 0.5 && interval.high == 2 && p == 1);
	assert_int_equal(stats_ratio_bootstrap(two, 2, two, 2, 0.9, 4000, 1, &again, &p_again), 0);
	assert_true(again.low == interval.low && again.high == interval.high && p == p_again);
	/* 1/16 of the ratios is below 0.6, 3/16 are below 0.7: the eighth is in between. */
	assert_int_equal(stats_ratio_bootstrap(two, 2, two, 2, 0.75, 4000, 1, &interval, NULL), 0);
	assert_true(interval.low == 1 / 1.5 && interval.high == 1.5);
	assert_int_equal(stats_ratio_bootstrap(two, 2, more, 2, 0.9, 999, 1, &interval, &p), 0);
	assert_true(interval.low == 5 && interval.high == 20 && is_close(p, 2.0 / 1000));
	interval.low = -1;
	assert_int_equal(stats_ratio_bootstrap(two, 0, two, 2, 0.9, 9, 1, &interval, &p), -EINVAL);
	assert_int_equal(stats_ratio_bootstrap(two, 2, zero, 2, 0.9, 9, 1, &interval, &p), -EINVAL);
	assert_int_equal(stats_ratio_bootstrap(two, 2, two, 2, 0.9, 0, 1, &interval, &p), -EINVAL);
	assert_int_equal(stats_ratio_bootstrap(two, 2, two, 2, 0, 9, 1, &interval, &p), -EINVAL);
	assert_true(interval.low == -1);
}

/* Tables of the sign test: the ends for 6, 10, 20 and 25 values are the 1st, 2nd, 6th and 8th from each side. */
TEST("intervals of medians have the ranks of the sign test")
{
	static const struct {
		unsigned n, rank;
	} rows[] = {{6, 1}, {8, 1}, {9, 2}, {10, 2}, {20, 6}, {25, 8}, {50, 18}};
	double values[50], two[] = {exp(1), exp(3)};
	struct stats_interval interval = {-1, -1};

	for (unsigned i = 0; i < 50; i++)
		values[i] = i + 1;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(stats_median_ranks(values, rows[i].n, 0.95, &interval), 0);
		assert_true(interval.low == rows[i].rank && interval.high == rows[i].n + 1 - rows[i].rank);
	}
	interval.low = -1;
	assert_int_equal(stats_median_ranks(values, 5, 0.95, &interval), -ENODATA);
	assert_int_equal(stats_median_ranks(values, 0, 0.95, &interval), -EINVAL);
	assert_true(interval.low == -1);
	/* Mean 2, error 1, one degree of freedom. */
	assert_int_equal(stats_median_student(two, 2, 0.95, &interval), 0);
	assert_true(is_close(log(interval.low), 2 - 12.706205) && is_close(log(interval.high), 2 + 12.706205));
	assert_int_equal(stats_median_student(two, 1, 0.95, &interval), -EINVAL);
}

/* Of 100 the 40th and 61st hold the median. Of 10 at 0.9 the 7th is the lower end (P(6 or fewer below) = 0.0128, of 7
 * 0.0702), and no sample is the upper one (all ten are below with 0.349). */
TEST("intervals of quantiles have the ranks of the binomial")
{
	struct stats_interval ranks;

	assert_int_equal(stats_quantile_ranks(100, 0.5, 0.95, &ranks), 0);
	assert_true(ranks.low == 40 && ranks.high == 61);
	assert_int_equal(stats_quantile_ranks(10, 0.9, 0.95, &ranks), 0);
	assert_true(ranks.low == 7 && ranks.high == 11);
	assert_int_equal(stats_quantile_ranks(10, 0.1, 0.95, &ranks), 0);
	assert_true(ranks.low == 0 && ranks.high == 4);
	assert_int_equal(stats_quantile_ranks(3, 0, 0.95, &ranks), 0);
	assert_true(ranks.low == 0 && ranks.high == 1);
	/* 10^12 at 0.99: 10^10 10^5 sqrt(0.99) samples of spread. */
	assert_int_equal(stats_quantile_ranks(1e12, 0.99, 0.95, &ranks), 0);
	assert_true(fabs(0.99e12 - ranks.low - 1.959964 * 1e5 * sqrt(0.99)) < 2);
	assert_true(fabs(ranks.high - 0.99e12 - 1.959964 * 1e5 * sqrt(0.99)) < 3);
	/* The two ways meet: 0.999 of 1000000 and of a little more. */
	assert_int_equal(stats_quantile_ranks(1e6, 0.999, 0.95, &ranks), 0);
	assert_true(fabs(ranks.low - (999e3 - 1.959964 * sqrt(999))) < 3);
	assert_true(fabs(ranks.high - (999e3 + 1.959964 * sqrt(999))) < 3);
	assert_int_equal(stats_quantile_ranks(0, 0.5, 0.95, &ranks), -EINVAL);
	assert_int_equal(stats_quantile_ranks(9, 1.5, 0.95, &ranks), -EINVAL);
	assert_int_equal(stats_quantile_ranks(9, 0.5, 0, &ranks), -EINVAL);
}
