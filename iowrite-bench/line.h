/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a write costs by its size: the line a + b * size that has the least sum of relative deviations from the medians
 * of the sizes, |a + b s - m| / m. Relative, since the sizes span six powers of ten and the large ones would else
 * decide alone; absolute values, since a median that is off must not drag it along. An optimal line passes through
 * two of the points (or through one and an axis), so that all of them are tried: exact, and no iteration to tune.
 */
#ifndef IOWRITE_BENCH_LINE_H
#define IOWRITE_BENCH_LINE_H

#include <stddef.h>

#include "iowrite-bench/system.h"

/* Of points[0 .. count), count >= 1: a, b >= 0. *error: the mean relative deviation. */
void line_fit(const struct system_point *points, size_t count, double *fixed_ns, double *ns_per_byte, double *error);

/* Fills curve->segments from its points: one line, or two with a break when that lowers the error by more than a
 * fifth, each has at least three points, and one alone is off by more than half a percent. */
void line_fit_curve(struct system_curve *curve);

#endif
