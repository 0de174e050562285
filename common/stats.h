/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Robust statistics of small samples, on GSL. Inputs are never modified; NaN is a programming error. All return
 * 0, -EINVAL (too few values, or an argument outside its range) or -ENOMEM.
 */
#ifndef COMMON_STATS_H
#define COMMON_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats_interval {
	double low, high;
};

/* n > 0. Quantile q in [0, 1], linear interpolation between order statistics (type 7). */
int stats_quantile(const double *values, size_t n, double q, double *result);
int stats_median(const double *values, size_t n, double *result);
/* Median absolute deviation, scaled by 1.4826 to estimate a normal standard deviation. */
int stats_mad(const double *values, size_t n, double *result);

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

#endif
