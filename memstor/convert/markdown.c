/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Markdown, for example for pull requests: a row for each report, type and class. Facts that differ between the reports are
 * columns; common facts follow once below. Texts of reports are in code spans, which contain no markup, links or mentions.
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
#define MARKDOWN_FACTS 256 /* different options, labels and other facts that the reports may have between them */

struct markdown_report {
	struct markdown_report *next;
	const char *path, *status;
	const char *facts[MARKDOWN_FACTS]; /* by the index of their names; NULL: it has none */
	size_t row_count;                  /* 0: it has subjects without histograms */
	const char **rows;                 /* of each type and class: its cells, as they are written */
};

struct markdown_subject { /* what a row of values is of */
	const struct markdown_report *report;
	const char *subject, *part; /* part: what of it, as a model */
};

struct markdown {
	const char *names[MARKDOWN_FACTS]; /* "--ratio", "kernel", a label's own */
	size_t name_count;
	struct markdown_report *first, *last;
	struct convert_sheet subjects;
};

/* --- cells --- */

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

/* --- what is kept of each report --- */

/* The index of a name, a new one if need be. */
static int find_name(struct convert *convert, const char *path, const char *prefix, const char *name, size_t *index)
{
	struct markdown *markdown = convert->kept;
	size_t length = strlen(prefix);

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
	markdown->names[markdown->name_count++] = arena_format(&convert->arena, "%s%s", prefix, name);
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
	report->facts[index] = arena_copy(&convert->arena, value);
	return 0;
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

/* latencies: mean, p50, p99, p99.9 and maximum; NAN = it is not said here. */
static const char *keep_row(struct convert *convert, const char *type, const char *class, uint64_t count, double per_second,
	const double latencies[5])
{
	struct arena_print print;
	FILE *out = arena_print(&print);

	if (!out)
		return NULL;
	write_cell(out, type);
	write_cell(out, class);
	fprintf(out, " %" PRIu64 " |", count);
	write_number(out, "1/s", per_second);
	for (size_t i = 0; i < 5; i++) {
		if (isnan(latencies[i]))
			fputs("  |", out);
		else
			write_number(out, "ns", latencies[i]);
	}
	return arena_printed(&convert->arena, &print);
}

/* A class that nothing fell into has no row; a run that recorded nothing has one with its accesses. */
static void keep_rows(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	static const double unknown[] = {NAN, NAN, NAN, NAN, NAN};

	report->rows = arena_array(&convert->arena, loaded->histogram_count + 1, sizeof(*report->rows));
	for (size_t i = 0; i < loaded->histogram_count && report->rows; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		/* The finest layout of each type and class comes first. */
		if (histogram->count == 0 || loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		report->rows[report->row_count] = keep_row(convert, histogram->type, histogram->class, histogram->count,
			rate_of(loaded, histogram, report->row_count == 0),
			(const double[]){histogram->mean_ns, loaded_known_percentile(histogram, 50),
				loaded_known_percentile(histogram, 99), loaded_known_percentile(histogram, 99.9),
				histogram->max_ns});
		report->row_count++;
	}
	if (report->row_count == 0 && report->rows)
		report->rows[report->row_count++] = keep_row(convert, "", "", loaded_operations(loaded),
			loaded_rate(loaded->values, loaded->value_count), unknown);
}

/* What of a subject without histograms can be better or worse: a row for each of its parts. Returns whether there is any. */
static bool keep_values(struct convert *convert, const struct markdown_report *report, const struct loaded_subject *subject)
{
	struct markdown *markdown = convert->kept;
	const struct markdown_subject *before = NULL;
	struct convert_row *row = NULL;

	for (size_t i = 0; i < subject->value_count; i++) {
		const struct loaded_value *value = &subject->values[i];
		const char *dot = strrchr(value->name, '.');
		size_t length = dot ? (size_t)(dot - value->name) : 0;
		char text[UNITS_TEXT];

		if (!value->field || value->field->better == FIELD_BETTER_NONE)
			continue;
		if (!before || strncmp(before->part, value->name, length) || before->part[length]) {
			struct markdown_subject *new = arena_array(&convert->arena, 1, sizeof(*new));

			row = new ? convert_sheet_row(convert, &markdown->subjects, new) : NULL;
			if (!row)
				break;
			*new = (struct markdown_subject){report, arena_copy(&convert->arena, subject->id),
				arena_format(&convert->arena, "%.*s", (int)length, value->name)};
			before = new;
		}
		convert_sheet_cell(convert, &markdown->subjects, row, value->field->name,
			units_format(value->value, value->field->unit, text, sizeof(text)));
	}
	return row;
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	struct markdown_report *report = arena_array(&convert->arena, 1, sizeof(*report));
	struct markdown *markdown = convert->kept;
	bool has_values = false;
	int err;

	if (!report)
		return -ENOMEM;
	if (!loaded->histogram_count && !loaded->subject_count && isnan(loaded_rate(loaded->values, loaded->value_count))) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: has no summary; --to csv prints its numbers (--what values) and events (--what series)",
			loaded->path);
		return -EBADMSG;
	}
	report->path = arena_copy(&convert->arena, loaded->path);
	report->status = arena_copy(&convert->arena, loaded->status);
	err = keep_facts(convert, report, loaded);
	if (err)
		return err;
	for (size_t i = 0; i < loaded->subject_count && !loaded->histogram_count; i++)
		has_values |= keep_values(convert, report, &loaded->subjects[i]);
	if (!has_values)
		keep_rows(convert, report, loaded);
	if (markdown->last)
		markdown->last->next = report;
	else
		markdown->first = report;
	markdown->last = report;
	return 0;
}

