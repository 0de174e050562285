/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/line.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define SEGMENT_POINTS 3
#define WORTH_A_BREAK 0.8 /* of one line's error */

struct line {
	double fixed_ns, ns_per_byte, error;
};

static double error_of(const struct system_point *points, size_t count, double a, double b)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		double wanted = points[i].ns.value;

		sum += fabs(a + b * (double)points[i].size - wanted) / wanted;
	}
	return sum / (double)count;
}

static void take_better(const struct system_point *points, size_t count, double a, double b, struct line *best)
{
	double error;

	if (a < 0 || b < 0)
		return;
	error = error_of(points, count, a, b);
	if (error < best->error)
		*best = (struct line){a, b, error};
}

static struct line fit(const struct system_point *points, size_t count)
{
	struct line best = {0, 0, INFINITY};

	for (size_t i = 0; i < count; i++) {
		double x = (double)points[i].size, y = points[i].ns.value;

		take_better(points, count, y, 0, &best);
		take_better(points, count, 0, y / x, &best);
		for (size_t j = 0; j < i; j++) {
			double slope = (y - points[j].ns.value) / (x - (double)points[j].size);

			take_better(points, count, y - slope * x, slope, &best);
		}
	}
	return best;
}

void line_fit(const struct system_point *points, size_t count, double *fixed_ns, double *ns_per_byte, double *error)
{
	struct line line = fit(points, count);

	*fixed_ns = line.fixed_ns;
	*ns_per_byte = line.ns_per_byte;
	*error = line.error;
}

void line_fit_curve(struct system_curve *curve)
{
	const struct system_point *points = curve->points;
	size_t count = curve->count;
	struct line one = fit(points, count), low, high;
	double least = one.error * WORTH_A_BREAK;

	curve->segment_count = 1;
	curve->segments[0] = (struct system_segment){0, one.fixed_ns, one.ns_per_byte};
	for (size_t at = SEGMENT_POINTS; at + SEGMENT_POINTS <= count; at++) {
		double error;

		low = fit(points, at);
		high = fit(points + at, count - at);
		error = (low.error * (double)at + high.error * (double)(count - at)) / (double)count;
		if (error >= least)
			continue;
		least = error;
		curve->segment_count = 2;
		curve->segments[0] = (struct system_segment){0, low.fixed_ns, low.ns_per_byte};
		curve->segments[1] = (struct system_segment){points[at].size, high.fixed_ns, high.ns_per_byte};
	}
}

double line_slope(const double *x, const double *y, size_t count)
{
	size_t step = (count + LINE_PAIRED - 1) / LINE_PAIRED, found = 0, room = count * count / 2 + 1;
	double *slopes = count > 1 ? malloc((step > 1 ? (size_t)LINE_PAIRED * LINE_PAIRED : room) * sizeof(*slopes)) : NULL;
	double slope = NAN;

	for (size_t i = 0; slopes && i < count; i += step) {
		for (size_t j = 0; j < i; j += step) {
			if (x[i] > x[j])
				slopes[found++] = (y[i] - y[j]) / (x[i] - x[j]);
		}
	}
	if (found) {
		gsl_sort(slopes, 1, found);
		slope = gsl_stats_median_from_sorted_data(slopes, 1, found);
	}
	free(slopes);
	return slope;
}
