/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "common/hot/rng.h"
#include "common/stats.h"

/* GSL sorts and selects in place. */
static double *copy_of(const double *values, size_t n)
{
	double *copy = n ? reallocarray(NULL, n, sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, values, n * sizeof(*copy));
	return copy;
}

int stats_quantile(const double *values, size_t n, double q, double *result)
{
	double *sorted;

	if (n == 0 || !(q >= 0 && q <= 1))
		return -EINVAL;
	sorted = copy_of(values, n);
	if (!sorted)
		return -ENOMEM;
	gsl_sort(sorted, 1, n);
	*result = gsl_stats_quantile_from_sorted_data(sorted, 1, n, q);
	free(sorted);
	return 0;
}

int stats_median(const double *values, size_t n, double *result)
{
	return stats_quantile(values, n, 0.5, result);
}

int stats_relative_median(const double *values, size_t n, double *result)
{
	double *sorted, sum = 0, below = 0;
	size_t i = 0;

	if (n == 0)
		return -EINVAL;
	sorted = copy_of(values, n);
	if (!sorted)
		return -ENOMEM;
	gsl_sort(sorted, 1, n);
	for (size_t k = 0; k < n; k++)
		sum += 1 / sorted[k];
	while (i + 1 < n && (below += 1 / sorted[i]) < sum / 2)
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
	work = copy_of(values, n);
	if (!work)
		return -ENOMEM;
	*result = gsl_stats_mad(values, 1, n, work);
	free(work);
	return 0;
}

double stats_resample_median(const double *values, size_t n, struct rng *rng, double *resample)
{
	for (size_t i = 0; i < n; i++)
		resample[i] = values[rng_below(rng, n)];
	return gsl_stats_median(resample, 1, n);
}

int stats_bootstrap_median(const double *values, size_t n, double level, unsigned rounds, uint64_t seed,
	struct stats_interval *interval)
{
	double tail = (1 - level) / 2;
	double *resample, *medians;
	struct rng rng;
	int err = 0;

	if (n == 0 || rounds == 0 || !(level > 0 && level < 1))
		return -EINVAL;
	resample = reallocarray(NULL, n, sizeof(*resample));
	medians = reallocarray(NULL, rounds, sizeof(*medians));
	if (!resample || !medians) {
		err = -ENOMEM;
		goto out;
	}
	rng_seed(&rng, seed, 0);
	for (unsigned i = 0; i < rounds; i++)
		medians[i] = stats_resample_median(values, n, &rng, resample);
	gsl_sort(medians, 1, rounds);
	interval->low = gsl_stats_quantile_from_sorted_data(medians, 1, rounds, tail);
	interval->high = gsl_stats_quantile_from_sorted_data(medians, 1, rounds, 1 - tail);
out:
	free(medians);
	free(resample);
	return err;
}

static bool are_all_equal(const double *values, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (values[i] != values[0])
			return false;
	}
	return true;
}

int stats_fit_line(const double *x, const double *y, size_t n, struct stats_line *line)
{
	double intercept, slope, cov00, cov01, cov11, sum_of_squares;

	if (n < 3 || are_all_equal(x, n))
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
