/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tidy CSV: a table for each kind of item, a row for each item, a column for each fact; file and uuid join the tables. The
 * field lists define the name, the subject and the unit of each value.
 */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/field.h"
#include "common/units.h"

#define NAME_MAX_BYTES 256

static bool is_formula(const char *text)
{
	double value;

	return text[0] && strchr("=+-@\t\r", text[0]) && units_parse_double(text, -DBL_MAX, DBL_MAX, &value);
}

void convert_cell_text(FILE *out, const char *text)
{
	bool has_guard = is_formula(text);

	if (!has_guard && !strpbrk(text, ",\"\r\n")) {
		fputs_unlocked(text, out);
		return;
	}
	putc_unlocked('"', out);
	if (has_guard)
		putc_unlocked('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text, out);
	}
	putc_unlocked('"', out);
}

static char *format_count(uint64_t value, char *text, size_t length)
{
	snprintf(text, length, "%" PRIu64, value);
	return text;
}

void convert_row(FILE *out, const char *const *cells, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			putc_unlocked(',', out);
		convert_cell_text(out, cells[i]);
	}
	putc_unlocked('\n', out);
}

#define NUMBER(value) units_write_double((value), (char[32]){0}, 32)
#define COUNT(value) format_count((value), (char[32]){0}, 32)
/* Each row begins with the report. */
#define ROW(out, loaded, ...) CONVERT_ROW((out), (loaded)->path, (loaded)->uuid, __VA_ARGS__)

/* --- distributions --- */

static const struct {
	const char *name;
	double percent; /* NAN: none */
} statistics[] = {{"mean_ns", NAN}, {"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}, {"p999_ns", 99.9}, {"max_ns", NAN}};
#define STATISTICS (sizeof(statistics) / sizeof(statistics[0]))

static double statistic_of(const struct loaded_histogram *histogram, size_t which)
{
	if (which == 0)
		return histogram->mean_ns;
	return which == STATISTICS - 1 ? histogram->max_ns : loaded_known_percentile(histogram, statistics[which].percent);
}

/* The finest layout of each type and class comes first. */
static bool is_finest(const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	return loaded_histogram(loaded, histogram->type, histogram->class) == histogram;
}

#define REPORT(loaded)                                                                                               \
	(loaded)->tool, (loaded)->hostname, (loaded)->wall_start, (loaded)->status,                                  \
		NUMBER(loaded_rate((loaded)->values, (loaded)->value_count))

static void add_summaries(struct convert *convert, const struct loaded *loaded)
{
	FILE *out = convert->out;
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (is_finest(loaded, histogram))
			ROW(out, loaded, REPORT(loaded), histogram->type, histogram->class, histogram->layout,
				COUNT(histogram->count), NUMBER(histogram->min_ns), NUMBER(histogram->mean_ns),
				NUMBER(histogram->stddev_ns), NUMBER(loaded_known_percentile(histogram, 50)),
				NUMBER(loaded_known_percentile(histogram, 90)), NUMBER(loaded_known_percentile(histogram, 95)),
				NUMBER(loaded_known_percentile(histogram, 99)), NUMBER(loaded_known_percentile(histogram, 99.9)),
				NUMBER(loaded_known_percentile(histogram, 99.99)), NUMBER(histogram->max_ns));
	}
	/* A run that recorded nothing has its throughput even so. */
	if (loaded->histogram_count == 0)
		ROW(out, loaded, REPORT(loaded), "", "", "", COUNT(loaded_operations(loaded)), "", "", "", "", "", "", "", "",
			"", "");
}

static void add_buckets(struct convert *convert, const struct loaded *loaded)
{
	FILE *out = convert->out;
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		for (size_t j = 0; j < histogram->bucket_count; j++) {
			const struct loaded_bucket *bucket = &histogram->buckets[j];

			ROW(out, loaded, histogram->type, histogram->class, histogram->layout, NUMBER(bucket->lo_ns),
				NUMBER(bucket->hi_ns), COUNT(bucket->count));
		}
	}
}

/* --- facts --- */

static void write_facts(
	FILE *out, const struct loaded *loaded, const char *kind, const struct loaded_text *texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ROW(out, loaded, kind, texts[i].name, texts[i].value);
}

