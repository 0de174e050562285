/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run is worth: did it reach a steady state, and may its numbers be trusted. */
#ifndef PMBENCH_JUDGE_H
#define PMBENCH_JUDGE_H

#include "pmbench/result.h"

/* The rule of latency_steady_tail on the throughput of all intervals but the last, shortened one. Unknown with several
 * phases, too. */
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
