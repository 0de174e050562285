/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two samples compared by the order of their values alone. */
#include "config.h"
#include "common/stats.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_TEST_MAX 50      /* values in all: counts of subsets stay below 2^53 */
#define EXACT_INTERVAL_MAX 100 /* a tenth of a second */

/* Both groups in one, each value with twice the mean of its ranks (from 1), which is whole. */
struct pool {
	size_t n, m, count;
	unsigned *ranks;  /* of all values, rising */
	uint64_t after;   /* sum over after's */
	double ties;      /* sum of t^3 - t over the ties */
};

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = reallocarray(NULL, n, sizeof(*copy));

	if (copy) {
		memcpy(copy, values, n * sizeof(*copy));
		gsl_sort(copy, 1, n);
	}
	return copy;
}

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
 * How many subsets of so many values have each sum of ranks: ways[k][sum], filled value by value. The sums
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
static int exact_rank(size_t n, size_t m, double tail, size_t *rank)
{
	double *p = distribution_of_u(n, m);
	double sum = 0;

	if (!p)
		return -ENOMEM;
	*rank = 0;
	/* 0.05 is 1/20 when 2/40 was meant. */
	for (size_t u = 0; u <= n * m && (sum += p[u]) <= tail * (1 + 1e-12); u++)
		*rank = u + 1;
	free(p);
	return 0;
}

static int critical_rank(size_t n, size_t m, double tail, size_t *rank)
{
	double pairs = (double)n * (double)m, place;

	if (n + m <= EXACT_INTERVAL_MAX)
		return exact_rank(n, m, tail, rank);
	place = pairs / 2 - 0.5 -
		gsl_cdf_ugaussian_Qinv(tail) * sqrt(pairs * ((double)n + (double)m + 1) / 12);
	*rank = place >= 0 ? (size_t)place + 1 : 0;
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
