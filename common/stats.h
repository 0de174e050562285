/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Robust statistics of small samples, on GSL. Inputs are never modified; NaN is a programming error. All return
 * 0, -EINVAL (too few values, or an argument outside its range) or -ENOMEM.
 */
#ifndef COMMON_STATS_H
#define COMMON_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats_interval {
	double low, high;
};

/* n > 0. Quantile q in [0, 1], linear interpolation between order statistics (type 7). */
int stats_quantile(const double *values, size_t n, double q, double *result);
int stats_median(const double *values, size_t n, double *result);
/* Drops the share trim (0 to below 0.5) of the smallest values and of the largest ones, and returns the c that minimises the mean
 * of |c - v| / v over the rest: their median with the weight 1 / v. Values above 0. */
int stats_relative_median(const double *values, size_t n, double trim, double *result);
/* The mean, and its interval by Student's t: for values that are distributed normally, n above 1. level is in (0, 1). */
int stats_mean_student(const double *values, size_t n, double level, double *mean, struct stats_interval *interval);
/* Median absolute deviation, scaled by 1.4826 to estimate a normal standard deviation. */
int stats_mad(const double *values, size_t n, double *result);

struct rng;
/* Percentile bootstrap of the median (Efron, 1979): `rounds` > 0 resamples drawn by rng stream (seed, 0), level in
 * (0, 1), e.g. 0.95. The same arguments give the same interval. */
int stats_bootstrap_median(const double *values, size_t n, double level, unsigned rounds, uint64_t seed,
	struct stats_interval *interval);

/* Least squares y = intercept + slope x with standard errors. n >= 3, and x not all the same. */
struct stats_line {
	double intercept, slope;
	double intercept_error, slope_error;
	double residual_stddev;
};
int stats_fit_line(const double *x, const double *y, size_t n, struct stats_line *line);

/*
 * Two samples, before (n values) and after (m values), none negative; n, m > 0. The result is the ratio
 * after/before, where x/0 is infinite and 0/0 is 1. Intervals are two-sided; level is in (0, 1).
 */

/* Mann-Whitney: U counts the pairs in which after is larger, ties by half. Two-sided p: the exact permutation
 * distribution, given the ties, up to 50 values in all, else the normal approximation corrected for ties and for
 * continuity. */
struct stats_rank_test {
	double u, p;
	bool is_exact;
};
int stats_mann_whitney(
	const double *before, size_t n, const double *after, size_t m, struct stats_rank_test *test);

/* Hodges and Lehmann: the ratios that the test above would not reject (exact up to 100 values, conservative
 * with ties; valid for any common shape of distribution). -ENODATA: too few values for such an interval, since
 * even the most extreme order of them occurs by chance more often than 1 - level. */
int stats_ratio_ranks(const double *before, size_t n, const double *after, size_t m, double level,
	struct stats_interval *interval);

/* Student's t of the logarithms, without assuming equal spread (Welch, 1947): for runs that are distributed
 * log-normally. Values above 0, n and m above 1. p may be NULL. */
int stats_ratio_welch(const double *before, size_t n, const double *after, size_t m, double level,
	struct stats_interval *interval, double *p);

/* Percentile bootstrap of the ratio of medians: both groups are resampled, `rounds` times, by rng stream (seed, 0).
 * Values above 0. p (never 0) may be NULL. */
int stats_ratio_bootstrap(const double *before, size_t n, const double *after, size_t m, double level,
	unsigned rounds, uint64_t seed, struct stats_interval *interval, double *p);

/* Ranks (from 1, the smallest) of the two samples between which the q-quantile lies, of n independent samples (whole, from 1,
 * may be beyond 2^53): binomial, exact where n q (1 - q) is below 1000. 0 and n + 1: no sample bounds it on
 * this side. */
int stats_quantile_ranks(double n, double q, double level, struct stats_interval *ranks);

/* The median's interval between two values, for any distribution. -ENODATA: even the smallest and the largest value
 * do not bound it with this probability (below 6 values at 0.95). */
int stats_median_ranks(const double *values, size_t n, double level, struct stats_interval *interval);
/* By Student's t of the logarithms; values above 0, n above 1. */
int stats_median_student(const double *values, size_t n, double level, struct stats_interval *interval);

/* p_i after Benjamini and Hochberg (1995): of what is kept at adjusted[i] <= a, a share of a is expected to
 * be false. adjusted may be p. -EINVAL for no values. */
int stats_adjust_discoveries(const double *p, size_t n, double *adjusted);

#endif
