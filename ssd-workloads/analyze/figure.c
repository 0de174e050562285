/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct figure figures[] = {
	{"fig4", "the slowest writes, by part",
		{"stream", "kind", "worker", "sequence", "time_s", "response_ns", "late_ns", "batching_ns", "submit_ns", "queue_ns",
			"device_ns", "reap_ns", "joined", "largest_excess"},
		figure_slowest},
	{"fig6", "response times over the median of the stream alone",
		{"stream", "ratio_from", "ratio_to", "writes", "percent"}, figure_ratios},
	{"fig9", "the tail of the response times", {"stream", "percent", "response_ns", "writes_above"}, figure_tail},
	{"fig11", "where each write went, and when",
		{"stream", "worker", "time_s", "offset", "bytes", "pass", "response_ns"}, figure_places},
	{"interference", "what the streams cost each other",
		{"stream", "writes", "mean_ns", "p50_ns", "p99_ns", "p999_ns", "ratio_mean", "ratio_p50", "ratio_p99",
			"ratio_p999", "stall_from_ns", "stalls", "stalls_common", "stalled_percent", "correlation"},
		figure_interference},
	{FIGURE_RECORDS, "every record, as CSV", {NULL}, NULL},
	{"fig5", "garbage collection of a block: needs the simulated device", {NULL}, NULL},
	{"fig7", "ways and channels of a write: needs the simulated device", {NULL}, NULL},
	{"fig8", "an erase that delays a write: needs the simulated device", {NULL}, NULL},
	{"fig10", "valid copies: needs the simulated device", {NULL}, NULL},
	{0},
};

const struct figure *figure_find(const char *name)
{
	for (const struct figure *figure = figures; figure->name; figure++) {
		if (!strcmp(figure->name, name))
			return figure;
	}
	return NULL;
}

static int make_room(struct figure_table *table)
{
	size_t room = table->row_room ? 2 * table->row_room : 64;
	char **rows;

	if (table->row_count < table->row_room)
		return 0;
	rows = reallocarray(table->rows, room, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	table->rows = rows;
	table->row_room = room;
	return 0;
}

int figure_table_add(struct figure_table *table, const char *format, ...)
{
	va_list arguments;
	char *row;
	int length;

	if (make_room(table))
		return -ENOMEM;
	va_start(arguments, format);
	length = vasprintf(&row, format, arguments);
	va_end(arguments);
	if (length < 0)
		return -ENOMEM;
	table->rows[table->row_count++] = row;
	return 0;
}

void figure_table_print(FILE *out, const struct figure_table *table)
{
	for (size_t i = 0; table->figure->columns[i]; i++)
		fprintf(out, "%s%s", i ? "\t" : "", table->figure->columns[i]);
	fputc('\n', out);
	for (size_t i = 0; i < table->row_count; i++)
		fprintf(out, "%s\n", table->rows[i]);
}

static void write_fields(struct report *report, const struct field *field, const void *from)
{
	for (const char *at = from;; at++) {
		size_t length = strcspn(at, "\t");
		char text[64];

		snprintf(text, sizeof(text), "%.*s", (int)length, at);
		FIELD_ROW(report, field, text_item, text);
		at += length;
		if (!*at)
			break;
	}
}

static void write_rows(struct report *report, const struct field *field, const void *from)
{
	const struct figure_table *table = from;

	for (size_t i = 0; i < table->row_count; i++)
		FIELD_ROW(report, field, ssd_figure_row, FIELD_BY(write_fields, table->rows[i]));
}

static void write_columns(struct report *report, const struct field *field, const void *from)
{
	const struct figure_table *table = from;

	for (size_t i = 0; table->figure->columns[i]; i++)
		FIELD_ROW(report, field, text_item, table->figure->columns[i]);
}

struct ssd_analysis_values figure_table_values(const char *path, const struct figure_table *table)
{
	return (struct ssd_analysis_values){
		.figure = table->figure->name,
		.records_file = path,
		.mix = table->mix,
		.every = table->every > 1 ? table->every : FIELD_NO_COUNT,
		.column = FIELD_BY(write_columns, table),
		.row = FIELD_BY(write_rows, table),
	};
}

void figure_table_free(struct figure_table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		free(table->rows[i]);
	free(table->rows);
	table->rows = NULL;
	table->row_count = table->row_room = 0;
}
