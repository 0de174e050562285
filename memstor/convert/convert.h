/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports in other forms: a table of formats, each fed one report after another. What a form needs of all of them it
 * keeps in as few bytes as it can; the reports themselves need not live on. docs of each: memstor(1).
 */
#ifndef MEMSTOR_CONVERT_CONVERT_H
#define MEMSTOR_CONVERT_CONVERT_H

#include <stdio.h>

#include "common/arena.h"
#include "common/json.h"
#include "memstor/loaded/loaded.h"

enum convert_what { CONVERT_SUMMARY, CONVERT_VALUES, CONVERT_BUCKETS, CONVERT_SERIES, CONVERT_FACTS };

struct convert {
	FILE *out; /* its errors stick; whoever opened it asks */
	enum convert_what what;
	size_t total; /* reports that will come */
	size_t count; /* that have come */
	struct json json; /* of JSON, while it is written */
	struct arena arena;
	void *kept;      /* the format's own, in the arena, zeroed at first */
	const void *table; /* of CSV: which one, as the first report has it; kind: of its subjects */
	const char *kind;
	char why[512];   /* of a failure: one line */
};

struct convert_format {
	const char *name;
	size_t kept; /* bytes of convert->kept */
	/* 0 or -errno, with why unless that is -ENOMEM (-EBADMSG: this report cannot be said in this form). */
	int (*begin)(struct convert *convert);
	int (*add)(struct convert *convert, const struct loaded *loaded);
	int (*end)(struct convert *convert);
	bool is_separate; /* what add writes is the same after any report but the first, and it keeps nothing */
};

extern const struct convert_format convert_json, convert_ndjson, convert_csv, convert_pmgraph, convert_markdown;
/* All of them, ended by NULL. */
extern const struct convert_format *const convert_formats[];

/* One report, added; the first one begins. */
int convert_add(const struct convert_format *format, struct convert *convert, const struct loaded *loaded);
int convert_end(const struct convert_format *format, struct convert *convert);

/* --- convert/sheet.c: rows whose columns come up one after another, kept until all are known --- */

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
	const void *of; /* the format's own */
	struct convert_cell *cells;
	struct convert_row *next;
};

struct convert_sheet { /* zeroed: empty; all of it is in the arena */
	size_t column_count;
	struct convert_column *columns;
	struct convert_row *rows, *last_row;
};

/* A new row, the last; NULL when memory is short. */
struct convert_row *convert_sheet_row(struct convert *convert, struct convert_sheet *sheet, const void *of);
/* The row's text in the column of that name; the first one stays. */
void convert_sheet_cell(struct convert *convert, struct convert_sheet *sheet, struct convert_row *row, const char *name,
	const char *text);
/* Into cells, one a column, the texts of a row ("" = none), or the names of the columns. */
void convert_sheet_fill(const struct convert_sheet *sheet, const struct convert_row *row, const char **cells);

/* --- convert/csv.c: cells of CSV, quoted as RFC 4180 says; rows end with a line feed --- */

/* A text that a spreadsheet would take for a formula (= + - @, tab or return at its begin) gets ' before it, unless it
 * is a number. */
void convert_cell_text(FILE *out, const char *text);
void convert_row(FILE *out, const char *const *cells, size_t count);
#define CONVERT_ROW(out, ...)                                                                                        \
	convert_row((out), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

#endif
