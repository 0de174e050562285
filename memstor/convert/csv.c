/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tidy CSV: one kind of thing a table, one thing a row, one fact a column; file and uuid join the tables. */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/field.h"
#include "memstor/convert/cell.h"
#include "memstor/convert/csv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double percents[] = {50, 90, 95, 99, 99.9, 99.99};

static const char *const summary_names[] = {"file", "uuid", "tool", "hostname", "wall_start", "status",
	"accesses_per_second", "type", "class", "layout", "count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p90_ns",
	"p95_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"};
static const char *const bucket_names[] = {
	"file", "uuid", "type", "class", "layout", "lo_ns", "hi_ns", "count"};
static const char *const value_names[] = {"file", "run", "subject", "name", "unit", "value"};
static const char *const series_names[] = {"file", "uuid", "time_s", "seconds", "name", "value"};
static const char *const subject_series_names[] = {"file", "uuid", "subject", "time_s", "seconds", "name", "value"};
static const char *const fact_names[] = {"file", "uuid", "kind", "name", "value"};

static void begin_row(FILE *out, const struct loaded *loaded)
{
	convert_cell_add_text(out, loaded->path);
	convert_cell_add_text(out, loaded->uuid);
}

static void begin_summary(FILE *out, const struct loaded *loaded)
{
	begin_row(out, loaded);
	convert_cell_add_text(out, loaded->tool);
	convert_cell_add_text(out, loaded->hostname);
	convert_cell_add_text(out, loaded->wall_start);
	convert_cell_add_text(out, loaded->status);
	convert_cell_add_number(out, loaded_rate(loaded->values, loaded->value_count));
}

static void write_summary(FILE *out, const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	begin_summary(out, loaded);
	convert_cell_add_text(out, histogram->type);
	convert_cell_add_text(out, histogram->class);
	convert_cell_add_text(out, histogram->layout);
	convert_cell_count(out, histogram->count);
	convert_cell_next(out);
	convert_cell_add_number(out, histogram->min_ns);
	convert_cell_add_number(out, histogram->mean_ns);
	convert_cell_add_number(out, histogram->stddev_ns);
	for (size_t i = 0; i < COUNT(percents); i++)
		convert_cell_add_number(out, loaded_percentile(histogram, percents[i]));
	convert_cell_number(out, histogram->max_ns);
	convert_cell_end(out);
}

/* A run that recorded nothing has its throughput even so. */
static void write_bare_summary(FILE *out, const struct loaded *loaded)
{
	begin_summary(out, loaded);
	fputs(",,,", out);
	convert_cell_count(out, loaded_operations(loaded));
	for (size_t i = 0; i < COUNT(percents) + 4; i++)
		convert_cell_next(out);
	convert_cell_end(out);
}

/* The finest layout of each type and class, which comes first. */
static void add_summaries(FILE *out, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (loaded_histogram(loaded, histogram->type, histogram->class) == histogram)
			write_summary(out, loaded, histogram);
	}
	if (loaded->histogram_count == 0)
		write_bare_summary(out, loaded);
}

static void add_buckets(FILE *out, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		for (size_t j = 0; j < histogram->bucket_count; j++) {
			begin_row(out, loaded);
			convert_cell_add_text(out, histogram->type);
			convert_cell_add_text(out, histogram->class);
			convert_cell_add_text(out, histogram->layout);
			convert_cell_add_number(out, histogram->buckets[j].lo_ns);
			convert_cell_add_number(out, histogram->buckets[j].hi_ns);
			convert_cell_count(out, histogram->buckets[j].count);
			convert_cell_end(out);
		}
	}
}

static void add_series(FILE *out, const struct loaded *loaded)
{
	csv_add_series(out, loaded, false);
}

static void add_subject_series(FILE *out, const struct loaded *loaded)
{
	csv_add_series(out, loaded, true);
}

static void write_fact(FILE *out, const struct loaded *loaded, const char *kind, const char *name, const char *value)
{
	begin_row(out, loaded);
	convert_cell_add_text(out, kind);
	convert_cell_add_text(out, name);
	convert_cell_text(out, value);
	convert_cell_end(out);
}

