/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/change.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ONCE_IN_A_THOUSAND 1.95
#define FALL 0.8
#define SCATTER_LEAST 0.01 /* a series without any would find a change in its last digits */
#define SIGMA_OF_MEDIAN 1.4826 /* of absolute values, to a standard deviation */

static double middle(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static void smooth_logs(const double *rates, size_t count, double *logs)
{
	for (size_t i = 0; i < count; i++)
		logs[i] = log(i && i + 1 < count ? middle(rates[i - 1], rates[i], rates[i + 1]) : rates[i]);
}

static double median(const double *values, size_t count, double *room)
{
	memcpy(room, values, count * sizeof(*room));
	gsl_sort(room, 1, count);
	return gsl_stats_median_from_sorted_data(room, 1, count);
}

/* Of the values themselves: smoothed ones are near their neighbours. */
static double scatter(const double *rates, size_t count, double *room)
{
	for (size_t i = 0; i + 1 < count; i++)
		room[i] = fabs(log(rates[i + 1] / rates[i]));
	gsl_sort(room, 1, count - 1);
	return fmax(SCATTER_LEAST, SIGMA_OF_MEDIAN * gsl_stats_median_from_sorted_data(room, 1, count - 1) / M_SQRT2);
}

/* How far the sum goes. *at: behind how many values the two means are farthest from each other, by what their numbers
 * let them be: near the ends the sum itself wanders on. */
static double farthest(const double *logs, size_t count, size_t *at)
{
	double mean = gsl_stats_mean(logs, 1, count), sum = 0, most = 0, best = 0;

	for (size_t i = 1; i + CHANGE_LEAST <= count; i++) {
		double apart;

		sum += logs[i - 1] - mean;
		apart = sum / sqrt((double)i * (double)(count - i));
		most = fmax(most, sum);
		if (i >= CHANGE_LEAST && apart > best) {
			best = apart;
			*at = i;
		}
	}
	return most;
}

int change_find(const double *rates, size_t count, struct change *change, bool *is_found)
{
	double *logs, *room, sigma, most;
	size_t at = 0;

	*is_found = false;
	if (count < 2 * CHANGE_LEAST)
		return 0;
	logs = malloc(2 * count * sizeof(*logs));
	if (!logs)
		return -ENOMEM;
	room = logs + count;
	smooth_logs(rates, count, logs);
	sigma = scatter(rates, count, room);
	most = farthest(logs, count, &at);
	if (most > ONCE_IN_A_THOUSAND * sigma * sqrt((double)count) && at) {
		*change = (struct change){at, median(rates, at, room), median(rates + at, count - at, room)};
		*is_found = change->after <= FALL * change->before;
	}
	free(logs);
	return 0;
}
