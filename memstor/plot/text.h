/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of reports, file names and command lines in gnuplot scripts and SVG. They may hold anything; here they become
 * data and nothing else.
 */
#ifndef MEMSTOR_PLOT_TEXT_H
#define MEMSTOR_PLOT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLOT_TEXT 256 /* bytes of a text that is shown, its NUL included */

/* A copy that UTF-8, XML and a line can hold: other bytes, and what controls a terminal or the direction of writing,
 * become '?', blanks one ' '. More than `columns` characters are cut, with "..." as the last three. Returns how many
 * characters are in the copy. */
size_t plot_text_clean(const char *text, size_t columns, char *copy, size_t length);
/* Characters of clean text. */
size_t plot_text_columns(const char *text);
/* Breaks clean text into lines of up to `columns` characters, at blanks where there are any: the begin of the next
 * line, or NULL; *size are the bytes of this one. */
const char *plot_text_break(const char *text, size_t columns, size_t *size);

/* text (cleaned) as character data of XML. */
void plot_text_xml(FILE *out, const char *text);

/*
 * Names of cells, "pwrite.direct.append.write.4k", in a picture: of several the parts in which they differ are said with
 * each, and those which all share once.
 */
#define PLOT_PARTS_MAX 16

struct plot_parts { /* all 0 = no names yet */
	size_t names, count;
	char first[PLOT_TEXT];
	bool differs[PLOT_PARTS_MAX];
	bool is_uneven; /* they have not the same number of parts, or too many: nothing is taken off */
};

void plot_parts_add(struct plot_parts *parts, const char *name);
/* What tells a name of them from the others, the whole of it when nothing does. Returns text. */
char *plot_parts_own(const struct plot_parts *parts, const char *name, char *text, size_t length);
/* What all of them share; "" when nothing was taken off. Returns text. */
char *plot_parts_common(const struct plot_parts *parts, char *text, size_t length);

#endif
