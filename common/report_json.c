/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report as JSON, by the rules of docs/report.md. XML does not say what is a number and what may repeat: the lists of
 * schema/ do (common/field.h). A name has one kind of value everywhere, so that names are enough.
 */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "common/field.h"
#include "common/report_private.h"

/* What a name is somewhere in a report: an element or attribute that is text, an element that may repeat, an element
 * whose record is this. A name may have several rows. */
struct name {
	const char *name;
	bool is_text, is_list;
	const struct field_record *record;
};

#define NAMES 2048 /* the test of the index knows that it is enough */

static struct name names[NAMES]; /* by name */
static size_t name_count;

static int compare_names(const void *a, const void *b)
{
	const struct name *one = a, *other = b;

	return strcmp(one->name, other->name);
}

static void add_name(const char *name, bool is_text, bool is_list, const struct field_record *record)
{
	if (name_count < NAMES)
		names[name_count++] = (struct name){name, is_text, is_list, record};
}

static bool is_indexed(const struct field_record *record)
{
	for (size_t i = 0; i < name_count; i++) {
		if (names[i].record == record)
			return true;
	}
	return false;
}

static void add_record(const char *element, const struct field_record *record, bool is_list)
{
	bool is_known = is_indexed(record);

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

static void make_index(void)
{
	for (const struct field_root *root = field_roots; root->element; root++)
		add_record(root->element, root->record(), false);
	qsort(names, name_count, sizeof(names[0]), compare_names);
}

/* The first row of a name, or the end. Asked for every value of a report. */
static const struct name *find_rows(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t low = 0, high;

	pthread_once(&once, make_index);
	high = name_count;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(names[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return &names[low];
}

static bool is_row_of(const struct name *row, const char *name)
{
	return row < names + name_count && !strcmp(row->name, name);
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

enum report_json_member report_json_member(const char *element, const char *member)
{
	enum report_json_member found = REPORT_JSON_ELEMENT;

	for (const struct name *row = find_rows(element); is_row_of(row, element); row++) {
		bool has_attributes = false;

		for (const struct field *field = row->record ? row->record->fields : NULL; field && field->name; field++) {
			if (field->kind != FIELD_VALUE)
				continue;
			has_attributes |= field->place == FIELD_ATTR;
			if (field->place == FIELD_ATTR && !strcmp(field->name, member))
				return REPORT_JSON_ATTRIBUTE;
			if (field->place == FIELD_BODY && has_attributes && !strcmp(member, "value"))
				found = REPORT_JSON_TEXT;
		}
	}
	return found;
}

static void write_string(FILE *out, const char *text)
{
	const char *from = text;

	putc_unlocked('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c != '"' && c != '\\')
			continue;
		fwrite_unlocked(from, 1, (size_t)(text - from), out);
		if (c < 0x20)
			fprintf(out, "\\u%04x", c);
		else
			fprintf(out, "\\%c", c);
		from = text + 1;
	}
	fwrite_unlocked(from, 1, (size_t)(text - from), out);
	putc_unlocked('"', out);
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
bool report_json_is_number(const char *text)
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

static void write_value(FILE *out, const char *name, const char *text)
{
	bool is_literal = report_json_is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (is_literal && !report_json_is_text(name))
		fputs_unlocked(text, out);
	else
		write_string(out, text);
}

#define ONE_LINE (-1) /* depth of what has no line of its own */

/* Between members: a new line when the object has elements in it, a blank when it has attributes only. */
static void write_gap(FILE *out, int depth)
{
	static const char blanks[] = "                                                                ";
	size_t columns = depth < 0 ? 0 : 2 * (size_t)depth;

	putc_unlocked(depth < 0 ? ' ' : '\n', out);
	for (size_t part; columns > 0; columns -= part) {
		part = columns < sizeof(blanks) - 1 ? columns : sizeof(blanks) - 1;
		fwrite_unlocked(blanks, 1, part, out);
	}
}

static void write_key(FILE *out, bool *is_first, int depth, const char *name)
{
	if (!*is_first)
		putc_unlocked(',', out);
	if (!*is_first || depth >= 0)
		write_gap(out, depth);
	*is_first = false;
	/* Names of XML have nothing to escape. */
	putc_unlocked('"', out);
	fputs_unlocked(name, out);
	fputs_unlocked("\": ", out);
}

/* Elements of one name mostly stand together, so that the first step decides. */
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

static int inner_depth(int depth)
{
	return depth < 0 ? ONE_LINE : depth + 1;
}

static void write_element(FILE *out, const struct report_node *node, int depth);

static void write_list(FILE *out, const struct report_node *first, int depth)
{
	putc_unlocked('[', out);
	for (const struct report_node *node = first; node; node = report_read_next(node)) {
		if (node != first)
			putc_unlocked(',', out);
		if (depth >= 0 || node != first)
			write_gap(out, inner_depth(depth));
		write_element(out, node, inner_depth(depth));
	}
	if (depth >= 0)
		write_gap(out, depth);
	putc_unlocked(']', out);
}

static void write_object(FILE *out, const struct report_node *node, int depth)
{
	const struct report_node *child = node->child, *before = NULL;
	int inner = child ? inner_depth(depth) : ONE_LINE;
	bool is_first = true;

	putc_unlocked('{', out);
	for (size_t i = 0; i < node->attribute_count; i++) {
		write_key(out, &is_first, inner, node->attributes[2 * i]);
		write_value(out, node->attributes[2 * i], node->attributes[2 * i + 1]);
	}
	if (!child && (node->whole[0] || report_json_is_text(node->name))) {
		write_key(out, &is_first, inner, "value");
		write_value(out, node->name, node->whole);
	}
	for (; child; before = child, child = child->next) {
		if (has_same_before(child, before))
			continue;
		write_key(out, &is_first, inner, child->name);
		if (report_json_is_list(child->name) || report_read_next(child))
			write_list(out, child, inner);
		else
			write_element(out, child, inner);
	}
	if (inner >= 0)
		write_gap(out, depth);
	putc_unlocked('}', out);
}

static void write_element(FILE *out, const struct report_node *node, int depth)
{
	if (node->child || node->attribute_count || (!node->whole[0] && !report_json_is_text(node->name)))
		write_object(out, node, depth);
	else
		write_value(out, node->name, node->whole);
}

void report_json_print(FILE *out, const struct report_node *root, bool is_one_line)
{
	int depth = is_one_line ? ONE_LINE : 1;
	bool is_first = true;

	putc_unlocked('{', out);
	write_key(out, &is_first, depth, root->name);
	write_element(out, root, depth);
	fputs_unlocked(is_one_line ? "}" : "\n}", out);
}

static int to_json(const char *text, size_t size, char **json, size_t *length)
{
	struct report_document *document;
	char why[256];
	int error = report_read_memory(text, size, &document, why, sizeof(why));
	FILE *out = error ? NULL : open_memstream(json, length);

	if (out) {
		report_json_print(out, report_read_root(document), false);
		putc_unlocked('\n', out);
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
