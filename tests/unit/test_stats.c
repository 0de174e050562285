/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/stats/stats.h"

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fmax(1, fmax(fabs(a), fabs(b)));
}

static double quantile(const double *values, size_t n, double q)
{
	double result = NAN;

	assert_int_equal(stats_quantile(values, n, q, &result), 0);
	return result;
}

/* Type 7: at (n - 1) q between the sorted values, counted from 0. */
TEST("quantiles equal those computed by hand")
{
	static const double values[] = {40, 10, 30, 20};
	static const double before[] = {40, 10, 30, 20};
	double result = -1;

	assert_true(quantile(values, 4, 0) == 10);
	assert_true(quantile(values, 4, 1) == 40);
	assert_true(is_close(quantile(values, 4, 0.5), 25));
	assert_true(is_close(quantile(values, 4, 0.25), 17.5));
	assert_true(is_close(quantile(values, 4, 0.9), 37));
	assert_true(quantile(values, 1, 0.3) == 40);
	assert_true(is_close(quantile(values, 3, 0.5), 30));
	assert_memory_equal(values, before, sizeof(values));
	assert_int_equal(stats_quantile(values, 0, 0.5, &result), -EINVAL);
	assert_int_equal(stats_quantile(values, 4, 1.01, &result), -EINVAL);
	assert_int_equal(stats_quantile(values, 4, -0.01, &result), -EINVAL);
	assert_int_equal(stats_quantile(values, 4, NAN, &result), -EINVAL);
	assert_true(result == -1);
}

/* By the weight 1 / v: 1 is half of 1 + 1/2 + 1/4 + 1/8 + 1/8, and then 1/2 of 1/2 + 1/2 + 1/4 + 1/8 + 1/8. */
TEST("relative median by hand")
{
	double values[] = {8, 2, 8, 1, 4}, even[] = {3, 3, 3}, result = -1;

	assert_int_equal(stats_relative_median(values, 5, 0, &result), 0);
	assert_true(result == 1);
	values[3] = 2;
	assert_int_equal(stats_relative_median(values, 5, 0, &result), 0);
	assert_true(result == 2);
	values[3] = 16;
	assert_int_equal(stats_relative_median(values, 5, 0, &result), 0);
	assert_true(result == 4);
	assert_true(values[0] == 8 && values[4] == 4);
	assert_int_equal(stats_relative_median(even, 3, 0, &result), 0);
	assert_true(result == 3);
	result = -1;
	assert_int_equal(stats_relative_median(values, 1, 0, &result), 0);
	assert_true(result == 8);
	assert_int_equal(stats_relative_median(values, 0, 0, &result), -EINVAL);
}

/* 1 / 0.01 outweighs nine of about 1; a tenth from each end takes it out, with the 3. */
TEST("a relative median of trimmed values leaves out the ends")
{
	double values[] = {1, 0.01, 1.1, 1.2, 0.9, 1, 3, 1.1, 1, 1, 1.2}, result;

	assert_int_equal(stats_relative_median(values, 11, 0, &result), 0);
	assert_true(result == 0.01);
	assert_int_equal(stats_relative_median(values, 11, 0.1, &result), 0);
	assert_true(result == 1);
	assert_int_equal(stats_relative_median(values, 1, 0.4, &result), 0);
	assert_true(result == 1);
	assert_int_equal(stats_relative_median(values, 11, 0.5, &result), -EINVAL);
	assert_int_equal(stats_relative_median(values, 11, NAN, &result), -EINVAL);
}

/* No c has a smaller mean of |c - v| / v. */
TEST("relative median is the least")
{
	double values[101], result, least = INFINITY, best = 0;
	struct rng rng;

	rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < 101; i++)
		values[i] = 1 + (double)rng_below(&rng, 1000);
	for (size_t k = 0; k < 101; k++) {
		double error = 0;

		for (size_t i = 0; i < 101; i++)
			error += fabs(values[k] - values[i]) / values[i];
		best = error < least ? values[k] : best;
		least = fmin(error, least);
	}
	assert_int_equal(stats_relative_median(values, 101, 0, &result), 0);
	assert_true(result == best);
}

/* 1 1 2 2 4 6 9: median 2, deviations 1 1 0 0 2 4 7 with median 1. One outlier moves neither. */
TEST("medians equal those computed by hand")
{
	double values[] = {4, 1, 9, 2, 1, 6, 2};
	double result = -1;

	assert_int_equal(stats_median(values, 7, &result), 0);
	assert_true(result == 2);
	assert_int_equal(stats_mad(values, 7, &result), 0);
	assert_true(fabs(result - 1.4826) < 1e-5);
	values[2] = 1e9;
	assert_int_equal(stats_mad(values, 7, &result), 0);
	assert_true(fabs(result - 1.4826) < 1e-5);
	assert_true(values[0] == 4 && values[6] == 2);
	result = -1;
	assert_int_equal(stats_median(values, 0, &result), -EINVAL);
	assert_int_equal(stats_mad(values, 0, &result), -EINVAL);
	assert_true(result == -1);
}

/* Deviation sqrt(2.5), and 2.7764451 of Student's t for 4 degrees of freedom. */
TEST("a mean and its interval equal those computed by hand")
{
	static const double values[] = {-1, 0, 1, 2, 3}, equal[] = {-2, -2};
	struct stats_interval interval = {-9, -9};
	double mean = -9;

	assert_int_equal(stats_mean_student(values, 1, 0.95, &mean, &interval), -EINVAL);
	assert_true(mean == -9 && interval.low == -9);
	assert_int_equal(stats_mean_student(values, 5, 0.95, &mean, &interval), 0);
	assert_true(is_close(mean, 1));
	assert_true(fabs(interval.low - (1 - 2.7764451 * sqrt(0.5))) < 1e-6);
	assert_true(fabs(interval.high - (1 + 2.7764451 * sqrt(0.5))) < 1e-6);
	assert_int_equal(stats_mean_student(equal, 2, 0.95, &mean, &interval), 0);
	assert_true(mean == -2 && interval.low == -2 && interval.high == -2);
}

/* y = 1 + 2x + (1, -1, -1, 1) on 0 1 2 3: the residuals are orthogonal to both terms, so the line is exact
 * and s^2 = 4/2; slope error sqrt(s^2 / 5), intercept error sqrt(s^2 (1/4 + 1.5^2 / 5)). */
TEST("a fitted line equals that computed by hand")
{
	static const double x[] = {0, 1, 2, 3}, y[] = {2, 2, 4, 8}, same[] = {5, 5, 5, 5};
	struct stats_line line, before;

	assert_int_equal(stats_fit_line(x, y, 4, &line), 0);
	assert_true(is_close(line.intercept, 1) && is_close(line.slope, 2));
	assert_true(is_close(line.residual_stddev, sqrt(2)));
	assert_true(is_close(line.slope_error, sqrt(0.4)));
	assert_true(is_close(line.intercept_error, sqrt(2 * (0.25 + 0.45))));
	before = line;
	assert_int_equal(stats_fit_line(x, y, 2, &line), -EINVAL);
	assert_int_equal(stats_fit_line(same, y, 4, &line), -EINVAL);
	assert_memory_equal(&line, &before, sizeof(line));
	assert_int_equal(stats_fit_line(x, same, 4, &line), 0);
	assert_true(
		is_close(line.slope, 0) && is_close(line.intercept, 5) && fabs(line.residual_stddev) < 1e-12);
}
