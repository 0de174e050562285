/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of reports, file names and command lines in gnuplot scripts and SVG. They may hold anything; here they become
 * data and nothing else.
 */
#ifndef MEMSTOR_PLOT_TEXT_H
#define MEMSTOR_PLOT_TEXT_H

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

/* text (cleaned) as a string of gnuplot, its quotes included. Everything that could end it, be expanded or be a
 * command is an octal escape. Tics' labels are formats: there '%' is doubled. */
void plot_text_quote(FILE *out, const char *text);
void plot_text_quote_size(FILE *out, const char *text, size_t size); /* so many bytes of it */
void plot_text_quote_tic(FILE *out, const char *text);

/* text (cleaned) as character data of XML. */
void plot_text_xml(FILE *out, const char *text);

#endif
