/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/stats.h"
#include "common/units.h"
#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

static const char *const metric_names[] = {"throughput", "p99"};
#define METRICS (sizeof(metric_names) / sizeof(metric_names[0]))

struct tally { /* runs by state, of a step or of all */
	unsigned states[RUN_STATES];
	unsigned runs;
};

static void count(const struct run_step *step, struct tally *tally)
{
	for (unsigned i = 0; i < step->runs; i++)
		tally->states[step->records[i].state]++;
	tally->runs += step->runs;
}

static unsigned results_of(const struct tally *tally)
{
	return tally->states[RUN_DONE] + tally->states[RUN_UNTRUSTED] + tally->states[RUN_MISSED];
}

/* Three digits with a prefix, as "12.3 M/s". */
static void format_rate(double rate, const char *unit, char *text, size_t length)
{
	static const char *const prefixes[] = {"", " k", " M", " G", " T"};
	size_t i = 0;

	while (rate >= 999.5 && i < 4) {
		rate /= 1000;
		i++;
	}
	snprintf(text, length, "%.*f%s%s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, prefixes[i], unit);
}

static void format_value(const struct metric *metric, double value, char *text, size_t length)
{
	if (!isfinite(value))
		snprintf(text, length, "-");
	else if (!strcmp(metric->unit, "ns"))
		units_format_duration(value, text, length);
	else
		format_rate(value, !strcmp(metric->unit, "1/s") ? "/s" : "", text, length);
}

/* Adds what a run's report says; one that cannot be read has been reported, and counts as none. */
static void add_values(const char *path, const struct metric *metrics, double *values, unsigned *counts, unsigned runs)
{
	struct loaded *loaded;

	if (loaded_read(path, 0, &loaded))
		return;
	for (size_t i = 0; i < METRICS; i++) {
		double value = metric_value(&metrics[i], loaded);

		if (isfinite(value))
			values[i * runs + counts[i]++] = value;
	}
	loaded_free(loaded);
}

/* The medians over the runs with a result, as texts; "-" where there is none. */
static void measure(const struct run_step *step, char texts[METRICS][UNITS_TEXT])
{
	double *values = calloc((size_t)step->runs * METRICS, sizeof(*values));
	unsigned counts[METRICS] = {0};
	struct metric metrics[METRICS];
	char path[RUN_PATH_MAX];
	const char *why;

	for (size_t i = 0; i < METRICS; i++) {
		snprintf(texts[i], UNITS_TEXT, "-");
		if (metric_parse(metric_names[i], &metrics[i], &why)) {
			free(values);
			return;
		}
	}
	for (unsigned i = 0; values && i < step->runs && step->program->is_report; i++) {
		snprintf(path, sizeof(path), "%s/%u/report.xml", step->name, i + 1);
		if (run_state_is_final(step->records[i].state))
			add_values(path, metrics, values, counts, step->runs);
	}
	for (size_t i = 0; values && i < METRICS; i++) {
		double median;

		if (counts[i] && !stats_median(values + i * step->runs, counts[i], &median))
			format_value(&metrics[i], median, texts[i], UNITS_TEXT);
	}
	free(values);
}

/* The end of a command is its result. */
static void describe_command(const struct run_step *step, char *text, size_t length)
{
	double *seconds = calloc(step->runs, sizeof(*seconds)), median;
	char wall[UNITS_TEXT];
	size_t count = 0;

	for (unsigned i = 0; seconds && i < step->runs; i++) {
		if (step->records[i].state == RUN_DONE)
			seconds[count++] = step->records[i].seconds;
	}
	if (count && !stats_median(seconds, count, &median))
		snprintf(text, length, "ok, median %s", units_format_duration(median * 1e9, wall, sizeof(wall)));
	free(seconds);
}

/* The gravest state that some run has, and what the first of them says. */
static void describe(const struct run_step *step, const struct tally *tally, char *text, size_t length)
{
	static const enum run_state by_gravity[] = {
		RUN_FAILED, RUN_OVERRUN, RUN_MISSED, RUN_INTERRUPTED, RUN_WAITING, RUN_SKIPPED, RUN_UNTRUSTED};

	snprintf(text, length, "ok");
	if (!step->program->result && tally->states[RUN_DONE])
		describe_command(step, text, length);
	for (size_t i = 0; i < sizeof(by_gravity) / sizeof(by_gravity[0]); i++) {
		enum run_state state = by_gravity[i];
		unsigned first = 0;

		if (!tally->states[state])
			continue;
		while (step->records[first].state != state)
			first++;
		snprintf(text, length, "%s%s%s", state == RUN_WAITING ? "not run" : run_state_name(state),
			step->records[first].reason[0] ? ": " : "", step->records[first].reason);
		return;
	}
}

static int name_width(const struct run_plan *plan)
{
	size_t width = strlen("step");

	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].is_selected && strlen(plan->steps[i].name) > width)
			width = strlen(plan->steps[i].name);
	}
	return (int)width;
}

