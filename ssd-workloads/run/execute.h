/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan done on an open place: prepare, repetitions, trace, verification, dump. */
#ifndef SSD_WORKLOADS_RUN_EXECUTE_H
#define SSD_WORKLOADS_RUN_EXECUTE_H

#include "common/undo.h"
#include "ssd-workloads/run/result.h"

struct execution;

/* Everything that a run takes beside its targets is tried before place_claim, and what prepares them is kept: what is lacking
 * changes no target. places may be open only. 0 and *execution, or a diag_exit code after one line; close it in any case. */
int execute_open(const struct run_plan *plan, struct place *places, struct run_result *result, struct execution **opened);
void execute_close(struct execution *execution); /* NULL is allowed */
/* Behind place_claim of all places. undo NULL: no trace can be made. DIAG_EXIT_OK when there is a result, whole or partial;
 * else a diag_exit code after one line. */
int execute(struct execution *execution, struct undo *undo);

#endif
