/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The error per write of the best predictor that says one cost for each size on each of a few stretches of time,
 * chosen knowing the result: what is below needs the phase of the stalls. The cost that minimises the sum of
 * |c - m| / m, as far as the clock can tell (measured_error), is the median of m - step and m + step weighted by 1 / m; the
 * stretches are found by dynamic programming over their ends.
 *
 * Exact for up to FLOOR_EXACT writes. Of more the ends are sought on a grid of FLOOR_GRID steps, whose error is that of
 * a predictor which exists, too: never below the true floor, and above it by less than what two steps hold.
 */
#ifndef IOWRITE_BENCH_EVALUATE_FLOOR_H
#define IOWRITE_BENCH_EVALUATE_FLOOR_H

#include "iowrite-bench/evaluate/measured.h"

#define FLOOR_EXACT 2048
#define FLOOR_GRID 128
#define FLOOR_STRETCHES 3

/* 0 or -ENOMEM. */
int floor_percent(const struct measured *measured, double *percent);

#endif