static void add_facts(struct convert *convert, const struct loaded *loaded)
{
	FILE *out = convert->out;
	ROW(out, loaded, "tool", loaded->tool, loaded->tool_version);
	write_facts(out, loaded, "option", loaded->options, loaded->option_count);
	write_facts(out, loaded, "label", loaded->labels, loaded->label_count);
	write_facts(out, loaded, "machine", loaded->machine, loaded->machine_count);
	for (size_t i = 0; i < loaded->check_count; i++)
		ROW(out, loaded, "check", loaded->checks[i].code, loaded->checks[i].measured);
	ROW(out, loaded, "verdict", "status", loaded->status);
	for (size_t i = 0; i < loaded->reason_count; i++)
		ROW(out, loaded, "verdict", loaded->reasons[i].code, loaded->reasons[i].measured);
	for (size_t i = 0; i < loaded->value_count; i++)
		ROW(out, loaded, "value", loaded->values[i].name, NUMBER(loaded->values[i].value));
	for (size_t i = 0; i < loaded->subject_count; i++) {
		const struct loaded_subject *subject = &loaded->subjects[i];
		char name[256];

		for (size_t j = 0; j < subject->value_count; j++) {
			snprintf(name, sizeof(name), "%.120s:%.100s", subject->id, subject->values[j].name);
			ROW(out, loaded, "value", name, NUMBER(subject->values[j].value));
		}
	}
}

/* --- every number, a row each --- */

/* Of what, in words: "c2 repetition 1" when its key says more than the subject, "result_thread 1" of an instance. */
static void name_subject(const struct field_record *record, const struct report_node *node, char *text, size_t length)
{
	char key[NAME_MAX_BYTES];
	size_t used;

	field_subject(record, node, text, length);
	field_key(record, node, key, sizeof(key));
	used = strlen(text);
	if (!used && field_is_numbered(record))
		snprintf(text, length, "%.60s %.100s", node->name, key);
	if (!used || record->kind == FIELD_IS_PLAIN)
		return;
	if (key[0])
		snprintf(text + used, length - used, " repetition %.100s", key);
}

static void add_tree(FILE *out, const struct loaded *loaded, const struct report_node *node,
	const struct field_record *record, const char *subject, const char *prefix)
{
	for (const struct field *field = record->fields; field->name; field++) {
		bool is_wanted = field->kind == FIELD_VALUE && !field_is_text(field) && field->merge != FIELD_MERGE_NUMBER;
		const char *value = is_wanted ? field_value(node, field) : NULL;
		char name[NAME_MAX_BYTES];
		int used = snprintf(name, sizeof(name), "%.180s%.64s", prefix, strcmp(field->name, "value") ? field->name : "");

		if (used > 0 && name[used - 1] == '.')
			name[used - 1] = '\0';
		if (value)
			ROW(out, loaded, subject, name, field->unit, value);
	}
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field_record *inner = field_within(record, child->name);
		char own[NAME_MAX_BYTES] = "", key[NAME_MAX_BYTES], more[NAME_MAX_BYTES];

		if (!inner || (inner->kind != FIELD_IS_PLAIN && inner->kind != FIELD_IS_SUBJECT && inner->kind != FIELD_IS_SUMMARY))
			continue;
		name_subject(inner, child, own, sizeof(own));
		field_key(inner, child, key, sizeof(key));
		snprintf(more, sizeof(more), "%.80s%.60s%s%.60s.", own[0] ? "" : prefix, child->name, key[0] ? "." : "", key);
		add_tree(out, loaded, child, inner, own[0] ? own : subject,
			own[0] && (inner->kind == FIELD_IS_SUBJECT || field_is_numbered(inner)) ? "" : more);
	}
}

static void add_values(struct convert *convert, const struct loaded *loaded)
{
	FILE *out = convert->out;
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	const struct field_record *record = result ? field_record_of(result) : NULL;

	if (record)
		add_tree(out, loaded, result, record, "", "");
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		bool is_subject = loaded_subject(loaded, histogram->class) != NULL;

		for (size_t j = 0; j < STATISTICS && is_finest(loaded, histogram); j++) {
			double value = statistic_of(histogram, j);
			char name[NAME_MAX_BYTES];

			snprintf(name, sizeof(name), "%.60s%s%.100s.%s", histogram->type, is_subject ? "" : ".",
				is_subject ? "" : histogram->class, statistics[j].name);
			if (isfinite(value))
				ROW(out, loaded, is_subject ? histogram->class : "", name, "ns", NUMBER(value));
		}
	}
}

