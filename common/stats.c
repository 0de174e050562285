/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/stats.h"

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

/* The median of n values that are drawn from these; room for n in resample. */
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

/* Two samples compared by the order of their values alone. */

#define EXACT_TEST_MAX 50      /* values in all: counts of subsets stay below 2^53 */
#define EXACT_INTERVAL_MAX 100 /* a tenth of a second */

/* Both groups in one, each value with twice the mean of its ranks (from 1), which is whole. */
struct pool {
	size_t n, m, count;
	unsigned *ranks;  /* of all values, rising */
	uint64_t after;   /* sum over after's */
	double ties;      /* sum of t^3 - t over the ties */
};

static size_t count_equal(const double *sorted, size_t n, size_t from, double value)
{
	size_t at = from;

	while (at < n && sorted[at] == value)
		at++;
	return at - from;
}

static void rank_sorted(struct pool *pool, const double *before, const double *after)
{
	size_t i = 0, j = 0;

	while (i < pool->n || j < pool->m) {
		bool is_before = j == pool->m || (i < pool->n && before[i] <= after[j]);
		double value = is_before ? before[i] : after[j];
		size_t from_before = count_equal(before, pool->n, i, value);
		size_t from_after = count_equal(after, pool->m, j, value);
		size_t tied = from_before + from_after;
		unsigned twice = (unsigned)(2 * (i + j) + tied + 1);

		for (size_t k = 0; k < tied; k++)
			pool->ranks[i + j + k] = twice;
		pool->after += (uint64_t)twice * from_after;
		pool->ties += (double)tied * ((double)tied * (double)tied - 1);
		i += from_before;
		j += from_after;
	}
}

/*
 * P(U = u) of n against m values without ties, for u from 0 to nm: by the recursion on whether the largest
 * value is of the one group or of the other, in probabilities, so that nothing is subtracted. NULL when
 * memory is short.
 */
static double *distribution_of_u(size_t n, size_t m)
{
	size_t values = n * m + 1;
	double *p = calloc((n + 1) * values, sizeof(*p)); /* p[i][u] of i against j values */

	if (!p)
		return NULL;
	for (size_t i = 0; i <= n; i++)
		p[i * values] = 1;
	for (size_t j = 1; j <= m; j++) {
		for (size_t i = 1; i <= n; i++) {
			double share = (double)i / (double)(i + j);
			double *to = p + i * values;
			const double *from = p + (i - 1) * values;

			for (size_t u = 0; u < j && u < values; u++)
				to[u] *= 1 - share;
			for (size_t u = j; u <= i * j; u++)
				to[u] = (1 - share) * to[u] + share * from[u - j];
		}
	}
	memmove(p, p + n * values, values * sizeof(*p));
	return p;
}

static int exact_p_without_ties(const struct pool *pool, double u, double *p)
{
	double *distribution = distribution_of_u(pool->n, pool->m);
	double tail = 0;

	if (!distribution)
		return -ENOMEM;
	u = fmin(u, (double)pool->n * (double)pool->m - u);
	for (size_t i = 0; i <= (size_t)u; i++)
		tail += distribution[i];
	free(distribution);
	*p = fmin(1, 2 * tail);
	return 0;
}

/*
 * How many subsets of k values have each sum of ranks: ways[k][sum], filled value by value. The sums
 * from 0 to the observed one, and from there up, are the two tails.
 */
static int exact_p_with_ties(const struct pool *pool, double *p)
{
	size_t sums = 2 * pool->count * pool->m + 1;
	double *ways = calloc((pool->m + 1) * sums, sizeof(*ways));
	double low = 0, high = 0, all = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (size_t i = 0; i < pool->count; i++) {
		for (size_t k = i < pool->m ? i + 1 : pool->m; k > 0; k--) {
			for (size_t sum = sums - 1; sum >= pool->ranks[i]; sum--)
				ways[k * sums + sum] += ways[(k - 1) * sums + sum - pool->ranks[i]];
		}
	}
	for (size_t sum = 0; sum < sums; sum++) {
		double count = ways[pool->m * sums + sum];

		low += sum <= pool->after ? count : 0;
		high += sum >= pool->after ? count : 0;
		all += count;
	}
	free(ways);
	*p = fmin(1, 2 * fmin(low, high) / all);
	return 0;
}

static double normal_p(const struct pool *pool, double u)
{
	double n = (double)pool->n, m = (double)pool->m, all = n + m;
	double variance = n * m / 12 * (all + 1 - pool->ties / (all * (all - 1)));
	double distance = fmax(0, fabs(u - n * m / 2) - 0.5);

	return variance > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(distance / sqrt(variance))) : 1;
}

int stats_mann_whitney(
	const double *before, size_t n, const double *after, size_t m, struct stats_rank_test *test)
{
	struct pool pool = {.n = n, .m = m, .count = n + m};
	struct stats_rank_test new = {.is_exact = n + m <= EXACT_TEST_MAX};
	double *sorted_before, *sorted_after;
	int err = -ENOMEM;

	if (n == 0 || m == 0)
		return -EINVAL;
	sorted_before = sorted_copy(before, n);
	sorted_after = sorted_copy(after, m);
	pool.ranks = reallocarray(NULL, pool.count, sizeof(*pool.ranks));
	if (sorted_before && sorted_after && pool.ranks) {
		rank_sorted(&pool, sorted_before, sorted_after);
		new.u = (double)pool.after / 2 - (double)m * ((double)m + 1) / 2;
		new.p = normal_p(&pool, new.u);
		err = 0;
		if (new.is_exact && pool.ties > 0)
			err = exact_p_with_ties(&pool, &new.p);
		else if (new.is_exact)
			err = exact_p_without_ties(&pool, new.u, &new.p);
	}
	if (!err)
		*test = new;
	free(pool.ranks);
	free(sorted_after);
	free(sorted_before);
	return err;
}

