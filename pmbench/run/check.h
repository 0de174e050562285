/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of a run: the state of this machine, whether a steady state was reached, and whether the results are
 * trustworthy. The checks change no setting. */
#ifndef PMBENCH_RUN_CHECK_H
#define PMBENCH_RUN_CHECK_H

#include "pmbench/run/result.h"
#include "pmbench/worker/control.h"

/* Adds the checks of the machine that must precede the load of the run. */
void pm_check_start(const struct machine *machine, struct pmbench_result *result);
/* Checks the machine at the begin of the window, when the run's own swap, settings and cgroup are in force.
 * cgroup_dir: NULL = none; limit in bytes, 0 = none. */
void pm_check_machine(uint64_t limit, const char *cgroup_dir, struct pmbench_result *result);
/* Adds the checks that need the collected results of the run. */
void pm_check_run(const struct control *control, struct pmbench_result *result);

/* Applies the rule of latency_steady_tail to the throughput of all intervals except the last, which may be shorter.
 * Returns false if there are too few intervals or more than one phase. */
bool pm_check_steady(const struct result_interval *intervals, size_t count, unsigned phases,
	struct pm_steady_state_values *steady);

/* Limits of pm_check_trust. */
#define CHECK_MAX_BACKWARDS_SHARE 1e-6
#define CHECK_MAX_DRIFT_PPM 5.0 /* beyond the uncertainty of both calibrations */
#define CHECK_MAX_STEAL_PERCENT 5.0
#define CHECK_MAX_RESIDENT_SHARE 0.01
/* Fills reasons and status from the rest of the result: the status is "untrustworthy" if there is any reason, else
 * "interrupted" if the run was interrupted, else "ok". */
void pm_check_trust(struct pmbench_result *result);

/* Writes into why, in one line, how a job ended that measured nothing. */
void pm_check_failure(const struct pressure_outcome *outcome, char *why, size_t length);

#endif
