/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report as JSON, by the rules of docs/report.md. XML does not say what is a number and what may repeat: the lists of
 * schema/ do (common/field.h). A name has one kind of value everywhere, so that names are enough.
 */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <float.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/field.h"
#include "common/report_private.h"
#include "common/report_read.h"
#include "common/units.h"

/* What a name is somewhere in a report: an element or attribute that is text, an element that may repeat, an element
 * whose record is this. A name may have several rows. */
struct name {
	const char *name;
	bool is_text, is_list;
	const struct field_record *record;
};

#define NAMES 2048 /* the test of the index knows that it is enough */

static struct name name_rows[NAMES]; /* by name */
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

static bool is_indexed(const struct field_record *record)
{
	for (size_t i = 0; i < name_count; i++) {
		if (name_rows[i].record == record)
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

/* Where the name's first row is or would be. */
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

/* The first row of a name, or the end. Asked for every value of a report. */
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

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool report_json_is_number(const char *text)
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
	bool is_literal = report_json_is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (is_literal && !report_json_is_text(name))
		json_literal(json, key, text);
	else
		json_text(json, key, text);
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

static void write_element(struct json *json, const char *key, const struct report_node *node);

/* On a line of its own when it has attributes only. */
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

void report_json_print(struct json *json, const struct report_node *root, bool is_one_line)
{
	if (is_one_line)
		json_begin_flat(json, NULL, '{');
	else
		json_begin(json, NULL, '{');
	write_element(json, root->name, root);
	json_end(json, '}');
}

static int to_json(const char *text, size_t size, char **json, size_t *length)
{
	struct report_document *document;
	char why[256];
	int error = report_read_memory(text, size, &document, why, sizeof(why));
	FILE *out = error ? NULL : open_memstream(json, length);

	if (out) {
		report_json_print(&(struct json){.out = out, .indent = REPORT_JSON_INDENT}, report_read_root(document), false);
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

/*
 * JSON reports become XML before they are read: one reader, one schema, one set of limits. The text is translated as it
 * stands, so that numbers keep all digits and findings name the line of the JSON file; a library's tree has neither.
 */

#define DEPTH_MAX 64
#define NAME_MAX_BYTES 128

struct reader {
	const char *at, *end;
	FILE *out;
	unsigned line;
	unsigned lines_due; /* read, but not yet in the XML, where text must not get them */
	int depth;
	const char *why; /* the first reason */
};

static int refuse(struct reader *reader, const char *why)
{
	if (!reader->why)
		reader->why = why;
	return -EBADMSG;
}

static char skip_blanks(struct reader *reader)
{
	for (; reader->at < reader->end && strchr(" \t\r\n", *reader->at) && *reader->at; reader->at++) {
		if (*reader->at == '\n') {
			reader->line++;
			reader->lines_due++;
		}
	}
	return reader->at < reader->end ? *reader->at : '\0';
}

static void write_lines(struct reader *reader)
{
	for (; reader->lines_due; reader->lines_due--)
		putc_unlocked('\n', reader->out);
}

static int expect(struct reader *reader, char wanted, const char *why)
{
	if (skip_blanks(reader) != wanted)
		return refuse(reader, reader->at == reader->end ? "the file ends too early" : why);
	reader->at++;
	return 0;
}

static int read_hex(struct reader *reader, unsigned *value)
{
	*value = 0;
	if (reader->end - reader->at < 4)
		return refuse(reader, "the file ends too early");
	for (int i = 0; i < 4; i++) {
		const char digits[] = "0123456789abcdef", c = *reader->at++;
		const char *digit = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

		if (!digit)
			return refuse(reader, "\\u needs four hexadecimal digits");
		*value = *value << 4 | (unsigned)(digit - digits);
	}
	return 0;
}

/* A character of a string as XML; what XML cannot hold is refused. */
static int write_character(struct reader *reader, unsigned c)
{
	if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xfffe || c == 0xffff)
		return refuse(reader, "a control character that no report has");
	if (c < 0x80 && strchr("<>&\"\t\n\r", (int)c)) {
		fprintf(reader->out, "&#%u;", c);
	} else if (c < 0x80) {
		putc_unlocked((int)c, reader->out);
	} else if (c < 0x800) {
		fprintf(reader->out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		fprintf(reader->out, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
	} else {
		fprintf(reader->out, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
			0x80 | (c & 0x3f));
	}
	return 0;
}

static int read_escape(struct reader *reader)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = reader->at < reader->end && *reader->at ? strchr(letters, *reader->at) : NULL;
	unsigned c, low;

	if (letter) {
		reader->at++;
		return write_character(reader, (unsigned char)meant[letter - letters]);
	}
	if (reader->at == reader->end || *reader->at++ != 'u')
		return refuse(reader, "an unknown escape in a string");
	if (read_hex(reader, &c))
		return -EBADMSG;
	if (c >= 0xd800 && c < 0xdc00) {
		if (reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2))
			return refuse(reader, "half a surrogate pair in a string");
		reader->at += 2;
		if (read_hex(reader, &low))
			return -EBADMSG;
		if (low < 0xdc00 || low > 0xdfff)
			return refuse(reader, "half a surrogate pair in a string");
		c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
	} else if (c >= 0xdc00 && c < 0xe000) {
		return refuse(reader, "half a surrogate pair in a string");
	}
	return write_character(reader, c);
}

/* From the opening quote, as content of XML. Bytes beyond ASCII go on as they are: the XML reader checks them. */
static int read_string(struct reader *reader)
{
	for (reader->at++; reader->at < reader->end; ) {
		unsigned char c = (unsigned char)*reader->at++;
		int error = 0;

		if (c == '"')
			return 0;
		if (c == '\\')
			error = read_escape(reader);
		else if (c < 0x20)
			error = refuse(reader, "a control character in a string");
		else if (c < 0x80)
			error = write_character(reader, c);
		else
			putc_unlocked(c, reader->out);
		if (error)
			return error;
	}
	return refuse(reader, "the file ends too early");
}

static int write_literal(struct reader *reader)
{
	size_t length = 0, left = (size_t)(reader->end - reader->at);
	char text[64];

	while (length < left && !strchr(",]} \t\r\n", reader->at[length]))
		length++;
	if (length >= sizeof(text))
		return refuse(reader, "a value that is neither a string nor a number");
	memcpy(text, reader->at, length);
	text[length] = '\0';
	if (strcmp(text, "true") && strcmp(text, "false") && !report_json_is_number(text))
		return refuse(reader, "a value that no report has (allowed are strings, numbers, true, false, objects, arrays)");
	fputs_unlocked(text, reader->out);
	reader->at += length;
	return 0;
}

static int write_scalar(struct reader *reader)
{
	return *reader->at == '"' ? read_string(reader) : write_literal(reader);
}

/* A member's name is one of XML: it stands in tags as it is. */
static int read_name(struct reader *reader, char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-:";
	size_t length = 0;

	if (expect(reader, '"', "a name in quotes is due"))
		return -EBADMSG;
	while (reader->at < reader->end && *reader->at != '"') {
		if (!*reader->at || !strchr(letters, *reader->at) || length == NAME_MAX_BYTES - 1)
			return refuse(reader, "a name that no element of a report has");
		name[length++] = *reader->at++;
	}
	if (!length || strchr("0123456789.-:", name[0]))
		return refuse(reader, "a name that no element of a report has");
	name[length] = '\0';
	if (expect(reader, '"', "a name in quotes is due") || expect(reader, ':', "a colon is due after a name"))
		return -EBADMSG;
	skip_blanks(reader);
	return 0;
}

static int read_element(struct reader *reader, const char *name);

/* The members of an element's object, attributes first; its start tag is open and is closed here. */
static int write_members(struct reader *reader, const char *element)
{
	bool is_open = true, has_text = false;

	reader->at++;
	if (skip_blanks(reader) == '}') {
		reader->at++;
		putc_unlocked('>', reader->out);
		return 0;
	}
	for (;;) {
		enum report_json_member member;
		char name[NAME_MAX_BYTES];

		if (read_name(reader, name))
			return -EBADMSG;
		member = reader->at < reader->end && *reader->at != '{' && *reader->at != '[' ?
			report_json_member(element, name) : REPORT_JSON_ELEMENT;
		if (member == REPORT_JSON_ATTRIBUTE) {
			if (!is_open)
				return refuse(reader, "an attribute after elements (attributes come first)");
			write_lines(reader);
			fprintf(reader->out, " %s=\"", name);
			if (write_scalar(reader))
				return -EBADMSG;
			putc_unlocked('"', reader->out);
		} else {
			if (is_open)
				putc_unlocked('>', reader->out);
			is_open = false;
			if (has_text)
				return refuse(reader, "elements mixed with text");
			has_text = member == REPORT_JSON_TEXT;
			if (has_text ? write_scalar(reader) : read_element(reader, name))
				return -EBADMSG;
		}
		if (skip_blanks(reader) == '}')
			break;
		if (expect(reader, ',', "a comma or } is due"))
			return -EBADMSG;
	}
	reader->at++;
	if (is_open)
		putc_unlocked('>', reader->out);
	return 0;
}

static int read_list(struct reader *reader, const char *name)
{
	reader->at++;
	if (skip_blanks(reader) == ']')
		return refuse(reader, "an array without members (a report leaves the name out)");
	for (;;) {
		if (skip_blanks(reader) == '[')
			return refuse(reader, "an array in an array");
		if (read_element(reader, name))
			return -EBADMSG;
		if (skip_blanks(reader) == ']')
			break;
		if (expect(reader, ',', "a comma or ] is due"))
			return -EBADMSG;
	}
	reader->at++;
	return 0;
}

/* From the value of the member of this name. */
static int read_element(struct reader *reader, const char *name)
{
	int error;

	if (reader->at == reader->end)
		return refuse(reader, "the file ends too early");
	if (*reader->at == '[')
		return read_list(reader, name);
	if (++reader->depth > DEPTH_MAX)
		return refuse(reader, "objects are nested more than 64 deep");
	/* The name of an array stands once in JSON, and twice with each member in XML. */
	if (ftello(reader->out) > (off_t)REPORT_READ_MAX)
		return refuse(reader, "larger than 64 MiB as XML");
	write_lines(reader);
	fprintf(reader->out, "<%s", name);
	if (*reader->at == '{') {
		error = write_members(reader, name);
	} else {
		putc_unlocked('>', reader->out);
		error = write_scalar(reader);
	}
	fprintf(reader->out, "</%s>", name);
	reader->depth--;
	return error;
}

int report_json_read(const char *json, size_t size, char **xml, size_t *xml_size, unsigned *line, char *why, size_t length)
{
	struct reader reader = {.at = json, .end = json + size, .line = 1};
	char name[NAME_MAX_BYTES];
	int error;

	*xml = NULL;
	reader.out = open_memstream(xml, xml_size);
	if (!reader.out)
		return -ENOMEM;
	if (size >= 3 && !memcmp(json, "\xef\xbb\xbf", 3))
		reader.at += 3;
	error = expect(&reader, '{', "a report is one object");
	if (!error)
		error = read_name(&reader, name);
	if (!error && reader.at < reader.end && *reader.at == '[')
		error = refuse(&reader, "a report is one object");
	if (!error)
		error = read_element(&reader, name);
	if (!error)
		error = expect(&reader, '}', "a file holds one report");
	if (!error && skip_blanks(&reader))
		error = refuse(&reader, "a file holds one report");
	if (ferror(reader.out))
		error = -ENOMEM;
	if (fclose(reader.out))
		error = -ENOMEM;
	*line = reader.line;
	if (error) {
		free(*xml);
		*xml = NULL;
		snprintf(why, length, "%s", reader.why ? reader.why : strerror(-error));
	}
	return error;
}

/* --- json check --- */

#define NAMES_MAX 256 /* different children of one element: ten times what there is */

struct checking {
	bool is_newer;
	const struct report_node *where;
	char *why;
	size_t length;
};

static int __attribute__((format(printf, 3, 4)))
refuse_node(struct checking *checking, const struct report_node *node, const char *format, ...)
{
	va_list arguments;

	checking->where = node;
	va_start(arguments, format);
	vsnprintf(checking->why, checking->length, format, arguments);
	va_end(arguments);
	if (checking->length)
		diag_clean(checking->why, strlen(checking->why), "");
	return -EBADMSG;
}

/* What the schema has as a number fits 64 bits or a double. */
static bool is_value(const char *text)
{
	bool is_whole = text[strspn(text, "-0123456789")] == '\0';
	uint64_t count;
	int64_t integer;
	double number;

	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return true;
	if (!report_json_is_number(text))
		return false;
	if (is_whole)
		return !units_parse_u64(text, 0, UINT64_MAX, &count) ||
		       !units_parse_i64(text, INT64_MIN, INT64_MAX, &integer);
	return !units_parse_double(text, -DBL_MAX, DBL_MAX, &number);
}

/* Names of the children, each once; what more are is refused. */
static int list_names(struct checking *checking, const struct report_node *node, const char **names, size_t *count)
{
	for (const struct report_node *child = node->child; child; child = child->next) {
		size_t i = *count;

		while (i > 0 && names[i - 1] != child->name && strcmp(names[i - 1], child->name) != 0)
			i--;
		if (i > 0)
			continue;
		if (*count == NAMES_MAX)
			return refuse_node(checking, child, "more than %d different elements in one <%.40s>", NAMES_MAX,
				node->name);
		names[(*count)++] = child->name;
	}
	return 0;
}

static int check_attribute(
	struct checking *checking, const struct report_node *node, const char *name, const char *value)
{
	/* Most are numbers, which need no look into the table. */
	if (!checking->is_newer && !is_value(value) && !report_json_is_text(name))
		return refuse_node(checking, node, "%.40s=\"%.40s\" of <%.40s>: allowed are numbers, true and false", name,
			value, node->name);
	if (!node->child && node->whole[0] && strcmp(name, "value") == 0)
		return refuse_node(checking, node, "<%.40s> has both a text and an attribute value", node->name);
	return 0;
}

static int check_names(struct checking *checking, const struct report_node *node)
{
	const char *names[NAMES_MAX];
	size_t count = 0;
	int error = list_names(checking, node, names, &count);

	for (size_t i = 0; i < node->attribute_count && !error; i++) {
		const char *name = node->attributes[2 * i];

		error = check_attribute(checking, node, name, node->attributes[2 * i + 1]);
		for (size_t j = 0; j < count && !error; j++) {
			if (strcmp(name, names[j]) == 0)
				error = refuse_node(checking, node, "%.40s is both an attribute of <%.40s> and an element in it",
					name, node->name);
		}
	}
	return error;
}

/* The tree is at most 64 deep. */
static int check_node(struct checking *checking, const struct report_node *node)
{
	int error = check_names(checking, node);

	if (error)
		return error;
	if (node->child && node->text[0])
		return refuse_node(checking, node, "<%.40s> has text between its elements: '%.40s'", node->name, node->text);
	if (!node->child && !checking->is_newer && node->whole[0] && !is_value(node->whole) &&
		!report_json_is_text(node->name))
		return refuse_node(checking, node, "<%.40s> is '%.40s': allowed are numbers, true and false", node->name,
			node->whole);
	for (const struct report_node *child = node->child; child && !error; child = child->next)
		error = check_node(checking, child);
	return error;
}

int report_json_check(const struct report_node *root, bool is_newer, const struct report_node **where, char *why,
	size_t length)
{
	struct checking checking = {is_newer, NULL, why, length};
	int error = check_node(&checking, root);

	if (error)
		*where = checking.where;
	return error;
}
