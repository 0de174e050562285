/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cli/table.h"

#include <errno.h>
#include <inttypes.h>
#include <libsmartcols.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/base/utf8.h"

#define WIDTH 80
#define GAP 2         /* between columns */
#define LEAST_WRAP 30 /* columns of text, however narrow the terminal is */

int table_add(struct table *table, const void *row, const char *colour)
{
	if (arena_grow(&table->rows, &table->capacity, table->count, sizeof(*table->rows)))
		return -ENOMEM;
	table->rows[table->count++] = (struct table_row){row, colour ? colour : ""};
	return 0;
}

void table_free(struct table *table)
{
	free(table->rows);
	table->rows = NULL;
	table->count = table->capacity = 0;
}

static const char *heading_of(const struct table *table, size_t column)
{
	if (table->headings[column])
		return table->headings[column];
	return table->columns[column].heading ? table->columns[column].heading : table->columns[column].name;
}

int table_choose(struct table *table, const char *names, char *why, size_t length)
{
	size_t used;

	table->chosen_count = 0;
	for (const char *at = names;; at++) {
		size_t size = strcspn(at, ","), i = 0;

		while (table->columns[i].name && (strncmp(table->columns[i].name, at, size) || table->columns[i].name[size]))
			i++;
		if (!table->columns[i].name || table->chosen_count == TABLE_COLUMNS)
			break;
		table->chosen[table->chosen_count++] = i;
		at += size;
		if (!*at)
			return 0;
	}
	used = (size_t)snprintf(why, length, "must be columns with commas between:");
	for (size_t i = 0; table->columns[i].name && used < length; i++)
		used += (size_t)snprintf(why + used, length - used, "%s %s", i ? "," : "", table->columns[i].name);
	return -EINVAL;
}

size_t table_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? WIDTH : size.ws_col;
}

bool table_is_coloured(void)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0;
}

static void get_cell(const struct table_column *column, const void *row, struct table_cell *cell)
{
	const char *at = (const char *)row + column->offset;

	*cell = (struct table_cell){.text = ""};
	if (column->get) {
		column->get(row, cell);
		return;
	}
	switch (column->type) {
	case TABLE_STRING:
		cell->text = *(const char *const *)at;
		break;
	case TABLE_CHARS:
		cell->text = at;
		break;
	case TABLE_NUMBER:
		memcpy(&cell->number, at, sizeof(cell->number));
		break;
	case TABLE_WHOLE:
	case TABLE_SIZE:
		cell->whole = *(const uint64_t *)at;
		cell->is_absent = column->flags & TABLE_OMIT && !cell->whole;
		return;
	case TABLE_TRUTH:
		cell->truth = *(const bool *)at;
		break;
	case TABLE_WORDS:
		cell->words = (const char *const *)at;
		break;
	}
	cell->is_absent = !cell->text || (column->flags & TABLE_OMIT && !cell->text[0]);
}

static void show_cell(const struct table_column *column, const void *row, char *text, size_t length)
{
	struct table_cell cell = {.text = ""};
	size_t used = 0;

	text[0] = '\0';
	if (column->show) {
		column->show(row, text, length);
	} else {
		get_cell(column, row, &cell);
		if (cell.is_absent) {
			snprintf(text, length, column->type == TABLE_WHOLE || column->type == TABLE_SIZE ? "-" : "");
			return;
		}
		switch (column->type) {
		case TABLE_SIZE:
			units_format_size(cell.whole, text, length);
			break;
		case TABLE_STRING:
		case TABLE_CHARS:
			snprintf(text, length, "%s", cell.text);
			break;
		case TABLE_NUMBER:
			snprintf(text, length, isnan(cell.number) ? "-" : "%g", cell.number);
			break;
		case TABLE_WHOLE:
			snprintf(text, length, "%" PRIu64, cell.whole);
			break;
		case TABLE_TRUTH:
			snprintf(text, length, "%s", cell.truth ? "yes" : "no");
			break;
		case TABLE_WORDS:
			for (size_t i = 0; cell.words[i] && used < length; i++)
				used += (size_t)snprintf(text + used, length - used, "%s%s", i ? ", " : "", cell.words[i]);
			break;
		}
	}
	diag_clean(text, strlen(text), "\n\t");
	for (char *at = text; *at; at++)
		*at = *at == '\t' && at > text && at[-1] != '\n' ? '?' : *at;
}

static size_t shown_columns(const struct table *table, size_t *shown)
{
	char text[TABLE_TEXT];
	size_t count = 0;

	if (table->chosen_count) {
		memcpy(shown, table->chosen, table->chosen_count * sizeof(*shown));
		return table->chosen_count;
	}
	for (size_t i = 0; table->columns[i].name; i++) {
		const struct table_column *column = &table->columns[i];
		bool is_used = !(column->flags & TABLE_SPARE);

		for (size_t k = 0; k < table->count && !is_used && column->flags & TABLE_SHOWN; k++) {
			show_cell(column, table->rows[k].row, text, sizeof(text));
			is_used = *text && strcmp(text, "-");
		}
		if (column->flags & TABLE_SHOWN && is_used)
			shown[count++] = i;
	}
	return count;
}

