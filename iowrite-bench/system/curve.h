/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Estimates that predictions use instead of a curve's single points. A point of fewer than CURVE_SAMPLES samples is pooled with
 * the sizes next to it, weighted by their samples: the median of their costs relative to the curve's line, the mean of their
 * means. Then sizes with a lower median than a smaller one of their kind are pooled with it in the same way (isotonic
 * regression by weighted medians; a size that one outlier stands for does not move its neighbours). Means keep the order in
 * which they were measured: a median of means would leave samples out. Sizes that are a power of two and others are two kinds:
 * the page cache takes 64 KiB in one folio and 60 KiB in several, and 60 KiB cost more.
 */
#ifndef IOWRITE_BENCH_SYSTEM_CURVE_H
#define IOWRITE_BENCH_SYSTEM_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/system/value.h"

/* Estimates that replace a point's own median and mean in predictions. */
struct system_pooled {
	double ns, mean_ns;
	double low, high;        /* of all that was pooled, at this size */
	double n;                /* samples */
	uint64_t from_size, to_size; /* of the points pooled; both its own where it stands for itself */
};

/* Cost of one write of `size` in one mode and regime, by size. */
struct system_point {
	uint64_t size;
	struct system_value ns;
};
struct system_curve {
	size_t count;                /* rising sizes; 0 = not measured */
	struct system_point *points;
	struct system_pooled *pooled; /* of each point, by curve_pool; NULL = each stands for itself */
	/* Robust line through the points' medians: fixed_ns + size * ns_per_byte, in one or two segments. */
	size_t segment_count;
	struct system_segment {
		uint64_t from_size;
		double fixed_ns, ns_per_byte;
	} segments[2];
	bool is_too_few;          /* samples in all of it, to predict from */
	char unknown[SYSTEM_WHY]; /* why it was not measured, or is too few; "" = it was, or not tried */
};

#define CURVE_SAMPLES 3 /* a point of fewer is pooled; n = 0 means that it was not measured, and it stands for itself */

/* Makes curve->pooled and is_too_few; the points, their order and the line stay. Returns 0 or -ENOMEM. */
int curve_pool(struct system_curve *curve);
void curve_free(struct system_curve *curve);
/* Finds the points that give the cost of a write of this size: one, or the two around it; the curve has some. */
void curve_used(const struct system_curve *curve, uint64_t size, size_t *first, size_t *last);

/*
 * The cost of a write by its size: the line a + b * size that has the least sum of relative deviations from the medians of the
 * sizes, |a + b s - m| / m. They are relative, since the sizes span six powers of ten and the large ones would else decide
 * alone, and absolute values, since a median that is off must not drag the line along. An optimal line passes through two of
 * the points (or through one and an axis), so that all of these are tried: exact, and no iteration to tune.
 */

/* Fits points[0 .. count), count >= 1, with a, b >= 0. *error: the mean relative deviation. */
void line_fit(const struct system_point *points, size_t count, double *fixed_ns, double *ns_per_byte, double *error);

/* Fills curve->segments from its points: one line, or two with a break when that lowers the error by more than a
 * fifth, each has at least three points, and one alone is off by more than half a percent. */
void line_fit_curve(struct system_curve *curve);

#endif
