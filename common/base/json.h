/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A writer of JSON that adds commas and indentation. name is NULL in an array. */
#ifndef COMMON_BASE_JSON_H
#define COMMON_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json { /* {.out = out} */
	FILE *out;
	const char *indent; /* of each level; NULL = a tab */
	unsigned depth;
	unsigned flat_from; /* brackets from this depth on have no lines of their own; 0 = all have */
	bool has_member;    /* in the innermost bracket */
};

void json_begin(struct json *json, const char *name, char bracket); /* '{' or '[' */
void json_begin_flat(struct json *json, const char *name, char bracket); /* all of it on one line */
void json_end(struct json *json, char bracket);                     /* '}' or ']'; of the outermost one ends the line */
/* Writes a string; bytes that are not UTF-8, as in paths, become "?". */
void json_text(struct json *json, const char *name, const char *value);
/* Writes value unquoted: a number, true, false. */
void json_literal(struct json *json, const char *name, const char *value);
/* Writes the shortest text that reads back to the same value; null for NaN and infinities. */
void json_number(struct json *json, const char *name, double value);
void json_whole(struct json *json, const char *name, uint64_t value);
void json_truth(struct json *json, const char *name, bool value);
/* Writes an array on one line; a NULL ends words. */
void json_words(struct json *json, const char *name, const char *const *words);

#endif
