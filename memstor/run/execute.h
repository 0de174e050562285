/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan, run: each turn that is open, in order, with the index after each. */
#ifndef MEMSTOR_RUN_EXECUTE_H
#define MEMSTOR_RUN_EXECUTE_H

#include "memstor/run/folder.h"
#include "memstor/run/plan.h"

/* Fills the plan's records. 0, also when steps failed or a signal came (interrupt_signal), or a diag_exit code after
 * one line when results can no longer be kept. */
int run_execute(struct run_plan *plan, const struct run_folder *folder);

#endif
