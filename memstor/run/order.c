/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rounds: each runs every step once, the next one in the other direction (A B B A). What drifts slowly on a machine,
 * its temperature or the age of its disk, then falls on all steps alike and not on the last ones.
 */
#include "config.h"
#include "memstor/run/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "common/units.h"

static unsigned rounds_of(const struct run_step *step, bool is_warmup)
{
	if (!step->is_selected)
		return 0;
	return is_warmup ? step->warmup : step->runs;
}

static void add_rounds(struct run_plan *plan, bool is_warmup)
{
	for (unsigned round = 0;; round++) {
		size_t before = plan->turn_count;

		for (size_t i = 0; i < plan->step_count; i++) {
			size_t step = round % 2 ? plan->step_count - 1 - i : i;

			if (round < rounds_of(&plan->steps[step], is_warmup))
				plan->turns[plan->turn_count++] = (struct run_turn){step, round + 1, is_warmup};
		}
		if (plan->turn_count == before)
			return;
	}
}

int run_order(struct run_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->step_count; i++)
		count += (size_t)rounds_of(&plan->steps[i], false) + rounds_of(&plan->steps[i], true);
	if (count > RUN_TURNS_MAX)
		return -E2BIG;
	plan->turns = calloc(count + 1, sizeof(*plan->turns));
	if (!plan->turns)
		return -ENOMEM;
	plan->turn_count = 0;
	add_rounds(plan, true);
	add_rounds(plan, false);
	return 0;
}
