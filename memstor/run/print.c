/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor run --dry-run: what would be run, where, in which order. */
#include "config.h"
#include "memstor/run/plan.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

double run_plan_seconds(const struct run_plan *plan)
{
	double seconds = 0;

	for (size_t i = 0; i < plan->turn_count; i++) {
		const struct run_step *step = &plan->steps[plan->turns[i].step];

		if (!step->skipped[0])
			seconds += (double)step->suite->budget_ns / UNITS_NS_PER_SEC;
	}
	return seconds;
}

static void print_words(const struct suite_step *step)
{
	for (size_t i = 0; i < step->word_count; i++) {
		bool is_plain = *step->words[i] && !strpbrk(step->words[i], " \t'\"#$");

		printf(is_plain ? " %s" : " '%s'", step->words[i]);
	}
	putchar('\n');
}

static void print_step(const struct run_step *step)
{
	char budget[UNITS_TEXT];

	printf("%s:", step->name);
	print_words(step->suite);
	printf("    %u run%s", step->runs, step->runs > 1 ? "s" : "");
	if (step->warmup)
		printf(" after %u warm-up%s", step->warmup, step->warmup > 1 ? "s" : "");
	printf(", each at most %s", units_format_duration((double)step->suite->budget_ns, budget, sizeof(budget)));
	if (step->suite->need_count) {
		printf("; needs");
		for (size_t i = 0; i < step->suite->need_count; i++)
			printf(" %s", step->suite->needs[i].text);
	}
	putchar('\n');
	if (step->skipped[0])
		printf("    would be skipped: %s\n", step->skipped);
}

/* A round a line. */
static void print_order(const struct run_plan *plan)
{
	const struct run_turn *last = NULL;

	for (size_t i = 0; i < plan->turn_count; i++) {
		const struct run_turn *turn = &plan->turns[i];

		if (!last || last->number != turn->number || last->is_warmup != turn->is_warmup)
			printf("%s%s %u:", last ? "\n" : "", turn->is_warmup ? "warm-up" : "round", turn->number);
		printf(" %s", plan->steps[turn->step].name);
		last = turn;
	}
	putchar('\n');
}

void run_print_plan(const struct run_plan *plan, const char *folder)
{
	char longest[UNITS_TEXT];

	printf("suite %s%s%s\n", plan->text.name, plan->suite.about[0] ? ": " : "", plan->suite.about);
	printf("results in %s\n", folder);
	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].is_selected)
			print_step(&plan->steps[i]);
	}
	print_order(plan);
	printf("at most %s\n", units_format_duration(run_plan_seconds(plan) * 1e9, longest, sizeof(longest)));
}
