/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the end of a program means for its run. */
#ifndef MEMSTOR_RUN_OUTCOME_H
#define MEMSTOR_RUN_OUTCOME_H

#include "memstor/run/child.h"
#include "memstor/run/plan.h"

/* error is the program's stderr, report the path of its report. Fills all of record but wall_start and beside. */
void run_judge(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record);

#endif
