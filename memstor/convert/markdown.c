/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Markdown for people and pull requests: a row for each report, type and class. Facts that differ between the reports are
 * columns, the others are said once below. Texts of reports are in code spans, where nothing is markup, a link or a mention.
 */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

#define JOINED_MAX 256 /* bytes of an option that is given more than once, as --phase */
#define TEXT_MAX 64    /* bytes of a text that are shown */
#define COLUMNS_MAX 64
#define MARKDOWN_FACTS 256 /* different options, labels and other facts that the reports may have between them */

struct markdown_row {
	const char *type, *class;
	uint64_t count;
	double per_second; /* NAN = it is not said here */
	double mean_ns, p50_ns, p99_ns, p999_ns, max_ns;
};

struct markdown_value { /* of a subject without histograms; part: what of it, as a model */
	const char *subject, *part, *name;
	const struct field *field;
	double value;
};

struct markdown_report {
	struct markdown_report *next;
	const char *path, *status;
	const char *facts[MARKDOWN_FACTS]; /* by the index of their names; NULL: it has none */
	size_t row_count;                  /* at least one */
	struct markdown_row *rows;
	size_t value_count;                /* of a report that has some rows are not written */
	struct markdown_value *values;
};

struct markdown {
	const char *names[MARKDOWN_FACTS]; /* "--ratio", "kernel", a label's own */
	size_t name_count;
	struct markdown_report *first, **last;
};

/* --- what is kept of each report --- */

static const char *copy(struct convert *convert, const char *text)
{
	return arena_text(&convert->arena, text, strlen(text));
}

/* The index of a name, a new one if need be. */
static int find_name(struct convert *convert, const char *path, const char *prefix, const char *name, size_t *index)
{
	struct markdown *markdown = convert->kept;
	size_t length = strlen(prefix);
	char *full;

	for (*index = 0; *index < markdown->name_count; (*index)++) {
		const char *known = markdown->names[*index];

		if (strncmp(known, prefix, length) == 0 && strcmp(known + length, name) == 0)
			return 0;
	}
	if (*index == MARKDOWN_FACTS) {
		snprintf(convert->why, sizeof(convert->why), "%s: more than %d different options and labels", path,
			MARKDOWN_FACTS);
		return -EBADMSG;
	}
	full = arena_allocate(&convert->arena, length + strlen(name) + 1);
	if (!full)
		return -ENOMEM;
	stpcpy(stpcpy(full, prefix), name);
	markdown->names[markdown->name_count++] = full;
	return 0;
}

static int keep_fact(struct convert *convert, struct markdown_report *report, const char *prefix, const char *name,
	const char *value)
{
	char joined[JOINED_MAX];
	size_t index;
	int err = find_name(convert, report->path, prefix, name, &index);

	if (err)
		return err;
	if (report->facts[index]) {
		snprintf(joined, sizeof(joined), "%s, %s", report->facts[index], value);
		value = joined;
	}
	report->facts[index] = copy(convert, value);
	return report->facts[index] ? 0 : -ENOMEM;
}

static int keep_facts(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	const struct {
		const char *name, *value;
	} facts[] = {{"tool", loaded->tool}, {"version", loaded->tool_version}, {"host", loaded->hostname},
		{"CPU", loaded->cpu_model}, {"kernel", loaded->release}};
	int err = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && !err; i++)
		err = keep_fact(convert, report, "", facts[i].name, facts[i].value);
	for (size_t i = 0; i < loaded->option_count && !err; i++) {
		/* Each label is in the options, too. */
		if (strcmp(loaded->options[i].name, "label") != 0)
			err = keep_fact(convert, report, "--", loaded->options[i].name, loaded->options[i].value);
	}
	for (size_t i = 0; i < loaded->label_count && !err; i++)
		err = keep_fact(convert, report, "", loaded->labels[i].name, loaded->labels[i].value);
	return err;
}

/* The whole report's is said once, that of a subject with its first histogram. */
static double rate_of(const struct loaded *loaded, const struct loaded_histogram *histogram, bool is_first)
{
	const struct loaded_subject *subject = loaded_subject(loaded, histogram->class);

	for (size_t i = 0; subject && &loaded->histograms[i] != histogram; i++) {
		if (!strcmp(loaded->histograms[i].class, histogram->class))
			return NAN;
	}
	if (subject)
		return loaded_rate(subject->values, subject->value_count);
	return is_first ? loaded_rate(loaded->values, loaded->value_count) : NAN;
}

static int keep_row(struct convert *convert, const struct loaded_histogram *histogram, double per_second,
	struct markdown_row *row)
{
	*row = (struct markdown_row){
		.type = copy(convert, histogram->type),
		.class = copy(convert, histogram->class),
		.count = histogram->count,
		.per_second = per_second,
		.mean_ns = histogram->mean_ns,
		.p50_ns = loaded_percentile(histogram, 50),
		.p99_ns = loaded_percentile(histogram, 99),
		.p999_ns = loaded_percentile(histogram, 99.9),
		.max_ns = histogram->max_ns,
	};
	return row->type && row->class ? 0 : -ENOMEM;
}