/* --- the run in time --- */

struct table {
	const char *const *names;
	size_t count;
	void (*add)(struct convert *convert, const struct loaded *loaded);
};

static const struct table subject_series; /* of a report whose series have subjects */

struct event { /* where a row of the series stands */
	FILE *out;
	const struct loaded *loaded;
	bool has_subject;
	const char *subject, *time, *seconds;
};

static void add_event(const struct event *event, const char *name, const char *value)
{
	if (event->has_subject)
		ROW(event->out, event->loaded, event->subject, event->time, event->seconds, name, value);
	else
		ROW(event->out, event->loaded, event->time, event->seconds, name, value);
}

/* Rows of a result whose attributes are what happened at their time. */
static void add_rows(struct event *event, const struct report_node *node, const struct field_record *record, const char *subject)
{
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field_record *inner = field_within(record, child->name);
		char own[NAME_MAX_BYTES] = "", name[128];
		const char *time = inner && inner->kind == FIELD_IS_SERIES ? report_read_attribute(child, "time_s") : NULL;

		if (inner && inner->kind != FIELD_IS_SERIES && inner->kind != FIELD_IS_BUCKET) {
			name_subject(inner, child, own, sizeof(own));
			add_rows(event, child, inner, own[0] ? own : subject);
		}
		event->subject = subject;
		event->time = time;
		event->seconds = "";
		for (size_t i = 0; time && i < child->attribute_count; i++) {
			snprintf(name, sizeof(name), "%.60s.%.60s", child->name, child->attributes[2 * i]);
			if (strcmp(child->attributes[2 * i], "time_s"))
				add_event(event, name, child->attributes[2 * i + 1]);
		}
	}
}

static void add_series(struct convert *convert, const struct loaded *loaded)
{
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	struct event event = {convert->out, loaded, convert->table == &subject_series, "", "", ""};

	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		char time[32], seconds[32], subject[NAME_MAX_BYTES];

		snprintf(subject, sizeof(subject), "%.200s%s%.20s", interval->cell,
			interval->repetition[0] ? " repetition " : "", interval->repetition);
		event.subject = subject;
		event.time = units_write_double(interval->time_s, time, sizeof(time));
		event.seconds = units_write_double(interval->seconds, seconds, sizeof(seconds));
		for (size_t j = 0; j < interval->value_count; j++)
			add_event(&event, interval->values[j].name, NUMBER(interval->values[j].value));
		for (size_t j = 0; j < interval->counter_count; j++)
			add_event(&event, interval->counters[j].name, NUMBER(interval->counters[j].value));
	}
	if (result && field_record_of(result))
		add_rows(&event, result, field_record_of(result), "");
}

/* --- a row a subject --- */

static bool has_subjects(const struct field_record *record)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->record && field->record()->kind == FIELD_IS_SUBJECT)
			return true;
	}
	return false;
}

/* What says how it was measured: the words of its own records, of the first of several repetitions, and everything of the
 * records around them. What ran alone once more has the plan of the other. */
static void keep_texts(struct convert *convert, struct convert_row *row, const struct report_node *node,
	const struct field_record *record, const char *id)
{
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field_record *inner = field_within(record, child->name);
		char own[NAME_MAX_BYTES] = "";
		size_t length;

		if (!inner || (inner->kind != FIELD_IS_SUBJECT && (inner->kind != FIELD_IS_PLAIN || field_is_numbered(inner))))
			continue;
		if (inner->kind == FIELD_IS_SUBJECT)
			field_subject(inner, child, own, sizeof(own));
		length = strlen(own);
		if (length && (strncmp(own, id, length) || (id[length] && strcmp(id + length, "-alone"))))
			continue;
		for (const struct field *field = inner->fields; field->name; field++) {
			/* Its own numbers are among its values. */
			bool is_wanted = field->kind == FIELD_VALUE && (length ? field_is_text(field) ||
					id[length] : has_subjects(inner));
			const char *value = is_wanted ? field_value(child, field) : NULL;

			if (value && !(length && !strcmp(value, own)))
				convert_sheet_cell(convert, convert->kept, row, field->name, value);
		}
		keep_texts(convert, row, child, inner, id);
	}
}

