/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/stats.h"

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fmax(fabs(a), fabs(b)));
}

static struct stats_rank_test test_of(const double *before, size_t n, const double *after, size_t m)
{
	struct stats_rank_test test = {NAN, NAN, false};

	assert_int_equal(stats_mann_whitney(before, n, after, m, &test), 0);
	return test;
}

/* The number of orders as extreme as the one seen, over all: 2 of C(10,5) = 252, 2 of C(6,3) = 20, and so on. */
TEST("exact p by hand")
{
	static const double one[] = {1, 2, 3, 4, 5}, two[] = {6, 7, 8, 9, 10}, three[] = {5, 1, 4};
	static const double mixed[] = {2.5, 4.5, 5.5, 6, 7};
	struct stats_rank_test test = test_of(one, 5, two, 5);

	assert_true(test.is_exact && test.u == 25 && is_close(test.p, 2.0 / 252));
	test = test_of(two, 5, one, 5);
	assert_true(test.u == 0 && is_close(test.p, 2.0 / 252));
	test = test_of(three, 3, two, 3);
	assert_true(test.u == 9 && is_close(test.p, 2.0 / 20));
	test = test_of(one, 1, two, 1);
	assert_true(test.u == 1 && test.p == 1);
	/* Pairs in which mixed is larger: 2 + 4 + 5 + 5 + 5 = 21. U >= 21 has 1 + 1 + 2 + 3 + 5 of 252 orders. */
	test = test_of(one, 5, mixed, 5);
	assert_true(test.u == 21 && is_close(test.p, 2 * 12.0 / 252));
}

/* Hollander and Wolfe, Nonparametric Statistical Methods, 1973, p. 69: permeability of membranes; U = 35 of 50 and
 * one-sided p = 0.1272 there. */
TEST("exact p of the book")
{
	static const double at_term[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
	static const double earlier[] = {1.15, 0.88, 0.90, 0.74, 1.21};
	struct stats_rank_test test = test_of(earlier, 5, at_term, 10);

	assert_true(test.u == 35);
	assert_true(fabs(test.p / 2 - 0.1272) < 5e-5);
}

/* Every way to deal the values out: of those that are as far in the tail, twice the smaller share. */
static double p_by_enumeration(const double *values, unsigned n, unsigned m, double seen)
{
	unsigned low = 0, high = 0, all = 0;

	for (unsigned hand = 0; hand < 1u << (n + m); hand++) {
		double u = 0;

		if ((unsigned)__builtin_popcount(hand) != m)
			continue;
		for (unsigned i = 0; i < n + m; i++) {
			for (unsigned j = 0; j < n + m; j++) {
				if ((hand >> i & 1) && !(hand >> j & 1))
					u += values[i] > values[j] ? 1 : 0.5 * (values[i] == values[j]);
			}
		}
		all++;
		low += u <= seen;
		high += u >= seen;
	}
	return fmin(1, 2 * (double)(low < high ? low : high) / all);
}

TEST("exact p with ties is that of all orders")
{
	struct rng rng;

	rng_seed(&rng, 11, 0);
	for (unsigned round = 0; round < 40; round++) {
		unsigned n = 1 + (unsigned)rng_below(&rng, 6), m = 1 + (unsigned)rng_below(&rng, 5);
		struct stats_rank_test test;
		double values[11] = {0}, u = 0;

		for (unsigned i = 0; i < n + m; i++)
			values[i] = (double)rng_below(&rng, 1 + round / 4);
		for (unsigned i = 0; i < m; i++) {
			for (unsigned j = m; j < n + m; j++)
				u += values[i] > values[j] ? 1 : 0.5 * (values[i] == values[j]);
		}
		test = test_of(values + m, n, values, m);
		assert_true(test.u == u);
		assert_true(is_close(test.p, p_by_enumeration(values, n, m, u)));
	}
}

/* 30 against 30: mean 450; the variance 900/12 (61 - ties/(60 59)). */
TEST("normal p by hand")
{
	double before[30], after[30], variance;
	struct stats_rank_test test;

	/* 15 ones and 15 threes against 15 twos and 15 threes: U = 15 30 + 15 (15 + 7.5). */
	for (unsigned i = 0; i < 30; i++) {
		before[i] = i < 15 ? 1 : 3;
		after[i] = i < 15 ? 2 : 3;
	}
	test = test_of(before, 30, after, 30);
	variance = 75 * (61 - (2 * (15.0 * 15 * 15 - 15) + (30.0 * 30 * 30 - 30)) / (60 * 59));
	assert_false(test.is_exact);
	assert_true(test.u == 15 * 15 + 15 * 15 + 15 * 7.5);
	assert_true(is_close(test.p, erfc((test.u - 450 - 0.5) / sqrt(variance) / sqrt(2))));
	for (unsigned i = 0; i < 30; i++)
		before[i] = after[i] = 7;
	assert_true(test_of(before, 30, after, 30).p == 1);
	/* Where both can be had they agree. */
	for (unsigned i = 0; i < 25; i++) {
		before[i] = i;
		after[i] = i + 5.5;
	}
	test = test_of(before, 25, after, 25);
	assert_true(test.is_exact);
	assert_true(fabs(test.p - erfc((test.u - 312.5 - 0.5) / sqrt(625 * 51.0 / 12) / sqrt(2))) < 0.001);
}

/* Ratios 2^0, 2^1, ..., 2^(nm-1), all different: the exponent of the lower end is the critical value of U. */
TEST("intervals end at the published critical values")
{
	/* Two-sided 5 %: Mann and Whitney's table as in any textbook; -1 where it has a dash. */
	static const struct {
		unsigned n, m;
		int critical;
	} rows[] = {{4, 4, 0}, {5, 5, 2}, {6, 6, 5}, {7, 7, 8}, {8, 8, 13}, {10, 10, 23}, {15, 15, 64}, {20, 20, 127},
		{5, 10, 8}, {10, 5, 8}, {10, 20, 55}, {12, 15, 49}, {3, 5, 0}, {3, 4, -1}, {3, 3, -1}, {2, 8, 0},
		{2, 7, -1}, {1, 39, 0}, {39, 1, 0}, {1, 38, -1}, {1, 1, -1}};

	for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
		unsigned n = rows[row].n, m = rows[row].m;
		struct stats_interval interval = {-1, -1};
		double before[40], after[40];

		for (unsigned i = 0; i < n; i++)
			before[i] = ldexp(1, -(int)(i * m));
		for (unsigned j = 0; j < m; j++)
			after[m - 1 - j] = ldexp(1, (int)j);
		if (rows[row].critical < 0) {
			assert_int_equal(stats_ratio_ranks(before, n, after, m, 0.95, &interval), -ENODATA);
			assert_true(interval.low == -1 && interval.high == -1);
			continue;
		}
		assert_int_equal(stats_ratio_ranks(before, n, after, m, 0.95, &interval), 0);
		assert_true(interval.low == ldexp(1, rows[row].critical));
		assert_true(interval.high == ldexp(1, (int)(n * m) - 1 - rows[row].critical));
	}
}

