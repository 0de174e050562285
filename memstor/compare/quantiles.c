/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "common/hot/rng.h"
#include "common/stats.h"
#include "memstor/metric.h"

int compare_grid_make(const struct loaded_histogram *const *parts, size_t count, struct compare_grid *grid)
{
	struct compare_grid new = {.parts = count};
	int err = metric_merge(parts, count, &new.all);

	if (err)
		return err;
	new.buckets = new.all.bucket_count;
	new.counts = calloc(count * new.buckets + 1, sizeof(*new.counts));
	new.min_ns = calloc(count, sizeof(*new.min_ns));
	new.max_ns = calloc(count, sizeof(*new.max_ns));
	new.sum = calloc(new.buckets + 1, sizeof(*new.sum));
	if (!new.counts || !new.min_ns || !new.max_ns || !new.sum) {
		compare_grid_free(&new);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0, at = 0; k < parts[i]->bucket_count; k++) {
			while (new.all.buckets[at].lo_ns != parts[i]->buckets[k].lo_ns)
				at++;
			new.counts[i * new.buckets + at] = parts[i]->buckets[k].count;
		}
		new.min_ns[i] = parts[i]->min_ns;
		new.max_ns[i] = parts[i]->max_ns;
	}
	*grid = new;
	return 0;
}

void compare_grid_free(struct compare_grid *grid)
{
	metric_merge_free(&grid->all);
	free(grid->counts);
	free(grid->min_ns);
	free(grid->max_ns);
	free(grid->sum);
}

struct loaded_histogram compare_grid_sum(struct compare_grid *grid, const size_t *picked, size_t count)
{
	struct loaded_histogram sum = {.type = "", .class = "", .layout = "", .min_ns = INFINITY, .max_ns = 0,
		.mean_ns = NAN, .stddev_ns = NAN, .bucket_count = grid->buckets, .buckets = grid->sum};

	for (size_t i = 0; i < grid->buckets; i++) {
		grid->sum[i] = grid->all.buckets[i];
		grid->sum[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t *counts = grid->counts + picked[i] * grid->buckets;

		for (size_t k = 0; k < grid->buckets; k++)
			grid->sum[k].count += counts[k];
		sum.min_ns = fmin(sum.min_ns, grid->min_ns[picked[i]]);
		sum.max_ns = isnan(grid->max_ns[picked[i]]) ? NAN : fmax(sum.max_ns, grid->max_ns[picked[i]]);
	}
	for (size_t i = 0; i < grid->buckets; i++) {
		if (__builtin_add_overflow(sum.count, grid->sum[i].count, &sum.count))
			sum.count = UINT64_MAX;
	}
	/* Where one part does not say, the buckets' edges stand. */
	if (isnan(sum.max_ns) || isinf(sum.min_ns))
		sum.min_ns = sum.max_ns = NAN;
	return sum;
}

#define ROUNDS 500 /* a standard deviation to 3 % */

static const double percents[COMPARE_QUANTILES] = {1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99};

struct group {
	struct compare_grid grid;
	size_t *picked; /* room for a resample */
	double ns[COMPARE_QUANTILES];
	double error[COMPARE_QUANTILES]; /* of the logarithm, from run to run */
};

static int group_make(const struct loaded_histogram *const *parts, size_t count, struct group *group)
{
	int err = count ? compare_grid_make(parts, count, &group->grid) : -EINVAL;

	if (err)
		return err;
	group->picked = reallocarray(NULL, count, sizeof(*group->picked));
	if (!group->picked)
		return -ENOMEM;
	for (size_t i = 0; i < COMPARE_QUANTILES; i++)
		group->ns[i] = loaded_percentile(&group->grid.all, percents[i]);
	return 0;
}

static void group_free(struct group *group)
{
	free(group->picked);
	compare_grid_free(&group->grid);
}

/* The bootstrap on runs: a run's samples are one run's, however many they are. Two groups get streams of
 * their own. */
static void estimate_errors(struct group *group, uint64_t seed, uint64_t stream)
{
	double sums[COMPARE_QUANTILES] = {0}, squares[COMPARE_QUANTILES] = {0};
	size_t runs = group->grid.parts;
	struct rng rng;

	rng_seed(&rng, seed, stream);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct loaded_histogram sum;

		for (size_t i = 0; i < runs; i++)
			group->picked[i] = rng_below(&rng, runs);
		sum = compare_grid_sum(&group->grid, group->picked, runs);
		for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
			double shift = log(compare_ratio(group->ns[i], loaded_percentile(&sum, percents[i])));

			sums[i] += shift;
			squares[i] += shift * shift;
		}
	}
	/* A resample of n scatters as (n - 1)/n of what n new runs would. */
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		double variance = squares[i] / ROUNDS - sums[i] / ROUNDS * (sums[i] / ROUNDS);

		group->error[i] = sqrt(fmax(0, variance) * (double)runs / (double)(runs - 1));
	}
}

