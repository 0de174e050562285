/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/line.h"

#include <math.h>

#define SEGMENT_POINTS 3
#define WORTH_A_BREAK 0.8 /* of one line's error */
#define GOOD_ENOUGH 0.005 /* a line that is so close needs none */

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
	for (size_t at = SEGMENT_POINTS; at + SEGMENT_POINTS <= count && one.error > GOOD_ENOUGH; at++) {
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
