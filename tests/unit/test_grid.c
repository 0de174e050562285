/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cells of a result, row by row, and how their numbers are formatted. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/cli/grid.h"

static const struct grid_column columns[] = {{"stream", NULL}, {"run", "#"}, {"IO/s", ""}, {"mean", "ns"}, {"error", "+%"},
	{"size", "bytes"}, {"why", NULL}, {NULL, NULL}};

static void is(struct grid *grid, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	grid_print(grid, out);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
	assert_null(grid->cells);
}

TEST("a grid formats numbers by the unit of their column")
{
	struct grid grid = {.columns = columns, .indent = 1};

	grid_text(&grid, "%s", "log");
	GRID_VALUES(&grid, 1, 12345.6, 33000, 12.34, 4096);
	grid_text(&grid, "none");
	grid_text(&grid, "checkpoint");
	GRID_VALUES(&grid, 12, 9.876, NAN, -0.5, 1536);
	grid_end_row(&grid);
	is(&grid, " stream      run   IO/s     mean    error     size  why\n"
		  " log           1  12346  33.0 us  +12.3 %    4 KiB  none\n"
		  " checkpoint   12   9.88        -  -0.50 %  1.5 KiB\n");
}

TEST("a grid leaves out columns in which no row has a value")
{
	struct grid grid = {.columns = columns};

	grid_text(&grid, "log");
	GRID_VALUES(&grid, 1, NAN, NAN, NAN);
	grid_end_row(&grid);
	is(&grid, "stream  run\nlog       1\n");
}

TEST("a grid without rows prints nothing")
{
	struct grid grid = {.columns = columns};

	is(&grid, "");
}