static size_t width_of(const char *line)
{
	return utf8_width(line, strcspn(line, "\n"));
}

/* Wraps text at width; "fix: " and similar lines stay whole, because users copy them. */
static char *wrap_cell(const char *text, size_t width)
{
	char *wrapped = NULL;
	size_t size;
	FILE *out = open_memstream(&wrapped, &size);

	for (const char *line = text; out && *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (line != text)
			putc('\n', out);
		if (*line == '\t')
			fwrite(line + 1, 1, strcspn(line + 1, "\n"), out);
		else
			(void)utf8_wrap(out, 0, 0, width, line);
	}
	if (out && fclose(out)) {
		free(wrapped);
		return NULL;
	}
	return out ? wrapped : NULL;
}

struct sheet {
	const struct table *table;
	size_t shown[TABLE_COLUMNS], widths[TABLE_COLUMNS];
	size_t columns;
	char **cells; /* of all rows, wrapped */
};

static int sheet_make(const struct table *table, struct sheet *sheet)
{
	size_t width = table->width ? table->width : table_width(), used = table->indent, wrapped = TABLE_COLUMNS;
	char text[TABLE_TEXT + 512];

	*sheet = (struct sheet){.table = table};
	sheet->columns = shown_columns(table, sheet->shown);
	sheet->cells = calloc(table->count * sheet->columns + 1, sizeof(*sheet->cells));
	for (size_t k = 0; k < sheet->columns && sheet->cells; k++) {
		const struct table_column *column = &table->columns[sheet->shown[k]];
		size_t widest = table->has_no_headings ? 0 : width_of(heading_of(table, sheet->shown[k]));

		for (size_t i = 0; i < table->count; i++) {
			show_cell(column, table->rows[i].row, text, sizeof(text));
			sheet->cells[i * sheet->columns + k] = strdup(text);
			if (!sheet->cells[i * sheet->columns + k])
				return -ENOMEM;
			widest = width_of(text) > widest ? width_of(text) : widest;
		}
		if (column->flags & TABLE_WRAP) {
			wrapped = k;
		} else {
			sheet->widths[k] = widest;
			used += widest + GAP;
		}
	}
	for (size_t i = 0; i < table->count && sheet->cells && wrapped < sheet->columns; i++) {
		char **cell = &sheet->cells[i * sheet->columns + wrapped];
		char *lines = wrap_cell(*cell, width > used + LEAST_WRAP ? width - used : LEAST_WRAP);

		if (!lines)
			return -ENOMEM;
		free(*cell);
		*cell = lines;
	}
	return sheet->cells ? 0 : -ENOMEM;
}

