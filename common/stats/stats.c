/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/stats/stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/hot/rng.h"

/* GSL sorts and selects in place. */
static double *sorted_copy(const double *values, size_t n)
{
	double *copy = n ? reallocarray(NULL, n, sizeof(*copy)) : NULL;

	if (copy) {
		memcpy(copy, values, n * sizeof(*copy));
		gsl_sort(copy, 1, n);
	}
	return copy;
}

int stats_quantile(const double *values, size_t n, double q, double *result)
{
	double *sorted;

	if (n == 0 || !(q >= 0 && q <= 1))
		return -EINVAL;
	sorted = sorted_copy(values, n);
	if (!sorted)
		return -ENOMEM;
	*result = gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
	free(sorted);
	return 0;
}

int stats_median(const double *values, size_t n, double *result)
{
	return stats_quantile(values, n, 0.5, result);
}

int stats_relative_median(const double *values, size_t n, double trim, double *result)
{
	double *sorted, sum = 0, below = 0;
	size_t i, end;

	if (n == 0 || !(trim >= 0 && trim < 0.5))
		return -EINVAL;
	sorted = sorted_copy(values, n);
	if (!sorted)
		return -ENOMEM;
	i = (size_t)ceil(trim * (double)(n - 1));
	end = n - i;
	for (size_t k = i; k < end; k++)
		sum += 1 / sorted[k];
	while (i + 1 < end && (below += 1 / sorted[i]) < sum / 2)
		i++;
	*result = sorted[i];
	free(sorted);
	return 0;
}

int stats_mad(const double *values, size_t n, double *result)
{
	double *work;

	if (n == 0)
		return -EINVAL;
	work = sorted_copy(values, n);
	if (!work)
		return -ENOMEM;
	*result = gsl_stats_mad(values, 1, n, work);
	free(work);
	return 0;
}

/* Returns the median of n values drawn from these with replacement; resample has space for n. */
static double stats_resample_median(const double *values, size_t n, struct rng *rng, double *resample)
{
	for (size_t i = 0; i < n; i++)
		resample[i] = values[rng_below(rng, n)];
	return gsl_stats_median(resample, 1, n);
}

int stats_fit_line(const double *x, const double *y, size_t n, struct stats_line *line)
{
	double intercept, slope, cov00, cov01, cov11, sum_of_squares;
	size_t equal = 1;

	while (equal < n && x[equal] == x[0])
		equal++;
	if (n < 3 || equal == n)
		return -EINVAL;
	gsl_fit_linear(x, 1, y, 1, n, &intercept, &slope, &cov00, &cov01, &cov11, &sum_of_squares);
	*line = (struct stats_line){
		.intercept = intercept,
		.slope = slope,
		.intercept_error = sqrt(cov00),
		.slope_error = sqrt(cov11),
		.residual_stddev = sqrt(sum_of_squares / (double)(n - 2)),
	};
	return 0;
}

/* Logarithms of the values, for intervals by Student's t. */

struct logs {
	double mean, error; /* mean: of the logarithms, error: its standard error */
};

static bool are_positive(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(values[i] > 0 && values[i] < INFINITY))
			return false;
	}
	return n > 0;
}

static int take_logs(const double *values, size_t n, struct logs *logs)
{
	double sum = 0, squares = 0;

	if (n < 2 || !are_positive(values, n))
		return -EINVAL;
	for (size_t i = 0; i < n; i++)
		sum += log(values[i]);
	logs->mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (log(values[i]) - logs->mean) * (log(values[i]) - logs->mean);
	logs->error = sqrt(squares / (double)(n - 1) / (double)n);
	return 0;
}

