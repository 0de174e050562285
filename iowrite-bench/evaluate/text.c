/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#include "common/cli/grid.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "iowrite-bench/model/kinds.h"

#define UNRESOLVED_LEAST 1.0 /* percentage points; less is not printed */

/* Returns NAN for a model without predictions. */
static double said(const struct iow_model_errors_values *model, double value)
{
	return model->name ? value : NAN;
}

static void print_unresolved(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct evaluate_result_trial *trial = &result->trials[i];
		double unresolved = said(&trial->models[MODEL_KERNEL], trial->models[MODEL_KERNEL].unresolved_percent);

		if (!(unresolved >= UNRESOLVED_LEAST))
			continue;
		fprintf(out, "%s %s %u: %.0f",
			has_title ? ","
				  : "Differences below the clock step are not counted as errors per write. With them the error of "
				    "the kernel model is higher, in percentage points:\n",
			trial->scenario->id, trial->repetition, unresolved);
		has_title = true;
	}
	fputs(has_title ? "\n" : "", out);
}

/* "cawl 81 % (12 to 95)": the median over the trials and their range. */
static void print_improvement(FILE *out, const struct evaluate_result *result, enum model_id model, bool *has_title)
{
	double *values = calloc(result->trial_count, sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; values && i < result->trial_count; i++) {
		double value = said(&result->trials[i].models[model], result->trials[i].models[model].improvement_percent);

		if (!isnan(value))
			values[count++] = value;
	}
	if (count) {
		gsl_sort(values, 1, count);
		fprintf(out, "%s %s %.0f %% (%.0f to %.0f)", *has_title ? "," : "Improvement over naive, of the error per write, "
			"median and range:", model_kinds[model]->name, gsl_stats_median_from_sorted_data(values, 1, count),
			values[0], values[count - 1]);
		*has_title = true;
	}
	free(values);
}

static void print_trials(FILE *out, const struct evaluate_result *result)
{
	static const struct grid_column columns[] = {{"scenario", NULL}, {"run", "#"}, {"writes", "#"}, {"measured", "s"},
		{"naive", ""}, {"near", ""}, {"of total", "+"}, {"cawl", ""}, {"near", ""}, {"of total", "+"}, {"kernel", ""},
		{"near", ""}, {"of total", "+"}, {"gap", ""}, {"band", ""},
		{NULL, NULL}};
	struct grid grid = {.columns = columns};
	bool has_title = false;

	if (!result->trial_count)
		return;
	for (size_t i = 0; i < result->trial_count; i++) {
		const struct evaluate_result_trial *trial = &result->trials[i];
		const struct iow_model_errors_values *models = trial->models, *kernel = &models[MODEL_KERNEL];

		grid_text(&grid, "%s", trial->scenario->id);
		GRID_VALUES(&grid, trial->repetition, (double)trial->operations, trial->measured_s);
		for (int k = 0; k < MODEL_KINDS; k++)
			GRID_VALUES(&grid, said(&models[k], models[k].per_write_error_percent),
				said(&models[k], models[k].within_tenth_percent),
				said(&models[k], models[k].total_error_percent));
		GRID_VALUES(&grid, said(kernel, kernel->curve_gap_percent), said(kernel, kernel->coverage_percent));
	}
	grid_print(&grid, out);
	fputs("Errors in percent: per write, and of the total. Near: share of the writes of which the error is at most 10 %.\n"
	      "Gap: how far the kernel model's cost so far is from the measured one, mean over the writes, of the total.\n"
	      "Band: throttled writes inside the kernel model's 10 to 90 %.\n",
		out);
	print_unresolved(out, result);
	print_improvement(out, result, MODEL_CAWL, &has_title);
	print_improvement(out, result, MODEL_KERNEL, &has_title);
	fputs(has_title ? "\n" : "", out);
}

static bool all_have(const struct evaluate_result *result, const struct validity_reason *reason)
{
	for (size_t i = 0; i < result->trial_count; i++) {
		if (!validity_has(&result->trials[i].validity, reason))
			return false;
	}
	return result->trial_count > 1;
}

