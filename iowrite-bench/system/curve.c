/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/system/curve.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct weighted {
	double value, weight;
};

/* Points of one kind, and buffers to pool them. */
struct pooling {
	struct system_curve *curve;
	size_t count;
	size_t *index;           /* in the curve, rising */
	struct weighted *sorted; /* space for count */
	size_t *begin;           /* of the blocks; space for count */
};

static double weight_of(const struct system_point *point)
{
	return point->ns.n ? point->ns.n : CURVE_SAMPLES;
}

static double measured_of(const struct system_point *point, bool is_mean)
{
	return is_mean && point->ns.mean > 0 ? point->ns.mean : point->ns.value;
}

static int compare_values(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static double weighted_median(struct weighted *values, size_t count)
{
	double half = 0, sum = 0;
	size_t i = 0;

	qsort(values, count, sizeof(*values), compare_values);
	for (size_t k = 0; k < count; k++)
		half += values[k].weight / 2;
	while (i + 1 < count && sum + values[i].weight < half)
		sum += values[i++].weight;
	if (i + 1 < count && sum + values[i].weight <= half)
		return (values[i].value + values[i + 1].value) / 2;
	return values[i].value;
}

static double weighted_mean(const struct weighted *values, size_t count)
{
	double sum = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[i].value * values[i].weight;
		weight += values[i].weight;
	}
	return sum / weight;
}

/* Returns 0 where the curve has no line, or where that of an edited file is negative. */
static double line_at(const struct system_curve *curve, uint64_t size)
{
	const struct system_segment *segment = &curve->segments[0];

	if (!curve->segment_count)
		return 0;
	if (curve->segment_count > 1 && size >= curve->segments[1].from_size)
		segment = &curve->segments[1];
	return fmax(0, segment->fixed_ns + (double)size * segment->ns_per_byte);
}

/* Converts costs of one size to another by the line, if there is one. */
static double scale_of(const struct system_curve *curve, const struct system_point *from, const struct system_point *to)
{
	double line = line_at(curve, from->size);

	return from != to && line > 0 ? line_at(curve, to->size) / line : 1;
}

static void widen(struct system_pooled *pooled, const struct system_value *value, double scale)
{
	double low = isfinite(value->low) ? value->low : value->value;
	double high = isfinite(value->high) ? value->high : value->value;

	pooled->low = fmin(pooled->low, low * scale);
	pooled->high = fmax(pooled->high, high * scale);
}

/* Returns whether the point before a window is nearer than the one after it, by the logarithm of the size. */
static bool is_lower_nearer(const struct pooling *pooling, size_t at, size_t first, size_t last)
{
	const struct system_point *points = pooling->curve->points;
	const size_t *index = pooling->index;

	if (first == 0 || last + 1 == pooling->count)
		return first > 0;
	return (double)points[index[at]].size / (double)points[index[first - 1]].size <=
	       (double)points[index[last + 1]].size / (double)points[index[at]].size;
}

/* Estimates a point by itself, or by the window around it that has enough samples. */
static void pool_neighbours(struct pooling *pooling, size_t at)
{
	const struct system_point *points = pooling->curve->points, *own = &points[pooling->index[at]];
	double samples = weight_of(own);
	struct system_pooled *pooled = &pooling->curve->pooled[pooling->index[at]];
	size_t first = at, last = at;

	*pooled = (struct system_pooled){.low = own->ns.value, .high = own->ns.value};
	while (samples < CURVE_SAMPLES && (first > 0 || last + 1 < pooling->count)) {
		size_t next = is_lower_nearer(pooling, at, first, last) ? --first : ++last;

		samples += weight_of(&points[pooling->index[next]]);
	}
	pooled->n = samples;
	pooled->from_size = points[pooling->index[first]].size;
	pooled->to_size = points[pooling->index[last]].size;
	for (int is_mean = 0; is_mean < 2; is_mean++) {
		for (size_t i = first; i <= last; i++) {
			const struct system_point *point = &points[pooling->index[i]];

			pooling->sorted[i - first] = (struct weighted){
				measured_of(point, is_mean) * scale_of(pooling->curve, point, own), weight_of(point)};
		}
		if (is_mean)
			pooled->mean_ns = weighted_mean(pooling->sorted, last - first + 1);
		else
			pooled->ns = weighted_median(pooling->sorted, last - first + 1);
	}
	for (size_t i = first; i <= last; i++) {
		const struct system_point *point = &points[pooling->index[i]];

		widen(pooled, &point->ns, scale_of(pooling->curve, point, own));
	}
}

static double block_median(struct pooling *pooling, size_t begin, size_t end)
{
	for (size_t i = begin; i < end; i++)
		pooling->sorted[i - begin] = (struct weighted){pooling->curve->pooled[pooling->index[i]].ns,
			weight_of(&pooling->curve->points[pooling->index[i]])};
	return weighted_median(pooling->sorted, end - begin);
}

