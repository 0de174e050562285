/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One calibrated number from samples that were taken in blocks, at times some seconds apart and mixed with those of
 * other parameters. A machine is slower in one hour than in the next: what the samples of one block say of their own
 * scatter is not what a later measurement will find, so the blocks decide.
 *
 *   value      median of the blocks' medians
 *   low, high  the wider of two intervals: of the median of all samples by order statistics (95 %), and of the blocks'
 *              medians; of fewer than 6 numbers the range
 *   unstable   when that interval is wider than a tenth of the value to either side
 *   mean, p5 ... p95   of all samples
 */
#ifndef IOWRITE_BENCH_ESTIMATE_H
#define IOWRITE_BENCH_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "iowrite-bench/system.h"

#define ESTIMATE_BLOCKS 64

struct estimate_block {
	double *values; /* sorted by estimate() */
	size_t count;
};

/* Blocks without samples are passed over; at least one sample in all. scale: what the value is small against when it is
 * the difference of two, and may be 0 or below then; 0 = the value itself. method: as system_value's. 0 or -ENOMEM. */
int estimate(struct estimate_block *blocks, size_t count, double scale, const char *method, struct system_value *value);

/* Mean without outliers, as system_value's. NAN when there are none. values sorted. */
double estimate_mean(const double *sorted, size_t count);

/* Known well enough to stop: half of the interval is below 3 % of the value, or of the scale. */
bool estimate_is_good(const struct system_value *value, double scale);

#endif
