/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that know no tool: what a value is called, of what it is and in which unit is said by the field lists. */
#include "config.h"
#include "memstor/convert/csv.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/field.h"
#include "memstor/convert/cell.h"

#define NAME_MAX_BYTES 256

static const struct {
	const char *name;
	double percent; /* NAN: none */
} statistics[] = {{"mean_ns", NAN}, {"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}, {"p999_ns", 99.9}, {"max_ns", NAN}};
#define STATISTICS (sizeof(statistics) / sizeof(statistics[0]))

static double statistic_of(const struct loaded_histogram *histogram, size_t which)
{
	if (which == 0)
		return histogram->mean_ns;
	return which == STATISTICS - 1 ? histogram->max_ns : loaded_percentile(histogram, statistics[which].percent);
}

/* The finest layout of each type and class comes first. */
static bool is_finest(const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	return loaded_histogram(loaded, histogram->type, histogram->class) == histogram;
}

static void begin_row(FILE *out, const struct loaded *loaded)
{
	convert_cell_add_text(out, loaded->path);
	convert_cell_add_text(out, loaded->uuid);
}

/* --- every number, a row each --- */

struct telling {
	FILE *out;
	const struct loaded *loaded;
};

static void tell(const struct telling *telling, const char *subject, const char *name, const char *unit, const char *value)
{
	begin_row(telling->out, telling->loaded);
	convert_cell_add_text(telling->out, subject);
	convert_cell_add_text(telling->out, name);
	convert_cell_add_text(telling->out, unit);
	convert_cell_text(telling->out, value);
	convert_cell_end(telling->out);
}

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

static void tell_tree(const struct telling *telling, const struct report_node *node, const struct field_record *record,
	const char *subject, const char *prefix)
{
	for (const struct field *field = record->fields; field->name; field++) {
		bool is_wanted = field->kind == FIELD_VALUE && !field_is_text(field) && field->merge != FIELD_MERGE_NUMBER;
		const char *value = is_wanted ? field_value(node, field) : NULL;
		char name[NAME_MAX_BYTES];
		int used = snprintf(name, sizeof(name), "%.180s%.64s", prefix, strcmp(field->name, "value") ? field->name : "");

		if (used > 0 && name[used - 1] == '.')
			name[used - 1] = '\0';
		if (value)
			tell(telling, subject, name, field->unit, value);
	}
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field *field = field_find(record, child->name);
		const struct field_record *inner = field && field->record ? field->record() : NULL;
		char own[NAME_MAX_BYTES] = "", key[NAME_MAX_BYTES], more[NAME_MAX_BYTES];

		if (!inner || (inner->kind != FIELD_IS_PLAIN && inner->kind != FIELD_IS_SUBJECT && inner->kind != FIELD_IS_SUMMARY))
			continue;
		name_subject(inner, child, own, sizeof(own));
		field_key(inner, child, key, sizeof(key));
		snprintf(more, sizeof(more), "%.80s%.60s%s%.60s.", own[0] ? "" : prefix, child->name, key[0] ? "." : "", key);
		tell_tree(telling, child, inner, own[0] ? own : subject,
			own[0] && (inner->kind == FIELD_IS_SUBJECT || field_is_numbered(inner)) ? "" : more);
	}
}

static void tell_histograms(const struct telling *telling)
{
	const struct loaded *loaded = telling->loaded;

	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		bool is_subject = loaded_subject(loaded, histogram->class) != NULL;
		char name[NAME_MAX_BYTES], value[32];

		if (!is_finest(loaded, histogram))
			continue;
		for (size_t j = 0; j < STATISTICS; j++) {
			snprintf(name, sizeof(name), "%.60s%s%.100s.%s", histogram->type, is_subject ? "" : ".",
				is_subject ? "" : histogram->class, statistics[j].name);
			convert_cell_format(statistic_of(histogram, j), value, sizeof(value));
			if (value[0])
				tell(telling, is_subject ? histogram->class : "", name, "ns", value);
		}
	}
}

