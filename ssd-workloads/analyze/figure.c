/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"

/* --- figures and their tables --- */

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

int figure_table_add(struct figure_table *table, const char *format, ...)
{
	va_list arguments;
	char *row;
	int length, rc = arena_grow(&table->rows, &table->row_room, table->row_count, sizeof(*table->rows));

	if (rc)
		return rc;
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

/* --- the writes of a dump --- */

uint64_t writes_due_ns(const struct dump_part *part, const struct record *record)
{
	unsigned __int128 after;

	if (!part->period_den || record->sequence < part->first_due_sequence)
		return record->prep_ns;
	after = (unsigned __int128)(record->sequence - part->first_due_sequence) * part->period_num / part->period_den;
	if (part->first_due_ns > record->prep_ns || after > record->prep_ns - part->first_due_ns)
		return record->prep_ns;
	return part->first_due_ns + (uint64_t)after;
}

static int compare_begin(const void *a, const void *b)
{
	const struct write *x = a, *y = b;

	if (x->record->prep_ns != y->record->prep_ns)
		return x->record->prep_ns < y->record->prep_ns ? -1 : 1;
	return (x->record > y->record) - (x->record < y->record);
}

static void add_segment(const struct dump_segment *segment, struct writes *writes)
{
	for (uint64_t i = 0; i < segment->part.count; i++) {
		const struct record *record = &segment->records[i];
		const struct split *split = segment->splits ? &segment->splits[i] : NULL;
		uint64_t due = writes_due_ns(&segment->part, record);

		if (record->result < 0 || (uint32_t)record->result != record->length)
			continue;
		writes->list[writes->count++] = (struct write){.record = record,
			.split = split && split->state != SPLIT_NONE ? split : NULL, .late_ns = record->prep_ns - due,
			.response_ns = record->reap_ns - due};
	}
}

int writes_of(const struct dump *dump, enum mix_stream stream, struct writes *writes)
{
	size_t room = 1;

	for (size_t i = 0; i < dump->head.segment_count; i++)
		room += dump->segments[i].part.stream == stream ? dump->segments[i].part.count : 0;
	*writes = (struct writes){.list = reallocarray(NULL, room, sizeof(*writes->list))};
	if (!writes->list)
		return -ENOMEM;
	for (size_t i = 0; i < dump->head.segment_count; i++) {
		if (dump->segments[i].part.stream == stream)
			add_segment(&dump->segments[i], writes);
	}
	qsort(writes->list, writes->count, sizeof(*writes->list), compare_begin);
	return 0;
}

void writes_free(struct writes *writes)
{
	free(writes->list);
	*writes = (struct writes){0};
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double *writes_sorted(const struct writes *writes)
{
	double *sorted = reallocarray(NULL, writes->count + 1, sizeof(*sorted));

	if (!sorted)
		return NULL;
	for (size_t i = 0; i < writes->count; i++)
		sorted[i] = (double)writes->list[i].response_ns;
	qsort(sorted, writes->count, sizeof(*sorted), compare_doubles);
	return sorted;
}

double writes_time_s(const struct dump *dump, const struct write *write)
{
	return ((double)write->record->prep_ns - (double)dump->head.begin_ns) / 1e9;
}

double writes_percentile(const double *sorted, size_t count, double percent)
{
	/* 99.9 % of 1000 are 999, whatever the product is rounded to. */
	double rank = ceil(percent / 100 * (double)count - 1e-9 * (double)count);

	return sorted[rank < 1 ? 0 : (size_t)rank - 1];
}

int writes_each_stream(const struct figure_input *input, struct figure_table *table, writes_rows *rows, const char **why)
{
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct writes writes;

		rc = writes_of(input->dump, (enum mix_stream)stream, &writes);
		if (!rc && writes.count)
			rc = rows(input, (enum mix_stream)stream, &writes, table);
		writes_free(&writes);
	}
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}
