/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Observations during and after the runs: the kernel's block events of the mix's last repetition, joined with its records, and the
 * dump. Runs begin in the order of baseline_order; all of them are traced, so that each has the same cost. observation_close takes
 * NULL.
 */
#ifndef SSD_WORKLOADS_RUN_OBSERVE_H
#define SSD_WORKLOADS_RUN_OBSERVE_H

#include "common/undo/undo.h"
#include "ssd-workloads/run/result.h"

struct observation;

/* Opens the observation; undo NULL: no trace. Returns 0, or DIAG_EXIT_HOST after an error message, also if --trace=on is
 * unavailable; with auto the reason is kept. */
int observation_open(const struct ssd_run_plan *plan, const struct place *place, struct undo *undo,
	struct observation **opened);
/* Called before and after each engine_run. observation_start returns 0 or a diag_exit code after an error message. */
int observation_start(struct observation *observation);
void observation_stop(struct observation *observation);
/* Called instead of observation_stop after an engine_run that failed. */
void observation_abandon(struct observation *observation);
/* Joins the events with the records, sums up into result->split, writes --dump, compares for --without. Returns 0, or a
 * diag_exit code after an error message; then result->split has the results without the trace. */
int observation_take(struct observation *observation, struct ssd_run_result *result);
void observation_close(struct observation *observation);

#endif
