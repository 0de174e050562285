/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A row for each report, type and class. Facts that differ between the reports are columns, the others are said once
 * below. Texts of reports are in code spans, where nothing is markup, a link or a mention.
 */
#include "config.h"
#include "memstor/convert/markdown.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

#define TEXT_MAX 64 /* bytes of a text that are shown */

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

static bool is_any_not_ok(const struct markdown *markdown)
{
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		if (strcmp(report->status, "ok") != 0)
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

struct layout {
	bool is_column[MARKDOWN_FACTS];
	bool has_status, has_paths;
};

static void write_head(FILE *out, const struct markdown *markdown, const struct layout *layout)
{
	size_t texts = 3;

	fputs("| report |", out);
	for (size_t i = 0; i < markdown->name_count; i++) {
		if (!layout->is_column[i])
			continue;
		putc_unlocked(' ', out);
		write_code(out, markdown->names[i]);
		fputs(" |", out);
		texts++;
	}
	if (layout->has_status) {
		fputs(" verdict |", out);
		texts++;
	}
	fputs(" type | class | accesses | throughput | mean | p50 | p99 | p99.9 | max |\n|", out);
	for (size_t i = 0; i < texts; i++)
		fputs("---|", out);
	fputs("---:|---:|---:|---:|---:|---:|---:|\n", out);
}

static void write_duration(FILE *out, double ns)
{
	char text[UNITS_TEXT];

	fprintf(out, " %s |", isfinite(ns) ? units_format_duration(ns, text, sizeof(text)) : "");
}

static void write_rate(FILE *out, double per_second)
{
	static const char prefixes[] = " kMGT";
	size_t power = 0;

	while (per_second >= 999.5 && prefixes[power + 1]) {
		per_second /= 1000;
		power++;
	}
	if (isfinite(per_second))
		fprintf(out, " %.3g%s%.*s/s |", per_second, power ? " " : "", power ? 1 : 0, &prefixes[power]);
	else
		fputs(" |", out);
}

static void write_row(FILE *out, const struct markdown *markdown, const struct layout *layout,
	const struct markdown_report *report, const struct markdown_row *row)
{
	fputs("| ", out);
	write_code(out, name_of(report, layout->has_paths));
	fputs(" |", out);
	for (size_t i = 0; i < markdown->name_count; i++) {
		if (!layout->is_column[i])
			continue;
		putc_unlocked(' ', out);
		write_code(out, report->facts[i] ? report->facts[i] : "");
		fputs(" |", out);
	}
	if (layout->has_status)
		fprintf(out, " %s |", report->status);
	putc_unlocked(' ', out);
	write_code(out, row->type);
	fputs(" | ", out);
	write_code(out, row->class);
	fprintf(out, " | %" PRIu64 " |", row->count);
	write_rate(out, row->per_second);
	write_duration(out, row->mean_ns);
	write_duration(out, row->p50_ns);
	write_duration(out, row->p99_ns);
	write_duration(out, row->p999_ns);
	write_duration(out, row->max_ns);
	putc_unlocked('\n', out);
}

static void write_common(FILE *out, const struct markdown *markdown, const struct layout *layout)
{
	const char *before = markdown->first->next ? "\nThe same in all: " : "\n";

	for (size_t i = 0; i < markdown->name_count; i++) {
		const char *value = markdown->first->facts[i];

		if (layout->is_column[i] || !value || !value[0])
			continue;
		fputs(before, out);
		before = ", ";
		write_code(out, markdown->names[i]);
		putc_unlocked(' ', out);
		write_code(out, value);
	}
	fputs(strcmp(before, ", ") ? "" : ".\n", out);
}

static bool has_rows(const struct markdown *markdown)
{
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		if (report->value_count == 0)
			return true;
	}
	return false;
}

/* --- subjects without histograms: a row for each, or for each of its parts --- */

#define COLUMNS_MAX 64

struct columns {
	size_t count;
	const struct field *of[COLUMNS_MAX];
};

static void find_columns(const struct markdown *markdown, struct columns *columns)
{
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t i = 0; i < report->value_count; i++) {
			size_t at = 0;

			while (at < columns->count && strcmp(columns->of[at]->name, report->values[i].name))
				at++;
			if (at == columns->count && at < COLUMNS_MAX)
				columns->of[columns->count++] = report->values[i].field;
		}
	}
}

/* "per_write_error_percent" without its unit, which is in the cells. */
static void write_heading(FILE *out, const struct field *field)
{
	const char *end = strrchr(field->name, '_');

	for (const char *at = field->name; at != end && *at; at++)
		putc_unlocked(*at == '_' ? ' ' : *at, out);
}

static void write_number(FILE *out, const struct field *field, double value)
{
	if (!isfinite(value))
		fputs(" |", out);
	else if (!strcmp(field->unit, "ns") || !strcmp(field->unit, "s"))
		write_duration(out, !strcmp(field->unit, "s") ? value * 1e9 : value);
	else if (!strcmp(field->unit, "%"))
		fprintf(out, " %.*f %% |", fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0, value);
	else
		fprintf(out, " %.4g %s |", value, field->unit);
}

static void write_values(FILE *out, const struct markdown_report *report, const struct columns *columns, bool has_paths)
{
	for (size_t i = 0, end; i < report->value_count; i = end) {
		const struct markdown_value *first = &report->values[i];
		const char *const texts[] = {name_of(report, has_paths), first->subject, first->part};

		for (end = i; end < report->value_count && !strcmp(report->values[end].subject, first->subject) &&
			!strcmp(report->values[end].part, first->part);)
			end++;
		for (size_t j = 0; j < 3; j++) {
			fputs(j ? " | " : "| ", out);
			write_code(out, texts[j]);
		}
		fputs(" |", out);
		for (size_t j = 0; j < columns->count; j++) {
			double value = NAN;

			for (size_t k = i; k < end; k++)
				value = strcmp(report->values[k].name, columns->of[j]->name) ? value : report->values[k].value;
			write_number(out, columns->of[j], value);
		}
		fputc('\n', out);
	}
}

static void write_subjects(FILE *out, const struct markdown *markdown, bool has_paths)
{
	struct columns columns = {0};

	find_columns(markdown, &columns);
	if (!columns.count)
		return;
	fprintf(out, "%s| report | subject | of |", has_rows(markdown) ? "\n" : "");
	for (size_t i = 0; i < columns.count; i++) {
		fputc(' ', out);
		write_heading(out, columns.of[i]);
		fputs(" |", out);
	}
	fputs("\n|---|---|---|", out);
	for (size_t i = 0; i < columns.count; i++)
		fputs("---:|", out);
	fputc('\n', out);
	for (const struct markdown_report *report = markdown->first; report; report = report->next)
		write_values(out, report, &columns, has_paths);
}

void markdown_write(FILE *out, const struct markdown *markdown)
{
	struct layout layout = {.has_status = is_any_not_ok(markdown), .has_paths = !are_names_enough(markdown)};

	for (size_t i = 0; i < markdown->name_count; i++)
		layout.is_column[i] = differs(markdown, i);
	if (has_rows(markdown))
		write_head(out, markdown, &layout);
	for (const struct markdown_report *report = markdown->first; report; report = report->next) {
		for (size_t i = 0; i < report->row_count && report->value_count == 0; i++)
			write_row(out, markdown, &layout, report, &report->rows[i]);
	}
	write_subjects(out, markdown, layout.has_paths);
	write_common(out, markdown, &layout);
}
