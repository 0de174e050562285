/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Executes a plan. The calling process is the coordinator: it stays outside the job's cgroup, gives the orders,
 * takes the snapshots and the series, and continues when a measuring process is killed.
 */
#ifndef PMBENCH_RUN_RUN_H
#define PMBENCH_RUN_RUN_H

#include <stdbool.h>
#include "common/pressure/pressure.h"
#include "pmbench/run/collect.h"

/* Returns 0 and a complete result (freed by result_free), also of an interrupted or killed run, or a diag_exit code after
 * one line if nothing was measured. */
int run_plan(const struct pmbench_plan *plan, const struct machine *machine, struct pmbench_result *result);

/* --- parts of run_plan, for tests --- */

/* The coordinator's view of a running job. */
struct watch {
	struct control *control;
	struct pmbench_result *result;
	struct pressure *pressure;
	struct series series;
	bool has_job_ended;
	double window_seconds;
};

/* Waits until every thread has reached this state. Returns false if before that the job ended, a thread failed or a
 * signal came. */
bool watch_for_state(struct watch *watch, enum control_state state);
/* Starts the window and watches it up to its end: takes the series and the mid-run snapshot, prints the lines of
 * --interval. A signal stops the threads and marks the result as interrupted. */
void watch_window(struct watch *watch);

#endif
