/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/text.h"

#include <math.h>
#include <string.h>

#include "common/units.h"
#include "iowrite-bench/evaluate/goals.h"

#define CELL 40

static const char *format_model(const struct result_judgement *judgement, char *cell)
{
	snprintf(cell, CELL, "-");
	if (judgement->is_there)
		snprintf(cell, CELL, "%.1f / %+.1f", judgement->errors.per_write, judgement->errors.total);
	return cell;
}

static const char *format_band(const struct result_judgement *kernel, char *cell)
{
	snprintf(cell, CELL, "-");
	if (kernel->is_there && !isnan(kernel->errors.coverage))
		snprintf(cell, CELL, "%.0f", kernel->errors.coverage);
	return cell;
}

static void print_trial(FILE *out, const struct result_trial *trial)
{
	char time[UNITS_TEXT], models[RESULT_MODELS][CELL], band[CELL];

	fprintf(out, "%-8s %3u  %7zu  %10s", trial->scenario->id, trial->repetition, trial->operations,
		units_format_duration_even(trial->measured_s * 1e9, time, sizeof(time)));
	for (int i = 0; i < RESULT_MODELS; i++)
		fprintf(out, "  %16s", format_model(&trial->models[i], models[i]));
	fprintf(out, "  %5.1f  %4s\n", trial->floor_percent, format_band(&trial->models[RESULT_KERNEL], band));
}

static void print_trials(FILE *out, const struct evaluate_result *result)
{
	if (!result->trial_count)
		return;
	fprintf(out, "%-8s %3s  %7s  %10s  %16s  %16s  %16s  %5s  %4s\n", "scenario", "run", "writes", "measured",
		"naive", "cawl", "kernel", "floor", "band");
	for (size_t i = 0; i < result->trial_count; i++)
		print_trial(out, &result->trials[i]);
	fputs("Errors in percent: per write / of the total. Floor: the best constant cost on three stretches of time, "
	      "chosen\nafterwards. Band: throttled writes inside the kernel model's 10 to 90 %.\n",
		out);
}

static void print_goals(FILE *out, const struct evaluate_result *result)
{
	size_t wins = 0, ties = 0, losses = 0;

	for (size_t i = 0; i < result->goal_count; i++) {
		const struct result_goal *goal = &result->goals[i];
		bool is_win = goal->reached_percent < goal->limit_percent - 2 * GOALS_TIE_POINTS;

		if (!strncmp(goal->error, "cawl-", 5)) {
			wins += is_win;
			losses += !goal->is_met;
			ties += goal->is_met && !is_win;
			continue;
		}
		fprintf(out, "%s%-7s %-14s %-10s %6.1f %%, at most %.0f %%\n", i ? "" : "\nGoals of the kernel model\n",
			goal->is_met ? "met" : "missed", goal->set, goal->error, goal->reached_percent,
			goal->limit_percent);
	}
	if (!(wins + ties + losses))
		return;
	fprintf(out, "Against cawl, per write and in total: %zu better, %zu tie%s (up to %d points), %zu worse\n",
		wins, ties, ties == 1 ? "" : "s", GOALS_TIE_POINTS, losses);
	for (size_t i = 0; i < result->goal_count; i++) {
		const struct result_goal *goal = &result->goals[i];

		if (!strncmp(goal->error, "cawl-", 5) && !goal->is_met)
			fprintf(out, "missed  %-14s %-14s %6.1f %%, cawl %.1f %%\n", goal->set, goal->error + 5,
				goal->reached_percent, goal->limit_percent - GOALS_TIE_POINTS);
	}
}

static void print_outside(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];

		for (size_t k = 0; k < trial->outside_count; k++) {
			fprintf(out, "%s%-8s %3u  %s: %s\n", has_title ? "" : "\nOutside of what the models know\n",
				trial->scenario->id, trial->repetition, trial->outside[k].code, trial->outside[k].text);
			has_title = true;
		}
	}
}

void evaluate_text(FILE *out, const struct evaluate_result *result)
{
	print_trials(out, result);
	print_goals(out, result);
	print_outside(out, result);
	for (size_t i = 0; i < result->skipped_count; i++)
		fprintf(out, "%s%-12s %s\n", i ? "" : "\nNot measured, or not predicted\n", result->skipped[i].name,
			result->skipped[i].reason);
}
