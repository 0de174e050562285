/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run is worth: did it reach a steady state, and may its numbers be trusted. */
#ifndef PMBENCH_JUDGE_H
#define PMBENCH_JUDGE_H

#include "pmbench/result.h"

/*
 * Steady: the longest tail of the intervals, at least half of them and at least 5, over which the fitted line of
 * throughput changes by at most 10 % of the mean and its coefficient of variation is at most 20 %. Unknown with
 * fewer than 10 intervals or several phases. The last, shortened interval is left out.
 */
#define JUDGE_MIN_INTERVALS 10
#define JUDGE_MAX_SLOPE_PERCENT 10.0
#define JUDGE_MAX_CV_PERCENT 20.0
void judge_steady(const struct result_interval *intervals, size_t count, unsigned phases, struct result_steady *steady);

/* Fills reasons and status from everything else in the result: any reason makes it untrustworthy, an interruption
 * alone makes it interrupted. */
#define JUDGE_MAX_BACKWARDS_SHARE 1e-6
#define JUDGE_MAX_DRIFT_PPM 5.0 /* beyond the uncertainty of both calibrations */
#define JUDGE_MAX_STEAL_PERCENT 5.0
#define JUDGE_MAX_RESIDENT_SHARE 0.01
void judge_result(struct pmbench_result *result);

/* Why a job ended before anything was measured: one line about what its end says. */
void judge_failure(const struct pressure_outcome *outcome, char *why, size_t length);

#endif
