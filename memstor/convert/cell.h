/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of CSV, quoted as RFC 4180 says; rows end with a line feed. */
#ifndef MEMSTOR_CONVERT_CELL_H
#define MEMSTOR_CONVERT_CELL_H

#include <stdint.h>
#include <stdio.h>

/* A text that a spreadsheet would take for a formula (= + - @, tab or return at its begin) gets ' before it, unless it
 * is a number. */
void convert_cell_text(FILE *out, const char *text);
/* The shortest text that reads back to the same double; empty for NAN and infinities. */
void convert_cell_number(FILE *out, double value);
void convert_cell_count(FILE *out, uint64_t value);
/* The comma before the next cell, the end of the row. */
void convert_cell_next(FILE *out);
void convert_cell_add_text(FILE *out, const char *text);
void convert_cell_add_number(FILE *out, double value);
void convert_cell_end(FILE *out);
/* Texts that need no quoting, as a row. */
void convert_cell_header(FILE *out, const char *const *names, size_t count);

/* The same number for other forms; length at least 32. */
char *convert_cell_format(double value, char *text, size_t length);

#endif