static int fill(const struct sheet *sheet, size_t first, size_t end, bool has_headings, bool is_utf8, struct libscols_table *made)
{
	const struct table *table = sheet->table;
	int err = scols_table_set_column_separator(made, "  ");

	scols_table_enable_noheadings(made, !has_headings);
	/* Where the locale does not have a character, libsmartcols 2.38 does not return unless it may write its bytes as \xHH. */
	scols_table_enable_noencoding(made, is_utf8);
	scols_table_enable_colors(made, 1);
	/* The caller has already chosen the width and wrapped the cells. */
	scols_table_set_termforce(made, SCOLS_TERMFORCE_NEVER);
	for (size_t k = 0; k < sheet->columns && !err; k++) {
		unsigned flags = table->columns[sheet->shown[k]].flags;
		const char *heading = table->has_no_headings ? "" : heading_of(table, sheet->shown[k]);
		size_t blanks = sheet->widths[k] > width_of(heading) ? sheet->widths[k] - width_of(heading) : 0;
		struct libscols_column *column;
		char name[2 * TABLE_TEXT];

		/* The heading fixes the width of its column, even where no headings are printed. */
		snprintf(name, sizeof(name), "%*s%s%*s", flags & TABLE_RIGHT ? (int)blanks : 0, "", heading,
			flags & TABLE_RIGHT ? 0 : (int)blanks, "");
		column = scols_table_new_column(made, name, 0,
			(flags & TABLE_RIGHT ? SCOLS_FL_RIGHT : 0) | (flags & TABLE_WRAP ? SCOLS_FL_WRAP : 0));
		err = column ? 0 : -ENOMEM;
		if (!err && flags & TABLE_WRAP)
			err = scols_column_set_wrapfunc(column, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
		if (!err && flags & TABLE_WRAP)
			err = scols_column_set_safechars(column, "\n");
	}
	for (size_t i = first; i < end && !err; i++) {
		struct libscols_line *line = scols_table_new_line(made, NULL);

		err = line ? 0 : -ENOMEM;
		for (size_t k = 0; k < sheet->columns && !err; k++) {
			err = scols_line_set_data(line, k, sheet->cells[i * sheet->columns + k]);
			if (!err && *table->rows[i].colour && sheet->shown[k] == table->coloured)
				err = scols_cell_set_color(scols_line_get_cell(line, k), table->rows[i].colour);
		}
	}
	return err;
}

/* Writes text with colours, which pass the terminal filter only through diag_colour, and ends them before the blanks that fill
 * a cell. Blanks at the end of a line are left out. */
static void write_coloured(FILE *out, size_t indent, const char *text)
{
	static const char reset[] = "\033[0m";
	size_t blanks = indent;

	while (*text) {
		size_t length = strcspn(text, " \n\033");

		if (*text == ' ') {
			blanks++;
			text++;
		} else if (*text == '\n') {
			blanks = indent;
			putc(*text++, out);
		} else if (!strncmp(text, reset, strlen(reset))) {
			diag_colour(out, reset);
			text += strlen(reset);
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			blanks = 0;
			if (*text == '\033') {
				char sequence[16];

				length = strcspn(text, "m") + 1;
				snprintf(sequence, sizeof(sequence), "%.*s", (int)length, text);
				diag_colour(out, sequence);
			} else {
				fwrite(text, 1, length, out);
			}
			text += length;
		}
	}
}

int table_print_part(const struct table *table, size_t first, size_t end, bool has_headings, FILE *out)
{
	struct libscols_table *made = scols_new_table();
	/* libsmartcols measures text by the locale, which the tools do not set. */
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before = (locale_t)0;
	struct sheet sheet;
	char *text = NULL;
	int err = sheet_make(table, &sheet);

	if (utf8)
		before = uselocale(utf8);
	if (!err)
		err = made ? fill(&sheet, first, end, has_headings && !table->has_no_headings, utf8, made) : -ENOMEM;
	if (!err && first < end)
		err = scols_print_table_to_string(made, &text);
	if (utf8) {
		uselocale(before);
		freelocale(utf8);
	}
	if (!err && text) {
		write_coloured(out, table->indent, text);
		if (text[0] && text[strlen(text) - 1] != '\n')
			putc('\n', out);
	}
	free(text);
	scols_unref_table(made);
	for (size_t i = 0; sheet.cells && i < table->count * sheet.columns; i++)
		free(sheet.cells[i]);
	free(sheet.cells);
	return err;
}

int table_print(const struct table *table, FILE *out)
{
	return table_print_part(table, 0, table->count, true, out);
}

void table_print_json(const struct table *table, const char *name, struct json *json)
{
	json_begin(json, name, '[');
	for (size_t i = 0; i < table->count; i++) {
		json_begin(json, NULL, '{');
		for (const struct table_column *column = table->columns; column->name; column++) {
			struct table_cell cell = {.text = ""};
			bool is_wanted = column->flags & TABLE_JSON;

			if (table->chosen_count) {
				is_wanted = false;
				for (size_t k = 0; k < table->chosen_count; k++)
					is_wanted |= &table->columns[table->chosen[k]] == column;
			}
			/* A column without TABLE_JSON has no value for programs. */
			if (!is_wanted || !(column->flags & TABLE_JSON))
				continue;
			get_cell(column, table->rows[i].row, &cell);
			if (cell.is_absent)
				continue;
			switch (column->type) {
			case TABLE_STRING:
			case TABLE_CHARS:
				json_text(json, column->name, cell.text);
				break;
			case TABLE_NUMBER:
				json_number(json, column->name, cell.number);
				break;
			case TABLE_WHOLE:
			case TABLE_SIZE:
				json_whole(json, column->name, cell.whole);
				break;
			case TABLE_TRUTH:
				json_truth(json, column->name, cell.truth);
				break;
			case TABLE_WORDS:
				json_words(json, column->name, cell.words);
				break;
			}
		}
		json_end(json, '}');
	}
	json_end(json, ']');
}

static int choose_output(struct table *table, const struct table_output *output)
{
	char why[TABLE_TEXT];

	if (!output->columns || !table_choose(table, output->columns, why, sizeof(why)))
		return DIAG_EXIT_OK;
	return diag_usage("--columns %s: %s", output->columns, why);
}

int table_check(const struct table_column *columns, const struct table_output *output)
{
	return choose_output(&(struct table){.columns = columns}, output);
}

int table_show(struct table *table, const struct table_output *output)
{
	struct json json = {.out = stdout};
	int err = 0;

	table->has_no_headings |= output->has_no_headings;
	if (choose_output(table, output))
		return DIAG_EXIT_USAGE;
	if (output->is_json)
		table_print_json(table, NULL, &json);
	else
		err = table_print(table, stdout);
	if (!err)
		return DIAG_EXIT_OK;
	return diag_host(err, "cannot print the list");
}
