/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/opt.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"

/* Options that every command has besides its own rows. */
static const struct opt standard[] = {
	{.name = "help", .letter = '?', .type = OPT_FLAG, .help = "print this help"},
	{.name = "usage", .type = OPT_FLAG, .help = "print a short usage"},
	{.name = "version", .letter = 'V', .type = OPT_FLAG, .help = "print the version"},
	{0}};

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
	[COMPLETION_OUTPUT] = "output",
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

/* Returns the next of words separated by bars, cut at end; NULL after the last one. */
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

	/* The first word that is a noun decides: FILE of "auto|FILE". */
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

static void print_option(FILE *out, const struct opt *row, const struct completion_noun *nouns)
{
	static const char more[] = ",...";
	const char *name = row->value ? row->value : "";
	size_t length = strlen(name);
	bool is_list = length > strlen(more) && !strcmp(name + length - strlen(more), more);
	enum completion_value value;
	char own[64];

	length -= is_list ? strlen(more) : 0;
	value = row->flags & OPT_OUTPUT ? COMPLETION_OUTPUT : row->value ? value_of(nouns, name, length) : COMPLETION_NONE;
	if (is_list && value == COMPLETION_TEXT)
		value = COMPLETION_LIST;
	snprintf(own, sizeof(own), "--%s", row->name);
	fprintf(out, "%s %s ", row->flags & OPT_HIDDEN ? "hidden" : "option", own);
	fprintf(out, row->letter ? "-%c" : "-", row->letter);
	fprintf(out, " %s%s %s", value_names[value], row->bare ? "?" : "", row->flags & OPT_REPEATS ? "many" : "once");
	for (size_t i = 0; row->choices && row->choices[i]; i++)
		fprintf(out, " %s", row->choices[i]);
	if (row->value && find_in(nouns, own, strlen(own)))
		print_choices(out, nouns, own, strlen(own), row->choices);
	else if (row->value)
		print_choices(out, nouns, name, length, row->choices);
	putc('\n', out);
}

void completion_print_standard(FILE *out, bool has_usage)
{
	for (const struct opt *row = standard; row->name; row++) {
		if (has_usage || strcmp(row->name, "usage"))
			print_option(out, row, NULL);
	}
}

void completion_print_options(FILE *out, const struct opt *rows, const struct completion_noun *nouns)
{
	for (const struct opt *row = rows; row->type != OPT_END; row++) {
		if (row->name && !(row->flags & OPT_ARGUMENT))
			print_option(out, row, nouns);
	}
	completion_print_standard(out, true);
}

void completion_print_arguments(FILE *out, const char *text, const struct completion_noun *nouns)
{
	for (const char *next; text && *text; text = next) {
		bool has_dots, is_repeatable;
		size_t length;

		text += strspn(text, " [");
		if (text[0] == '-' && text[1] != '-' && text[1]) {
			next = text + strcspn(text, "]");
			next += strspn(next, "].");
			continue;
		}
		next = text + strcspn(text, " ");
		length = strcspn(text, " ]");
		has_dots = length > 3 && !strncmp(text + length - 3, "...", 3);
		is_repeatable = has_dots || !strncmp(text + length, "]...", 4);
		length -= has_dots ? 3 : 0;
		if (!length || !strncmp(text, "--", 2))
			continue;
		fprintf(out, "argument - - %s %s", value_names[value_of(nouns, text, length)],
			is_repeatable ? "many" : "once");
		print_choices(out, nouns, text, length, NULL);
		putc('\n', out);
	}
}

#define COLUMN 29 /* where the text of --help begins */
#define WIDTH 79

/* --- --help --- */

void opt_print_paragraph(FILE *out, const char *text)
{
	while (text && *text) {
		text = utf8_wrap(out, 0, 0, WIDTH, text);
		putc('\n', out);
		text += *text == '\n';
	}
}

void opt_print_help(FILE *out, const struct opt *rows)
{
	char help[512];

	for (const struct opt *row = rows; row->type != OPT_END; row++) {
		int at;

		if (row->type == OPT_TITLE)
			fprintf(out, "%s %s:\n", row == rows ? "" : "\n", row->help);
		if (row->type == OPT_TITLE || row->flags & (OPT_HIDDEN | OPT_ARGUMENT))
			continue;
		at = row->letter ? fprintf(out, "  -%c, ", row->letter) : fprintf(out, "      ");
		at += fprintf(out, "--%s", row->name);
		if (row->value)
			at += fprintf(out, row->bare ? "[=%s]" : "=%s", row->value);
		if (at >= COLUMN) {
			putc('\n', out);
			at = 0;
		}
		snprintf(help, sizeof(help), row->preset ? "%s (default: %s)" : "%s", row->help, row->preset);
		fprintf(out, "%*s", COLUMN - at, "");
		(void)utf8_wrap(out, COLUMN, COLUMN, WIDTH, help);
		putc('\n', out);
	}
	if (rows != standard) {
		if (rows->type != OPT_END)
			putc('\n', out);
		opt_print_help(out, standard);
	}
}

