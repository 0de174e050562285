/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/grid.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/units.h"

static size_t width_of(const struct grid *grid)
{
	size_t width = 0;

	while (grid->columns[width].heading)
		width++;
	return width;
}

void grid_text(struct grid *grid, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (!grid->err)
		grid->err = arena_grow(&grid->cells, &grid->capacity, grid->count, sizeof(*grid->cells));
	if (!grid->err && vasprintf(&text, format, arguments) < 0)
		grid->err = -ENOMEM;
	else if (!grid->err)
		grid->cells[grid->count++] = text;
	va_end(arguments);
}

void grid_values(struct grid *grid, const double *values, size_t count)
{
	size_t width = width_of(grid);

	for (size_t i = 0; i < count && !grid->err; i++) {
		const char *unit = grid->columns[grid->count % width].unit;
		bool is_signed = unit[0] == '+';
		char text[UNITS_TEXT];

		unit += is_signed;
		if (unit[0] == '#' && isfinite(values[i]))
			snprintf(text, sizeof(text), "%.0f", values[i]);
		else
			units_format(values[i], unit, text, sizeof(text));
		grid_text(grid, "%s%s", is_signed && values[i] > 0 ? "+" : "", text);
	}
}

void grid_end_row(struct grid *grid)
{
	while (!grid->err && grid->count % width_of(grid))
		grid_text(grid, "%s", "");
}

void grid_print(struct grid *grid, FILE *out)
{
	struct table_column columns[TABLE_COLUMNS] = {{0}};
	struct table table = {.columns = columns, .indent = grid->indent};
	size_t width = width_of(grid);

	for (size_t i = 0; i < width; i++)
		columns[i] = (struct table_column){grid->columns[i].heading, TABLE_STRING,
			TABLE_SHOWN | TABLE_SPARE | (grid->columns[i].unit ? TABLE_RIGHT : 0), .offset = i * sizeof(char *)};
	for (size_t i = 0; i < grid->count && !grid->err; i += width)
		grid->err = table_add(&table, &grid->cells[i], NULL);
	if (!grid->err)
		grid->err = table_print(&table, out);
	if (grid->err)
		diag_error(grid->err, "cannot print a table");
	table_free(&table);
	for (size_t i = 0; i < grid->count; i++)
		free(grid->cells[i]);
	free(grid->cells);
	*grid = (struct grid){.columns = grid->columns, .indent = grid->indent};
}