/* Prints why models are not valid; a reason that holds for every trial is printed once, with the first. */
static void print_outside(FILE *out, const struct evaluate_result *result)
{
	static const struct grid_column columns[] = {{"scenario", NULL}, {"run", NULL}, {"model not valid because", NULL},
		{NULL, NULL}};
	struct grid grid = {.columns = columns};

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct evaluate_result_trial *trial = &result->trials[i];

		for (size_t k = 0; k < trial->validity.count; k++) {
			const struct validity_reason *reason = &trial->validity.reasons[k];
			bool is_of_all = all_have(result, reason);

			if (is_of_all && i)
				continue;
			grid_text(&grid, "%s", is_of_all ? "all" : trial->scenario->id);
			if (is_of_all)
				grid_text(&grid, "%s", "");
			else
				grid_text(&grid, "%u", trial->repetition);
			grid_text(&grid, "%s: %s", reason->code, reason->text);
		}
	}
	fputs(grid.count ? "\n" : "", out);
	grid_print(&grid, out);
}

/* Returns NAN for 0, which means unknown. */
static double amount(double bytes)
{
	return bytes > 0 ? bytes : NAN;
}

static void print_control(FILE *out, const struct evaluate_result *result)
{
	static const struct grid_column columns[] = {{"scenario", NULL}, {"run", "#"}, {"limit", "bytes"}, {"ratelimit", "B/s"},
		{"device", "B/s"}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct evaluate_result_trial *trial = &result->trials[i];

		if (!trial->has_control)
			continue;
		if (!has_title)
			fputs("\nThe kernel's dirty-throttle state when each run began\n", out);
		has_title = true;
		if (result->control_unknown) {
			fprintf(out, "assumed to be steady: %s\n", result->control_unknown);
			return;
		}
		grid_text(&grid, "%s", trial->scenario->id);
		GRID_VALUES(&grid, trial->repetition, amount(trial->control.limit), amount(trial->control.ratelimit),
			amount(trial->control.write_rate));
	}
	grid_print(&grid, out);
}

void evaluate_text(FILE *out, const struct evaluate_result *result)
{
	static const struct grid_column columns[] = {{"scenario", NULL}, {"not measured, or not predicted", NULL}, {NULL, NULL}};
	struct grid skipped = {.columns = columns};

	print_trials(out, result);
	if (result->writer[0])
		fprintf(out, "\nThe writer was %s\n", result->writer);
	print_control(out, result);
	print_outside(out, result);
	for (size_t i = 0; i < result->skipped_count; i++) {
		grid_text(&skipped, "%s", result->skipped[i].name);
		grid_text(&skipped, "%s", result->skipped[i].reason);
	}
	fputs(skipped.count ? "\n" : "", out);
	grid_print(&skipped, out);
}

/* --- result --- */

struct evaluate_result_trial *evaluate_result_add_trial(struct evaluate_result *result)
{
	struct evaluate_result_trial *trials = reallocarray(result->trials, result->trial_count + 1, sizeof(*trials));

	if (!trials)
		return NULL;
	result->trials = trials;
	trials[result->trial_count] = (struct evaluate_result_trial){0};
	return &trials[result->trial_count++];
}

int evaluate_result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
{
	struct evaluate_result_skipped *skipped = reallocarray(result->skipped, result->skipped_count + 1, sizeof(*skipped));
	va_list arguments;

	if (!skipped)
		return -ENOMEM;
	result->skipped = skipped;
	skipped += result->skipped_count++;
	snprintf(skipped->name, sizeof(skipped->name), "%s", name);
	va_start(arguments, format);
	vsnprintf(skipped->reason, sizeof(skipped->reason), format, arguments);
	va_end(arguments);
	return 0;
}

void evaluate_result_free(struct evaluate_result *result)
{
	for (size_t i = 0; i < result->trial_count; i++)
		free(result->trials[i].writes);
	free(result->trials);
	free(result->skipped);
	*result = (struct evaluate_result){0};
}