/* --- the manual page --- */

static void put_roff(FILE *out, char c, bool begins_line)
{
	if (begins_line && (c == '.' || c == '\''))
		fputs("\\&", out);
	if (c == '-')
		fputs("\\-", out);
	else if (c == '\\')
		fputs("\\e", out);
	else
		putc(c, out);
}

static void put_word(FILE *out, const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		put_roff(out, word[i], !i);
}

/* Tells whether this is a word of the value's name, as "FILE" is of "auto|FILE". */
static bool is_value_name(const struct opt *row, const char *word, size_t length)
{
	for (const char *name = row->value; name && *name;) {
		size_t span = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

		if (span && span == length && !strncmp(name, word, length))
			return true;
		name += span ? span : 1;
	}
	return false;
}

static void put_styled(FILE *out, char font, const char *text, size_t length)
{
	fprintf(out, "\\f%c", font);
	put_word(out, text, length);
	fputs("\\fR", out);
}

/* Returns the length of an option in running text ("--swap=dev:PATH"), without the punctuation that ends a sentence. */
static size_t option_length(const char *text)
{
	size_t length = strspn(text, "-");

	if (!length || length > 2 || !isalnum((unsigned char)text[length]))
		return 0;
	length = strcspn(text, " \n;()");
	while (length && strchr(".,:", text[length - 1]))
		length--;
	return length;
}

static void put_line(FILE *out, const struct opt *row, const char *line, size_t length)
{
	bool is_begin = true;

	for (const char *at = line; at < line + length;) {
		size_t option = is_begin ? option_length(at) : 0;
		size_t name = is_begin ? strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") : 0;
		const char *end = *at == '`' ? memchr(at + 1, '`', (size_t)(line + length - at - 1)) : NULL;

		if (end) {
			put_styled(out, 'B', at + 1, (size_t)(end - at - 1));
			at = end + 1;
		} else if (option) {
			put_styled(out, 'B', at, option);
			at += option;
		} else if (name && is_value_name(row, at, name) && !islower((unsigned char)at[name])) {
			put_styled(out, 'I', at, name);
			at += name;
		} else {
			put_roff(out, *at, at == line || at[-1] == ' ');
			is_begin = *at == ' ' || *at == '(';
			at++;
			continue;
		}
		is_begin = false;
	}
}

static void put_text(FILE *out, const struct opt *row, const char *text)
{
	bool is_example = false;

	while (*text) {
		size_t length = strcspn(text, "\n"), size;
		bool was_example = is_example;
		char *line = NULL;
		FILE *stream;

		is_example = length > 2 && text[0] == ' ' && text[1] == ' ';
		if (is_example && !was_example)
			fputs(".IP\n.EX\n", out);
		if (!is_example && was_example)
			fputs(".EE\n", out);
		if (!length && strncmp(text + 1, "  ", 2) != 0)
			fputs(".IP\n", out);
		if (is_example) {
			put_line(out, row, text + 2, length - 2);
			putc('\n', out);
		} else if (length && (stream = open_memstream(&line, &size))) {
			/* Lines are wrapped because mandoc warns above 80 bytes. A word that roff would take for a request is
			 * escaped. */
			put_line(stream, row, text, length);
			if (!fclose(stream)) {
				(void)utf8_wrap(out, 0, 0, WIDTH, line);
				putc('\n', out);
			}
			free(line);
		}
		text += length;
		text += *text == '\n';
	}
	if (is_example)
		fputs(".EE\n", out);
}

void opt_print_manual(FILE *out, const struct opt *rows)
{
	char sentence[512];

	for (const struct opt *row = rows; row->type != OPT_END; row++) {
		if (row->type == OPT_TITLE)
			fprintf(out, "%s.I %s\n", row == rows ? "" : ".PP\n", row->help);
		if (row->type == OPT_TITLE || row->flags & (OPT_HIDDEN | OPT_ARGUMENT))
			continue;
		fputs(".TP\n", out);
		if (row->letter) {
			fprintf(out, "\\fB\\-%c\\fR", row->letter);
			if (row->value && !row->bare) {
				putc(' ', out);
				put_styled(out, 'I', row->value, strlen(row->value));
			}
			fputs(", ", out);
		}
		fputs("\\fB\\-\\-", out);
		put_word(out, row->name, strlen(row->name));
		fputs("\\fR", out);
		if (row->value) {
			fputs(row->bare ? "[=" : "=", out);
			put_styled(out, 'I', row->value, strlen(row->value));
			fputs(row->bare ? "]" : "", out);
		}
		putc('\n', out);
		/* A line of help begins in lower case and has no period. */
		snprintf(sentence, sizeof(sentence), "%c%s.", toupper((unsigned char)row->help[0]), row->help + 1);
		put_text(out, row, row->manual ? row->manual : sentence);
		if (row->preset) {
			fputs("The default is ", out);
			put_styled(out, 'B', row->preset, strlen(row->preset));
			/* A preset "." already ends the sentence. */
			fputs(strcmp(row->preset, ".") ? ".\n" : "\n", out);
		}
	}
}