void csv_add_values(FILE *out, const struct loaded *loaded)
{
	const struct telling telling = {out, loaded};
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	const struct field_record *record = result ? field_record_of(result) : NULL;

	if (record)
		tell_tree(&telling, result, record, "", "");
	tell_histograms(&telling);
}

/* --- the run in time --- */

struct event { /* where a row of the series stands */
	FILE *out;
	const struct loaded *loaded;
	bool has_subject;
	const char *subject, *time, *seconds;
};

static void add_event(const struct event *event, const char *name, const char *value)
{
	begin_row(event->out, event->loaded);
	if (event->has_subject)
		convert_cell_add_text(event->out, event->subject);
	convert_cell_add_text(event->out, event->time);
	convert_cell_add_text(event->out, event->seconds);
	convert_cell_add_text(event->out, name);
	convert_cell_text(event->out, value);
	convert_cell_end(event->out);
}

static void add_interval(struct event *event, const struct loaded_interval *interval)
{
	char time[32], seconds[32], value[32], subject[NAME_MAX_BYTES];

	snprintf(subject, sizeof(subject), "%.200s%s%.20s", interval->cell, interval->repetition[0] ? " repetition " : "",
		interval->repetition);
	event->subject = subject;
	event->time = convert_cell_format(interval->time_s, time, sizeof(time));
	event->seconds = convert_cell_format(interval->seconds, seconds, sizeof(seconds));
	for (size_t i = 0; i < interval->value_count; i++)
		add_event(event, interval->values[i].name,
			convert_cell_format(interval->values[i].value, value, sizeof(value)));
	for (size_t i = 0; i < interval->counter_count; i++)
		add_event(event, interval->counters[i].name,
			convert_cell_format(interval->counters[i].value, value, sizeof(value)));
}

