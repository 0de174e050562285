/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/goals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#define SET_GOALS 7

static const struct {
	const char *name;
	enum scenario_set set;
	bool is_slow;        /* of the buffered ones */
	double per_write, total; /* percent; NAN = no goal */
} sets[] = {
	{"sync", SCENARIO_SYNC, false, 15, NAN},
	{"buffered-slow", SCENARIO_BUFFERED, true, 20, 5},
	{"buffered-fast", SCENARIO_BUFFERED, false, 30, 9},
	{"fwrite", SCENARIO_FWRITE, false, 15, 3},
};

enum kind { PER_WRITE, TOTAL };

static double error_of(const struct result_judgement *judgement, enum kind kind)
{
	return kind == PER_WRITE ? judgement->errors.per_write : fabs(judgement->errors.total);
}

/* Mean over a scenario's repetitions; NAN when the model said nothing of any. */
static double scenario_error(const struct evaluate_result *result, const struct scenario *scenario,
	enum result_model model, enum kind kind)
{
	double sum = 0;
	unsigned count = 0;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];

		if (trial->scenario != scenario || !trial->models[model].is_there)
			continue;
		sum += error_of(&trial->models[model], kind);
		count++;
	}
	return count ? sum / count : NAN;
}

/* Is this the scenario's first trial? */
static bool is_first(const struct evaluate_result *result, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (result->trials[i].scenario == result->trials[index].scenario)
			return false;
	}
	return true;
}

static double set_error(const struct evaluate_result *result, enum scenario_set set, enum kind kind)
{
	double sum = 0;
	unsigned count = 0;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct scenario *scenario = result->trials[i].scenario;
		double error = scenario_error(result, scenario, RESULT_KERNEL, kind);

		if (scenario_set(scenario) != set || !is_first(result, i) || isnan(error))
			continue;
		sum += error;
		count++;
	}
	return count ? sum / count : NAN;
}

static void add(struct evaluate_result *result, const char *set, const char *error, double limit, double reached)
{
	struct result_goal *goal;

	if (isnan(limit) || isnan(reached))
		return;
	goal = &result->goals[result->goal_count++];
	*goal = (struct result_goal){
		.error = error, .limit_percent = limit, .reached_percent = reached, .is_met = reached <= limit};
	snprintf(goal->set, sizeof(goal->set), "%s", set);
}

static void add_set_goals(struct evaluate_result *result)
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (sets[i].set == SCENARIO_BUFFERED && sets[i].is_slow != result->is_slow)
			continue;
		add(result, sets[i].name, "per-write", sets[i].per_write,
			set_error(result, sets[i].set, PER_WRITE));
		add(result, sets[i].name, "total", sets[i].total, set_error(result, sets[i].set, TOTAL));
	}
}

static void add_scenario_goals(struct evaluate_result *result)
{
	static const char *const names[] = {[PER_WRITE] = "cawl-per-write", [TOTAL] = "cawl-total"};

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct scenario *scenario = result->trials[i].scenario;

		for (enum kind kind = PER_WRITE; kind <= TOTAL && is_first(result, i); kind++)
			add(result, scenario->id, names[kind],
				scenario_error(result, scenario, RESULT_CAWL, kind) + GOALS_TIE_POINTS,
				scenario_error(result, scenario, RESULT_KERNEL, kind));
	}
}

/* The share of costs that are none, of the trial that has most of them. */
static void add_refused(struct evaluate_result *result)
{
	double most = NAN;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_judgement *kernel = &result->trials[i].models[RESULT_KERNEL];

		if (kernel->is_there)
			most = fmax(most, kernel->errors.refused);
	}
	add(result, "all", "no-cost", 0, most);
}

int goals_make(struct evaluate_result *result)
{
	result->goals = calloc(SET_GOALS + 1 + 2 * result->trial_count, sizeof(*result->goals));
	result->goal_count = 0;
	if (!result->goals)
		return -ENOMEM;
	add_set_goals(result);
	add_scenario_goals(result);
	add_refused(result);
	return 0;
}

bool goals_are_met(const struct evaluate_result *result)
{
	for (size_t i = 0; i < result->goal_count; i++) {
		if (!result->goals[i].is_met)
			return false;
	}
	return true;
}
