/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words and numbers of a comparison as people read them; for compare/text.c and compare/markdown.c. */
#ifndef MEMSTOR_COMPARE_CELLS_H
#define MEMSTOR_COMPARE_CELLS_H

#include <stddef.h>
#include <stdio.h>

#include "memstor/compare/outcome.h"

enum compare_cell { CELL_METRIC, CELL_BASE, CELL_NEW, CELL_CHANGE, CELL_INTERVAL, CELL_P, CELL_VERDICT, CELLS };

struct compare_cells {
	char text[CELLS][METRIC_NAME];
};

extern const char *const compare_cell_titles[CELLS];
/* "95 % interval" needs the level. */
void compare_title_cells(const struct compare_rule *rule, struct compare_cells *cells);
void compare_make_cells(
	const struct compare_request *request, const struct compare_row *row, struct compare_cells *cells);

/* "17.3 us", "1.23 M/s"; "-" for NAN. */
char *compare_format_value(const struct metric *metric, double value, char *buffer, size_t length);
/* "17.3 us"; "<256 ns" where below_ns is not 0. */
char *compare_format_quantile(double ns, double below_ns, char *buffer, size_t length);
/* "+2.4 %", "-31 %", "+inf %"; "-" for NAN. */
char *compare_format_change(double fraction, char *buffer, size_t length);
/* "-1.2 .. +3.4 %". */
char *compare_format_interval(double low, double high, char *buffer, size_t length);

/* What a gate is decided by: "+9.96 %, 95 % interval +9.34 .. +10.6 %", of a value "5.52 us, ...". */
char *compare_format_gate(const struct compare_request *request, const struct compare_gate *gate,
	const struct compare_row *row, char *buffer, size_t length);

/* "option jobs: 1 in BASE, 2 in NEW". */
char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length);

/* "pmbench, 5 runs against 5"; with its title in front when it has one. */
void compare_print_heading(FILE *out, const struct compare_set *set);
/* "slower: 3 of 40 metrics ..." */
void compare_print_overall(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* "passed (4 passed, 0 failed, 0 inconclusive)", with which the program ends. */
void compare_print_gates(FILE *out, const struct compare_request *request, const struct compare_result *result);
/* What a reader must know of the numbers: one line each, to a callback. */
void compare_each_note(const struct compare_request *request, const struct compare_result *result,
	void (*say)(void *context, const char *note), void *context);

#endif
