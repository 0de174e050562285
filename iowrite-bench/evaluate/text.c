/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "iowrite-bench/evaluate/evaluate.h"

#define CELL 40
#define UNRESOLVED_LEAST 1.0 /* points: less is not worth a word */

static const char *format_model(const struct result_decision *decision, char *cell)
{
	snprintf(cell, CELL, "-");
	if (decision->is_there)
		snprintf(cell, CELL, "%.1f / %+.1f", decision->errors.per_write, decision->errors.total);
	return cell;
}

static const char *format_gap(const struct result_decision *kernel, char *cell)
{
	snprintf(cell, CELL, "-");
	if (kernel->is_there)
		snprintf(cell, CELL, "%.1f", kernel->errors.curve_gap);
	return cell;
}

static const char *format_band(const struct result_decision *kernel, char *cell)
{
	snprintf(cell, CELL, "-");
	if (kernel->is_there && !isnan(kernel->errors.coverage))
		snprintf(cell, CELL, "%.0f", kernel->errors.coverage);
	return cell;
}

static void print_trial(FILE *out, const struct result_trial *trial)
{
	const struct result_decision *kernel = &trial->models[RESULT_KERNEL];
	char time[UNITS_TEXT], models[RESULT_MODELS][CELL], gap[CELL], band[CELL];

	fprintf(out, "%-8s %3u  %7zu  %10s", trial->scenario->id, trial->repetition, trial->operations,
		units_format_duration_even(trial->measured_s * 1e9, time, sizeof(time)));
	for (int i = 0; i < RESULT_MODELS; i++)
		fprintf(out, "  %16s", format_model(&trial->models[i], models[i]));
	fprintf(out, "  %5s  %4s\n", format_gap(kernel, gap), format_band(kernel, band));
}

static void print_unresolved(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];
		const struct errors *errors = &trial->models[RESULT_KERNEL].errors;

		if (!trial->models[RESULT_KERNEL].is_there || !(errors->unresolved >= UNRESOLVED_LEAST))
			continue;
		fprintf(out, "%s %s %u: %.0f",
			has_title ? ","
				  : "Differences below the clock step are not counted as errors per write. With them the error of "
				    "the kernel model is higher, in percentage points:\n",
			trial->scenario->id, trial->repetition, errors->unresolved);
		has_title = true;
	}
	fputs(has_title ? "\n" : "", out);
}

static int compare_numbers(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

/* "cawl 81 % (12 to 95)": the median over the trials and their range. */
static void print_improvement(FILE *out, const struct evaluate_result *result, enum result_model model, bool *has_title)
{
	double *values = calloc(result->trial_count, sizeof(*values));
	size_t count = 0;

	for (size_t i = 0; values && i < result->trial_count; i++) {
		double value = result_improvement_percent(&result->trials[i], model);

		if (!isnan(value))
			values[count++] = value;
	}
	if (count) {
		qsort(values, count, sizeof(*values), compare_numbers);
		fprintf(out, "%s %s %.0f %% (%.0f to %.0f)", *has_title ? "," : "Improvement over naive, of the error per write, "
			"median and range:", result_model_name(model), (values[(count - 1) / 2] + values[count / 2]) / 2,
			values[0], values[count - 1]);
		*has_title = true;
	}
	free(values);
}

static void print_trials(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	if (!result->trial_count)
		return;
	fprintf(out, "%-8s %3s  %7s  %10s  %16s  %16s  %16s  %5s  %4s\n", "scenario", "run", "writes", "measured",
		"naive", "cawl", "kernel", "gap", "band");
	for (size_t i = 0; i < result->trial_count; i++)
		print_trial(out, &result->trials[i]);
	fputs("Errors in percent: per write / of the total. Gap: how far the kernel model's cost so far is from the measured "
	      "one,\nmean over the writes, of the total. Band: throttled writes inside the kernel model's 10 to 90 %.\n",
		out);
	print_unresolved(out, result);
	print_improvement(out, result, RESULT_CAWL, &has_title);
	print_improvement(out, result, RESULT_KERNEL, &has_title);
	fputs(has_title ? "\n" : "", out);
}

static bool has_reason(const struct result_trial *trial, const struct validity_reason *reason)
{
	for (size_t i = 0; i < trial->validity.count; i++) {
		if (!strcmp(trial->validity.reasons[i].code, reason->code) &&
			!strcmp(trial->validity.reasons[i].text, reason->text))
			return true;
	}
	return false;
}

static bool all_have(const struct evaluate_result *result, const struct validity_reason *reason)
{
	for (size_t i = 0; i < result->trial_count; i++) {
		if (!has_reason(&result->trials[i], reason))
			return false;
	}
	return result->trial_count > 1;
}

/* What holds for every trial once, with the first. */
static void print_outside(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];

		for (size_t k = 0; k < trial->validity.count; k++) {
			const struct validity_reason *reason = &trial->validity.reasons[k];
			bool is_of_all = all_have(result, reason);

			if (is_of_all && i)
				continue;
			fputs(has_title ? "" : "\nOutside of what the models know\n", out);
			has_title = true;
			if (is_of_all)
				fprintf(out, "%-12s  %s: %s\n", "all", reason->code, reason->text);
			else
				fprintf(out, "%-8s %3u  %s: %s\n", trial->scenario->id, trial->repetition, reason->code,
					reason->text);
		}
	}
}

