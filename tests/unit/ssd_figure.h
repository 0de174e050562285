/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of known records: how many rows they have, and some of these. */
#ifndef TESTS_UNIT_SSD_FIGURE_H
#define TESTS_UNIT_SSD_FIGURE_H

#include <string.h>

#include "ssd-workloads/analyze/figure.h"
#include "tests/unit/unit.h"

struct figure_row { size_t index; const char *text; };

/* Each row has as many fields as there are columns. */
static inline struct figure_table computed(const char *name, const struct figure_input *input)
{
	struct figure_table table = {.figure = figure_of(figure_find(name), input->device), .every = 1, .mix = "M-N"};
	const char *why = "";
	size_t columns = 0;

	assert_non_null(table.figure);
	if (table.figure->compute(input, &table, &why))
		fail_msg("%s: %s", name, why);
	while (table.figure->columns[columns])
		columns++;
	for (size_t i = 0; i < table.row_count; i++) {
		size_t fields = 1;

		for (const char *at = table.rows[i]; *at; at++)
			fields += *at == '\t';
		assert_int_equal(fields, columns);
	}
	return table;
}

/* rows: ended by one without a text; count 0: any number. */
static inline void assert_figure(const char *name, const struct figure_input *input, size_t count, const struct figure_row *rows)
{
	struct figure_table table = computed(name, input);

	assert_true(table.row_count > 0 && (!count || table.row_count == count));
	for (; rows->text; rows++) {
		assert_true(rows->index < table.row_count);
		assert_string_equal(table.rows[rows->index], rows->text);
	}
	figure_table_free(&table);
}
#define ASSERT_FIGURE(name, input, count, ...) \
	assert_figure(name, input, count, (const struct figure_row[]){__VA_ARGS__, {0, NULL}})

#endif
