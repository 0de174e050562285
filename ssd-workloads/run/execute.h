/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan done on open places: prepare, repetitions, trace, verification, dump. */
#ifndef SSD_WORKLOADS_RUN_EXECUTE_H
#define SSD_WORKLOADS_RUN_EXECUTE_H

#include "common/undo.h"
#include "ssd-workloads/run/result.h"

struct execution { /* zeroed before execute_set_up */
	const struct run_plan *plan;
	struct place *places;      /* as many as the plan has */
	struct run_result *result;
	struct engine_setup setup; /* its backend is set when one was chosen */
	void *memory;              /* of prepare; NULL = not needed, or not any more */
	struct engine_position position;
	struct header header;
	struct ack_log *ack_log;
	struct observation *observation;
	struct target_mark marks[MIX_STREAMS]; /* of the places, behind the preparation */
	bool is_final;             /* the headers say what was acknowledged */
	bool is_overwritten[MIX_STREAMS]; /* another process did that to the header of a place */
};

/* All are the caller's, and places are open. */
void execute_set_up(struct execution *execution, const struct run_plan *plan, struct place *places, struct run_result *result);
/* Behind frame_start: everything that a run takes beside its targets is tried before place_claim, and what prepares them is
 * kept: what is lacking changes no target. 0 or a diag_exit code after one line. */
int execute_rehearse(struct execution *execution);
/* Behind place_claim of all places. undo NULL: no trace can be made. DIAG_EXIT_OK when there is a result, whole or partial;
 * else a diag_exit code after one line. */
int execute(struct execution *execution, struct undo *undo);
void execute_close(struct execution *execution); /* also of one that was only zeroed */

#endif