/* Between which latencies the sample of this rank lies; beyond the samples anything is possible. */
static double edge_of_rank(const struct loaded_histogram *histogram, double rank, bool is_low)
{
	double n = (double)histogram->count;
	struct metric_number number;

	if (rank < 1)
		return 0;
	if (rank > n)
		return INFINITY;
	number = metric_percentile(histogram, 100 * rank / n);
	if (is_low)
		return isnan(histogram->min_ns) ? number.low : fmax(number.low, histogram->min_ns);
	return isnan(histogram->max_ns) ? number.high : fmin(number.high, histogram->max_ns);
}

/* Between which latencies the quantile of a group lies, by the ranks of its samples. */
static void edges_within(const struct loaded_histogram *histogram, double percent, double tail, double *low, double *high)
{
	struct stats_interval ranks;

	if (stats_quantile_ranks((double)histogram->count, percent / 100, 1 - tail, &ranks))
		ranks = (struct stats_interval){0, INFINITY};
	*low = edge_of_rank(histogram, ranks.low, true);
	*high = edge_of_rank(histogram, ranks.high, false);
}

/* Fills a quantile with its band. tail: what is left of the level for one side of one of the quantiles (Bonferroni). */
static void fill_quantile(const struct group *base, const struct group *new, size_t i, double tail, bool is_within_run,
	struct compare_quantile *quantile)
{
	const struct loaded_histogram *base_all = &base->grid.all, *new_all = &new->grid.all;
	struct metric_number base_number = metric_percentile(base_all, percents[i]);
	struct metric_number new_number = metric_percentile(new_all, percents[i]);
	double change = compare_ratio(base->ns[i], new->ns[i]) - 1, low, high;

	if (is_within_run) {
		double base_low, base_high, new_low, new_high;

		/* Two groups share what is left for one quantile. */
		edges_within(base_all, percents[i], tail, &base_low, &base_high);
		edges_within(new_all, percents[i], tail, &new_low, &new_high);
		low = compare_ratio(base_high, new_low) - 1;
		high = compare_ratio(base_low, new_high) - 1;
	} else {
		/* Student's t with the degrees of freedom of Welch. */
		double error = hypot(base->error[i], new->error[i]), width = 0;

		if (error > 0) {
			double freedom = 1 / (pow(base->error[i] / error, 4) / (double)(base->grid.parts - 1) +
						     pow(new->error[i] / error, 4) / (double)(new->grid.parts - 1));

			width = gsl_cdf_tdist_Qinv(tail, freedom) * error;
		}
		low = (1 + change) * exp(-width) - 1;
		high = (1 + change) * exp(width) - 1;
	}
	/* No band is narrower than the one bucket in which both are. */
	for (size_t k = 0; k < base_all->bucket_count; k++) {
		const struct loaded_bucket *bucket = &base_all->buckets[k];

		if (base->ns[i] < bucket->lo_ns || base->ns[i] > bucket->hi_ns || new->ns[i] < bucket->lo_ns ||
			new->ns[i] > bucket->hi_ns)
			continue;
		low = fmin(low, compare_ratio(bucket->hi_ns, bucket->lo_ns) - 1);
		high = fmax(high, compare_ratio(bucket->lo_ns, bucket->hi_ns) - 1);
	}
	*quantile = (struct compare_quantile){percents[i], base->ns[i], new->ns[i], metric_below(&base_number),
		metric_below(&new_number), change, low, high};
}

int compare_quantiles(const struct loaded_histogram *const *base, size_t base_count,
	const struct loaded_histogram *const *new, size_t new_count, double level, uint64_t seed,
	struct compare_shift *shift)
{
	struct group groups[2] = {0};
	const struct loaded_histogram *base_all = &groups[0].grid.all, *new_all = &groups[1].grid.all;
	int err = group_make(base, base_count, &groups[0]);

	if (!err)
		err = group_make(new, new_count, &groups[1]);
	if (!err && (base_all->count == 0 || new_all->count == 0))
		err = -EINVAL;
	if (err)
		goto out;
	shift->base_samples = base_all->count;
	shift->new_samples = new_all->count;
	shift->base_runs = base_count;
	shift->new_runs = new_count;
	shift->is_within_run = base_count < 2 || new_count < 2;
	for (size_t i = 0; i < 2 && !shift->is_within_run; i++)
		estimate_errors(&groups[i], seed, 2 + i);
	for (size_t i = 0; i < COMPARE_QUANTILES; i++)
		fill_quantile(&groups[0], &groups[1], i, (1 - level) / (2 * COMPARE_QUANTILES), shift->is_within_run,
			&shift->quantiles[i]);
out:
	group_free(&groups[0]);
	group_free(&groups[1]);
	return err;
}
