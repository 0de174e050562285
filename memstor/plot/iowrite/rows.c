/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/iowrite/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/iowrite/write.h"

int plot_rows_take(const struct report_node *parent, const char *element, const char *const *attributes,
	struct plot_rows *rows)
{
	const struct report_node *first = report_read_find(parent, element);
	size_t count = 0, columns = 0;

	while (columns < PLOT_ROWS_COLUMNS && attributes[columns])
		columns++;
	for (const struct report_node *node = first; node; node = report_read_next(node))
		count++;
	*rows = (struct plot_rows){0, columns, calloc(count + 1, sizeof(*rows->values))};
	if (!rows->values) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	for (const struct report_node *node = first; node; node = report_read_next(node), rows->count++) {
		for (size_t i = 0; i < columns; i++)
			rows->values[rows->count][i] = report_read_attribute_number(node, attributes[i]);
	}
	return DIAG_EXIT_OK;
}

int plot_rows_hold(struct plot_rows *rows, double until)
{
	double (*values)[PLOT_ROWS_COLUMNS];

	if (!rows->count || !(until > rows->values[rows->count - 1][0]))
		return DIAG_EXIT_OK;
	values = reallocarray(rows->values, rows->count + 1, sizeof(*values));
	if (!values) {
		diag_error(ENOMEM, "cannot draw");
		return DIAG_EXIT_HOST;
	}
	rows->values = values;
	memcpy(values[rows->count], values[rows->count - 1], sizeof(*values));
	values[rows->count++][0] = until;
	return DIAG_EXIT_OK;
}

void plot_rows_write(FILE *out, const char *name, const struct plot_rows *rows)
{
	fprintf(out, "%s << END\n", name);
	for (size_t i = 0; i < rows->count; i++) {
		for (size_t j = 0; j < rows->columns; j++) {
			if (isfinite(rows->values[i][j]))
				fprintf(out, "%s%.10g", j ? " " : "", rows->values[i][j]);
			else
				fputs(j ? " NaN" : "NaN", out);
		}
		fputc('\n', out);
	}
	fprintf(out, "END\n");
}

void plot_rows_extend(const struct plot_rows *rows, size_t column, struct plot_extent *extent)
{
	for (size_t i = 0; i < rows->count; i++)
		plot_extent_add(extent, rows->values[i][column]);
}
