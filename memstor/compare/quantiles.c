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

static void place(struct compare_grid *grid, size_t part, const struct loaded_histogram *histogram)
{
	uint64_t *counts = grid->counts + part * grid->buckets;
	size_t at = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		while (grid->all.buckets[at].lo_ns != histogram->buckets[i].lo_ns)
			at++;
		counts[at] = histogram->buckets[i].count;
	}
	grid->min_ns[part] = histogram->min_ns;
	grid->max_ns[part] = histogram->max_ns;
}

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
	for (size_t i = 0; i < count; i++)
		place(&new, i, parts[i]);
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

static double ratio(double base, double new)
{
	return base == 0 && new == 0 ? 1 : new / base;
}

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
			double shift = log(ratio(group->ns[i], loaded_percentile(&sum, percents[i])));

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

static double band_tail(double level)
{
	return (1 - level) / (2 * COMPARE_QUANTILES);
}

/* Student's t with the degrees of freedom of Welch, for as many quantiles as there are (Bonferroni). */
static void band_of_runs(
	const struct group *base, const struct group *new, double level, struct compare_quantile *quantiles)
{
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		double error = hypot(base->error[i], new->error[i]), freedom, width = 0;

		if (error > 0) {
			freedom = 1 / (pow(base->error[i] / error, 4) / (double)(base->grid.parts - 1) +
					      pow(new->error[i] / error, 4) / (double)(new->grid.parts - 1));
			width = gsl_cdf_tdist_Qinv(band_tail(level), freedom) * error;
		}
		quantiles[i].low = (1 + quantiles[i].change) * exp(-width) - 1;
		quantiles[i].high = (1 + quantiles[i].change) * exp(width) - 1;
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

static void edges_within(
	const struct loaded_histogram *histogram, double percent, double level, double *low, double *high)
{
	struct stats_interval ranks;

	/* Two groups share what is left for one quantile. */
	if (stats_quantile_ranks((double)histogram->count, percent / 100, 1 - band_tail(level), &ranks))
		ranks = (struct stats_interval){0, INFINITY};
	*low = edge_of_rank(histogram, ranks.low, true);
	*high = edge_of_rank(histogram, ranks.high, false);
}

static void band_within_runs(
	const struct group *base, const struct group *new, double level, struct compare_quantile *quantiles)
{
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		double base_low, base_high, new_low, new_high;

		edges_within(&base->grid.all, percents[i], level, &base_low, &base_high);
		edges_within(&new->grid.all, percents[i], level, &new_low, &new_high);
		quantiles[i].low = ratio(base_high, new_low) - 1;
		quantiles[i].high = ratio(base_low, new_high) - 1;
	}
}

/* No band is narrower than the one bucket in which both are. */
static void add_buckets(const struct group *base, const struct group *new, struct compare_quantile *quantiles)
{
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		const struct loaded_histogram *all = &base->grid.all;

		for (size_t k = 0; k < all->bucket_count; k++) {
			const struct loaded_bucket *bucket = &all->buckets[k];

			if (base->ns[i] < bucket->lo_ns || base->ns[i] > bucket->hi_ns ||
				new->ns[i] < bucket->lo_ns || new->ns[i] > bucket->hi_ns)
				continue;
			quantiles[i].low = fmin(quantiles[i].low, ratio(bucket->hi_ns, bucket->lo_ns) - 1);
			quantiles[i].high = fmax(quantiles[i].high, ratio(bucket->lo_ns, bucket->hi_ns) - 1);
		}
	}
}

static double below_of(const struct group *group, size_t quantile)
{
	struct metric_number number = metric_percentile(&group->grid.all, percents[quantile]);

	return metric_below(&number);
}

static void fill_shift(
	struct group *base, struct group *new, double level, uint64_t seed, struct compare_shift *shift)
{
	shift->base_samples = base->grid.all.count;
	shift->new_samples = new->grid.all.count;
	shift->base_runs = base->grid.parts;
	shift->new_runs = new->grid.parts;
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		shift->quantiles[i] = (struct compare_quantile){.percent = percents[i],
			.base_ns = base->ns[i],
			.new_ns = new->ns[i],
			.base_below_ns = below_of(base, i),
			.new_below_ns = below_of(new, i),
			.change = ratio(base->ns[i], new->ns[i]) - 1};
	}
	shift->is_within_run = base->grid.parts < 2 || new->grid.parts < 2;
	if (shift->is_within_run) {
		band_within_runs(base, new, level, shift->quantiles);
	} else {
		estimate_errors(base, seed, 2);
		estimate_errors(new, seed, 3);
		band_of_runs(base, new, level, shift->quantiles);
	}
	add_buckets(base, new, shift->quantiles);
}

int compare_quantiles(const struct loaded_histogram *const *base, size_t base_count,
	const struct loaded_histogram *const *new, size_t new_count, double level, uint64_t seed,
	struct compare_shift *shift)
{
	struct group groups[2] = {0};
	int err = group_make(base, base_count, &groups[0]);

	if (!err)
		err = group_make(new, new_count, &groups[1]);
	if (!err && (groups[0].grid.all.count == 0 || groups[1].grid.all.count == 0))
		err = -EINVAL;
	if (!err)
		fill_shift(&groups[0], &groups[1], level, seed, shift);
	group_free(&groups[0]);
	group_free(&groups[1]);
	return err;
}
