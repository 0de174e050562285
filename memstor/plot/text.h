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

/*
 * Texts in a gnuplot script are lines of one block of data, $texts: gnuplot neither parses nor expands them. Each line
 * begins with a blank, so that none can be the end of the block; an expression refers to the rest of the line.
 */
#define PLOT_TEXTS_END "END_OF_TEXTS"
struct plot_texts { /* zeroed: none */
	char *lines; /* NULL when there is none, or memory was short */
	size_t used, count;
	bool is_short; /* of memory: a text is missing */
};
/* Adds text (cleaned) and writes the expression for it. Labels of tics are formats: is_format doubles '%'. */
void plot_text_write(struct plot_texts *texts, FILE *out, const char *text, bool is_format);
/* The block, to stand before the first expression. */
void plot_text_write_block(FILE *out, const struct plot_texts *texts);
void plot_text_free(struct plot_texts *texts);

/* text (cleaned) as character data of XML. */
void plot_text_xml(FILE *out, const char *text);

#endif
