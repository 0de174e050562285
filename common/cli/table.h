/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of records, printed by libsmartcols as text, and as JSON from the same columns. The columns are an array that ends
 * with a zeroed one: name, where it appears, and how to get a cell.
 */
#ifndef COMMON_CLI_TABLE_H
#define COMMON_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/json.h"

#define TABLE_COLUMNS 40
#define TABLE_TEXT 512

/* The value of a cell, for programs; also shown to people when the column has no `show`. */
struct table_cell {
	const char *text;         /* TABLE_STRING, TABLE_CHARS */
	double number;            /* TABLE_NUMBER */
	uint64_t whole;           /* TABLE_WHOLE, TABLE_SIZE */
	bool truth;               /* TABLE_TRUTH */
	const char *const *words; /* TABLE_WORDS; a NULL ends them */
	bool is_absent;           /* JSON has no such member */
};

/* The type at the column's offset in the row, unless the column has a `get`. */
enum table_type {
	TABLE_STRING, /* const char *, or NULL = absent */
	TABLE_CHARS,  /* char[] */
	TABLE_NUMBER, /* double */
	TABLE_WHOLE,  /* uint64_t */
	TABLE_SIZE,   /* uint64_t of bytes, for people "16 KiB" */
	TABLE_TRUTH,  /* bool */
	TABLE_WORDS,  /* const char *[]; a NULL ends them */
};

enum table_flags {
	TABLE_SHOWN = 1,   /* in text unless other columns are chosen */
	TABLE_JSON = 2,
	TABLE_RIGHT = 4,   /* numbers end at the same place */
	TABLE_WRAP = 8,    /* takes the rest of the width and wraps at words; one column */
	TABLE_OMIT = 16,   /* an empty text and 0 are absent; text output shows "-" instead of 0 */
	TABLE_SPARE = 32,  /* hidden when it is "-" or empty in all rows */
};

struct table_column {
	const char *name; /* of -o and JSON; lower case, no blanks */
	enum table_type type;
	unsigned flags;
	size_t offset;
	void (*get)(const void *row, struct table_cell *cell);
	/* Writes the text for people; NULL = the text of get. A newline begins another line of the table, whose leading blanks
	 * are kept. */
	void (*show)(const void *row, char *text, size_t length);
	const char *heading; /* NULL = the name */
};

struct table { /* {.columns = columns}, then table_add and table_choose; to be freed */
	const struct table_column *columns;
	const char *headings[TABLE_COLUMNS];  /* of this table, by index of the column; NULL = the column's */
	size_t chosen[TABLE_COLUMNS];         /* by table_choose; otherwise those that are shown */
	size_t chosen_count;
	bool has_no_headings;
	size_t width;                         /* columns of the terminal; 0 = table_width() */
	size_t indent;                        /* blanks before each line */
	size_t coloured;                      /* index of the column that has the colours of rows */
	struct table_row {
		const void *row;
		const char *colour; /* "\033[31m"; "" or NULL = none */
	} *rows;
	size_t count, capacity;
};

/* Adds a row, which must outlive the table. Returns 0 or -ENOMEM. */
int table_add(struct table *table, const void *row, const char *colour);
void table_free(struct table *table);

/* Selects columns by a list like "code,status" from -o. Returns 0, or -EINVAL and in why the error and the allowed names. */
int table_choose(struct table *table, const char *names, char *why, size_t length);

/* Returns the width of the terminal on standard output, otherwise 80. */
size_t table_width(void);
/* Tells whether standard output is a terminal that shows colours and NO_COLOR (https://no-color.org) is not set. */
bool table_is_coloured(void);

/* table_print prints all rows; table_print_part those from first to before end, of a table printed in parts of equal widths.
 * Return 0 or -ENOMEM. */
int table_print(const struct table *table, FILE *out);
int table_print_part(const struct table *table, size_t first, size_t end, bool has_headings, FILE *out);
/* Writes the rows as an array of objects. */
void table_print_json(const struct table *table, const char *name, struct json *json);

/* The options of a command that prints a list. */
struct table_output {
	const char *columns; /* NULL = those that are shown */
	bool has_no_headings, is_json;
};
/* Rows of struct opt (common/cli/opt.h) for a struct table_output, with the columns in words for the manual. */
#define TABLE_OPTIONS(names)                                                                            \
	{"columns", 'o', "COLUMN,...", OPT_STRING, .offset = offsetof(struct table_output, columns),    \
		.help = "print these columns only", .manual = "Print these columns only: " names "."},  \
	{"noheadings", 0, NULL, OPT_FLAG, .offset = offsetof(struct table_output, has_no_headings),     \
		.help = "print no column headings"},                                                    \
	{"json", 0, NULL, OPT_FLAG, .offset = offsetof(struct table_output, is_json),                   \
		.help = "print JSON instead of text"}
/* Checks the requested columns before a command does its work. Returns a diag_exit code, after one line when it
 * is not 0. */
int table_check(const struct table_column *columns, const struct table_output *output);
/* Prints to standard output. Returns a diag_exit code, after one line when it is not 0. */
int table_show(struct table *table, const struct table_output *output);

#endif
