/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of a suite as words. Blanks divide words; quotes of both kinds, at a word's beginning or behind = , : in it,
 * hold what is between them together; # at the beginning of a word begins a comment; a backslash at the end of a line
 * goes on in the next. $name and ${name} stand for a variable, also between "double quotes", and $$ for a dollar sign;
 * in 'single quotes' nothing is special.
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
	const char *next; /* behind it */
	unsigned lines;   /* how many lines of the text it is */
	size_t count;
	const char *words[SUITE_WORDS_MAX + 1]; /* in text; NULL behind the last */
	char text[SUITE_LINE_MAX + SUITE_WORDS_MAX];
};

/* The line that begins at from (before end). scope NULL: variables stay as they are written. 0, or -EINVAL and what is
 * wrong in why; then next and lines are right, too, and the line has no words. */
int suite_line_read(const char *from, const char *end, const struct suite_scope *scope, struct suite_line *line,
	char *why, size_t length);

/* Letters, digits and _, not a digit first. */
bool suite_is_variable(const char *name, size_t length);
/* NULL when there is none. */
const char *suite_variable(const struct suite_scope *scope, const char *name, size_t length);

#endif
