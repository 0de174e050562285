/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts reports to other formats: a table of formats, each of which receives one report after another. A format keeps
 * a compact copy of what it needs of all reports; the caller may free each report. memstor(1) describes the formats.
 */
#ifndef MEMSTOR_CONVERT_CONVERT_H
#define MEMSTOR_CONVERT_CONVERT_H

#include <stdio.h>

#include "common/arena.h"
#include "common/json.h"
#include "memstor/loaded/loaded.h"

enum convert_what { CONVERT_SUMMARY, CONVERT_VALUES, CONVERT_BUCKETS, CONVERT_SERIES, CONVERT_FACTS };

struct convert {
	const struct convert_format *format;
	FILE *out; /* the caller checks ferror(3) */
	enum convert_what what;
	size_t total; /* number of reports to add */
	size_t count; /* number of reports added */
	struct json json; /* state of the JSON output */
	struct arena arena;
	void *kept;      /* data of the format, in the arena, initially zeroed */
	const void *table; /* of CSV: its table, chosen by the first report; kind is that of its subjects */
	const char *kind;
	char why[512];   /* one line about a failure */
};

struct convert_format {
	size_t kept; /* size of convert->kept in bytes */
	/* Return 0 or -errno, with why set unless it is -ENOMEM; -EBADMSG if the format cannot represent this report. */
	int (*begin)(struct convert *convert);
	int (*add)(struct convert *convert, const struct loaded *loaded);
	int (*end)(struct convert *convert);
	bool is_separate; /* add keeps no data; except for the first report its output does not depend on earlier ones */
};

extern const struct convert_format convert_json, convert_ndjson, convert_csv, convert_pmgraph, convert_markdown;

/* Adds a report, after begin if it is the first. convert_end ends the output. Both return as the functions of the format. */
int convert_add(struct convert *convert, const struct loaded *loaded);
int convert_end(struct convert *convert);

/* --- convert/sheet.c: rows that are kept until all columns are known --- */

struct convert_column {
	size_t index;
	const char *name;
	struct convert_column *next;
};

struct convert_cell {
	const struct convert_column *column;
	const char *text;
	struct convert_cell *next;
};

struct convert_row {
	const void *of; /* data of the format */
	struct convert_cell *cells;
	struct convert_row *next;
};

struct convert_sheet { /* zeroed: empty; all of it is in the arena */
	size_t column_count;
	struct convert_column *columns;
	struct convert_row *rows, *last_row;
};

/* Appends a row. Returns NULL if memory is short. */
struct convert_row *convert_sheet_row(struct convert *convert, struct convert_sheet *sheet, const void *of);
/* Sets the text of a row in the column of this name, unless it is set. */
void convert_sheet_cell(struct convert *convert, struct convert_sheet *sheet, struct convert_row *row, const char *name,
	const char *text);
/* Stores in cells, one per column, the texts of a row ("" = none), or with row NULL the names of the columns. */
void convert_sheet_fill(const struct convert_sheet *sheet, const struct convert_row *row, const char **cells);

/* --- convert/csv.c: cells of CSV, quoted by RFC 4180; rows end with a line feed --- */

/* Writes a cell. A text that a spreadsheet would interpret as a formula (it begins with = + - @, tab or return and is not a
 * number) is preceded by '. */
void convert_cell_text(FILE *out, const char *text);
/* Writes a row of cells. */
void convert_row(FILE *out, const char *const *cells, size_t count);
#define CONVERT_ROW(out, ...)                                                                                        \
	convert_row((out), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