static void write_facts(
	FILE *out, const struct loaded *loaded, const char *kind, const struct loaded_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		write_fact(out, loaded, kind, texts[i].name, texts[i].value);
}

static void add_facts(FILE *out, const struct loaded *loaded)
{
	char value[32];

	write_fact(out, loaded, "tool", loaded->tool, loaded->tool_version);
	write_facts(out, loaded, "option", loaded->options, loaded->option_count);
	write_facts(out, loaded, "label", loaded->labels, loaded->label_count);
	write_facts(out, loaded, "machine", loaded->machine, loaded->machine_count);
	for (size_t i = 0; i < loaded->check_count; i++)
		write_fact(out, loaded, "check", loaded->checks[i].code, loaded->checks[i].measured);
	write_fact(out, loaded, "verdict", "status", loaded->status);
	for (size_t i = 0; i < loaded->reason_count; i++)
		write_fact(out, loaded, "verdict", loaded->reasons[i].code, loaded->reasons[i].measured);
	for (size_t i = 0; i < loaded->value_count; i++)
		write_fact(out, loaded, "value", loaded->values[i].name,
			convert_cell_format(loaded->values[i].value, value, sizeof(value)));
	for (size_t i = 0; i < loaded->subject_count; i++) {
		const struct loaded_subject *subject = &loaded->subjects[i];
		char name[256];

		for (size_t j = 0; j < subject->value_count; j++) {
			snprintf(name, sizeof(name), "%.120s:%.100s", subject->id, subject->values[j].name);
			write_fact(out, loaded, "value", name,
				convert_cell_format(subject->values[j].value, value, sizeof(value)));
		}
	}
}

struct table {
	const char *const *names;
	size_t count;
	void (*add)(FILE *out, const struct loaded *loaded);
};

static const struct table tables[] = {
	[CONVERT_SUMMARY] = {summary_names, COUNT(summary_names), add_summaries},
	[CONVERT_VALUES] = {value_names, COUNT(value_names), csv_add_values},
	[CONVERT_BUCKETS] = {bucket_names, COUNT(bucket_names), add_buckets},
	[CONVERT_SERIES] = {series_names, COUNT(series_names), add_series},
	[CONVERT_FACTS] = {fact_names, COUNT(fact_names), add_facts},
};
static const struct table subject_series = {subject_series_names, COUNT(subject_series_names), add_subject_series};
/* Its columns are those of its rows, which are kept until all are known. */
static const struct table subjects;

/* NULL = it has nothing of that kind. */
static const struct table *table_of(enum convert_what what, const struct loaded *loaded)
{
	const struct field_record *interval = field_at(report_read_root(loaded->document)->name, "report/series/interval");

	if (what == CONVERT_SERIES && interval && interval->subject[0])
		return &subject_series;
	if (what != CONVERT_SUMMARY)
		return &tables[what];
	if (loaded->subject_count)
		return &subjects;
	return interval && interval->subject[0] ? NULL : &tables[what];
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	const struct table *table = table_of(convert->what, loaded);
	const char *kind;

	if (!table) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: there is no summary of it: --what values has its numbers, --what series its events", loaded->path);
		return -EBADMSG;
	}
	if (!convert->table && table != &subjects)
		convert_cell_header(convert->out, table->names, table->count);
	kind = table == &subjects ? loaded->subjects[0].kind : "";
	if (convert->table && (table != convert->table || strcmp(kind, convert->kind))) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: its table has other columns than that of the reports before: convert them apart", loaded->path);
		return -EBADMSG;
	}
	if (!convert->table)
		convert->kind = arena_text(&convert->arena, kind, strlen(kind));
	convert->table = table;
	if (!convert->kind)
		return -ENOMEM;
	if (table == &subjects)
		return csv_keep_subjects(convert, loaded);
	table->add(convert->out, loaded);
	return 0;
}

static int end(struct convert *convert)
{
	if (convert->table == &subjects)
		csv_write_subjects(convert);
	return 0;
}

const struct convert_format convert_csv = {"csv", NULL, add, end};