TEST("zeros have ratios too")
{
	static const double zeros[] = {0, 0, 0, 0, 0}, some[] = {0, 1, 2, 3, 4}, many[] = {5, 6, 7, 8, 9};
	static const double wrong[] = {1, -1}, nan[] = {NAN};
	struct stats_interval interval;

	assert_int_equal(stats_ratio_ranks(zeros, 5, many, 5, 0.95, &interval), 0);
	assert_true(interval.low == INFINITY && interval.high == INFINITY);
	assert_int_equal(stats_ratio_ranks(many, 5, zeros, 5, 0.95, &interval), 0);
	assert_true(interval.low == 0 && interval.high == 0);
	assert_int_equal(stats_ratio_ranks(zeros, 5, zeros, 5, 0.95, &interval), 0);
	assert_true(interval.low == 1 && interval.high == 1);
	/* The third of 25: five zeros are the least. */
	assert_int_equal(stats_ratio_ranks(many, 5, some, 5, 0.95, &interval), 0);
	assert_true(interval.low == 0 && interval.high == 3.0 / 5);
	interval.low = -1;
	assert_int_equal(stats_ratio_ranks(wrong, 2, many, 5, 0.5, &interval), -EINVAL);
	assert_int_equal(stats_ratio_ranks(many, 5, nan, 1, 0.5, &interval), -EINVAL);
	assert_int_equal(stats_ratio_ranks(many, 0, many, 5, 0.5, &interval), -EINVAL);
	assert_int_equal(stats_ratio_ranks(many, 5, many, 5, 1, &interval), -EINVAL);
	assert_int_equal(stats_mann_whitney(many, 0, many, 5, NULL), -EINVAL);
	assert_true(interval.low == -1);
}

static int compare_doubles(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* 60 against 90, by the normal approximation: the ends are two of the 5400 ratios, found here by sorting them. */
TEST("large groups by sorting")
{
	enum { N = 60, M = 90 };
	static double before[N], after[M], ratios[N * M];
	struct stats_interval interval;
	size_t rank;
	struct rng rng;

	rng_seed(&rng, 12, 0);
	for (size_t i = 0; i < N; i++)
		before[i] = 1 + rng_double(&rng);
	for (size_t i = 0; i < M; i++)
		after[i] = 1.1 + rng_double(&rng);
	for (size_t i = 0; i < N * M; i++)
		ratios[i] = after[i % M] / before[i / M];
	qsort(ratios, N * M, sizeof(ratios[0]), compare_doubles);
	rank = (size_t)(N * M / 2.0 - 0.5 - 1.959963984540054 * sqrt(N * M * (N + M + 1) / 12.0)) + 1;
	assert_int_equal(stats_ratio_ranks(before, N, after, M, 0.95, &interval), 0);
	assert_true(interval.low == ratios[rank - 1] && interval.high == ratios[N * M - rank]);
}

/* The interval leaves 1 out exactly when the test rejects. */
TEST("the interval is the tests")
{
	unsigned rejected = 0;
	struct rng rng;

	rng_seed(&rng, 13, 0);
	for (unsigned round = 0; round < 400; round++) {
		size_t n = 4 + rng_below(&rng, 9), m = 4 + rng_below(&rng, 9);
		struct stats_interval interval;
		double before[16], after[16];
		bool is_out;

		for (size_t i = 0; i < n; i++)
			before[i] = 1 + rng_double(&rng);
		for (size_t i = 0; i < m; i++)
			after[i] = 1.3 + rng_double(&rng);
		assert_int_equal(stats_ratio_ranks(before, n, after, m, 0.95, &interval), 0);
		is_out = interval.low > 1 || interval.high < 1;
		assert_int_equal(is_out, test_of(before, n, after, m).p <= 0.05);
		rejected += is_out;
	}
	assert_in_range(rejected, 50, 350);
}
