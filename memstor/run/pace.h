/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long what is left will take, and the lines that say so. */
#ifndef MEMSTOR_RUN_PACE_H
#define MEMSTOR_RUN_PACE_H

#include <stddef.h>

#include "common/progress.h"
#include "memstor/run/plan.h"

struct run_pace {
	const struct run_plan *plan;
	struct progress progress;
	size_t count;   /* of turns that are run now, and the how-manyth is on */
	size_t now;
	struct run_took {
		double seconds;
		unsigned runs;
	} *took;        /* by step */
	double seconds, budget_seconds; /* of all that ended */
};

/* 0 or -ENOMEM. */
int run_pace_begin(const struct run_plan *plan, size_t count, struct run_pace *pace);
void run_pace_free(struct run_pace *pace);

/* The next turn begins. */
void run_pace_next(struct run_pace *pace);
/* It has run for so long: the line on a terminal. index is the turn's place in the plan. */
void run_pace_show(struct run_pace *pace, size_t index, double seconds);
/* It has ended: one line, on a terminal only when there is something to say. */
void run_pace_end(struct run_pace *pace, size_t index, const struct run_record *record);

/* Seconds that the turns from index on will take, after what was seen so far; is_bound: nothing was, and it is the
 * sum of the budgets. */
double run_pace_left(const struct run_pace *pace, size_t index, bool *is_bound);
/* That turn will be run: it is not done, and its step can run here. */
bool run_pace_is_open(const struct run_plan *plan, const struct run_turn *turn);

#endif
