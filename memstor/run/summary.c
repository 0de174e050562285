/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/stats.h"
#include "common/table.h"
#include "common/units.h"
#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

/* The sum of the budgets of all turns of steps that can run. */
static double plan_seconds(const struct run_plan *plan)
{
	double seconds = 0;

	for (size_t i = 0; i < plan->turn_count; i++) {
		const struct run_step *step = &plan->steps[plan->turns[i].step];

		if (!step->skipped[0])
			seconds += (double)step->suite->budget_ns / UNITS_NS_PER_SEC;
	}
	return seconds;
}

static void print_step(const struct run_step *step)
{
	const struct suite_step *suite = step->suite;
	char budget[UNITS_TEXT];

	printf("%s:", step->name);
	for (size_t i = 0; i < suite->word_count; i++) {
		bool is_plain = *suite->words[i] && !strpbrk(suite->words[i], " \t'\"#$");

		printf(is_plain ? " %s" : " '%s'", suite->words[i]);
	}
	printf("\n    %u run%s", step->runs, step->runs > 1 ? "s" : "");
	if (step->warmup)
		printf(" after %u warm-up%s", step->warmup, step->warmup > 1 ? "s" : "");
	printf(", each at most %s", units_format_duration((double)suite->budget_ns, budget, sizeof(budget)));
	for (size_t i = 0; i < suite->need_count; i++)
		printf("%s %s", i ? "" : "; needs", suite->needs[i].text);
	putchar('\n');
	if (step->skipped[0])
		printf("    would be skipped: %s\n", step->skipped);
}

void run_print_plan(const struct run_plan *plan, const char *folder)
{
	const struct run_turn *last = NULL;
	char longest[UNITS_TEXT];

	printf("suite %s%s%s\n", plan->text.name, plan->suite.about[0] ? ": " : "", plan->suite.about);
	printf("results in %s\n", folder);
	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].is_selected)
			print_step(&plan->steps[i]);
	}
	/* One line per round. */
	for (size_t i = 0; i < plan->turn_count; i++) {
		const struct run_turn *turn = &plan->turns[i];

		if (!last || last->number != turn->number || last->is_warmup != turn->is_warmup)
			printf("%s%s %u:", last ? "\n" : "", turn->is_warmup ? "warm-up" : "round", turn->number);
		printf(" %s", plan->steps[turn->step].name);
		last = turn;
	}
	printf("\nat most %s\n", units_format_duration(plan_seconds(plan) * 1e9, longest, sizeof(longest)));
}

enum { THROUGHPUT, P99, METRICS };
static const char *const metric_names[METRICS] = {"throughput", "p99"};

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

/* A step as a row. */
struct line {
	const struct run_step *step;
	const char *name;
	uint64_t results, runs;
	double medians[METRICS]; /* over the runs with a result; NAN = none */
	char result[RUN_REASON_MAX + 32];
};

/* Stores the medians over the runs with a result. A report that cannot be read has been reported, and counts as none. */
static void measure(struct line *line)
{
	const struct run_step *step = line->step;
	double *values = calloc((size_t)step->runs * METRICS, sizeof(*values));
	unsigned counts[METRICS] = {0};
	struct metric metrics[METRICS];
	const char *why;

	for (size_t i = 0; i < METRICS; i++) {
		line->medians[i] = NAN;
		if (metric_parse(metric_names[i], &metrics[i], &why))
			goto out;
	}
	for (unsigned i = 0; values && i < step->runs && step->program->is_report; i++) {
		struct loaded *loaded;
		char path[RUN_PATH_MAX];

		snprintf(path, sizeof(path), "%s/%u/report.xml", step->name, i + 1);
		if (!run_state_is_final(step->records[i].state) || loaded_read(path, 0, &loaded))
			continue;
		for (size_t k = 0; k < METRICS; k++) {
			double value = metric_value(&metrics[k], loaded);

			if (isfinite(value))
				values[k * step->runs + counts[k]++] = value;
		}
		loaded_free(loaded);
	}
	for (size_t i = 0; values && i < METRICS; i++) {
		if (!counts[i] || stats_median(values + i * step->runs, counts[i], &line->medians[i]))
			line->medians[i] = NAN;
	}
out:
	free(values);
}

/* Describes the gravest state that a run has and the reason of the first such run; of a command that ran well its time. */
static void describe(const struct run_step *step, const struct tally *tally, char *text, size_t length)
{
	static const enum run_state by_gravity[] = {
		RUN_FAILED, RUN_OVERRUN, RUN_MISSED, RUN_INTERRUPTED, RUN_WAITING, RUN_SKIPPED, RUN_UNTRUSTED};
	double *seconds, median;
	char wall[UNITS_TEXT];
	size_t count = 0;

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
	snprintf(text, length, "ok");
	if (step->program->result)
		return;
	seconds = calloc(step->runs, sizeof(*seconds));
	for (unsigned i = 0; seconds && i < step->runs; i++) {
		if (step->records[i].state == RUN_DONE)
			seconds[count++] = step->records[i].seconds;
	}
	if (count && !stats_median(seconds, count, &median))
		snprintf(text, length, "ok, median %s", units_format_duration(median * 1e9, wall, sizeof(wall)));
	free(seconds);
}

