/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cells of iowrite-bench run, each a subject, and what they are in all. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "copy_percent" as "cost_split.copy_percent". */
static int add_split(struct loading *loading, const struct report_node *split, struct loaded_subject *cell,
	struct loaded_value *values)
{
	static const char *const none[] = {NULL};
	size_t first = cell->value_count;
	char name[96];
	int err = loaded_add_values(loading, split, none, values, &cell->value_count);

	for (size_t i = first; i < cell->value_count && !err; i++) {
		int used = snprintf(name, sizeof(name), "cost_split.%.80s", values[i].name);

		values[i].name = arena_text(&loading->arena, name, (size_t)used);
		err = values[i].name ? 0 : -ENOMEM;
	}
	return err;
}

static int take_cell(struct loading *loading, const struct report_node *node, struct loaded_subject *cell)
{
	static const char *const none[] = {NULL};
	const struct report_node *split = report_read_find(node, "cost_split");
	struct loaded_value *values = loaded_array(loading, loaded_count(node, NULL) + loaded_count(split, NULL), sizeof(*values));
	int err;

	if (!values)
		return -ENOMEM;
	cell->values = values;
	cell->id = report_read_attribute(node, "id");
	if (!cell->id)
		return loaded_refuse(loading, node, "<cell> has no id");
	err = loaded_add_values(loading, node, none, values, &cell->value_count);
	return err ? err : add_split(loading, split, cell, values);
}

static double sum_of(const struct loaded *loaded, const char *name)
{
	double sum = 0;

	for (size_t i = 0; i < loaded->subject_count; i++) {
		double value = loaded_subject_value(&loaded->subjects[i], name);

		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

/* Cells take turns: what was done in all, in the time that all of them took. */
static int add_totals(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	double operations = sum_of(loaded, "operations"), bytes = sum_of(loaded, "bytes"), run_s = sum_of(loaded, "run_s");
	struct loaded_value *values = loaded_array(loading, loaded->value_count + 5, sizeof(*values));

	if (!values)
		return -ENOMEM;
	if (loaded->value_count)
		memcpy(values, loaded->values, loaded->value_count * sizeof(*values));
	loaded->values = values;
	values[loaded->value_count++] = (struct loaded_value){"operations", operations};
	values[loaded->value_count++] = (struct loaded_value){"bytes", bytes};
	values[loaded->value_count++] = (struct loaded_value){"run_s", run_s};
	if (run_s > 0) {
		values[loaded->value_count++] = (struct loaded_value){"operations_per_second", operations / run_s};
		values[loaded->value_count++] = (struct loaded_value){"bytes_per_second", bytes / run_s};
	}
	return 0;
}

int loaded_take_cells(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	const struct report_node *cells = report_read_find(loading->report, "result/cells");
	size_t room = loaded_count(cells, "cell");
	struct loaded_subject *list = loaded_array(loading, room, sizeof(*list));
	const struct report_node *node = cells ? report_read_find(cells, "cell") : NULL;

	if (!list)
		return -ENOMEM;
	if (!node)
		return 0;
	if (room > LOADED_HISTOGRAMS_MAX)
		return loaded_refuse(loading, cells, "%zu cells: allowed are %d", room, LOADED_HISTOGRAMS_MAX);
	loaded->subjects = list;
	for (; node; node = report_read_next(node)) {
		struct loaded_subject cell = {0};
		int err = take_cell(loading, node, &cell);

		if (err)
			return err;
		if (loaded_subject(loaded, cell.id))
			return loaded_refuse(loading, node, "a second <cell> of id %.100s", cell.id);
		list[loaded->subject_count++] = cell;
	}
	return add_totals(loading);
}
