/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system/estimate.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats/stats.h"

#define LEVEL 0.95
#define OUTLIER_MADS 5
#define OUTLIER_MEDIANS 3
#define GOOD 0.03
#define STABLE 0.1

static double median(const double *sorted, size_t count)
{
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* Returns how far the mean of count values may be off, from the squares about it. */
static double student(double squares, size_t count)
{
	double freedom = (double)count - 1;

	return count < 2 ? 0 : gsl_cdf_tdist_Qinv((1 - LEVEL) / 2, freedom) * sqrt(squares / freedom / (double)count);
}

/* Sets the mean of all samples, and its interval: estimate.h. */
static void set_mean(const struct estimate_block *blocks, size_t count, const double *sorted, size_t total, double scale,
	struct system_value *value)
{
	double sum = 0, samples = 0, means = 0, off;
	size_t used = 0;

	for (size_t i = 0; i < total; i++)
		sum += sorted[i];
	value->mean = sum / (double)total;
	value->mean_low = value->mean_high = NAN;
	for (size_t i = 0; i < total; i++)
		samples += (sorted[i] - value->mean) * (sorted[i] - value->mean);
	for (size_t i = 0; i < count; i++) {
		const struct estimate_block *block = &blocks[i];
		double distance = 0;

		for (size_t k = 0; k < block->count; k++)
			distance += block->values[k] - value->mean;
		/* A block weighs as much as its samples. */
		means += pow(distance / (double)total, 2);
		used += block->count > 0;
	}
	off = fmax(student(samples, total), student(means * (double)used * (double)used, used));
	if (total < 2)
		return;
	/* Differences may be 0 and below. */
	if (scale > 0 || !(value->mean > 0)) {
		value->mean_low = value->mean - off;
		value->mean_high = value->mean + off;
		return;
	}
	off /= value->mean;
	value->mean_low = value->mean * exp(-off);
	value->mean_high = value->mean * (off <= 1 ? exp(off) : M_E * off);
}

static void count_outliers(const double *sorted, size_t total, struct system_value *value)
{
	double centre = median(sorted, total), spread, most, sum = 0, all = 0;

	if (stats_mad(sorted, total, &spread))
		return;
	most = fmax(OUTLIER_MADS * spread, (OUTLIER_MEDIANS - 1) * centre);
	for (size_t i = 0; i < total; i++) {
		double above = sorted[i] - centre;

		all += fabs(sorted[i]);
		if (!(spread > 0 && -above > OUTLIER_MADS * spread) && !(most > 0 && above > most))
			continue;
		sum += fabs(sorted[i]);
		value->outliers++;
	}
	value->outlier_percent = all > 0 ? 100 * sum / all : 0;
}

static void widen(struct system_value *value, const double *sorted, size_t count)
{
	struct stats_interval interval;

	if (stats_median_ranks(sorted, count, LEVEL, &interval))
		interval = (struct stats_interval){sorted[0], sorted[count - 1]};
	value->low = fmin(value->low, interval.low);
	value->high = fmax(value->high, interval.high);
}

static double measure_of(const struct system_value *value, double scale)
{
	return fmax(fabs(value->value), scale);
}

/* Returns all samples in one array, sorted; NULL without memory. */
static double *all_sorted(const struct estimate_block *blocks, size_t count, size_t *total)
{
	double *all;

	*total = 0;
	for (size_t i = 0; i < count; i++)
		*total += blocks[i].count;
	all = malloc((*total ? *total : 1) * sizeof(*all));
	if (!all)
		return NULL;
	*total = 0;
	for (size_t i = 0; i < count; i++) {
		if (blocks[i].count)
			memcpy(all + *total, blocks[i].values, blocks[i].count * sizeof(*all));
		*total += blocks[i].count;
	}
	gsl_sort(all, 1, *total);
	return all;
}

int estimate(struct estimate_block *blocks, size_t count, double scale, const char *method, struct system_value *value)
{
	const struct {
		double q, *value;
	} quantiles[] = {{0.05, &value->p5}, {0.25, &value->p25}, {0.75, &value->p75}, {0.95, &value->p95}};
	double medians[ESTIMATE_BLOCKS], off, *all;
	size_t total, used = 0;

	all = all_sorted(blocks, count, &total);
	if (!all)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!blocks[i].count)
			continue;
		gsl_sort(blocks[i].values, 1, blocks[i].count);
		medians[used++] = median(blocks[i].values, blocks[i].count);
	}
	gsl_sort(medians, 1, used);
	*value = (struct system_value){.value = median(medians, used), .low = INFINITY, .high = -INFINITY,
		.n = (unsigned)total};
	snprintf(value->method, sizeof(value->method), "%s", method);
	widen(value, all, total);
	widen(value, medians, used);
	off = fmax(value->high - value->value, value->value - value->low);
	if (off > 0 && measure_of(value, scale) <= 0)
		snprintf(value->unstable, sizeof(value->unstable), "0 in the median, and not in each of %zu blocks", used);
	else if (!(off <= STABLE * measure_of(value, scale)))
		snprintf(value->unstable, sizeof(value->unstable), "off by up to %.0f %% within %zu block%s",
			100 * off / measure_of(value, scale), used, used == 1 ? "" : "s");
	set_mean(blocks, count, all, total, scale, value);
	count_outliers(all, total, value);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
		*quantiles[i].value = gsl_stats_quantile_from_sorted_data(all, 1, total, quantiles[i].q);
	free(all);
	return 0;
}

