/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The A/A noise floor: how far apart groups of runs of one and the same thing are. */
#include "config.h"
#include "memstor/compare/judge.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/hot/rng.h"

#define SPLITS 2000

/* Two disjoint groups to the front of logs, at random. */
static void deal(double *logs, size_t count, size_t dealt, struct rng *rng)
{
	for (size_t i = 0; i < dealt; i++) {
		size_t other = i + rng_below(rng, count - i);
		double swapped = logs[i];

		logs[i] = logs[other];
		logs[other] = swapped;
	}
}

static double median_of_logs(double *logs, size_t count)
{
	return gsl_stats_median(logs, 1, count);
}

/* gsl_stats_median reorders what it is given, which the next deal does anyway. */
static void split(double *logs, size_t count, size_t one, size_t other, uint64_t seed, double *changes)
{
	struct rng rng;

	rng_seed(&rng, seed, 1);
	for (size_t i = 0; i < SPLITS; i++) {
		deal(logs, count, one + other, &rng);
		changes[i] = fabs(median_of_logs(logs, one) - median_of_logs(logs + one, other));
	}
	gsl_sort(changes, 1, SPLITS);
}

/*
 * Changes of few runs depend on each other and know the spread badly. Both are made up for: a rank further
 * out than the level's, and Student's t in place of the normal quantile. What that comes to is measured
 * (memstor(1), compare).
 */
static double dependence(size_t count)
{
	return ((double)count + 15) / (double)count;
}

static double widening(size_t count, double level)
{
	double tail = (1 - level) / 2;

	return gsl_cdf_tdist_Qinv(tail, (double)count - 1) / gsl_cdf_ugaussian_Qinv(tail);
}

static double radius_of(const double *changes, size_t count, double level)
{
	double rank = ceil((1 - (1 - level) / dependence(count)) * (SPLITS + 1));

	return widening(count, level) * changes[(size_t)fmin(rank, SPLITS) - 1];
}

/* At most 1 - level for a change beyond the radius. */
static double p_of(const double *changes, size_t count, double level, double observed)
{
	double wide = widening(count, level);
	size_t reached = 0;

	for (size_t i = 0; i < SPLITS; i++)
		reached += wide * changes[i] >= observed;
	return fmin(1, dependence(count) * (double)(reached + 1) / (SPLITS + 1));
}

int compare_floor(const double *values, size_t count, size_t base_count, size_t new_count, double level,
	uint64_t seed, double observed, struct compare_floor *floor)
{
	size_t quarter = count / 4;
	size_t one = base_count < quarter ? base_count : quarter, other = new_count < quarter ? new_count : quarter;
	double *logs, *changes;
	int err = -ENOMEM;

	*floor = (struct compare_floor){NAN, NAN, count};
	if (count < COMPARE_FLOOR_RUNS)
		return 0;
	logs = reallocarray(NULL, count, sizeof(*logs));
	changes = reallocarray(NULL, SPLITS, sizeof(*changes));
	if (!logs || !changes)
		goto out;
	err = 0;
	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0 && values[i] < INFINITY))
			goto out;
		logs[i] = log(values[i]);
	}
	split(logs, count, one, other, seed, changes);
	floor->radius = radius_of(changes, count, level);
	floor->p = p_of(changes, count, level, observed);
out:
	free(changes);
	free(logs);
	return err;
}
