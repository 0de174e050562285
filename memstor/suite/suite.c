/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses the lines of a suite in their order; suite/step.c parses those of a step, once for each combination of values. */
#include "config.h"
#include "memstor/suite/private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

int suite_refuse(struct suite_parser *parser, unsigned line, const char *format, ...)
{
	va_list arguments;
	int used;

	if (parser->error)
		return parser->error;
	used = snprintf(parser->why, parser->length, "%s:%u: ", parser->file, line);
	if (used >= 0 && (size_t)used < parser->length) {
		va_start(arguments, format);
		vsnprintf(parser->why + used, parser->length - (size_t)used, format, arguments);
		va_end(arguments);
	}
	return parser->error = -EINVAL;
}

void *suite_allocate(struct suite_parser *parser, size_t size)
{
	void *memory = arena_allocate(&parser->suite->arena, size);

	if (!memory && !parser->error) {
		parser->error = -ENOMEM;
		snprintf(parser->why, parser->length, "%s: out of memory", parser->file);
	}
	return memory;
}

const char *suite_copy(struct suite_parser *parser, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = suite_allocate(parser, size);

	return copy ? memcpy(copy, text, size) : "";
}

/* Names of `for` come again in other steps. */
static void note_known(struct suite_parser *parser, const char *name)
{
	for (size_t i = 0; i < parser->known_count; i++) {
		if (!strcmp(parser->known[i], name))
			return;
	}
	if (parser->known_count < SUITE_KNOWN_MAX)
		parser->known[parser->known_count++] = suite_copy(parser, name);
}

const char *suite_setting(struct suite_parser *parser, const char *name)
{
	note_known(parser, name);
	for (size_t i = 0; i < parser->settings->count; i++) {
		if (!strcmp(parser->settings->variables[i].name, name)) {
			parser->is_used[i] = true;
			return parser->settings->variables[i].value;
		}
	}
	return NULL;
}

int suite_read_words(struct suite_parser *parser, const char *at, unsigned line)
{
	char why[512];

	parser->line = line;
	if (suite_line_read(at, parser->end, &parser->scope, &parser->words, why, sizeof(why)))
		return suite_refuse(parser, line, "%s", why);
	return 0;
}

static int take_about(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	char text[SUITE_LINE_MAX + SUITE_WORDS_MAX];
	size_t used = 0;

	(void)step;
	for (size_t i = 1; i < line->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 1 ? " " : "", line->words[i]);
	parser->suite->about = suite_copy(parser, text);
	return parser->error;
}

static int take_set(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	const char *name = line->words[1], *setting;

	(void)step;
	if (!suite_is_variable(name, strlen(name)))
		return suite_refuse(parser, parser->line, "set '%s': must be a name of letters, digits and _, up to %d", name,
			SUITE_VARIABLE_MAX);
	if (suite_variable(&parser->scope, name, strlen(name)))
		return suite_refuse(parser, parser->line, "set '%s': is set already", name);
	if (parser->scope.count >= SUITE_VARIABLES_MAX)
		return suite_refuse(parser, parser->line, "set '%s': more than %d variables", name, SUITE_VARIABLES_MAX);
	setting = suite_setting(parser, name);
	parser->variables[parser->scope.count++] = (struct suite_variable){
		suite_copy(parser, name), suite_copy(parser, setting ? setting : line->words[2])};
	return parser->error;
}

static int take_count(struct suite_parser *parser, const struct suite_line *line, unsigned min, unsigned *count)
{
	uint64_t value;

	if (units_parse_u64(line->words[1], min, SUITE_RUNS_MAX, &value))
		return suite_refuse(parser, parser->line, "%s '%s': must be %u to %d", line->words[0], line->words[1], min,
			SUITE_RUNS_MAX);
	*count = (unsigned)value;
	return 0;
}

static int take_repeat(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	return take_count(parser, line, 1, &step->repeat);
}

static int take_warmup(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	return take_count(parser, line, 0, &step->warmup);
}

