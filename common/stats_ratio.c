/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals by Student's t and by resampling, ranks of quantiles, and many tests at once. */
#include "config.h"
#include "common/stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/hot/rng.h"

struct logs {
	double mean, error; /* of the mean: its standard deviation */
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

int stats_ratio_welch(const double *before, size_t n, const double *after, size_t m, double level,
	struct stats_interval *interval, double *p)
{
	struct logs a, b;
	double shift, error, freedom, width;

	if (take_logs(before, n, &a) || take_logs(after, m, &b) || !(level > 0 && level < 1))
		return -EINVAL;
	shift = b.mean - a.mean;
	error = hypot(a.error, b.error);
	if (!(error > 0)) {
		interval->low = interval->high = exp(shift);
		if (p)
			*p = shift == 0;
		return 0;
	}
	/* Relative to the whole error, so that tiny ones do not vanish in their fourth powers. */
	freedom = 1 / (pow(a.error / error, 4) / (double)(n - 1) + pow(b.error / error, 4) / (double)(m - 1));
	width = gsl_cdf_tdist_Qinv((1 - level) / 2, freedom) * error;
	interval->low = exp(shift - width);
	interval->high = exp(shift + width);
	if (p)
		*p = 2 * gsl_cdf_tdist_Q(fabs(shift) / error, freedom);
	return 0;
}

/* Both tails, each with the observed groups as one resample more: never 0. */
static double p_of_ratios(const double *ratios, unsigned rounds)
{
	double low = 1, high = 1;

	for (unsigned i = 0; i < rounds; i++) {
		low += ratios[i] <= 1;
		high += ratios[i] >= 1;
	}
	return fmin(1, 2 * fmin(low, high) / ((double)rounds + 1));
}

int stats_ratio_bootstrap(const double *before, size_t n, const double *after, size_t m, double level,
	unsigned rounds, uint64_t seed, struct stats_interval *interval, double *p)
{
	double tail = (1 - level) / 2;
	double *resample, *ratios;
	struct rng rng;
	int err = -ENOMEM;

	if (rounds == 0 || !(level > 0 && level < 1) || !are_positive(before, n) || !are_positive(after, m))
		return -EINVAL;
	resample = reallocarray(NULL, n > m ? n : m, sizeof(*resample));
	ratios = reallocarray(NULL, rounds, sizeof(*ratios));
	if (!resample || !ratios)
		goto out;
	rng_seed(&rng, seed, 0);
	for (unsigned i = 0; i < rounds; i++) {
		double base = stats_resample_median(before, n, &rng, resample);

		ratios[i] = stats_resample_median(after, m, &rng, resample) / base;
	}
	gsl_sort(ratios, 1, rounds);
	interval->low = gsl_stats_quantile_from_sorted_data(ratios, 1, rounds, tail);
	interval->high = gsl_stats_quantile_from_sorted_data(ratios, 1, rounds, 1 - tail);
	if (p)
		*p = p_of_ratios(ratios, rounds);
	err = 0;
out:
	free(ratios);
	free(resample);
	return err;
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

/* P(at most k of n are below the quantile). */
static double binomial_below(double k, double n, double q)
{
	if (k < 0)
		return 0;
	return k >= n ? 1 : gsl_cdf_beta_Q(q, k + 1, n - k);
}

/* The largest r in [0, n] with P(fewer than r) <= tail. */
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
		/* Seen from above, the least ranks of 1 - q. */
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
	sorted = reallocarray(NULL, n, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, values, n * sizeof(*sorted));
	gsl_sort(sorted, 1, n);
	interval->low = sorted[(size_t)ranks.low - 1];
	interval->high = sorted[(size_t)ranks.high - 1];
	free(sorted);
	return 0;
}

struct ranked {
	double p;
	size_t index;
};

static int compare_ranked(const void *a, const void *b)
{
	double one = ((const struct ranked *)a)->p, other = ((const struct ranked *)b)->p;

	return (one > other) - (one < other);
}

int stats_adjust_discoveries(const double *p, size_t n, double *adjusted)
{
	struct ranked *ranked;
	double least = 1;

	if (n == 0)
		return -EINVAL;
	ranked = reallocarray(NULL, n, sizeof(*ranked));
	if (!ranked)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ranked[i] = (struct ranked){p[i], i};
	qsort(ranked, n, sizeof(*ranked), compare_ranked);
	for (size_t i = n; i > 0; i--) {
		least = fmin(least, ranked[i - 1].p * (double)n / (double)i);
		adjusted[ranked[i - 1].index] = least;
	}
	free(ranked);
	return 0;
}