static void show_runs(const void *row, char *text, size_t length)
{
	const struct line *line = row;

	snprintf(text, length, "%llu/%llu", (unsigned long long)line->results, (unsigned long long)line->runs);
}

static void show_throughput(const void *row, char *text, size_t length)
{
	units_format(((const struct line *)row)->medians[THROUGHPUT], "1/s", text, length);
}

static void show_p99(const void *row, char *text, size_t length)
{
	units_format(((const struct line *)row)->medians[P99], "ns", text, length);
}

#define BOTH (TABLE_SHOWN | TABLE_JSON)
#define AT(member) .offset = offsetof(struct line, member)
static const struct table_column columns[] = {
	{"step", TABLE_STRING, BOTH, AT(name)},
	{"results", TABLE_WHOLE, TABLE_JSON, AT(results)},
	{"runs", TABLE_WHOLE, BOTH | TABLE_RIGHT, AT(runs), .show = show_runs},
	{"throughput", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(medians[THROUGHPUT]), .show = show_throughput},
	{"p99", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(medians[P99]), .show = show_p99},
	{"result", TABLE_CHARS, BOTH, AT(result)},
	{0},
};
#undef AT

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

static void print_next(const struct run_plan *plan, const struct run_folder *folder, const struct tally *all)
{
	const struct run_options *options = plan->options;
	const char *given = folder->given;
	char path[PATH_MAX + 8];

	printf("Results are in %s\n", given);
	if (results_of(all)) {
		printf("Show them: memstor html");
		print_word(given);
		snprintf(path, sizeof(path), "%s.html", given);
		printf(" -o");
		print_word(path);
		if (plan->bins[0]) {
			printf("\nCompare the two: memstor compare");
			snprintf(path, sizeof(path), "%s/base", given);
			print_word(path);
			printf(" --");
			snprintf(path, sizeof(path), "%s/new", given);
			print_word(path);
		} else {
			printf("\nCompare with another run: memstor compare BASE --");
			print_word(given);
		}
		putchar('\n');
	}
	if (results_of(all) == all->runs)
		return;
	printf("Continue with the rest: memstor run");
	for (int i = 1; i < options->argc; i++)
		print_word(options->argv[i]);
	if (!options->folder) {
		printf(" -o");
		print_word(given);
	}
	puts(options->is_resume ? "" : " --resume");
}

/* The exit code, and the sentence that explains it, "" = none. */
static int decide(const struct tally *all, bool is_interrupted, char *why, size_t length)
{
	unsigned failed = all->states[RUN_FAILED] + all->states[RUN_OVERRUN];

	*why = '\0';
	if (is_interrupted) {
		snprintf(why, length, "Interrupted: finished runs are kept.");
		return DIAG_EXIT_UNTRUSTED;
	}
	if (failed) {
		snprintf(why, length, "%u of %u runs failed: their folders have stdout and stderr.",
			failed, all->runs);
		return DIAG_EXIT_NEGATIVE;
	}
	if (all->states[RUN_MISSED]) {
		snprintf(why, length, "%u of %u results missed an objective.", all->states[RUN_MISSED], all->runs);
		return DIAG_EXIT_NEGATIVE;
	}
	if (all->states[RUN_INTERRUPTED])
		return DIAG_EXIT_UNTRUSTED;
	if (!results_of(all)) {
		snprintf(why, length, "Nothing could be run on this host.");
		return DIAG_EXIT_HOST;
	}
	if (all->states[RUN_UNTRUSTED]) {
		snprintf(why, length, "%u of %u results are not trustworthy; their reports have the reason.",
			all->states[RUN_UNTRUSTED], all->runs);
		return DIAG_EXIT_UNTRUSTED;
	}
	return DIAG_EXIT_OK;
}

int run_summary(const struct run_plan *plan, const struct run_folder *folder, bool is_interrupted)
{
	struct line *lines = calloc(plan->step_count + 1, sizeof(*lines));
	struct table table = {.columns = columns};
	struct json json = {.out = stdout};
	struct tally all = {0};
	char why[160];
	int code, err = lines ? 0 : -ENOMEM;

	for (size_t i = 0; i < plan->step_count; i++) {
		const struct run_step *step = &plan->steps[i];
		struct tally tally = {0};

		if (!step->is_selected)
			continue;
		count(step, &tally);
		count(step, &all);
		if (err)
			continue;
		lines[i] = (struct line){.step = step, .name = step->name, .results = results_of(&tally), .runs = step->runs};
		measure(&lines[i]);
		describe(step, &tally, lines[i].result, sizeof(lines[i].result));
		err = table_add(&table, &lines[i], "");
	}
	code = decide(&all, is_interrupted, why, sizeof(why));
	if (!err && plan->options->is_json) {
		json_begin(&json, NULL, '{');
		json_text(&json, "suite", plan->text.name);
		json_text(&json, "folder", folder->given);
		table_print_json(&table, "steps", &json);
		json_whole(&json, "exit_status", (uint64_t)code);
		json_end(&json, '}');
	} else if (!err) {
		err = table_print(&table, stdout);
	}
	if (err)
		diag_error(err, "cannot print the results of the steps");
	table_free(&table);
	free(lines);
	if (plan->options->is_json)
		return code;
	if (*why)
		puts(why);
	print_next(plan, folder, &all);
	return code;
}
