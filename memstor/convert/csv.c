/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tidy CSV: one kind of thing a table, one thing a row, one fact a column; file and uuid join the tables. */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "memstor/convert/cell.h"
#include "memstor/convert/csv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const double percents[] = {50, 90, 95, 99, 99.9, 99.99};

static const char *const summary_names[] = {"file", "uuid", "tool", "hostname", "wall_start", "status",
	"accesses_per_second", "type", "class", "layout", "count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p90_ns",
	"p95_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"};
static const char *const bucket_names[] = {
	"file", "uuid", "type", "class", "layout", "lo_ns", "hi_ns", "count"};
static const char *const series_names[] = {"file", "uuid", "time_s", "seconds", "name", "value"};
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
	convert_cell_add_number(out, loaded_value(loaded, "accesses_per_second"));
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
	convert_cell_number(out, loaded_value(loaded, "accesses"));
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

static void write_values(FILE *out, const struct loaded *loaded, const char *times, const struct loaded_value *values,
	size_t count)
{
	for (size_t i = 0; i < count; i++) {
		begin_row(out, loaded);
		fputs_unlocked(times, out);
		convert_cell_add_text(out, values[i].name);
		convert_cell_number(out, values[i].value);
		convert_cell_end(out);
	}
}

static void add_series(FILE *out, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		char times[72], end[32], length[32];

		snprintf(times, sizeof(times), "%s,%s,", convert_cell_format(interval->time_s, end, sizeof(end)),
			convert_cell_format(interval->seconds, length, sizeof(length)));
		write_values(out, loaded, times, interval->values, interval->value_count);
		write_values(out, loaded, times, interval->counters, interval->counter_count);
	}
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
	const size_t *count;
	void (*add)(FILE *out, const struct loaded *loaded);
};

static const size_t summary_count = COUNT(summary_names), bucket_count = COUNT(bucket_names),
		    series_count = COUNT(series_names), fact_count = COUNT(fact_names);

static const struct table tables[] = {
	[CONVERT_SUMMARY] = {summary_names, &summary_count, add_summaries},
	[CONVERT_BUCKETS] = {bucket_names, &bucket_count, add_buckets},
	[CONVERT_SERIES] = {series_names, &series_count, add_series},
	[CONVERT_FACTS] = {fact_names, &fact_count, add_facts},
};
static const struct table cells = {csv_cell_names, &csv_cell_count, csv_add_cells};
static const struct table scenarios = {csv_scenario_names, &csv_scenario_count, csv_add_scenarios};
static const struct table streams = {csv_stream_names, &csv_stream_count, csv_add_streams};
static const struct table events = {csv_subject_series_names, &csv_subject_series_count, csv_add_subject_series};

/* NULL = it has nothing of that kind. */
static const struct table *table_of(enum convert_what what, const struct loaded *loaded)
{
	const struct report_node *root = report_read_root(loaded->document);

	bool has_streams = !strcmp(root->name, "ssdworkloads");

	if ((strcmp(root->name, "iowritebench") != 0 && !has_streams) || what == CONVERT_BUCKETS || what == CONVERT_FACTS)
		return &tables[what];
	if (what == CONVERT_SERIES)
		return &events;
	if (has_streams)
		return report_read_find(root, "report/result/repetition") ? &streams : NULL;
	if (report_read_find(root, "report/result/cells"))
		return &cells;
	return report_read_find(root, "report/result/evaluation") ? &scenarios : NULL;
}

static const char *why_not(const struct loaded *loaded)
{
	if (!strcmp(report_read_root(loaded->document)->name, "ssdworkloads"))
		return "nothing was run, so that there is no summary: --what facts has its conditions";
	return "a trace has no summary: --what series has its events, --what facts its conditions";
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	const struct table *table = table_of(convert->what, loaded);

	if (!table) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: %s", loaded->path, why_not(loaded));
		return -EBADMSG;
	}
	if (!convert->kept) {
		convert->kept = (void *)table;
		convert_cell_header(convert->out, table->names, *table->count);
	}
	if (table != convert->kept) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: its table has other columns than that of the reports before: convert them apart", loaded->path);
		return -EBADMSG;
	}
	table->add(convert->out, loaded);
	return 0;
}

const struct convert_format convert_csv = {"csv", NULL, add, NULL};
