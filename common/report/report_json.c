/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/report_json.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/json.h"
#include "common/base/units.h"
#include "common/report/field.h"
#include "common/report/report_read.h"

/* A use of a name in reports: an element or attribute that is text, an element that may repeat, an element with this record. A
 * name may have several rows. */
struct name {
	const char *name;
	bool is_text, is_list;
	const struct field_record *record;
};

#define NAMES 2048 /* a test checks that it suffices */

static struct name name_rows[NAMES]; /* sorted by name */
static size_t name_count;
static uint16_t name_slots[2 * NAMES]; /* by hash: 1 + the first row of a name, 0 = none */

static int compare_names(const void *a, const void *b)
{
	const struct name *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void add_name(const char *name, bool is_text, bool is_list, const struct field_record *record)
{
	if (name_count < NAMES)
		name_rows[name_count++] = (struct name){name, is_text, is_list, record};
}

static void add_record(const char *element, const struct field_record *record, bool is_list)
{
	bool is_known = false;

	for (size_t i = 0; i < name_count && !is_known; i++)
		is_known = name_rows[i].record == record;
	add_name(element, false, is_list, record);
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_VALUE && field->place == FIELD_BODY)
			add_name(element, field_is_text(field), false, NULL);
		else if (field->kind == FIELD_VALUE && !is_known)
			add_name(field->name, field_is_text(field), false, NULL);
		else if (field->kind == FIELD_RECORD && !is_known)
			add_record(field->name, field->record(), field->most != 1);
	}
}

static uint16_t *find_slot(const char *name)
{
	uint32_t at = 2166136261u; /* FNV-1a */

	for (const char *letter = name; *letter; letter++)
		at = (at ^ (unsigned char)*letter) * 16777619u;
	for (;; at++) {
		uint16_t *slot = &name_slots[at % (2 * NAMES)];

		if (!*slot || !strcmp(name_rows[*slot - 1].name, name))
			return slot;
	}
}

static void make_index(void)
{
	for (const struct field_root *root = field_roots; root->element; root++)
		add_record(root->element, root->record(), false);
	qsort(name_rows, name_count, sizeof(name_rows[0]), compare_names);
	for (size_t i = 0; i < name_count; i++) {
		uint16_t *slot = find_slot(name_rows[i].name);

		if (!*slot)
			*slot = (uint16_t)(i + 1);
	}
}

/* Returns the first row of a name, or the end. Called for every value of a report. */
static const struct name *find_rows(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint16_t slot;

	pthread_once(&once, make_index);
	slot = *find_slot(name);
	return slot ? &name_rows[slot - 1] : &name_rows[name_count];
}

static bool is_row_of(const struct name *row, const char *name)
{
	return row < name_rows + name_count && !strcmp(row->name, name);
}

bool report_json_is_text(const char *name)
{
	for (const struct name *row = find_rows(name); is_row_of(row, name); row++) {
		if (row->is_text)
			return true;
	}
	return false;
}

bool report_json_is_list(const char *name)
{
	for (const struct name *row = find_rows(name); is_row_of(row, name); row++) {
		if (row->is_list)
			return true;
	}
	return false;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t whole;

	text += *text == '-';
	whole = strspn(text, digits);
	if (whole == 0 || (whole > 1 && *text == '0'))
		return false;
	text += whole;
	if (*text == '.') {
		size_t fraction = strspn(++text, digits);

		if (fraction == 0)
			return false;
		text += fraction;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '+' || *text == '-';
		return strspn(text, digits) > 0 && text[strspn(text, digits)] == '\0';
	}
	return *text == '\0';
}

static void write_value(struct json *json, const char *key, const char *name, const char *text)
{
	bool is_literal = is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (is_literal && !report_json_is_text(name))
		json_literal(json, key, text);
	else
		json_text(json, key, text);
}

/* Elements of one name mostly follow each other, so the first test usually decides. */
static bool has_same_before(const struct report_node *node, const struct report_node *before)
{
	if (before && before->name == node->name)
		return true;
	for (const struct report_node *other = node->parent->child; other != node; other = other->next) {
		if (strcmp(other->name, node->name) == 0)
			return true;
	}
	return false;
}

static void write_element(struct json *json, const char *key, const struct report_node *node);

/* Writes an object, on one line when it has attributes only. */
static void write_object(struct json *json, const char *key, const struct report_node *node)
{
	const struct report_node *child = node->child, *before = NULL;

	if (child)
		json_begin(json, key, '{');
	else
		json_begin_flat(json, key, '{');
	for (size_t i = 0; i < node->attribute_count; i++)
		write_value(json, node->attributes[2 * i], node->attributes[2 * i], node->attributes[2 * i + 1]);
	if (!child && (node->whole[0] || report_json_is_text(node->name)))
		write_value(json, "value", node->name, node->whole);
	for (; child; before = child, child = child->next) {
		if (has_same_before(child, before))
			continue;
		if (!report_json_is_list(child->name) && !report_read_next(child)) {
			write_element(json, child->name, child);
			continue;
		}
		json_begin(json, child->name, '[');
		for (const struct report_node *same = child; same; same = report_read_next(same))
			write_element(json, NULL, same);
		json_end(json, ']');
	}
	json_end(json, '}');
}

static void write_element(struct json *json, const char *key, const struct report_node *node)
{
	if (node->child || node->attribute_count || (!node->whole[0] && !report_json_is_text(node->name)))
		write_object(json, key, node);
	else
		write_value(json, key, node->name, node->whole);
}

static int to_json(const char *text, size_t size, char **json, size_t *length)
{
	struct report_document *document;
	char why[256];
	int error = report_read_memory(text, size, &document, why, sizeof(why));
	FILE *out = error ? NULL : open_memstream(json, length);

	if (out) {
		struct json writer = {.out = out, .indent = "  "};
		const struct report_node *root = report_read_root(document);

		json_begin(&writer, NULL, '{');
		write_element(&writer, root->name, root);
		json_end(&writer, '}');
		error = ferror(out) ? -ENOMEM : 0;
		if (fclose(out) != 0)
			error = -ENOMEM;
	} else if (!error) {
		error = -ENOMEM;
	}
	if (!error || out)
		report_read_free(document);
	return error;
}

int report_write_json(struct report *report, const char *path)
{
	const char *text;
	char *json = NULL;
	size_t size, length;
	int error = report_document(report, &text, &size);

	if (!error)
		error = to_json(text, size, &json, &length);
	if (!error)
		error = report_file_write(path, json, length);
	free(json);
	return error;
}
