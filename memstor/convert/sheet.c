/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/convert/convert.h"

#include <string.h>

struct convert_row *convert_sheet_row(struct convert *convert, struct convert_sheet *sheet, const void *of)
{
	struct convert_row *row = arena_array(&convert->arena, 1, sizeof(*row));

	if (!row)
		return NULL;
	row->of = of;
	if (sheet->last_row)
		sheet->last_row->next = row;
	else
		sheet->rows = row;
	sheet->last_row = row;
	return row;
}

static struct convert_column *column_of(struct convert *convert, struct convert_sheet *sheet, const char *name)
{
	struct convert_column **at = &sheet->columns;

	while (*at && strcmp((*at)->name, name))
		at = &(*at)->next;
	if (!*at) {
		*at = arena_array(&convert->arena, 1, sizeof(**at));
		if (*at)
			**at = (struct convert_column){sheet->column_count++, arena_copy(&convert->arena, name), NULL};
	}
	return *at;
}

void convert_sheet_cell(struct convert *convert, struct convert_sheet *sheet, struct convert_row *row, const char *name,
	const char *text)
{
	const struct convert_column *column = column_of(convert, sheet, name);
	struct convert_cell **at = &row->cells;

	while (*at && (*at)->column != column)
		at = &(*at)->next;
	if (*at || !column)
		return;
	*at = arena_array(&convert->arena, 1, sizeof(**at));
	if (*at)
		**at = (struct convert_cell){column, arena_copy(&convert->arena, text), NULL};
}

void convert_sheet_fill(const struct convert_sheet *sheet, const struct convert_row *row, const char **cells)
{
	for (const struct convert_column *column = sheet->columns; column; column = column->next)
		cells[column->index] = row ? "" : column->name;
	for (const struct convert_cell *cell = row ? row->cells : NULL; cell; cell = cell->next)
		cells[cell->column->index] = cell->text;
}
