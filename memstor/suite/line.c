/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/suite/line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct reader {
	const char *cursor, *end;
	const struct suite_scope *scope;
	struct suite_line *line;
	size_t used;     /* of line->text */
	bool is_in_word;
	char *why;
	size_t length;
	int error;
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool suite_is_variable(const char *name, size_t length)
{
	if (!length || length > SUITE_VARIABLE_MAX || !is_letter(*name))
		return false;
	for (size_t i = 1; i < length; i++) {
		if (!is_letter(name[i]) && !is_digit(name[i]))
			return false;
	}
	return true;
}

const char *suite_variable(const struct suite_scope *scope, const char *name, size_t length)
{
	/* The latest of a name is the nearest. */
	for (size_t i = scope->count; i-- > 0;) {
		const struct suite_variable *variable = &scope->variables[i];

		if (strlen(variable->name) == length && !memcmp(variable->name, name, length))
			return variable->value;
	}
	return NULL;
}

static void __attribute__((format(printf, 2, 3))) refuse(struct reader *in, const char *format, ...)
{
	va_list arguments;

	if (in->error)
		return;
	va_start(arguments, format);
	vsnprintf(in->why, in->length, format, arguments);
	va_end(arguments);
	in->error = -EINVAL;
}

static void add(struct reader *in, const char *bytes, size_t size)
{
	if (in->used + size >= SUITE_LINE_MAX) {
		refuse(in, "a line of more than %d bytes; divide it into several steps or variables", SUITE_LINE_MAX);
		return;
	}
	memcpy(in->line->text + in->used, bytes, size);
	in->used += size;
}

static void begin_word(struct reader *in)
{
	if (in->is_in_word)
		return;
	if (in->line->count == SUITE_WORDS_MAX) {
		refuse(in, "more than %d words in a line", SUITE_WORDS_MAX);
		return;
	}
	in->is_in_word = true;
	in->line->words[in->line->count++] = in->line->text + in->used;
}

/* There is room: one byte for each word lies behind SUITE_LINE_MAX. */
static void end_word(struct reader *in)
{
	if (in->is_in_word)
		in->line->text[in->used++] = '\0';
	in->is_in_word = false;
}

static bool is_at(const struct reader *in, char c)
{
	return in->cursor < in->end && *in->cursor == c;
}

static bool is_at_newline(const struct reader *in)
{
	return is_at(in, '\n') || (is_at(in, '\r') && in->end - in->cursor > 1 && in->cursor[1] == '\n');
}

static void skip_newline(struct reader *in)
{
	in->cursor += *in->cursor == '\r' ? 2 : 1;
	in->line->lines++;
}

static void add_variable(struct reader *in, const char *name, size_t size)
{
	const char *value = suite_variable(in->scope, name, size);
	char known[256] = "none";
	size_t used = 0;

	if (value) {
		add(in, value, strlen(value));
		return;
	}
	for (size_t i = 0; i < in->scope->count && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", in->scope->variables[i].name);
	refuse(in, "$%.*s: no such variable; there are: %s", (int)size, name, known);
}

/* At a $. */
static void read_variable(struct reader *in)
{
	const char *begin = in->cursor++, *name;
	bool has_brace = is_at(in, '{');
	size_t size;

	if (is_at(in, '$')) {
		in->cursor++;
		add(in, begin, in->scope ? 1 : 2);
		return;
	}
	in->cursor += has_brace;
	name = in->cursor;
	while (in->cursor < in->end && (is_letter(*in->cursor) || is_digit(*in->cursor)))
		in->cursor++;
	size = (size_t)(in->cursor - name);
	if (!suite_is_variable(name, size) || (has_brace && !is_at(in, '}'))) {
		refuse(in, "$ without a variable's name after it; a dollar sign is written $$");
		return;
	}
	in->cursor += has_brace;
	if (in->scope)
		add_variable(in, name, size);
	else
		add(in, begin, (size_t)(in->cursor - begin));
}

/* At the opening quote. */
static void read_quoted(struct reader *in)
{
	char quote = *in->cursor++;

	while (!in->error && !is_at(in, quote)) {
		if (in->cursor == in->end || is_at_newline(in))
			refuse(in, "a quote (%c) is not closed in its line", quote);
		else if (*in->cursor == '$' && quote == '"')
			read_variable(in);
		else
			add(in, in->cursor++, 1);
	}
	in->cursor += !in->error;
}

static bool skips_blanks(struct reader *in)
{
	if (is_at(in, ' ') || is_at(in, '\t')) {
		in->cursor++;
	} else if (is_at(in, '\\') && in->end - in->cursor > 1 &&
		   (in->cursor[1] == '\n' || (in->cursor[1] == '\r' && in->end - in->cursor > 2 && in->cursor[2] == '\n'))) {
		in->cursor++;
		skip_newline(in);
	} else {
		return false;
	}
	end_word(in);
	return true;
}

/* "it's" holds an apostrophe, --label='a b' a quote. */
static bool is_at_quote(const struct reader *in)
{
	return (is_at(in, '\'') || is_at(in, '"')) && (!in->is_in_word || strchr("=,:", in->cursor[-1]));
}

static void read_word(struct reader *in)
{
	bool is_quote = is_at_quote(in);

	begin_word(in);
	if (*in->cursor == '$')
		read_variable(in);
	else if (is_quote)
		read_quoted(in);
	else
		add(in, in->cursor++, 1);
}

/* A suite is text: what a terminal would obey, or a NUL, is never meant. */
static void refuse_controls(struct reader *in, const char *from)
{
	for (const char *c = from; c < in->cursor; c++) {
		bool is_blank = *c == '\t' || *c == '\n' || (*c == '\r' && in->end - c > 1 && c[1] == '\n');

		if (((unsigned char)*c < ' ' && !is_blank) || *c == '\177') {
			refuse(in, "byte 0x%02x is not text", (unsigned)(unsigned char)*c);
			return;
		}
	}
}

int suite_line_read(const char *from, const char *end, const struct suite_scope *scope, struct suite_line *line,
	char *why, size_t length)
{
	struct reader in = {.cursor = from, .end = end, .scope = scope, .line = line, .why = why, .length = length};

	line->count = 0;
	line->lines = 0;
	while (!in.error && in.cursor < end && !is_at_newline(&in)) {
		if (skips_blanks(&in))
			continue;
		if (*in.cursor == '#' && !in.is_in_word)
			break;
		read_word(&in);
	}
	end_word(&in);
	while (in.cursor < end && !is_at_newline(&in))
		in.cursor++;
	refuse_controls(&in, from);
	if (in.cursor < end)
		skip_newline(&in);
	if (in.error)
		line->count = 0;
	line->words[line->count] = NULL;
	line->next = in.cursor;
	return in.error;
}