/* A class that nothing fell into has no row; a run that recorded nothing has one with its accesses. */
static int keep_rows(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	size_t room = loaded->histogram_count + 1;

	report->rows = arena_allocate(&convert->arena, room * sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		int err;

		/* The finest layout of each type and class comes first. */
		if (histogram->count == 0 || loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		err = keep_row(convert, histogram, rate_of(loaded, histogram, report->row_count == 0),
			&report->rows[report->row_count]);
		report->row_count++;
		if (err)
			return err;
	}
	if (report->row_count == 0)
		report->rows[report->row_count++] = (struct markdown_row){"", "",
			loaded_operations(loaded), loaded_rate(loaded->values, loaded->value_count), NAN, NAN, NAN, NAN, NAN};
	return 0;
}

/* What of subjects without histograms can be better or worse. */
static int keep_values(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	size_t room = 0;

	if (loaded->histogram_count)
		return 0;
	for (size_t i = 0; i < loaded->subject_count; i++)
		room += loaded->subjects[i].value_count;
	report->values = arena_allocate(&convert->arena, (room + 1) * sizeof(*report->values));
	for (size_t i = 0; i < loaded->subject_count && report->values; i++) {
		const struct loaded_subject *subject = &loaded->subjects[i];

		for (size_t j = 0; j < subject->value_count; j++) {
			const struct loaded_value *from = &subject->values[j];
			const char *dot = strrchr(from->name, '.');
			struct markdown_value *value = &report->values[report->value_count];

			if (!from->field || from->field->better == FIELD_BETTER_NONE)
				continue;
			*value = (struct markdown_value){copy(convert, subject->id),
				dot ? arena_text(&convert->arena, from->name, (size_t)(dot - from->name)) : "", from->field->name,
				from->field, from->value};
			if (!value->subject || !value->part)
				return -ENOMEM;
			report->value_count++;
		}
	}
	return report->values ? 0 : -ENOMEM;
}

static int begin(struct convert *convert)
{
	struct markdown *markdown = arena_allocate(&convert->arena, sizeof(*markdown));

	if (!markdown)
		return -ENOMEM;
	*markdown = (struct markdown){.last = &markdown->first};
	convert->kept = markdown;
	return 0;
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	struct markdown_report *report = arena_allocate(&convert->arena, sizeof(*report));
	struct markdown *markdown = convert->kept;
	int err;

	if (!report)
		return -ENOMEM;
	if (!loaded->histogram_count && !loaded->subject_count && isnan(loaded_rate(loaded->values, loaded->value_count))) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: has no summary; --to csv prints its numbers (--what values) and events (--what series)",
			loaded->path);
		return -EBADMSG;
	}
	*report = (struct markdown_report){
		.path = copy(convert, loaded->path),
		.status = copy(convert, loaded->status),
	};
	err = report->path && report->status ? keep_facts(convert, report, loaded) : -ENOMEM;
	if (!err)
		err = keep_rows(convert, report, loaded);
	if (!err)
		err = keep_values(convert, report, loaded);
	if (err)
		return err;
	*markdown->last = report;
	markdown->last = &report->next;
	return 0;
}

/* --- what is written of all --- */

/* A bar would end the cell, a backquote the span. */
static void write_code(FILE *out, const char *text)
{
	size_t length = strlen(text);

	if (length == 0)
		return;
	if (length > TEXT_MAX) {
		length = TEXT_MAX;
		while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
	}
	putc_unlocked('`', out);
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '|')
			putc_unlocked('\\', out);
		putc_unlocked(c == '`' ? '\'' : c < ' ' || c == 0x7f ? ' ' : c, out);
	}
	fputs_unlocked(text[length] ? "...`" : "`", out);
}

static bool differs(const struct markdown *markdown, size_t index)
{
	const char *value = markdown->first->facts[index];

	for (const struct markdown_report *report = markdown->first->next; report; report = report->next) {
		const char *other = report->facts[index];

		if (!value != !other || (value && strcmp(value, other) != 0))
			return true;
	}
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *name_of(const struct markdown_report *report, bool has_paths)
{
	return has_paths ? report->path : base_name(report->path);
}

/* Whether the names of the files tell them apart; where two are the same, whole paths are shown. Names of many files
 * are short: comparing neighbours of a folder finds what is alike in practice, and paths are never wrong. */
static bool are_names_enough(const struct markdown *markdown)
{
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		unsigned compared = 0;

		for (const struct markdown_report *other = report->next; other; other = other->next) {
			if (strcmp(base_name(report->path), base_name(other->path)) == 0 || ++compared > 1000)
				return false;
		}
	}
	return true;
}

/* A cell behind the bar of the one before it. */
static void write_cell(FILE *out, const char *text)
{
	putc_unlocked(' ', out);
	write_code(out, text);
	fputs_unlocked(" |", out);
}

