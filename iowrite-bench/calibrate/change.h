/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a device that is written to without a pause becomes slower for good. */
#ifndef IOWRITE_BENCH_CALIBRATE_CHANGE_H
#define IOWRITE_BENCH_CALIBRATE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#define CHANGE_LEAST 8 /* values on each side */

struct change {
	size_t at;            /* the first value behind it */
	double before, after; /* medians */
};

/*
 * Rates above 0, one after another. The cumulative sum of the logarithms' distances from their mean goes far from 0 when
 * the mean changes; there is a change when it is farther than it would be by the values' own scatter once in a
 * thousand series (Kolmogorov's bound of a Brownian bridge; the scatter is taken from differences of neighbours, in which
 * the change is one of many), and when the median falls by a fifth or more. A value that is alone between two others is
 * not heard. 0, or -ENOMEM; *is_found.
 */
int change_find(const double *rates, size_t count, struct change *change, bool *is_found);

#endif
