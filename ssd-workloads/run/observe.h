/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is observed during and after the runs: the kernel's block events of the mix's last repetition, joined with its
 * records, and the dump. Runs are begun in the order of baseline_order; all of them are traced, so that each costs the
 * same. observation_close takes NULL.
 */
#ifndef SSD_WORKLOADS_RUN_OBSERVE_H
#define SSD_WORKLOADS_RUN_OBSERVE_H

#include "common/undo.h"
#include "ssd-workloads/run/result.h"

struct observation;

/* undo NULL: no trace. an unavailable --trace=on is DIAG_EXIT_HOST after one line; of auto the reason is kept. */
int observation_open(const struct run_plan *plan, const struct place *place, struct undo *undo,
	struct observation **opened);
/* Before each engine_run and after it. 0 or a diag_exit code after one line. */
int observation_start(struct observation *observation);
void observation_stop(struct observation *observation);
/* In its place after an engine_run that failed. */
void observation_abandon(struct observation *observation);
/* Joins, sums up into result->split, writes --dump, compares for --without. 0 or a diag_exit code after one line; then
 * result->split is what can be said without the trace. */
int observation_take(struct observation *observation, struct run_result *result);
void observation_close(struct observation *observation);

#endif