/* --- what is written of all --- */

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

/* Whether the names of the files distinguish them; where two are the same, whole paths are shown. Names of many files
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

/* Returns whether there were rows; the facts that are columns are marked. */
static bool write_rows(FILE *out, const struct markdown *markdown, const bool *is_column, bool has_paths)
{
	bool has_status = false, has_rows = false;

	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		has_status |= strcmp(report->status, "ok") != 0;
		has_rows |= report->row_count > 0;
	}
	if (!has_rows)
		return false;
	fputs("| report |", out);
	for (size_t i = 0; i < markdown->name_count; i++) {
		if (is_column[i])
			write_cell(out, markdown->names[i]);
	}
	fputs(has_status ? " verdict |" : "", out);
	fputs(" type | class | accesses | throughput | mean | p50 | p99 | p99.9 | max |\n|---|---|---|", out);
	for (size_t i = 0; i < markdown->name_count; i++)
		fputs(is_column[i] ? "---|" : "", out);
	fputs(has_status ? "---|" : "", out);
	fputs("---:|---:|---:|---:|---:|---:|---:|\n", out);
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t k = 0; k < report->row_count; k++) {
			putc_unlocked('|', out);
			write_cell(out, name_of(report, has_paths));
			for (size_t i = 0; i < markdown->name_count; i++) {
				if (is_column[i])
					write_cell(out, report->facts[i] ? report->facts[i] : "");
			}
			if (has_status)
				fprintf(out, " %s |", report->status);
			fputs(report->rows[k], out);
			putc_unlocked('\n', out);
		}
	}
	return true;
}

/* Subjects without histograms. Names of values stand without their units, which are in the cells. */
static void write_subjects(FILE *out, const struct convert_sheet *sheet, const char **cells, bool has_paths)
{
	fputs("| report | subject | of |", out);
	convert_sheet_fill(sheet, NULL, cells);
	for (size_t i = 0; i < sheet->column_count; i++) {
		const char *end = strrchr(cells[i], '_');

		fputc(' ', out);
		for (const char *at = cells[i]; at != end && *at; at++)
			putc_unlocked(*at == '_' ? ' ' : *at, out);
		fputs(" |", out);
	}
	fputs("\n|---|---|---|", out);
	for (size_t i = 0; i < sheet->column_count; i++)
		fputs("---:|", out);
	fputc('\n', out);
	for (const struct convert_row *row = sheet->rows; row; row = row->next) {
		const struct markdown_subject *of = row->of;

		putc_unlocked('|', out);
		write_cell(out, name_of(of->report, has_paths));
		write_cell(out, of->subject);
		write_cell(out, of->part);
		convert_sheet_fill(sheet, row, cells);
		for (size_t i = 0; i < sheet->column_count; i++)
			fprintf(out, "%s%s |", cells[i][0] ? " " : "", cells[i]);
		fputc('\n', out);
	}
}

static int end(struct convert *convert)
{
	const struct markdown *markdown = convert->kept;
	const struct convert_sheet *subjects = &markdown->subjects;
	const char *before = markdown->first->next ? "\nThe same in all: " : "\n";
	const char **cells = arena_array(&convert->arena, subjects->column_count, sizeof(*cells));
	bool is_column[MARKDOWN_FACTS], has_paths = !are_names_enough(markdown);
	FILE *out = convert->out;

	for (size_t i = 0; i < markdown->name_count; i++)
		is_column[i] = differs(markdown, i);
	if (write_rows(out, markdown, is_column, has_paths) && subjects->rows)
		putc_unlocked('\n', out);
	if (subjects->rows && cells)
		write_subjects(out, subjects, cells, has_paths);
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
	return cells ? 0 : -ENOMEM;
}

const struct convert_format convert_markdown = {sizeof(struct markdown), NULL, add, end, false};