/* Rows of a result whose attributes are what happened at their time. */
static void add_rows(struct event *event, const struct report_node *node, const struct field_record *record, const char *subject)
{
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field *field = field_find(record, child->name);
		const struct field_record *inner = field && field->record ? field->record() : NULL;
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

void csv_add_series(FILE *out, const struct loaded *loaded, bool has_subject)
{
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	struct event event = {out, loaded, has_subject, "", "", ""};

	for (size_t i = 0; i < loaded->interval_count; i++)
		add_interval(&event, &loaded->intervals[i]);
	if (result && field_record_of(result))
		add_rows(&event, result, field_record_of(result), "");
}

/* --- a row a subject --- */

struct column {
	const char *name;
	struct column *next;
};

struct cell {
	const struct column *column;
	const char *text;
	struct cell *next;
};

struct row {
	struct cell *cells, **last;
	struct row *next;
};

struct table {
	struct column *columns, **last_column;
	struct row *rows, **last_row;
};

static int keep(struct convert *convert, struct table *table, struct row *row, const char *name, const char *text)
{
	struct column *column = table->columns;
	struct cell *cell = arena_allocate(&convert->arena, sizeof(*cell));

	while (column && strcmp(column->name, name))
		column = column->next;
	for (const struct cell *known = row->cells; known && column; known = known->next) {
		if (known->column == column)
			return 0;
	}
	if (!column) {
		column = arena_allocate(&convert->arena, sizeof(*column));
		if (!column)
			return -ENOMEM;
		*column = (struct column){arena_text(&convert->arena, name, strlen(name)), NULL};
		*table->last_column = column;
		table->last_column = &column->next;
	}
	if (!cell || !column->name)
		return -ENOMEM;
	*cell = (struct cell){column, arena_text(&convert->arena, text, strlen(text)), NULL};
	*row->last = cell;
	row->last = &cell->next;
	return cell->text ? 0 : -ENOMEM;
}

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
static int keep_texts(struct convert *convert, struct table *table, struct row *row, const struct report_node *node,
	const struct field_record *record, const char *id)
{
	int err = 0;

	for (const struct report_node *child = node->child; child && !err; child = child->next) {
		const struct field *of = field_find(record, child->name);
		const struct field_record *inner = of && of->record ? of->record() : NULL;
		char own[NAME_MAX_BYTES] = "";
		size_t length;

		if (!inner || (inner->kind != FIELD_IS_SUBJECT && (inner->kind != FIELD_IS_PLAIN || field_is_numbered(inner))))
			continue;
		if (inner->kind == FIELD_IS_SUBJECT)
			field_subject(inner, child, own, sizeof(own));
		length = strlen(own);
		if (length && (strncmp(own, id, length) || (id[length] && strcmp(id + length, "-alone"))))
			continue;
		for (const struct field *field = inner->fields; field->name && !err; field++) {
			/* Its own numbers are among its values. */
			bool is_wanted = field->kind == FIELD_VALUE && (length ? field_is_text(field) ||
					id[length] : has_subjects(inner));
			const char *value = is_wanted ? field_value(child, field) : NULL;

			if (value && !(length && !strcmp(value, own)))
				err = keep(convert, table, row, field->name, value);
		}
		if (!err)
			err = keep_texts(convert, table, row, child, inner, id);
	}
	return err;
}

static int keep_subject(struct convert *convert, struct table *table, const struct loaded *loaded,
	const struct loaded_subject *subject)
{
	const char *const begin[][2] = {{"file", loaded->path}, {"uuid", loaded->uuid}, {"tool", loaded->tool},
		{"hostname", loaded->hostname}, {"wall_start", loaded->wall_start}, {"status", loaded->status},
		{"subject", subject->id}};
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	struct row *row = arena_allocate(&convert->arena, sizeof(*row));
	char name[NAME_MAX_BYTES], value[32];
	int err = row ? 0 : -ENOMEM;

	if (err)
		return err;
	*row = (struct row){NULL, &row->cells, NULL};
	*table->last_row = row;
	table->last_row = &row->next;
	for (size_t i = 0; i < sizeof(begin) / sizeof(begin[0]) && !err; i++)
		err = keep(convert, table, row, begin[i][0], begin[i][1]);
	if (!err)
		err = keep_texts(convert, table, row, result, field_record_of(result), subject->id);
	for (size_t i = 0; i < subject->value_count && !err; i++)
		err = keep(convert, table, row, subject->values[i].name,
			convert_cell_format(subject->values[i].value, value, sizeof(value)));
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		for (size_t j = 0; j < STATISTICS && !err && !strcmp(histogram->class, subject->id) && is_finest(loaded, histogram);
			j++) {
			snprintf(name, sizeof(name), "%.60s.%s", histogram->type, statistics[j].name);
			err = keep(convert, table, row, name,
				convert_cell_format(statistic_of(histogram, j), value, sizeof(value)));
		}
	}
	return err;
}

int csv_keep_subjects(struct convert *convert, const struct loaded *loaded)
{
	struct table *table = convert->kept;
	int err = 0;

	if (!table) {
		table = arena_allocate(&convert->arena, sizeof(*table));
		if (!table)
			return -ENOMEM;
		*table = (struct table){NULL, &table->columns, NULL, &table->rows};
		convert->kept = table;
	}
	for (size_t i = 0; i < loaded->subject_count && !err; i++)
		err = keep_subject(convert, table, loaded, &loaded->subjects[i]);
	return err;
}

void csv_write_subjects(struct convert *convert)
{
	const struct table *table = convert->kept;

	for (const struct column *column = table->columns; column; column = column->next) {
		convert_cell_text(convert->out, column->name);
		column->next ? convert_cell_next(convert->out) : convert_cell_end(convert->out);
	}
	for (const struct row *row = table->rows; row; row = row->next) {
		for (const struct column *column = table->columns; column; column = column->next) {
			const struct cell *cell = row->cells;

			while (cell && cell->column != column)
				cell = cell->next;
			convert_cell_text(convert->out, cell ? cell->text : "");
			column->next ? convert_cell_next(convert->out) : convert_cell_end(convert->out);
		}
	}
}
