/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run is worth: what this machine is and does, whether a steady state was reached, and whether the numbers may be
 * trusted. Nothing is ever tuned. */
#ifndef PMBENCH_CHECK_H
#define PMBENCH_CHECK_H

#include "pmbench/control.h"
#include "pmbench/result.h"

/* Notes that can be made before the run loads the machine. */
void pm_check_start(const struct machine *machine, struct pmbench_result *result);
/* The machine as it is when the window begins, with the run's own swap, settings and cgroup (cgroup_dir NULL = none,
 * limit 0 = none) in force. */
void pm_check_machine(uint64_t limit, const char *cgroup_dir, struct pmbench_result *result);
/* Notes on what the run showed, after its results were collected. */
void pm_check_run(const struct control *control, struct pmbench_result *result);

/* The rule of latency_steady_tail on the throughput of all intervals but the last, shortened one. False: too few of them,
 * or several phases. */
bool pm_check_steady(const struct result_interval *intervals, size_t count, unsigned phases,
	struct pm_steady_state_values *steady);

/* Fills reasons and status from everything else in the result: any reason makes it untrustworthy, an interruption
 * alone makes it interrupted. */
#define CHECK_MAX_BACKWARDS_SHARE 1e-6
#define CHECK_MAX_DRIFT_PPM 5.0 /* beyond the uncertainty of both calibrations */
#define CHECK_MAX_STEAL_PERCENT 5.0
#define CHECK_MAX_RESIDENT_SHARE 0.01
void pm_check_trust(struct pmbench_result *result);

/* Why a job ended before anything was measured: one line about what its end says. */
void pm_check_failure(const struct pressure_outcome *outcome, char *why, size_t length);

#endif