static void print_table(const struct run_plan *plan)
{
	int width = name_width(plan);

	printf("%-*s  %7s  %12s  %10s  %s\n", width, "step", "runs", "throughput", "p99", "result");
	for (size_t i = 0; i < plan->step_count; i++) {
		const struct run_step *step = &plan->steps[i];
		char texts[METRICS][UNITS_TEXT], runs[32], result[RUN_REASON_MAX + 32];
		struct tally tally = {0};

		if (!step->is_selected)
			continue;
		count(step, &tally);
		measure(step, texts);
		describe(step, &tally, result, sizeof(result));
		snprintf(runs, sizeof(runs), "%u/%u", results_of(&tally), step->runs);
		printf("%-*s  %7s  %12s  %10s  %s\n", width, step->name, runs, texts[0], texts[1], result);
	}
}

/* A word as a shell would need it. */
static void print_word(const char *word)
{
	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=%+@-")]) {
		printf(" %s", word);
		return;
	}
	printf(" '");
	for (; *word; word++)
		printf(*word == '\'' ? "'\\''" : "%c", *word);
	putchar('\'');
}

static void print_resume(const struct run_plan *plan, const struct run_folder *folder)
{
	const struct run_options *options = plan->options;

	printf("Go on with the rest: memstor run");
	for (int i = 1; i < options->argc; i++)
		print_word(options->argv[i]);
	if (!options->folder) {
		printf(" -o");
		print_word(folder->given);
	}
	puts(options->is_resume ? "" : " --resume");
}

static void print_command(const char *before, const char *folder, const char *after)
{
	fputs(before, stdout);
	print_word(folder);
	puts(after);
}

static void print_next(const struct run_plan *plan, const struct run_folder *folder, const struct tally *all)
{
	char page[PATH_MAX + 8];

	printf("Results are in %s\n", folder->given);
	if (results_of(all)) {
		snprintf(page, sizeof(page), "%s.html", folder->given);
		printf("Look at them: memstor html");
		print_word(folder->given);
		print_command(" -o", page, "");
		if (plan->bins[0]) {
			snprintf(page, sizeof(page), "%s/base", folder->given);
			fputs("Compare the two: memstor compare", stdout);
			print_word(page);
			snprintf(page, sizeof(page), "%s/new", folder->given);
			print_command(" --", page, "");
		} else {
			print_command("Compare with another run: memstor compare BASE --", folder->given, "");
		}
	}
	if (results_of(all) < all->runs)
		print_resume(plan, folder);
}

static int judge(const struct tally *all, bool is_interrupted)
{
	if (is_interrupted) {
		puts("Interrupted: what was done by then is kept.");
		return DIAG_EXIT_UNTRUSTED;
	}
	if (all->states[RUN_FAILED] || all->states[RUN_OVERRUN]) {
		printf("%u of %u runs failed: their stdout and stderr are beside where the reports would be.\n",
			all->states[RUN_FAILED] + all->states[RUN_OVERRUN], all->runs);
		return DIAG_EXIT_NEGATIVE;
	}
	if (all->states[RUN_MISSED]) {
		printf("%u of %u results missed an objective.\n", all->states[RUN_MISSED], all->runs);
		return DIAG_EXIT_NEGATIVE;
	}
	if (all->states[RUN_INTERRUPTED])
		return DIAG_EXIT_UNTRUSTED;
	if (!results_of(all)) {
		puts("Nothing could be run on this host.");
		return DIAG_EXIT_HOST;
	}
	if (all->states[RUN_UNTRUSTED]) {
		printf("%u of %u results are not to be trusted; their reports say why.\n", all->states[RUN_UNTRUSTED], all->runs);
		return DIAG_EXIT_UNTRUSTED;
	}
	return DIAG_EXIT_OK;
}

int run_summary(const struct run_plan *plan, const struct run_folder *folder, bool is_interrupted)
{
	struct tally all = {0};
	int code;

	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].is_selected)
			count(&plan->steps[i], &all);
	}
	print_table(plan);
	code = judge(&all, is_interrupted);
	print_next(plan, folder, &all);
	return code;
}