static int take_budget(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	uint64_t ns;

	if (units_parse_duration(line->words[1], &ns) || ns < BUDGET_MIN_NS || ns > BUDGET_MAX_NS)
		return suite_refuse(parser, parser->line, "budget '%s': must be a time from 10ms to 168h, as 30s or 5m",
			line->words[1]);
	step->budget_ns = ns;
	return 0;
}

static int take_needs(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	struct suite_need *needs = suite_allocate(parser, SUITE_NEEDS_MAX * sizeof(*needs));
	char why[512];

	if (!needs)
		return parser->error;
	memcpy(needs, step->needs, step->need_count * sizeof(*needs));
	for (size_t i = 1; i < line->count; i++) {
		if (step->need_count == SUITE_NEEDS_MAX)
			return suite_refuse(parser, parser->line, "more than %d needs of a step", SUITE_NEEDS_MAX);
		if (suite_need_parse(line->words[i], &needs[step->need_count], why, sizeof(why)))
			return suite_refuse(parser, parser->line, "%s", why);
		step->need_count++;
	}
	step->needs = needs;
	return 0;
}

static int take_run(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line)
{
	const char **words = suite_allocate(parser, line->count * sizeof(*words));

	if (!words)
		return parser->error;
	if (step->word_count)
		return suite_refuse(parser, parser->line, "%s: the step has such a line already: one of run and command",
			line->words[0]);
	step->is_command = !strcmp(line->words[0], "command");
	for (size_t i = 1; i < line->count; i++)
		words[i - 1] = suite_copy(parser, line->words[i]);
	words[line->count - 1] = NULL;
	step->words = words;
	step->word_count = line->count - 1;
	step->line = parser->line;
	return parser->error;
}

