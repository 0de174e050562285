/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/units.h"

bool run_pace_is_open(const struct run_plan *plan, const struct run_turn *turn)
{
	const struct run_step *step = &plan->steps[turn->step];

	if (step->skipped[0])
		return false;
	if (!turn->is_warmup)
		return !run_state_is_final(step->records[turn->number - 1].state);
	/* What was warm may be cold again: as long as there is something to measure. */
	for (unsigned i = 0; i < step->runs; i++) {
		if (!run_state_is_final(step->records[i].state))
			return true;
	}
	return false;
}

int run_pace_begin(const struct run_plan *plan, size_t count, struct run_pace *pace)
{
	*pace = (struct run_pace){.plan = plan, .count = count};
	pace->took = calloc(plan->step_count, sizeof(*pace->took));
	if (!pace->took)
		return -ENOMEM;
	progress_init(&pace->progress, false);
	return 0;
}

void run_pace_free(struct run_pace *pace)
{
	free(pace->took);
	pace->took = NULL;
}

static double budget_of(const struct run_plan *plan, size_t step)
{
	return (double)plan->steps[step].suite->budget_ns / UNITS_NS_PER_SEC;
}

double run_pace_left(const struct run_pace *pace, size_t index, bool *is_bound)
{
	/* Steps that were not seen yet are taken to use as much of their budgets as those that were. */
	double share = pace->budget_seconds > 0 ? pace->seconds / pace->budget_seconds : 1;
	double left = 0;

	for (size_t i = index; i < pace->plan->turn_count; i++) {
		const struct run_turn *turn = &pace->plan->turns[i];
		const struct run_took *took = &pace->took[turn->step];

		if (!run_pace_is_open(pace->plan, turn))
			continue;
		left += took->runs ? took->seconds / took->runs : share * budget_of(pace->plan, turn->step);
	}
	*is_bound = pace->budget_seconds <= 0;
	return left;
}

static void name_turn(const struct run_pace *pace, size_t index, char *text, size_t length)
{
	const struct run_turn *turn = &pace->plan->turns[index];

	snprintf(text, length, "[%zu/%zu] %s %s %u", pace->now, pace->count, pace->plan->steps[turn->step].name,
		turn->is_warmup ? "warm-up" : "run", turn->number);
}

void run_pace_show(struct run_pace *pace, size_t index, double seconds)
{
	const struct run_turn *turn = &pace->plan->turns[index];
	char name[128], spent[UNITS_TEXT], budget[UNITS_TEXT], left_text[UNITS_TEXT];
	bool is_bound;
	double left;

	if (!pace->progress.is_shown)
		return;
	left = run_pace_left(pace, index, &is_bound) - seconds;
	name_turn(pace, index, name, sizeof(name));
	progress_line(&pace->progress, "%s: %s of at most %s; %s%s left", name,
		units_format_duration(seconds * 1e9, spent, sizeof(spent)),
		units_format_duration(budget_of(pace->plan, turn->step) * 1e9, budget, sizeof(budget)),
		is_bound ? "at most " : "", units_format_duration((left > 0 ? left : 0) * 1e9, left_text, sizeof(left_text)));
}

void run_pace_end(struct run_pace *pace, size_t index, const struct run_record *record)
{
	const struct run_turn *turn = &pace->plan->turns[index];
	struct run_took *took = &pace->took[turn->step];
	char name[128], spent[UNITS_TEXT];

	if (record->wall_start[0]) {
		took->seconds += record->seconds;
		took->runs++;
		pace->seconds += record->seconds;
		pace->budget_seconds += budget_of(pace->plan, turn->step);
	}
	name_turn(pace, index, name, sizeof(name));
	units_format_duration(record->seconds * 1e9, spent, sizeof(spent));
	if (pace->progress.is_shown && record->state == RUN_DONE)
		return;
	progress_clear(&pace->progress);
	if (record->state == RUN_SKIPPED)
		diag_info("%s: skipped: %s", name, record->reason);
	else
		diag_info("%s: %s after %s%s%s", name, run_state_name(record->state), spent, record->reason[0] ? ": " : "",
			record->reason);
}
