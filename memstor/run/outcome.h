/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the end of a program means for its run. */
#ifndef MEMSTOR_RUN_OUTCOME_H
#define MEMSTOR_RUN_OUTCOME_H

#include "memstor/run/child.h"
#include "memstor/run/plan.h"

/* error is the program's stderr, report the path of its report. Fills all of record but wall_start and beside. */
void run_judge(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record);

/* What a program said on stderr, in one line. */
enum run_tail { RUN_TAIL_FIRST, RUN_TAIL_LAST };

/* The first or last line of the file that is not empty, without "PROGRAM: " before it, cut to length; what a
 * terminal obeys becomes '?'. "" when there is none. */
void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length);

#endif