static const struct suite_keyword_row rows[] = {
	{"about", IN_HEAD, true, 1, SUITE_WORDS_MAX, "about WORD...", take_about},
	{"set", IN_HEAD, false, 2, 2, "set NAME VALUE", take_set},
	{"repeat", IN_HEAD | IN_STEP, true, 1, 1, "repeat N", take_repeat},
	{"warmup", IN_HEAD | IN_STEP, true, 1, 1, "warmup N", take_warmup},
	{"budget", IN_HEAD | IN_STEP, true, 1, 1, "budget TIME", take_budget},
	{"needs", IN_HEAD | IN_STEP, false, 1, SUITE_WORDS_MAX, "needs NEED...", take_needs},
	{"step", IN_HEAD | IN_STEP, false, 1, 1, "step NAME", NULL},
	{"for", IN_STEP, false, 3, SUITE_WORDS_MAX, "for NAME in VALUE...", NULL},
	{"run", IN_STEP, true, 1, SUITE_WORDS_MAX, "run PROGRAM OPTION...", take_run},
	{"command", IN_STEP, true, 1, SUITE_WORDS_MAX, "command PROGRAM ARGUMENT...", take_run},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* The row of a line that may stand here; NULL after the refusal. */
static const struct suite_keyword_row *keyword_of(struct suite_parser *parser, const struct suite_line *line)
{
	unsigned place = parser->block.line ? IN_STEP : IN_HEAD;
	unsigned *lines_seen = parser->block.line ? parser->block.seen : parser->head_seen;
	char allowed[128];
	size_t used = 0;

	for (size_t i = 0; i < ROWS; i++) {
		const struct suite_keyword_row *row = &rows[i];

		if (strcmp(row->name, line->words[0]) || !(row->places & place))
			continue;
		if (line->count - 1 < row->min || line->count - 1 > row->max) {
			suite_refuse(parser, parser->line, "%s: must be: %s", row->name, row->form);
			return NULL;
		}
		if (row->is_once && lines_seen[i]) {
			suite_refuse(parser, parser->line, "%s: is in line %u already", row->name, lines_seen[i]);
			return NULL;
		}
		lines_seen[i] = parser->line;
		return row;
	}
	for (size_t i = 0; i < ROWS && used < sizeof(allowed); i++) {
		if (rows[i].places & place)
			used += (size_t)snprintf(allowed + used, sizeof(allowed) - used, "%s%s", used ? ", " : "", rows[i].name);
	}
	suite_refuse(parser, parser->line, "'%.40s' is not allowed %s; allowed: %s", line->words[0],
		place == IN_STEP ? "in a step" : "before the first step", allowed);
	return NULL;
}

/* A line of the head is taken at once; those of a step are kept, since they depend on its loops. */
static int read_line(struct suite_parser *parser, const char *at)
{
	const struct suite_keyword_row *row = keyword_of(parser, &parser->words);
	struct suite_block *block = &parser->block;

	if (!row)
		return parser->error;
	if (!strcmp(row->name, "step")) {
		suite_end_block(parser);
		*block = (struct suite_block){.line = parser->line, .name_at = at};
		return parser->error;
	}
	if (!block->line)
		return suite_read_words(parser, at, parser->line) ? parser->error
			       : row->take(parser, &parser->defaults, &parser->words);
	if (block->count == SUITE_STEP_LINES_MAX)
		return suite_refuse(parser, parser->line, "more than %d lines in a step", SUITE_STEP_LINES_MAX);
	block->entries[block->count++] = (struct suite_entry){row, at, parser->line};
	return 0;
}

static int read_lines(struct suite_parser *parser, const char *text)
{
	const char *at = text;
	unsigned number = 1;
	char why[512];

	while (at < parser->end && !parser->error) {
		const char *next;
		unsigned lines;

		parser->line = number;
		if (suite_line_read(at, parser->end, NULL, &parser->words, why, sizeof(why)))
			return suite_refuse(parser, number, "%s", why);
		next = parser->words.next;
		lines = parser->words.lines;
		if (parser->words.count)
			read_line(parser, at);
		at = next;
		number += lines;
	}
	return suite_end_block(parser);
}

static int check_settings(struct suite_parser *parser)
{
	char known[256] = "none";
	size_t used = 0;

	for (size_t i = 0; i < parser->known_count && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", parser->known[i]);
	for (size_t i = 0; i < parser->settings->count; i++) {
		if (parser->is_used[i])
			continue;
		snprintf(parser->why, parser->length, "--set '%s=%s': %s has no such variable; it has: %s",
			parser->settings->variables[i].name, parser->settings->variables[i].value, parser->file, known);
		return parser->error = -EINVAL;
	}
	return 0;
}

int suite_parse(const char *file, const char *folder, const char *text, size_t size, const struct suite_scope *settings,
	struct suite *suite, char *why, size_t length)
{
	struct suite_parser *parser = calloc(1, sizeof(*parser));
	int err;

	*suite = (struct suite){.about = ""};
	if (!parser) {
		snprintf(why, length, "%s: out of memory", file);
		return -ENOMEM;
	}
	parser->file = file;
	parser->end = text + size;
	parser->line = 1;
	parser->suite = suite;
	parser->settings = settings;
	parser->scope.variables = parser->variables;
	parser->defaults = (struct suite_step){.repeat = 1, .budget_ns = SUITE_BUDGET_OTHERWISE_NS, .needs = suite_no_needs};
	parser->why = why;
	parser->length = length;
	if (folder)
		parser->variables[parser->scope.count++] = (struct suite_variable){"here", folder};
	if (size > SUITE_TEXT_MAX)
		suite_refuse(parser, 1, "a suite of more than %zu KiB", SUITE_TEXT_MAX >> 10);
	else if (!read_lines(parser, text) && !check_settings(parser) && !suite->step_count)
		suite_refuse(parser, parser->line,
			"a suite without a step; a step is: step NAME, and a line below it: run PROGRAM OPTION...");
	err = parser->error;
	free(parser);
	if (err)
		suite_free(suite);
	return err;
}

void suite_free(struct suite *suite)
{
	arena_free(&suite->arena);
	*suite = (struct suite){.about = ""};
}
