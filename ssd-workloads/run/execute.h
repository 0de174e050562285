/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan done on an open place: prepare, repetitions, trace, verification, dump. */
#ifndef SSD_WORKLOADS_RUN_EXECUTE_H
#define SSD_WORKLOADS_RUN_EXECUTE_H

#include "common/undo.h"
#include "ssd-workloads/run/result.h"

/* undo NULL: no trace can be made. DIAG_EXIT_OK when there is a result, whole or partial; else a diag_exit code after one
 * line. */
int execute(const struct run_plan *plan, struct place *places, struct undo *undo, struct run_result *result);

#endif
