/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator's eyes on a running job: waits for states, takes snapshots, keeps the series. */
#ifndef PMBENCH_WATCH_H
#define PMBENCH_WATCH_H

#include <stdbool.h>
#include "common/pressure.h"
#include "pmbench/control.h"
#include "pmbench/result.h"
#include "pmbench/series.h"

struct watch {
	const struct pmbench_plan *plan;
	struct control *control;
	struct pmbench_result *result;
	struct pressure *pressure;
	struct series series;
	bool has_job_ended;
	double window_seconds;
};

/* Waits until every thread is at least there. False when the job ended, a thread failed or a signal came first. */
bool watch_for_state(struct watch *watch, enum control_state state);
void watch_snapshot(struct watch *watch, enum result_snapshot which);
/* Orders the run and watches it to its end: series, mid-run snapshot, --interval lines; a signal stops the threads
 * and marks the result interrupted. */
void watch_window(struct watch *watch);

#endif
