/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/within.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/hot/rng.h"

static double mean_of_blocks(const struct compare_series *series, struct rng *rng)
{
	size_t block = (size_t)ceil(sqrt((double)series->count)), start = 0;
	double sum = 0, weight = 0;

	for (size_t i = 0; i < series->count; i++) {
		size_t at;

		if (i % block == 0)
			start = rng_below(rng, series->count);
		at = (start + i % block) % series->count;
		sum += series->values[at] * series->weights[at];
		weight += series->weights[at];
	}
	return sum / weight;
}

int compare_series(const struct compare_series *base, const struct compare_series *new, double level, uint64_t seed,
	struct compare_within *within)
{
	double low = 1, high = 1, tail = (1 - level) / 2;
	double *ratios;
	struct rng rng;

	if (base->count < COMPARE_WITHIN_INTERVALS || new->count < COMPARE_WITHIN_INTERVALS)
		return -EINVAL;
	ratios = reallocarray(NULL, COMPARE_ROUNDS, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	rng_seed(&rng, seed, 4);
	for (size_t i = 0; i < COMPARE_ROUNDS; i++) {
		double mean = mean_of_blocks(base, &rng);

		ratios[i] = mean_of_blocks(new, &rng) / mean;
		low += ratios[i] <= 1;
		high += ratios[i] >= 1;
	}
	gsl_sort(ratios, 1, COMPARE_ROUNDS);
	within->low = gsl_stats_quantile_from_sorted_data(ratios, 1, COMPARE_ROUNDS, tail);
	within->high = gsl_stats_quantile_from_sorted_data(ratios, 1, COMPARE_ROUNDS, 1 - tail);
	within->p = fmin(1, 2 * fmin(low, high) / (COMPARE_ROUNDS + 1));
	free(ratios);
	return 0;
}

static void series_free(struct compare_series *series)
{
	free(series->values);
	free(series->weights);
}

/* Intervals that do not have it (nothing was accessed) are left out. */
static int take_series(const struct loaded *loaded, const struct metric *metric, struct compare_series *series)
{
	series->count = 0;
	series->values = reallocarray(NULL, loaded->interval_count + 1, sizeof(double));
	series->weights = reallocarray(NULL, loaded->interval_count + 1, sizeof(double));
	if (!series->values || !series->weights)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->interval_count; i++) {
		double value, weight;

		if (!metric_of_interval(metric, &loaded->intervals[i], &value, &weight) || !(value > 0))
			continue;
		series->values[series->count] = value;
		series->weights[series->count++] = weight;
	}
	return 0;
}

static int within_metric(const struct loaded *base, const struct loaded *new, const struct metric *metric,
	double level, uint64_t seed, struct compare_within *within)
{
	struct compare_series series[2] = {{NULL, NULL, 0}, {NULL, NULL, 0}};
	int err = take_series(base, metric, &series[0]);

	*within = (struct compare_within){NAN, NAN, NAN};
	if (!err)
		err = take_series(new, metric, &series[1]);
	if (!err)
		err = compare_series(&series[0], &series[1], level, seed, within);
	series_free(&series[0]);
	series_free(&series[1]);
	return err == -EINVAL ? 0 : err;
}

int compare_within(const char *base_path, const char *new_path, const struct metric *metrics, size_t count,
	double level, uint64_t seed, struct compare_within *within)
{
	struct loaded *base = NULL, *new = NULL;
	int code = loaded_read(base_path, LOADED_SERIES, &base);

	if (!code)
		code = loaded_read(new_path, LOADED_SERIES, &new);
	for (size_t i = 0; i < count && !code; i++) {
		if (within_metric(base, new, &metrics[i], level, seed, &within[i])) {
			diag_error(ENOMEM, "cannot compare");
			code = DIAG_EXIT_HOST;
		}
	}
	loaded_free(new);
	loaded_free(base);
	return code;
}
