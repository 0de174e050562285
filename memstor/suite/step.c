/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes of a block `step` one step for each combination of the values of its `for` lines. */
#include "config.h"
#include "memstor/suite/private.h"

#include <stdio.h>
#include <string.h>

const struct suite_need suite_no_needs[1];

bool suite_is_name(const char *text)
{
	static const char marks[] = "._,+=%-";
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		char c = text[i];
		bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!is_letter && (!i || !strchr(marks, c)))
			return false;
	}
	return length > 0 && length <= SUITE_NAME_MAX;
}

static int read_loop(struct suite_parser *parser, const struct suite_entry *entry, struct suite_loop *loop)
{
	const struct suite_line *line = &parser->words;
	const char *name, *setting;
	size_t first = 3;
	char why[512];

	if (suite_read_words(parser, entry->at, entry->line))
		return parser->error;
	name = line->words[1];
	if (strcmp(line->words[2], "in"))
		return suite_refuse(parser, entry->line, "for: must be: for NAME in VALUE...");
	if (!suite_is_variable(name, strlen(name)))
		return suite_refuse(parser, entry->line, "for '%s': must be a name of letters, digits and _, up to %d", name,
			SUITE_VARIABLE_MAX);
	if (suite_variable(&parser->scope, name, strlen(name)))
		return suite_refuse(parser, entry->line, "for '%s': is set already", name);
	*loop = (struct suite_loop){.name = suite_copy(parser, name)};
	setting = suite_setting(parser, loop->name);
	if (setting) {
		/* A list of --set has the form of the line's own words. */
		first = 0;
		if (suite_line_read(setting, setting + strlen(setting), &parser->scope, &parser->words, why, sizeof(why)))
			return suite_refuse(parser, entry->line, "--set %s: %s", loop->name, why);
		if (!line->count)
			return suite_refuse(parser, entry->line, "--set %s: a list without a value", loop->name);
	}
	loop->count = line->count - first;
	loop->values = suite_allocate(parser, loop->count * sizeof(*loop->values));
	for (size_t i = 0; loop->values && i < loop->count; i++)
		loop->values[i] = suite_copy(parser, line->words[first + i]);
	return parser->error;
}

static int read_loops(struct suite_parser *parser, struct suite_loop *loops, size_t *count)
{
	const struct suite_block *block = &parser->block;
	size_t total = 1;

	*count = 0;
	for (size_t i = 0; i < block->count; i++) {
		const struct suite_entry *entry = &block->entries[i];

		if (strcmp(entry->row->name, "for"))
			continue;
		if (*count == SUITE_FOR_MAX)
			return suite_refuse(parser, entry->line, "more than %d for lines in a step", SUITE_FOR_MAX);
		if (read_loop(parser, entry, &loops[*count]))
			return parser->error;
		for (size_t j = 0; j < *count; j++) {
			if (!strcmp(loops[j].name, loops[*count].name))
				return suite_refuse(parser, entry->line, "for '%s': is set already", loops[j].name);
		}
		total *= loops[(*count)++].count;
		if (total > SUITE_STEPS_MAX)
			break;
	}
	if (parser->suite->step_count + total > SUITE_STEPS_MAX)
		return suite_refuse(parser, block->line, "more than %d steps", SUITE_STEPS_MAX);
	return 0;
}

static int name_step(struct suite_parser *parser, struct suite_step *step)
{
	const struct suite_block *block = &parser->block;
	const char *name;

	if (suite_read_words(parser, block->name_at, block->line))
		return parser->error;
	name = parser->words.words[1];
	if (!suite_is_name(name))
		return suite_refuse(parser, block->line, "step '%.80s': a name is of %s", name, SUITE_NAME_ALLOWED);
	if (!strcmp(name, "index.xml") || !strcmp(name, "machine.txt") || !strcmp(name, "suite.txt"))
		return suite_refuse(parser, block->line, "step '%s': the run directory has a file of this name", name);
	for (size_t i = 0; i < parser->suite->step_count; i++) {
		if (!strcmp(parser->steps[i].name, name))
			return suite_refuse(parser, block->line,
				"step '%s': there is one of this name; variables of for must be part of the name", name);
	}
	step->name = suite_copy(parser, name);
	return parser->error;
}

static int make_step(struct suite_parser *parser)
{
	const struct suite_block *block = &parser->block;
	struct suite_step *step = &parser->steps[parser->suite->step_count];

	*step = parser->defaults;
	if (name_step(parser, step))
		return parser->error;
	for (size_t i = 0; i < block->count; i++) {
		const struct suite_entry *entry = &block->entries[i];

		if (entry->row->take && (suite_read_words(parser, entry->at, entry->line) ||
			entry->row->take(parser, step, &parser->words)))
			return parser->error;
	}
	if (!step->word_count)
		return suite_refuse(parser, block->line, "step '%s': it has no line: run PROGRAM OPTION...", step->name);
	parser->suite->step_count++;
	return 0;
}

/* The last loop turns fastest. False when all combinations have been. */
static bool turn(struct suite_loop *loops, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		if (++loops[i].now < loops[i].count)
			return true;
		loops[i].now = 0;
	}
	return false;
}

static int make_steps(struct suite_parser *parser)
{
	struct suite_loop loops[SUITE_FOR_MAX];
	size_t count, outside = parser->scope.count;
	int err = read_loops(parser, loops, &count);

	if (err)
		return err;
	do {
		for (size_t i = 0; i < count; i++)
			parser->variables[outside + i] = (struct suite_variable){loops[i].name, loops[i].values[loops[i].now]};
		parser->scope.count = outside + count;
		err = make_step(parser);
		parser->scope.count = outside;
	} while (!err && turn(loops, count));
	return err;
}

int suite_end_block(struct suite_parser *parser)
{
	unsigned line = parser->line;

	if (parser->error || !parser->block.line)
		return parser->error;
	if (!parser->steps) {
		parser->steps = suite_allocate(parser, SUITE_STEPS_MAX * sizeof(*parser->steps));
		parser->suite->steps = parser->steps;
	}
	if (parser->steps && !make_steps(parser))
		parser->line = line;
	return parser->error;
}