/* In the unit that its field has; what is not known is empty. */
static void write_number(FILE *out, const char *unit, double value)
{
	char text[UNITS_TEXT];

	if (!isfinite(value))
		fputs(" |", out);
	else
		fprintf(out, " %s |", units_format(value, unit, text, sizeof(text)));
}

/* Returns whether there were rows; the facts that are columns are marked. */
static bool write_rows(FILE *out, const struct markdown *markdown, const bool *is_column, bool has_paths)
{
	bool has_status = false, has_rows = false;
	size_t texts = 3;

	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		has_status |= strcmp(report->status, "ok") != 0;
		has_rows |= report->value_count == 0;
	}
	if (!has_rows)
		return false;
	fputs("| report |", out);
	for (size_t i = 0; i < markdown->name_count; i++) {
		if (is_column[i])
			write_cell(out, markdown->names[i]);
		texts += is_column[i];
	}
	fputs(has_status ? " verdict |" : "", out);
	fputs(" type | class | accesses | throughput | mean | p50 | p99 | p99.9 | max |\n|", out);
	for (size_t i = 0; i < texts + has_status; i++)
		fputs("---|", out);
	fputs("---:|---:|---:|---:|---:|---:|---:|\n", out);
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t k = 0; k < report->row_count && report->value_count == 0; k++) {
			const struct markdown_row *row = &report->rows[k];
			const double latencies[] = {row->mean_ns, row->p50_ns, row->p99_ns, row->p999_ns, row->max_ns};

			putc_unlocked('|', out);
			write_cell(out, name_of(report, has_paths));
			for (size_t i = 0; i < markdown->name_count; i++) {
				if (is_column[i])
					write_cell(out, report->facts[i] ? report->facts[i] : "");
			}
			if (has_status)
				fprintf(out, " %s |", report->status);
			write_cell(out, row->type);
			write_cell(out, row->class);
			fprintf(out, " %" PRIu64 " |", row->count);
			write_number(out, "1/s", row->per_second);
			for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++) {
				if (isnan(latencies[i]))
					fputs("  |", out);
				else
					write_number(out, "ns", latencies[i]);
			}
			putc_unlocked('\n', out);
		}
	}
	return true;
}

/* Subjects without histograms: a row for each, or for each of its parts. Names of values stand without their units, which
 * are in the cells. */
static void write_subjects(FILE *out, const struct markdown *markdown, bool has_paths, bool is_first)
{
	const struct field *columns[COLUMNS_MAX];
	size_t count = 0;

	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t i = 0, at; i < report->value_count; i++) {
			for (at = 0; at < count && strcmp(columns[at]->name, report->values[i].name);)
				at++;
			if (at == count && at < COLUMNS_MAX)
				columns[count++] = report->values[i].field;
		}
	}
	if (!count)
		return;
	fprintf(out, "%s| report | subject | of |", is_first ? "" : "\n");
	for (size_t i = 0; i < count; i++) {
		const char *end = strrchr(columns[i]->name, '_');

		fputc(' ', out);
		for (const char *at = columns[i]->name; at != end && *at; at++)
			putc_unlocked(*at == '_' ? ' ' : *at, out);
		fputs(" |", out);
	}
	fputs("\n|---|---|---|", out);
	for (size_t i = 0; i < count; i++)
		fputs("---:|", out);
	fputc('\n', out);
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t i = 0, end; i < report->value_count; i = end) {
			const struct markdown_value *first = &report->values[i];

			for (end = i; end < report->value_count && !strcmp(report->values[end].subject, first->subject) &&
				!strcmp(report->values[end].part, first->part);)
				end++;
			putc_unlocked('|', out);
			write_cell(out, name_of(report, has_paths));
			write_cell(out, first->subject);
			write_cell(out, first->part);
			for (size_t j = 0; j < count; j++) {
				double value = NAN;

				for (size_t k = i; k < end; k++)
					value = strcmp(report->values[k].name, columns[j]->name) ? value : report->values[k].value;
				write_number(out, columns[j]->unit, value);
			}
			fputc('\n', out);
		}
	}
}

static int end(struct convert *convert)
{
	const struct markdown *markdown = convert->kept;
	const char *before = markdown->first->next ? "\nThe same in all: " : "\n";
	bool is_column[MARKDOWN_FACTS], has_paths = !are_names_enough(markdown);
	FILE *out = convert->out;

	for (size_t i = 0; i < markdown->name_count; i++)
		is_column[i] = differs(markdown, i);
	write_subjects(out, markdown, has_paths, !write_rows(out, markdown, is_column, has_paths));
	for (size_t i = 0; i < markdown->name_count; i++) {
		const char *value = markdown->first->facts[i];

		if (is_column[i] || !value || !value[0])
			continue;
		fputs(before, out);
		before = ", ";
		write_code(out, markdown->names[i]);
		putc_unlocked(' ', out);
		write_code(out, value);
	}
	fputs(strcmp(before, ", ") ? "" : ".\n", out);
	return 0;
}

const struct convert_format convert_markdown = {"markdown", begin, add, end, false};