static const char *format_amount(double bytes, char *text)
{
	return bytes > 0 ? units_format_size((uint64_t)bytes, text, UNITS_TEXT) : "-";
}

static void print_control(FILE *out, const struct evaluate_result *result)
{
	bool has_title = false;

	for (size_t i = 0; i < result->trial_count; i++) {
		const struct result_trial *trial = &result->trials[i];
		char limit[UNITS_TEXT], ratelimit[UNITS_TEXT], rate[UNITS_TEXT];

		if (!trial->has_control)
			continue;
		if (!has_title)
			fputs("\nThe kernel's control of dirty pages when each began\n", out);
		has_title = true;
		if (result->control_unknown) {
			fprintf(out, "taken to have come to rest: %s\n", result->control_unknown);
			return;
		}
		fprintf(out, "%-8s %3u  limit %s, ratelimit %s/s, device %s/s\n", trial->scenario->id, trial->repetition,
			format_amount(trial->control.limit, limit), format_amount(trial->control.ratelimit, ratelimit),
			format_amount(trial->control.write_rate, rate));
	}
}

void evaluate_text(FILE *out, const struct evaluate_result *result)
{
	print_trials(out, result);
	if (result->writer[0])
		fprintf(out, "\nThe writer was %s\n", result->writer);
	print_control(out, result);
	print_outside(out, result);
	for (size_t i = 0; i < result->skipped_count; i++)
		fprintf(out, "%s%-12s %s\n", i ? "" : "\nNot measured, or not predicted\n", result->skipped[i].name,
			result->skipped[i].reason);
}

/* --- result --- */

const char *result_model_name(enum result_model model)
{
	static const char *const names[RESULT_MODELS] = {
		[RESULT_NAIVE] = "naive", [RESULT_CAWL] = "cawl", [RESULT_KERNEL] = "kernel"};

	return names[model];
}

/* Room for one more of size bytes; the list, or NULL. */
static void *grow(void *list, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? *room * 2 : 16;
	void *grown;

	if (count < *room)
		return list;
	grown = reallocarray(list, wanted, size);
	if (grown)
		*room = wanted;
	return grown;
}

double result_improvement_percent(const struct result_trial *trial, enum result_model model)
{
	const struct result_decision *naive = &trial->models[RESULT_NAIVE], *decision = &trial->models[model];

	if (model == RESULT_NAIVE || !naive->is_there || !decision->is_there || !(naive->errors.per_write > 0))
		return NAN;
	return 100 * (1 - decision->errors.per_write / naive->errors.per_write);
}

struct result_trial *result_add_trial(struct evaluate_result *result)
{
	struct result_trial *trials =
		grow(result->trials, result->trial_count, &result->trial_room, sizeof(*trials));

	if (!trials)
		return NULL;
	result->trials = trials;
	trials[result->trial_count] = (struct result_trial){0};
	return &trials[result->trial_count++];
}

int result_skip(struct evaluate_result *result, const char *name, const char *format, ...)
{
	struct result_skipped *skipped =
		grow(result->skipped, result->skipped_count, &result->skipped_room, sizeof(*skipped));
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

void result_free(struct evaluate_result *result)
{
	for (size_t i = 0; i < result->trial_count; i++)
		free(result->trials[i].writes);
	free(result->trials);
	free(result->skipped);
	*result = (struct evaluate_result){0};
}