int stats_ratio_bootstrap(const double *before, size_t n, const double *after, size_t m, double level,
	unsigned rounds, uint64_t seed, struct stats_interval *interval, double *p)
{
	double tail = (1 - level) / 2;
	double *resample, *found, below = 1, above = 1;
	struct rng rng;
	int err = -ENOMEM;

	if (!are_positive(before, n) || !are_positive(after, m) || rounds == 0 || !(level > 0 && level < 1))
		return -EINVAL;
	resample = reallocarray(NULL, n > m ? n : m, sizeof(*resample));
	found = reallocarray(NULL, rounds, sizeof(*found));
	if (!resample || !found)
		goto out;
	rng_seed(&rng, seed, 0);
	for (unsigned i = 0; i < rounds; i++) {
		double base = stats_resample_median(before, n, &rng, resample);

		found[i] = stats_resample_median(after, m, &rng, resample) / base;
	}
	gsl_sort(found, 1, rounds);
	interval->low = gsl_stats_quantile_from_sorted_data(found, 1, rounds, tail);
	interval->high = gsl_stats_quantile_from_sorted_data(found, 1, rounds, 1 - tail);
	for (unsigned i = 0; i < rounds; i++) {
		below += found[i] <= 1;
		above += found[i] >= 1;
	}
	/* p of both tails; adding 1 counts the observed groups as a resample, so that p is never 0. */
	if (p)
		*p = fmin(1, 2 * fmin(below, above) / ((double)rounds + 1));
	err = 0;
out:
	free(found);
	free(resample);
	return err;
}

int stats_mean_student(const double *values, size_t n, double level, double *mean, struct stats_interval *interval)
{
	double width;

	if (n < 2 || !(level > 0 && level < 1))
		return -EINVAL;
	*mean = gsl_stats_mean(values, 1, n);
	width = gsl_cdf_tdist_Qinv((1 - level) / 2, (double)(n - 1)) * sqrt(gsl_stats_variance_m(values, 1, n, *mean) / (double)n);
	interval->low = *mean - width;
	interval->high = *mean + width;
	return 0;
}

int stats_median_student(const double *values, size_t n, double level, struct stats_interval *interval)
{
	struct logs logs;
	double width;

	if (take_logs(values, n, &logs) || !(level > 0 && level < 1))
		return -EINVAL;
	width = gsl_cdf_tdist_Qinv((1 - level) / 2, (double)(n - 1)) * logs.error;
	interval->low = exp(logs.mean - width);
	interval->high = exp(logs.mean + width);
	return 0;
}

/* Returns P(at most k of n are below the quantile). */
static double binomial_below(double k, double n, double q)
{
	if (k < 0)
		return 0;
	return k >= n ? 1 : gsl_cdf_beta_Q(q, k + 1, n - k);
}

/* Returns the largest r in [0, n] with P(fewer than r) <= tail. */
static double least_rank(double n, double q, double tail)
{
	double low = 0, high = n;

	while (low < high) {
		double middle = ceil((low + high) / 2);

		if (binomial_below(middle - 1, n, q) <= tail)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

int stats_quantile_ranks(double n, double q, double level, struct stats_interval *ranks)
{
	double tail = (1 - level) / 2, spread = n * q * (1 - q);

	if (!(n >= 1) || !(q >= 0 && q <= 1) || !(level > 0 && level < 1))
		return -EINVAL;
	n = floor(n);
	if (spread < 1000) {
		/* The upper rank is the mirrored lower rank of 1 - q. */
		ranks->low = least_rank(n, q, tail);
		ranks->high = n + 1 - least_rank(n, 1 - q, tail);
		return 0;
	}
	spread = gsl_cdf_ugaussian_Qinv(tail) * sqrt(spread);
	ranks->low = floor(fmax(0, n * q - spread));
	ranks->high = ceil(fmin(n, n * q + spread)) + 1;
	return 0;
}

int stats_median_ranks(const double *values, size_t n, double level, struct stats_interval *interval)
{
	struct stats_interval ranks;
	double *sorted;

	if (stats_quantile_ranks((double)n, 0.5, level, &ranks))
		return -EINVAL;
	if (ranks.low < 1)
		return -ENODATA;
	sorted = sorted_copy(values, n);
	if (!sorted)
		return -ENOMEM;
	interval->low = sorted[(size_t)ranks.low - 1];
	interval->high = sorted[(size_t)ranks.high - 1];
	free(sorted);
	return 0;
}
