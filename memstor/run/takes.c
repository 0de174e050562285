/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one step makes and another takes: "{calibrate}" in a word is the path of that step's newest result. */
#include "config.h"
#include "memstor/run/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

/* The name in the first braces of a word and where they are; false when there is none. */
static bool find_name(const char *word, char name[SUITE_NAME_MAX + 1], const char **begin, const char **end)
{
	const char *open = strchr(word, '{'), *close = open ? strchr(open, '}') : NULL;
	size_t length = close ? (size_t)(close - open) - 1 : 0;

	if (!close || length == 0 || length > SUITE_NAME_MAX)
		return false;
	memcpy(name, open + 1, length);
	name[length] = '\0';
	if (!suite_is_name(name))
		return false;
	*begin = open;
	*end = close + 1;
	return true;
}

/* Of the taker's side. */
static const struct run_step *find_step(const struct run_plan *plan, const struct run_step *taker, const char *name)
{
	for (size_t i = 0; i < plan->step_count; i++) {
		if (!strcmp(plan->steps[i].suite->name, name) && plan->steps[i].bin == taker->bin)
			return &plan->steps[i];
	}
	return NULL;
}

bool run_takes_any(const struct run_step *step)
{
	char name[SUITE_NAME_MAX + 1];
	const char *begin, *end;

	for (size_t i = 1; i < step->suite->word_count; i++) {
		if (find_name(step->suite->words[i], name, &begin, &end))
			return true;
	}
	return false;
}

int run_takes_check(const struct run_plan *plan, const struct run_step *step)
{
	char name[SUITE_NAME_MAX + 1];
	const char *begin, *end;
	size_t count = 0;

	for (size_t i = 1; i < step->suite->word_count; i++) {
		const struct run_step *other;

		if (!find_name(step->suite->words[i], name, &begin, &end))
			continue;
		other = find_step(plan, step, name);
		if (other && other != step && other->program->result && ++count <= RUN_TAKES_MAX)
			continue;
		diag_error(0, "%s:%u: step %s: %s: %s", plan->text.file, step->suite->line, step->suite->name,
			step->suite->words[i],
			other == step ? "it cannot take its own result"
			: other && !other->program->result ? "that step has no result that could be taken"
			: other	      ? "it takes more than 4 results"
				      : "there is no step of that name, whose result it would take");
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* Of the runs that have a result the last one that began. NULL = there is none. */
static const struct run_record *newest(const struct run_step *step, unsigned *number)
{
	const struct run_record *record = NULL;

	for (unsigned i = 0; i < step->runs; i++) {
		const struct run_record *other = &step->records[i];

		if (!run_state_is_final(other->state) || (record && strcmp(other->wall_start, record->wall_start) < 0))
			continue;
		record = other;
		*number = i + 1;
	}
	return record;
}

static int fill_word(const struct run_plan *plan, const struct run_step *taker, struct run_words *words,
	const char **word, char *why, size_t length)
{
	char name[SUITE_NAME_MAX + 1];
	const char *begin, *end;
	const struct run_step *step;
	unsigned number = 0;
	char *filled;

	if (!find_name(*word, name, &begin, &end))
		return 0;
	step = find_step(plan, taker, name);
	if (!step || !newest(step, &number)) {
		snprintf(why, length, "it takes the result of step %s, which has none", name);
		return -ENOENT;
	}
	if (asprintf(&filled, "%.*s../%s/%u/%s%s", (int)(begin - *word), *word, step->name, number, step->program->result, end) < 0)
		return -ENOMEM;
	words->taken[words->taken_count++] = filled;
	*word = filled;
	return 0;
}

int run_takes_fill(const struct run_plan *plan, const struct run_step *step, struct run_words *words, char *why,
	size_t length)
{
	size_t own = step->suite->word_count - (step->program->command ? 2 : 1), count = 0;
	int err = 0;

	while (words->words[count])
		count++;
	/* Before them are a path and labels, which may hold anything. */
	for (size_t i = count - own; i < count && !err && words->taken_count < RUN_TAKES_MAX; i++)
		err = fill_word(plan, step, words, &words->words[i], why, length);
	return err;
}
