/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Splits a line of a suite into words. Blanks separate words. Single or double quotes, at the begin of a word or after
 * = , : in it, enclose text with blanks. A # at the begin of a word begins a comment. A backslash at the end of a line
 * continues it in the next one. $name and ${name} stand for a variable, also in "double quotes", and $$ for a dollar sign;
 * in 'single quotes' no character is special.
 */
#ifndef MEMSTOR_SUITE_LINE_H
#define MEMSTOR_SUITE_LINE_H

#include <stdbool.h>
#include <stddef.h>

#define SUITE_LINE_MAX 4096 /* bytes of a line's words */
#define SUITE_WORDS_MAX 256
#define SUITE_VARIABLE_MAX 32 /* bytes of a variable's name */

struct suite_variable {
	const char *name, *value;
};

struct suite_scope {
	size_t count;
	const struct suite_variable *variables;
};

struct suite_line {
	const char *next; /* the text after the line */
	unsigned lines;   /* number of lines of the text that it spans */
	size_t count;
	const char *words[SUITE_WORDS_MAX + 1]; /* in text; terminated by NULL */
	char text[SUITE_LINE_MAX + SUITE_WORDS_MAX];
};

/* Reads the line that begins at from (before end). With scope NULL variables are not replaced. Returns 0, or -EINVAL and
 * what is wrong in why; then next and lines are valid, too, and the line has no words. */
int suite_line_read(const char *from, const char *end, const struct suite_scope *scope, struct suite_line *line,
	char *why, size_t length);

/* Whether the name is valid: letters, digits and _, not beginning with a digit. */
bool suite_is_variable(const char *name, size_t length);
/* Returns the value of a variable; NULL = there is none of this name. */
const char *suite_variable(const struct suite_scope *scope, const char *name, size_t length);

#endif
