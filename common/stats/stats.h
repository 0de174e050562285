/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Robust statistics of small samples, on GSL. Inputs are never modified; NaN is a programming error. All return
 * 0, -EINVAL (too few values, or an argument outside its range) or -ENOMEM.
 */
#ifndef COMMON_STATS_STATS_H
#define COMMON_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_interval {
	double low, high;
};

/* The quantile q is in [0, 1], interpolated linearly between order statistics (type 7). n > 0. */
int stats_quantile(const double *values, size_t n, double q, double *result);
int stats_median(const double *values, size_t n, double *result);
/* Drops the share trim (0 to below 0.5) of the smallest values and of the largest ones, and returns the c that minimises the mean
 * of |c - v| / v over the rest: their median with the weight 1 / v. Values above 0. */
int stats_relative_median(const double *values, size_t n, double trim, double *result);
/* Computes the mean and its interval by Student's t: for normally distributed values, n above 1. level is in (0, 1). */
int stats_mean_student(const double *values, size_t n, double level, double *mean, struct stats_interval *interval);
/* Computes the median absolute deviation, scaled by 1.4826 to estimate a normal standard deviation. */
int stats_mad(const double *values, size_t n, double *result);

/* Fits y = intercept + slope x by least squares, with standard errors. n >= 3, and x not all the same. */
struct stats_line {
	double intercept, slope;
	double intercept_error, slope_error;
	double residual_stddev;
};
int stats_fit_line(const double *x, const double *y, size_t n, struct stats_line *line);

/* Computes the two-sided interval of the ratio of medians, after / before, by percentile bootstrap (Efron, 1979): both groups
 * are resampled, `rounds` > 0 times, by rng stream (seed, 0). Values above 0; n, m > 0; level is in (0, 1). The same arguments
 * give the same interval. p (two-sided, never 0) may be NULL. */
int stats_ratio_bootstrap(const double *before, size_t n, const double *after, size_t m, double level,
	unsigned rounds, uint64_t seed, struct stats_interval *interval, double *p);

/* Computes the ranks (from 1, the smallest) of the two samples between which the q-quantile lies, of n independent samples
 * (whole, from 1, may be beyond 2^53): binomial, exact where n q (1 - q) is below 1000. 0 and n + 1: no sample bounds it on
 * this side. */
int stats_quantile_ranks(double n, double q, double level, struct stats_interval *ranks);

/* Computes the median's interval between two values, for any distribution. -ENODATA: even the smallest and the largest value do
 * not bound it with this probability (below 6 values at 0.95). */
int stats_median_ranks(const double *values, size_t n, double level, struct stats_interval *interval);
/* Uses Student's t of the logarithms; values above 0, n above 1. */
int stats_median_student(const double *values, size_t n, double level, struct stats_interval *interval);

#endif