/* How many of the least U together have at most the probability `tail`. */
static int critical_rank(size_t n, size_t m, double tail, size_t *rank)
{
	double pairs = (double)n * (double)m, place, sum = 0, *p;

	if (n + m > EXACT_INTERVAL_MAX) {
		place = pairs / 2 - 0.5 -
			gsl_cdf_ugaussian_Qinv(tail) * sqrt(pairs * ((double)n + (double)m + 1) / 12);
		*rank = place >= 0 ? (size_t)place + 1 : 0;
		return 0;
	}
	p = distribution_of_u(n, m);
	if (!p)
		return -ENOMEM;
	*rank = 0;
	/* 0.05 is 1/20 when 2/40 was meant. */
	for (size_t u = 0; u <= n * m && (sum += p[u]) <= tail * (1 + 1e-12); u++)
		*rank = u + 1;
	free(p);
	return 0;
}

static double ratio(double before, double after)
{
	return before == 0 && after == 0 ? 1 : after / before;
}

/* How many of the ratios of all pairs are at most `limit`. */
static uint64_t count_ratios(const double *before, size_t n, const double *after, size_t m, double limit)
{
	uint64_t count = 0;
	size_t j = 0;

	/* Ratios fall along before and rise along after. */
	for (size_t i = 0; i < n; i++) {
		while (j < m && ratio(before[i], after[j]) <= limit)
			j++;
		count += j;
	}
	return count;
}

/* The rank-th (from 1) of the ratios, without a list of them: doubles above 0 are in the order of their bits. */
static double select_ratio(const double *before, size_t n, const double *after, size_t m, uint64_t rank)
{
	const double infinite = INFINITY;
	uint64_t low = 0, high, middle;
	double value;

	memcpy(&high, &infinite, sizeof(high));
	while (low < high) {
		middle = low + (high - low) / 2;
		memcpy(&value, &middle, sizeof(value));
		if (count_ratios(before, n, after, m, value) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	memcpy(&value, &low, sizeof(value));
	return value;
}

static bool is_any_negative(const double *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(values[i] >= 0))
			return true;
	}
	return false;
}

int stats_ratio_ranks(const double *before, size_t n, const double *after, size_t m, double level,
	struct stats_interval *interval)
{
	double *sorted_before, *sorted_after;
	size_t rank;
	int err;

	if (n == 0 || m == 0 || !(level > 0 && level < 1) || is_any_negative(before, n) ||
		is_any_negative(after, m))
		return -EINVAL;
	err = critical_rank(n, m, (1 - level) / 2, &rank);
	if (err || rank == 0)
		return err ? err : -ENODATA;
	sorted_before = sorted_copy(before, n);
	sorted_after = sorted_copy(after, m);
	if (sorted_before && sorted_after) {
		interval->low = select_ratio(sorted_before, n, sorted_after, m, rank);
		interval->high = select_ratio(sorted_before, n, sorted_after, m, (uint64_t)n * m + 1 - rank);
	} else {
		err = -ENOMEM;
	}
	free(sorted_after);
	free(sorted_before);
	return err;
}

/* Intervals by Student's t and by resampling, ranks of quantiles, and many tests at once. */

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

/* Of the ratio of medians, or, without before (NULL), of after's median. */
static int bootstrap(const double *before, size_t n, const double *after, size_t m, double level, unsigned rounds,
	uint64_t seed, struct stats_interval *interval, double *p)
{
	double tail = (1 - level) / 2;
	double *resample, *found, below = 1, above = 1;
	struct rng rng;
	int err = -ENOMEM;

	if (m == 0 || rounds == 0 || !(level > 0 && level < 1))
		return -EINVAL;
	resample = reallocarray(NULL, n > m ? n : m, sizeof(*resample));
	found = reallocarray(NULL, rounds, sizeof(*found));
	if (!resample || !found)
		goto out;
	rng_seed(&rng, seed, 0);
	for (unsigned i = 0; i < rounds; i++) {
		double base = before ? stats_resample_median(before, n, &rng, resample) : 1;

		found[i] = stats_resample_median(after, m, &rng, resample) / base;
	}
	gsl_sort(found, 1, rounds);
	interval->low = gsl_stats_quantile_from_sorted_data(found, 1, rounds, tail);
	interval->high = gsl_stats_quantile_from_sorted_data(found, 1, rounds, 1 - tail);
	for (unsigned i = 0; i < rounds; i++) {
		below += found[i] <= 1;
		above += found[i] >= 1;
	}
	/* Both tails, each with the observed groups as one resample more: never 0. */
	if (p)
		*p = fmin(1, 2 * fmin(below, above) / ((double)rounds + 1));
	err = 0;
out:
	free(found);
	free(resample);
	return err;
}

int stats_bootstrap_median(const double *values, size_t n, double level, unsigned rounds, uint64_t seed,
	struct stats_interval *interval)
{
	return bootstrap(NULL, 0, values, n, level, rounds, seed, interval, NULL);
}

int stats_ratio_bootstrap(const double *before, size_t n, const double *after, size_t m, double level,
	unsigned rounds, uint64_t seed, struct stats_interval *interval, double *p)
{
	if (!are_positive(before, n) || !are_positive(after, m))
		return -EINVAL;
	return bootstrap(before, n, after, m, level, rounds, seed, interval, p);
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
	sorted = sorted_copy(values, n);
	if (!sorted)
		return -ENOMEM;
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
