/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of results, filled cell by cell and printed through common/cli/table. Numbers are formatted by the unit of their
 * column. When memory is short nothing is printed, and grid_print reports it.
 */
#ifndef COMMON_CLI_GRID_H
#define COMMON_CLI_GRID_H

#include <stddef.h>
#include <stdio.h>

#include "common/cli/table.h"

struct grid_column {
	const char *heading;
	/* A unit of units_format, or "#" for a count; after a "+" numbers above 0 have a sign, too. NULL = text, aligned to the
	 * left. */
	const char *unit;
};

struct grid { /* {.columns = columns}, a list that ends with a zeroed one */
	const struct grid_column *columns;
	size_t indent;  /* blanks before each line */
	char **cells;   /* row by row; owned */
	size_t count, capacity;
	int err;        /* 0 or -ENOMEM */
};

/* Fill the next cells, from the left, row by row. */
void grid_text(struct grid *grid, const char *format, ...) __attribute__((format(printf, 2, 3)));
void grid_values(struct grid *grid, const double *values, size_t count);
#define GRID_VALUES(grid, ...) \
	grid_values((grid), (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
/* Fills the row with empty cells. */
void grid_end_row(struct grid *grid);
/* Prints and empties the grid. A column in which no row has a value is left out; a grid without rows prints nothing. */
void grid_print(struct grid *grid, FILE *out);

#endif