bool estimate_is_good(const struct system_value *value, double scale)
{
	return (value->high - value->low) / 2 <= GOOD * measure_of(value, scale);
}

/* --- why --- */

#define FEW 3
#define TREND_LEAST 4      /* blocks: of three, one order in three rises or falls all the way */
#define TREND 0.8          /* Kendall's tau */
#define APART 0.1          /* share of the value, as estimate.h's */
#define MODES_LEAST 10     /* samples */
#define MODE_SHARE 0.15    /* of the samples, in the smaller one */
#define MODE_RATIO 1.3     /* of the two */
#define MODE_DISTANCE 4.0  /* of the means, in standard deviations (Ashman's D; 2 is two modes at all) */

static double block_median(const struct estimate_block *block)
{
	return gsl_stats_median_from_sorted_data(block->values, 1, block->count);
}

/* Returns Kendall's tau: the share of the pairs that rise less the share of those that fall. */
static double trend(const struct estimate_block *blocks, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			double change = block_median(&blocks[k]) - block_median(&blocks[i]);

			sum += (change > 0) - (change < 0);
		}
	}
	return sum / ((double)count * (double)(count - 1) / 2);
}

struct modes {
	double low, high, share; /* their medians; of the samples in the higher one */
};

/* Finds the cut of logarithms that leaves the least variance on its two sides (Otsu), if these are far enough apart. */
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

/* Returns whether the samples of one block are alike, and the blocks are not. */
static bool blocks_differ(const struct estimate_block *blocks, size_t count)
{
	double within = 0, least = INFINITY, most = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		const struct estimate_block *block = &blocks[i];

		within += gsl_stats_quantile_from_sorted_data(block->values, 1, block->count, 0.75) -
			  gsl_stats_quantile_from_sorted_data(block->values, 1, block->count, 0.25);
		least = fmin(least, block_median(block));
		most = fmax(most, block_median(block));
	}
	return most - least > within / (double)count;
}

int why_unstable(const struct estimate_block *blocks, size_t count, bool is_difference, char *text, size_t length)
{
	double first = block_median(&blocks[0]), last = block_median(&blocks[count - 1]), tau;
	struct modes modes;
	size_t total;
	double *all;

	if (count < FEW) {
		snprintf(text, length, "too few blocks");
		return 0;
	}
	tau = trend(blocks, count);
	if (count >= TREND_LEAST && fabs(tau) >= TREND && fabs(last - first) > APART * fmin(fabs(first), fabs(last))) {
		snprintf(text, length, "it %s over time", tau > 0 ? "rose" : "fell");
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

/* --- change --- */

#define ONCE_IN_A_THOUSAND 1.95
#define FALL 0.8
#define SCATTER_LEAST 0.01 /* with less, the last digits of a series would be a change */
#define SIGMA_OF_MEDIAN 1.4826 /* converts a median of absolute values to a standard deviation */

static double copy_median(const double *values, size_t count, double *scratch)
{
	memcpy(scratch, values, count * sizeof(*scratch));
	gsl_sort(scratch, 1, count);
	return gsl_stats_median_from_sorted_data(scratch, 1, count);
}

/* Uses the values themselves, because smoothed ones are near their neighbours. */
static double scatter(const double *rates, size_t count, double *scratch)
{
	for (size_t i = 0; i + 1 < count; i++)
		scratch[i] = fabs(log(rates[i + 1] / rates[i]));
	gsl_sort(scratch, 1, count - 1);
	return fmax(SCATTER_LEAST, SIGMA_OF_MEDIAN * gsl_stats_median_from_sorted_data(scratch, 1, count - 1) / M_SQRT2);
}

int change_find(const double *rates, size_t count, struct change *change, bool *is_found)
{
	double *logs, *scratch, mean, sum = 0, most = 0, best = 0;
	size_t at = 0;

	*is_found = false;
	if (count < 2 * CHANGE_LEAST)
		return 0;
	logs = malloc(2 * count * sizeof(*logs));
	if (!logs)
		return -ENOMEM;
	scratch = logs + count;
	for (size_t i = 0; i < count; i++) {
		double rate = rates[i];

		/* The median of a value and its neighbours drops a single outlier. */
		if (i && i + 1 < count)
			rate = fmax(fmin(rates[i - 1], rate), fmin(fmax(rates[i - 1], rate), rates[i + 1]));
		logs[i] = log(rate);
	}
	/* Finds how far the sum goes, and the place where the two means are farthest apart for their numbers of values: near
	 * the ends the sum itself drifts. */
	mean = gsl_stats_mean(logs, 1, count);
	for (size_t i = 1; i + CHANGE_LEAST <= count; i++) {
		double apart;

		sum += logs[i - 1] - mean;
		apart = sum / sqrt((double)i * (double)(count - i));
		most = fmax(most, sum);
		if (i >= CHANGE_LEAST && apart > best) {
			best = apart;
			at = i;
		}
	}
	if (at && most > ONCE_IN_A_THOUSAND * scatter(rates, count, scratch) * sqrt((double)count)) {
		*change = (struct change){at, copy_median(rates, at, scratch), copy_median(rates + at, count - at, scratch)};
		*is_found = change->after <= FALL * change->before;
	}
	free(logs);
	return 0;
}
