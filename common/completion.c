/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/completion.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct completion_noun known[] = {
	{"FILE", COMPLETION_FILE, NULL},
	{"PATH", COMPLETION_FILE, NULL},
	{"DIR", COMPLETION_FOLDER, NULL},
	{"FOLDER", COMPLETION_FOLDER, NULL},
	{"REPORT", COMPLETION_REPORT, NULL},
	{"COMMAND", COMPLETION_COMMAND, NULL},
	{NULL, COMPLETION_NONE, NULL},
};

static const char *const value_names[] = {
	[COMPLETION_NONE] = "none",
	[COMPLETION_TEXT] = "text",
	[COMPLETION_LIST] = "list",
	[COMPLETION_FILE] = "file",
	[COMPLETION_FOLDER] = "folder",
	[COMPLETION_REPORT] = "report",
	[COMPLETION_COMMAND] = "command",
};

bool completion_is_wanted(int argc, char *const *argv)
{
	return argc == 2 && !strcmp(argv[1], COMPLETION_ROWS);
}

static const struct completion_noun *find_in(const struct completion_noun *nouns, const char *name, size_t length)
{
	for (; nouns && nouns->name; nouns++) {
		if (strlen(nouns->name) == length && !strncmp(nouns->name, name, length))
			return nouns;
	}
	return NULL;
}

static const struct completion_noun *find(const struct completion_noun *nouns, const char *name, size_t length)
{
	const struct completion_noun *own = find_in(nouns, name, length);

	return own ? own : find_in(known, name, length);
}

/* The next of words with bars between, cut at end; NULL after the last one. */
static const char *next_choice(const char *word, const char *end, size_t *length)
{
	while (word < end && *word == '|')
		word++;
	*length = strcspn(word, "|");
	if (*length > (size_t)(end - word))
		*length = (size_t)(end - word);
	return word < end ? word : NULL;
}

static enum completion_value value_of(const struct completion_noun *nouns, const char *name, size_t length)
{
	const struct completion_noun *noun = find(nouns, name, length);
	const char *end = name + length;

	/* "auto|FILE": a file, or this word. */
	for (const char *word = name; !noun && (word = next_choice(word, end, &length)); word += length)
		noun = find(nouns, word, length);
	return noun ? noun->value : COMPLETION_TEXT;
}

static bool has_choice(const char *const *choices, const char *word, size_t length)
{
	for (; choices && *choices; choices++) {
		if (strlen(*choices) == length && !strncmp(*choices, word, length))
			return true;
	}
	return false;
}

/* Those that are not printed yet. */
static void print_choices(FILE *out, const struct completion_noun *nouns, const char *name, size_t length,
	const char *const *printed)
{
	const struct completion_noun *noun = find(nouns, name, length);
	const char *end = name + length;

	if (noun) {
		for (size_t i = 0; noun->choice && noun->choice(i); i++)
			fprintf(out, " %s", noun->choice(i));
		return;
	}
	for (const char *word = name; (word = next_choice(word, end, &length)); word += length) {
		if (islower((unsigned char)*word) && !has_choice(printed, word, length))
			fprintf(out, " %.*s", (int)length, word);
	}
}

void completion_print_command(FILE *out, const char *name)
{
	fprintf(out, "command %s\n", name);
}

/* Without the ",..." of a list. */
static size_t name_length(const char *name, bool *is_list)
{
	static const char more[] = ",...";
	size_t length = strlen(name);

	*is_list = length > strlen(more) && !strcmp(name + length - strlen(more), more);
	return *is_list ? length - strlen(more) : length;
}

static void print_value(FILE *out, const struct opt *row, const struct completion_noun *nouns)
{
	enum completion_value value = COMPLETION_NONE;
	bool is_list = false;

	if (row->value) {
		value = value_of(nouns, row->value, name_length(row->value, &is_list));
		if (is_list && value == COMPLETION_TEXT)
			value = COMPLETION_LIST;
	}
	fprintf(out, " %s%s", value_names[value], row->bare ? "?" : "");
}

static void print_option(FILE *out, const struct opt *row, const struct completion_noun *nouns)
{
	char own[64];
	bool is_list;

	snprintf(own, sizeof(own), "--%s", row->name);
	fprintf(out, "option %s ", own);
	fprintf(out, row->letter ? "-%c" : "-", row->letter);
	print_value(out, row, nouns);
	fprintf(out, " %s", row->flags & OPT_REPEATS ? "many" : "once");
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		fprintf(out, " %s", row->choices[i]);
	if (row->value && find_in(nouns, own, strlen(own)))
		print_choices(out, nouns, own, strlen(own), row->choices);
	else if (row->value)
		print_choices(out, nouns, row->value, name_length(row->value, &is_list), row->choices);
	putc('\n', out);
}

void completion_print_standard(FILE *out, bool has_usage)
{
	static const struct opt rows[] = {
		{.name = "help", .letter = '?'}, {.name = "usage"}, {.name = "version", .letter = 'V'}};

	for (size_t i = 0; i < 3; i++) {
		if (i != 1 || has_usage)
			print_option(out, &rows[i], NULL);
	}
}

void completion_print_options(FILE *out, const struct opt *rows, const struct completion_noun *nouns)
{
	for (const struct opt *row = rows; row->type != OPT_END; row++) {
		if (row->name && !(row->flags & (OPT_HIDDEN | OPT_ARGUMENT)))
			print_option(out, row, nouns);
	}
	completion_print_standard(out, true);
}

/* What follows the word at text; length: of its name. */
static const char *next_word(const char *text, size_t *length, bool *is_repeatable)
{
	size_t span = strcspn(text, " ");
	size_t named = strcspn(text, " ]");

	bool has_dots = named > 3 && !strncmp(text + named - 3, "...", 3);

	*is_repeatable = has_dots || !strncmp(text + named, "]...", 4);
	*length = has_dots ? named - 3 : named;
	return text + span;
}

void completion_print_arguments(FILE *out, const char *text, const struct completion_noun *nouns)
{
	bool is_repeatable;
	size_t length;

	for (const char *next; text && *text; text = next) {
		text += strspn(text, " [");
		if (text[0] == '-' && text[1] != '-' && text[1]) {
			next = text + strcspn(text, "]");
			next += strspn(next, "].");
			continue;
		}
		next = next_word(text, &length, &is_repeatable);
		if (!length || !strncmp(text, "--", 2))
			continue;
		fprintf(out, "argument - - %s %s", value_names[value_of(nouns, text, length)],
			is_repeatable ? "many" : "once");
		print_choices(out, nouns, text, length, NULL);
		putc('\n', out);
	}
}
