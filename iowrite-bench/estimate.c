/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/estimate.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/stats.h"

#define OUTLIER_MADS 5
#define OUTLIER_MEDIANS 3
#define GOOD 0.03
#define STABLE 0.1

static double median(const double *sorted, size_t count)
{
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double estimate_mean(const double *sorted, size_t count)
{
	double centre, spread, most, sum = 0;
	size_t kept = 0;

	if (!count || stats_mad(sorted, count, &spread))
		return NAN;
	centre = median(sorted, count);
	most = fmax(OUTLIER_MADS * spread, OUTLIER_MEDIANS * centre - centre);
	for (size_t i = 0; i < count; i++) {
		if ((spread > 0 && centre - sorted[i] > OUTLIER_MADS * spread) || (most > 0 && sorted[i] - centre > most))
			continue;
		sum += sorted[i];
		kept++;
	}
	return sum / (double)kept;
}

static void widen(struct system_value *value, const double *sorted, size_t count)
{
	struct stats_interval interval;

	if (stats_median_ranks(sorted, count, 0.95, &interval))
		interval = (struct stats_interval){sorted[0], sorted[count - 1]};
	value->low = fmin(value->low, interval.low);
	value->high = fmax(value->high, interval.high);
}

static double measure_of(const struct system_value *value, double scale)
{
	return fmax(fabs(value->value), scale);
}

static void judge(struct system_value *value, double scale, size_t blocks)
{
	double off = fmax(value->high - value->value, value->value - value->low);

	value->unstable[0] = '\0';
	if (off > 0 && measure_of(value, scale) <= 0)
		snprintf(value->unstable, sizeof(value->unstable), "0 in the median, and not in each of %zu blocks", blocks);
	else if (!(off <= STABLE * measure_of(value, scale)))
		snprintf(value->unstable, sizeof(value->unstable), "off by up to %.0f %% within %zu block%s",
			100 * off / measure_of(value, scale), blocks, blocks == 1 ? "" : "s");
}

/* All samples in one array behind the medians of the blocks; both sorted. */
static size_t gather(struct estimate_block *blocks, size_t count, double *medians, double *all)
{
	size_t used = 0, total = 0;

	for (size_t i = 0; i < count; i++) {
		struct estimate_block *block = &blocks[i];

		if (!block->count)
			continue;
		gsl_sort(block->values, 1, block->count);
		medians[used++] = median(block->values, block->count);
		memcpy(all + total, block->values, block->count * sizeof(*all));
		total += block->count;
	}
	gsl_sort(medians, 1, used);
	gsl_sort(all, 1, total);
	return used;
}

static void describe(struct system_value *value, const double *sorted, size_t count)
{
	const struct {
		double q, *value;
	} wanted[] = {{0.05, &value->p5}, {0.25, &value->p25}, {0.75, &value->p75}, {0.95, &value->p95}};

	value->mean = estimate_mean(sorted, count);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		*wanted[i].value = gsl_stats_quantile_from_sorted_data(sorted, 1, count, wanted[i].q);
}

int estimate(struct estimate_block *blocks, size_t count, double scale, const char *method, struct system_value *value)
{
	double medians[ESTIMATE_BLOCKS], *all;
	size_t total = 0, used;

	for (size_t i = 0; i < count; i++)
		total += blocks[i].count;
	all = malloc((total ? total : 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	used = gather(blocks, count, medians, all);
	*value = (struct system_value){.value = median(medians, used), .low = INFINITY, .high = -INFINITY,
		.n = (unsigned)total};
	snprintf(value->method, sizeof(value->method), "%s", method);
	widen(value, all, total);
	widen(value, medians, used);
	judge(value, scale, used);
	describe(value, all, total);
	free(all);
	return 0;
}

bool estimate_is_good(const struct system_value *value, double scale)
{
	return (value->high - value->low) / 2 <= GOOD * measure_of(value, scale);
}