/* Gives all points of a block its value, and the interval and the samples of all of them. Each keeps its mean. */
static void set_block(struct pooling *pooling, size_t begin, size_t end, double value)
{
	struct system_pooled *pooled = pooling->curve->pooled, all = pooled[pooling->index[begin]];

	for (size_t i = begin + 1; i < end; i++) {
		const struct system_pooled *one = &pooled[pooling->index[i]];

		all.low = fmin(all.low, one->low);
		all.high = fmax(all.high, one->high);
		all.n += weight_of(&pooling->curve->points[pooling->index[i]]);
		all.from_size = all.from_size < one->from_size ? all.from_size : one->from_size;
		all.to_size = all.to_size > one->to_size ? all.to_size : one->to_size;
	}
	all.ns = value;
	for (size_t i = begin; i < end; i++) {
		all.mean_ns = pooled[pooling->index[i]].mean_ns;
		pooled[pooling->index[i]] = all;
	}
}

/* Pools adjacent violators; the value of a block is the weighted median of its estimates. */
static void make_rise(struct pooling *pooling)
{
	size_t blocks = 0, end = pooling->count;

	for (size_t i = 0; i < pooling->count; i++) {
		pooling->begin[blocks++] = i;
		while (blocks > 1 && block_median(pooling, pooling->begin[blocks - 2], pooling->begin[blocks - 1]) >
					     block_median(pooling, pooling->begin[blocks - 1], i + 1))
			blocks--;
	}
	for (; blocks; end = pooling->begin[--blocks]) {
		size_t begin = pooling->begin[blocks - 1];

		if (end - begin > 1)
			set_block(pooling, begin, end, block_median(pooling, begin, end));
	}
}

static bool is_power_of_two(uint64_t size)
{
	return !(size & (size - 1));
}

/* Selects the points of one kind, or all. Returns the number of their samples. */
static double take(struct pooling *pooling, bool is_any, bool is_power)
{
	double samples = 0;

	pooling->count = 0;
	for (size_t i = 0; i < pooling->curve->count; i++) {
		if (!is_any && is_power_of_two(pooling->curve->points[i].size) != is_power)
			continue;
		pooling->index[pooling->count++] = i;
		samples += weight_of(&pooling->curve->points[i]);
	}
	return samples;
}

static void pool_kind(struct pooling *pooling, bool is_power)
{
	/* A kind with too few samples is pooled with the other one. */
	if (take(pooling, false, is_power) < CURVE_SAMPLES)
		take(pooling, true, is_power);
	for (size_t i = 0; i < pooling->count; i++) {
		if (is_power_of_two(pooling->curve->points[pooling->index[i]].size) == is_power)
			pool_neighbours(pooling, i);
	}
	take(pooling, false, is_power);
	make_rise(pooling);
}

int curve_pool(struct system_curve *curve)
{
	size_t capacity = curve->count ? curve->count : 1;
	struct pooling pooling = {.curve = curve, .index = calloc(capacity, sizeof(size_t)),
		.sorted = calloc(capacity, sizeof(struct weighted)), .begin = calloc(capacity, sizeof(size_t))};
	bool is_allocated = pooling.index && pooling.sorted && pooling.begin;
	double samples = 0;

	free(curve->pooled);
	curve->pooled = calloc(capacity, sizeof(*curve->pooled));
	is_allocated = is_allocated && curve->pooled;
	for (size_t i = 0; i < curve->count; i++)
		samples += weight_of(&curve->points[i]);
	curve->is_too_few = curve->count && samples < CURVE_SAMPLES;
	if (curve->is_too_few)
		snprintf(curve->unknown, sizeof(curve->unknown), "fewer than %d samples over all sizes", CURVE_SAMPLES);
	if (is_allocated) {
		pool_kind(&pooling, true);
		pool_kind(&pooling, false);
	}
	free(pooling.index);
	free(pooling.sorted);
	free(pooling.begin);
	return is_allocated ? 0 : -ENOMEM;
}

void curve_free(struct system_curve *curve)
{
	free(curve->points);
	free(curve->pooled);
}

void curve_used(const struct system_curve *curve, uint64_t size, size_t *first, size_t *last)
{
	size_t i = 0;

	while (i + 1 < curve->count && curve->points[i].size < size)
		i++;
	*last = i;
	*first = i && curve->points[i].size > size ? i - 1 : i;
}

/* --- line --- */

#define SEGMENT_POINTS 3
#define WORTH_A_BREAK 0.8 /* of one line's error */
#define GOOD_ENOUGH 0.005 /* a line that is so close needs none */

struct fitted_line {
	double fixed_ns, ns_per_byte, error;
};

static void take_better(const struct system_point *points, size_t count, double a, double b, struct fitted_line *best)
{
	double error = 0;

	if (a < 0 || b < 0)
		return;
	for (size_t i = 0; i < count; i++) {
		double wanted = points[i].ns.value;

		error += fabs(a + b * (double)points[i].size - wanted) / wanted;
	}
	error /= (double)count;
	if (error < best->error)
		*best = (struct fitted_line){a, b, error};
}

static struct fitted_line fit(const struct system_point *points, size_t count)
{
	struct fitted_line best = {0, 0, INFINITY};

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
	struct fitted_line line = fit(points, count);

	*fixed_ns = line.fixed_ns;
	*ns_per_byte = line.ns_per_byte;
	*error = line.error;
}

void line_fit_curve(struct system_curve *curve)
{
	const struct system_point *points = curve->points;
	size_t count = curve->count;
	struct fitted_line one = fit(points, count), low, high;
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
