/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel model has to reach. Of each set of scenarios the mean of their errors, of a scenario the mean of its
 * repetitions; a set that was not measured has no goal. Besides, of each scenario: not worse than cawl by more than 3
 * points, which on a noisy machine is no tie (they are part of the limit); and no cost that is no cost.
 */
#ifndef IOWRITE_BENCH_EVALUATE_GOALS_H
#define IOWRITE_BENCH_EVALUATE_GOALS_H

#include "iowrite-bench/evaluate/result.h"

#define GOALS_TIE_POINTS 3

/* Fills result->goals from its trials. 0 or -ENOMEM. */
int goals_make(struct evaluate_result *result);
bool goals_are_met(const struct evaluate_result *result);

#endif