static void keep_subject(struct convert *convert, const struct loaded *loaded, const struct loaded_subject *subject)
{
	const char *const begin[][2] = {{"file", loaded->path}, {"uuid", loaded->uuid}, {"tool", loaded->tool},
		{"hostname", loaded->hostname}, {"wall_start", loaded->wall_start}, {"status", loaded->status},
		{"subject", subject->id}};
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	struct convert_row *row = convert_sheet_row(convert, convert->kept, NULL);
	char name[NAME_MAX_BYTES];

	if (!row)
		return;
	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]); i++)
		convert_sheet_cell(convert, convert->kept, row, begin[i][0], begin[i][1]);
	keep_texts(convert, row, result, field_record_of(result), subject->id);
	for (size_t i = 0; i < subject->value_count; i++)
		convert_sheet_cell(convert, convert->kept, row, subject->values[i].name, NUMBER(subject->values[i].value));
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (strcmp(histogram->class, subject->id) || !is_finest(loaded, histogram))
			continue;
		for (size_t j = 0; j < STATISTICS; j++) {
			snprintf(name, sizeof(name), "%.60s.%s", histogram->type, statistics[j].name);
			convert_sheet_cell(convert, convert->kept, row, name, NUMBER(statistic_of(histogram, j)));
		}
	}
}

static void add_subjects(struct convert *convert, const struct loaded *loaded)
{
	for (size_t i = 0; i < loaded->subject_count; i++)
		keep_subject(convert, loaded, &loaded->subjects[i]);
}

/* --- tables --- */

#define TABLE(add, ...)                                                                                              \
	{(const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (add)}
static const struct table tables[] = {
	[CONVERT_SUMMARY] = TABLE(add_summaries, "file", "uuid", "tool", "hostname", "wall_start", "status",
		"accesses_per_second", "type", "class", "layout", "count", "min_ns", "mean_ns", "stddev_ns", "p50_ns", "p90_ns",
		"p95_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns"),
	[CONVERT_VALUES] = TABLE(add_values, "file", "run", "subject", "name", "unit", "value"),
	[CONVERT_BUCKETS] = TABLE(add_buckets, "file", "uuid", "type", "class", "layout", "lo_ns", "hi_ns", "count"),
	[CONVERT_SERIES] = TABLE(add_series, "file", "uuid", "time_s", "seconds", "name", "value"),
	[CONVERT_FACTS] = TABLE(add_facts, "file", "uuid", "kind", "name", "value"),
};
static const struct table subject_series =
	TABLE(add_series, "file", "uuid", "subject", "time_s", "seconds", "name", "value");
/* Its columns are those of its rows, which are kept until all are known. */
static const struct table subjects = {NULL, 0, add_subjects};

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
	const char *kind = table == &subjects ? loaded->subjects[0].kind : "";

	if (!table) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: has no summary; --what values prints its numbers, --what series its events", loaded->path);
		return -EBADMSG;
	}
	if (convert->table && (table != convert->table || strcmp(kind, convert->kind))) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: its table has other columns than the reports before: convert it separately", loaded->path);
		return -EBADMSG;
	}
	if (!convert->table && table->count)
		convert_row(convert->out, table->names, table->count);
	if (!convert->table)
		convert->kind = arena_copy(&convert->arena, kind);
	convert->table = table;
	table->add(convert, loaded);
	return 0;
}

static int end(struct convert *convert)
{
	const struct convert_sheet *sheet = convert->kept;
	const char **cells;

	if (!sheet || !sheet->column_count)
		return 0;
	cells = arena_array(&convert->arena, sheet->column_count, sizeof(*cells));
	if (!cells)
		return -ENOMEM;
	convert_sheet_fill(sheet, NULL, cells);
	convert_row(convert->out, cells, sheet->column_count);
	for (const struct convert_row *row = sheet->rows; row; row = row->next) {
		convert_sheet_fill(sheet, row, cells);
		convert_row(convert->out, cells, sheet->column_count);
	}
	return 0;
}

const struct convert_format convert_csv = {sizeof(struct convert_sheet), NULL, add, end, false};
