/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/why.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

#define FEW 3
#define LEVEL 0.95
#define TREND_LEAST 4      /* blocks: of three one in three orders goes up or down all the way */
#define TREND 0.8          /* Kendall's tau */
#define APART 0.1          /* share of the value, as estimate.h's */
#define MODES_LEAST 10     /* samples */
#define MODE_SHARE 0.15    /* of the samples, in the smaller one */
#define MODE_RATIO 1.3     /* of the two */
#define MODE_DISTANCE 4.0  /* of the means, in standard deviations (Ashman's D; 2 is two modes at all) */

static double median(const struct estimate_block *block)
{
	return gsl_stats_median_from_sorted_data(block->values, 1, block->count);
}

/* Kendall: which share of the pairs rises, less which falls. */
static double trend(const struct estimate_block *blocks, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			double change = median(&blocks[k]) - median(&blocks[i]);

			sum += (change > 0) - (change < 0);
		}
	}
	return sum / ((double)count * (double)(count - 1) / 2);
}

static double *all_sorted(const struct estimate_block *blocks, size_t count, size_t *total)
{
	double *all;

	*total = 0;
	for (size_t i = 0; i < count; i++)
		*total += blocks[i].count;
	all = malloc(*total * sizeof(*all));
	if (!all)
		return NULL;
	*total = 0;
	for (size_t i = 0; i < count; i++) {
		memcpy(all + *total, blocks[i].values, blocks[i].count * sizeof(*all));
		*total += blocks[i].count;
	}
	gsl_sort(all, 1, *total);
	return all;
}

struct modes {
	double low, high, share; /* their medians; of the samples in the higher one */
};

/* The cut of logarithms that leaves the least variance on its two sides (Otsu), when these are far enough apart. */
static bool find_modes(const double *sorted, size_t count, struct modes *modes)
{
	double below = 0, below_squares = 0, above = 0, above_squares = 0, best = INFINITY, distance = 0;
	size_t least = (size_t)ceil(MODE_SHARE * (double)count), cut = 0;

	if (count < MODES_LEAST || !(sorted[0] > 0))
		return false;
	for (size_t i = 0; i < count; i++) {
		above += log(sorted[i]);
		above_squares += log(sorted[i]) * log(sorted[i]);
	}
	for (size_t i = 1; i + least <= count; i++) {
		double value = log(sorted[i - 1]), n = (double)i, m = (double)(count - i), one, other;

		below += value;
		below_squares += value * value;
		above -= value;
		above_squares -= value * value;
		one = fmax(0, below_squares - below * below / n);
		other = fmax(0, above_squares - above * above / m);
		if (i < least || one + other >= best)
			continue;
		best = one + other;
		cut = i;
		distance = (above / m - below / n) / sqrt((one / n + other / m) / 2 + 1e-12);
	}
	if (!cut || distance < MODE_DISTANCE)
		return false;
	*modes = (struct modes){gsl_stats_median_from_sorted_data(sorted, 1, cut),
		gsl_stats_median_from_sorted_data(sorted + cut, 1, count - cut), (double)(count - cut) / (double)count};
	return modes->high >= MODE_RATIO * modes->low;
}

/* Whether samples of one block are alike, and the blocks are not. */
static bool blocks_differ(const struct estimate_block *blocks, size_t count)
{
	double within = 0, least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		const struct estimate_block *block = &blocks[i];

		within += gsl_stats_quantile_from_sorted_data(block->values, 1, block->count, 0.75) -
			  gsl_stats_quantile_from_sorted_data(block->values, 1, block->count, 0.25);
		least = fmin(least, median(block));
		most = fmax(most, median(block));
	}
	return most - least > within / (double)count;
}

int why_unstable(const struct estimate_block *blocks, size_t count, bool is_difference, char *text, size_t length)
{
	double first = median(&blocks[0]), last = median(&blocks[count - 1]), tau;
	struct modes modes;
	size_t total;
	double *all;

	if (count < FEW) {
		snprintf(text, length, "too few blocks");
		return 0;
	}
	tau = trend(blocks, count);
	if (count >= TREND_LEAST && fabs(tau) >= TREND && fabs(last - first) > APART * fmin(fabs(first), fabs(last))) {
		snprintf(text, length, "it %s in the course of time", tau > 0 ? "rose" : "fell");
		return 0;
	}
	all = all_sorted(blocks, count, &total);
	if (!all)
		return -ENOMEM;
	if (!is_difference && find_modes(all, total, &modes))
		snprintf(text, length, "two modes, %.3g and (%.0f %%) %.3g", modes.low, 100 * modes.share, modes.high);
	else if (blocks_differ(blocks, count))
		snprintf(text, length, "it changes from block to block");
	else
		snprintf(text, length, "samples scatter within blocks");
	free(all);
	return 0;
}

double why_mean_off(const struct estimate_block *blocks, size_t count)
{
	double means[ESTIMATE_BLOCKS], centre;
	struct stats_interval interval;

	if (count < 2 || count > ESTIMATE_BLOCKS)
		return 0;
	for (size_t i = 0; i < count; i++) {
		means[i] = estimate_mean(blocks[i].values, blocks[i].count);
		if (!(means[i] > 0))
			return 0;
	}
	if (stats_median_student(means, count, LEVEL, &interval))
		return 0;
	centre = sqrt(interval.low * interval.high);
	return fmax(interval.high - centre, centre - interval.low) / centre;
}
