/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/ssd/table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"
#include "memstor/plot/phrase.h"

const char *const plot_stream_names[PLOT_STREAMS] = {"log", "checkpoint"};

size_t plot_stream_of(const char *name)
{
	size_t stream = 0;

	while (stream < PLOT_STREAMS && strcmp(plot_stream_names[stream], name) != 0)
		stream++;
	return stream;
}

static const struct report_node *find_analysis(const struct loaded *loaded, const char *figure)
{
	const struct report_node *node =
		report_read_find(report_read_root(loaded->document), "report/result/analysis");

	for (; node; node = report_read_next(node)) {
		const char *own = report_read_attribute(node, "figure");

		if (own && !strcmp(own, figure))
			return node;
	}
	return NULL;
}

static size_t column_of(const struct report_node *analysis, const char *name)
{
	const struct report_node *node = report_read_find(analysis, "column");
	size_t i = 0;

	for (; node && i < PLOT_TABLE_COLUMNS; node = report_read_next(node), i++) {
		if (!strcmp(node->text, name))
			return i;
	}
	return PLOT_TABLE_COLUMNS;
}

bool plot_table_open(const struct loaded *loaded, const char *figure, const char *const *columns, size_t count,
	struct plot_table *table)
{
	*table = (struct plot_table){.analysis = find_analysis(loaded, figure), .count = count};
	if (!table->analysis)
		return false;
	for (size_t i = 0; i < count; i++)
		table->at[i] = column_of(table->analysis, columns[i]);
	table->row = report_read_find(table->analysis, "row");
	return true;
}

bool plot_table_next(struct plot_table *table, const char **fields)
{
	const struct report_node *field;

	if (!table->row)
		return false;
	field = report_read_find(table->row, "field");
	for (size_t i = 0; i < table->count; i++)
		fields[i] = "";
	for (size_t column = 0; field && column < PLOT_TABLE_COLUMNS; field = report_read_next(field), column++) {
		for (size_t i = 0; i < table->count; i++) {
			if (table->at[i] == column)
				fields[i] = field->text;
		}
	}
	table->row = report_read_next(table->row);
	return true;
}

void plot_table_mix(const struct plot_table *table, char mix[64])
{
	const struct report_node *node = report_read_find(table->analysis, "mix");

	if (node)
		snprintf(mix, 64, "%s", node->text);
}

double plot_table_number(const char *text)
{
	double value;

	return units_parse_double(text, -DBL_MAX, DBL_MAX, &value) ? NAN : value;
}

void plot_ssd_title(struct plot *plot, const char *what, const char *mix)
{
	char title[160];
	const char *behind;

	plot_phrase_title(plot->reports, plot->report_count, title, sizeof(title));
	behind = strstr(title, ": ");
	behind = mix[0] ? mix : behind ? behind + 2 : "";
	snprintf(plot->title, sizeof(plot->title), "%s%s%s", what, behind[0] ? ": " : "", behind);
}
