/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One calibrated number from samples that were taken in blocks, at times some seconds apart and mixed with those of
 * other parameters. A machine is slower in one hour than in the next: the scatter within a block does not
 * predict a later measurement, so the blocks decide.
 *
 *   value      median of the blocks' medians
 *   low, high  the wider of two intervals: of the median of all samples by order statistics (95 %), and of the blocks'
 *              medians; of fewer than 6 numbers the range
 *   unstable   when that interval is wider than a tenth of the value to either side
 *   p5 ... p95 of all samples
 *   mean       of all samples: it is what adds up, so none is left out
 *   mean_low, mean_high   95 %: the wider of two intervals by Student's t, of the blocks' means (the samples of one block are
 *              not independent) and of all samples (few blocks may be alike by chance). Around a mean above 0 it is from
 *              mean * exp(-x) to mean * exp(x), x being Student's half width as part of the mean, because costs are skewed
 *              upwards; above x = 1, of few blocks, the upper end follows the tangent. NAN of a single sample
 *   outliers   samples above three medians (five MADs if that is more) or five MADs below the median, and their share of
 *              the sum
 *
 * With 5 blocks of 12 the interval of the mean holds the true one in 96 to 98 % of cases of normal, exponential and log-normal
 * costs and of two modes that alternate, in 92 % when a mode lasts for a block (73 % with 3 blocks: all may be of one). No
 * interval covers a mode of which there is no sample.
 */
#ifndef IOWRITE_BENCH_SYSTEM_ESTIMATE_H
#define IOWRITE_BENCH_SYSTEM_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>

#include "iowrite-bench/system/value.h"

#define ESTIMATE_BLOCKS 64

struct estimate_block {
	double *values; /* sorted by estimate() */
	size_t count;
};

/* Skips blocks without samples; there is at least one sample. scale: the value that a difference, which may be 0 or below, is
 * small against; 0 = the value itself. method: as system_value's. Returns 0 or -ENOMEM. */
int estimate(struct estimate_block *blocks, size_t count, double scale, const char *method, struct system_value *value);

/* Returns whether it is known well enough to stop: half of the interval is below 3 % of the value, or of the scale. */
bool estimate_is_good(const struct system_value *value, double scale);

/* Writes why a value that was measured in blocks varies: "too few blocks", "it rose in the course of time", "two modes", ...:
 * the first that holds. blocks: at least one, none empty, in the order of time, each sorted, values above 0 unless they are
 * differences, which have no modes here. Returns 0 or -ENOMEM. */
int why_unstable(const struct estimate_block *blocks, size_t count, bool is_difference, char *text, size_t length);

/* The point from which a device that is written to without a pause stays slower. */

#define CHANGE_LEAST 8 /* values on each side */

struct change {
	size_t at;            /* the first value behind it */
	double before, after; /* medians */
};

/*
 * Finds a fall in a series of rates above 0. The cumulative sum of the logarithms' distances from their mean goes far from 0
 * when the mean changes: farther than by the values' own scatter once in a thousand series (Kolmogorov's bound of a Brownian
 * bridge; the scatter is taken from differences of neighbours, in which the change is one of many), and the median must fall by
 * a fifth or more. A single outlier is ignored. Returns 0, or -ENOMEM; *is_found.
 */
int change_find(const double *rates, size_t count, struct change *change, bool *is_found);

#endif
