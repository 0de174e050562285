/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution of the plan on open places: preparation, repetitions, trace, verification, dump. */
#ifndef SSD_WORKLOADS_RUN_EXECUTE_H
#define SSD_WORKLOADS_RUN_EXECUTE_H

#include "common/storage/target_mark.h"
#include "common/undo/undo.h"
#include "ssd-workloads/run/result.h"

struct execution { /* zeroed before execute_set_up */
	const struct ssd_run_plan *plan;
	struct place *places;      /* place_count of the plan */
	struct ssd_run_result *result;
	struct engine_setup setup; /* its backend is set when one is chosen */
	void *memory;              /* memory of prepare; NULL = not needed (any more) */
	struct engine_position position;
	struct header header;
	struct ack_log *ack_log;
	struct observation *observation;
	struct durability_counter flushes[LAYOUT_TARGETS]; /* of the current step */
	struct target_mark marks[LAYOUT_TARGETS]; /* of the places, after the preparation */
	bool is_final;             /* the headers hold the acknowledged writes */
	bool is_overwritten[LAYOUT_TARGETS]; /* another process overwrote the header of a place */
};

/* Sets up the execution; places are open, and all arguments stay the caller's. */
void execute_set_up(struct execution *execution, const struct ssd_run_plan *plan, struct place *places,
	struct ssd_run_result *result);
/* Checks, after frame_start and before place_claim, all resources of a run other than its targets, and keeps those of the
 * preparation: a missing resource changes no target. Returns 0 or a diag_exit code after an error message. */
int execute_rehearse(struct execution *execution);
/* Creates the acknowledgement log of the run; NULL if it needs none. Returns 0, or DIAG_EXIT_HOST after an error message. */
int execute_open_ack_log(const struct ssd_run_plan *plan, struct ack_log **ack_log);
/* Executes the plan, after place_claim of all places. undo NULL: traces are not possible. Returns DIAG_EXIT_OK if there is a
 * result, complete or partial; else a diag_exit code after an error message. */
int execute(struct execution *execution, struct undo *undo);
void execute_close(struct execution *execution); /* also for a zeroed one */

#endif
