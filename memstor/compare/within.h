/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one run against one still tells: how steady each was, from its series. Intervals of a run depend on
 * each other, so blocks of them are resampled (Kuensch, 1989; blocks wrap around). The interval is about
 * these two runs; how much a next run would differ is not in it.
 */
#ifndef MEMSTOR_COMPARE_WITHIN_H
#define MEMSTOR_COMPARE_WITHIN_H

#include <stddef.h>
#include <stdint.h>

#include "memstor/compare/judge.h"
#include "memstor/metric.h"

#define COMPARE_WITHIN_INTERVALS 10 /* a run: fewer say nothing */

/* A series: one number an interval, and what it weighs in their mean. */
struct compare_series {
	double *values, *weights;
	size_t count;
};

/* For each metric the ratio new/base with its interval; low is NAN where the series has no such number or is
 * too short. A diag_exit code, after a line when it is not 0. */
int compare_within(const char *base_path, const char *new_path, const struct metric *metrics, size_t count,
	double level, uint64_t seed, struct compare_within *within);

/* The same of two series. 0, -EINVAL (too short) or -ENOMEM. */
int compare_series(const struct compare_series *base, const struct compare_series *new, double level, uint64_t seed,
	struct compare_within *within);

#endif
