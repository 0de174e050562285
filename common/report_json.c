/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The document of a report as JSON, by the rules of docs/report.md. XML does not say what is a number and
 * what may repeat: the two tables here do, and a test compares them with the schema.
 */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include "common/report_private.h"

/* Elements and attributes that are text whatever they look like. Sorted. */
static const char *const text_names[] = {"access", "advice", "algorithm", "arch", "argument", "backing",
	"boot_id", "cgroup_dir", "class", "clocksource", "code", "compiler", "compiler_flags", "cpus",
	"difference", "distrust", "fact", "file", "finding", "hostname", "hypervisor", "id", "kind", "label",
	"layout", "measured", "merged_by", "method", "modelname", "name", "not_available", "omission",
	"option", "os_name", "os_version", "path", "pattern", "reason", "release", "report_version", "seed",
	"setting", "status", "swap_type", "tool", "tool_version", "tsops", "type", "unit", "unlisted", "uuid",
	"vendor", "version_number", "version_options", "version_xmloutput", "wall_start", "when"};

/* Elements that may stand more than once in one place: always arrays. Sorted. */
static const char *const list_names[] = {"argument", "bucket", "cache", "calibration", "check", "counter",
	"difference", "fact", "fault_parts", "hex", "histo_bucket", "histogram", "interval", "label",
	"latency_histogram", "numa_node", "omission", "option", "part", "phase", "reason", "result_thread",
	"set_bytes", "setting", "swap_area", "sys_mem_item", "tlb_item"};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, *(const char *const *)b);
}

bool report_json_is_text(const char *name)
{
	return bsearch(name, text_names, sizeof(text_names) / sizeof(text_names[0]), sizeof(text_names[0]),
		compare_names);
}

bool report_json_is_list(const char *name)
{
	return bsearch(name, list_names, sizeof(list_names) / sizeof(list_names[0]), sizeof(list_names[0]),
		compare_names);
}

static void write_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
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

static void write_value(FILE *out, const char *name, const char *text)
{
	bool is_literal = is_number(text) || strcmp(text, "true") == 0 || strcmp(text, "false") == 0;

	if (is_literal && !report_json_is_text(name))
		fputs(text, out);
	else
		write_string(out, text);
}

/* Between members: a new line when the object has elements in it, a blank when it has attributes only. */
static void write_gap(FILE *out, int depth)
{
	if (depth < 0)
		fputc(' ', out);
	else
		fprintf(out, "\n%*s", 2 * depth, "");
}

static void write_key(FILE *out, bool *is_first, int depth, const char *name)
{
	if (!*is_first)
		fputc(',', out);
	if (!*is_first || depth >= 0)
		write_gap(out, depth);
	*is_first = false;
	write_string(out, name);
	fputs(": ", out);
}

static const char *name_of(const xmlNode *node)
{
	return (const char *)node->name;
}

static xmlNode *same_after(xmlNode *node)
{
	xmlNode *next = xmlNextElementSibling(node);

	while (next && !xmlStrEqual(next->name, node->name))
		next = xmlNextElementSibling(next);
	return next;
}

/* Elements of one name mostly stand together, so that the first step decides. */
static bool has_same_before(xmlNode *node)
{
	xmlNode *before = xmlPreviousElementSibling(node);

	while (before && !xmlStrEqual(before->name, node->name))
		before = xmlPreviousElementSibling(before);
	return before;
}

static void write_element(FILE *out, xmlNode *node, int depth);

static void write_list(FILE *out, xmlNode *first, int depth)
{
	fputc('[', out);
	for (xmlNode *node = first; node; node = same_after(node)) {
		if (node != first)
			fputc(',', out);
		write_gap(out, depth + 1);
		write_element(out, node, depth + 1);
	}
	write_gap(out, depth);
	fputc(']', out);
}

static void write_attributes(FILE *out, const xmlNode *node, bool *is_first, int depth)
{
	for (xmlAttr *attribute = node->properties; attribute; attribute = attribute->next) {
		char *value = (char *)xmlNodeListGetString(node->doc, attribute->children, 1);

		write_key(out, is_first, depth, (const char *)attribute->name);
		write_value(out, (const char *)attribute->name, value ? value : "");
		xmlFree(value);
	}
}

static void write_object(FILE *out, xmlNode *node, int depth, const char *text)
{
	xmlNode *child = xmlFirstElementChild(node);
	int inner = child ? depth + 1 : -1;
	bool is_first = true;

	fputc('{', out);
	write_attributes(out, node, &is_first, inner);
	if (!child && (text[0] || report_json_is_text(name_of(node)))) {
		write_key(out, &is_first, inner, "value");
		write_value(out, name_of(node), text);
	}
	for (; child; child = xmlNextElementSibling(child)) {
		if (has_same_before(child))
			continue;
		write_key(out, &is_first, inner, name_of(child));
		if (report_json_is_list(name_of(child)) || same_after(child))
			write_list(out, child, inner);
		else
			write_element(out, child, inner);
	}
	if (inner >= 0)
		write_gap(out, depth);
	fputc('}', out);
}

static void write_element(FILE *out, xmlNode *node, int depth)
{
	bool has_elements = xmlFirstElementChild(node);
	char *text = has_elements ? NULL : (char *)xmlNodeGetContent(node);
	const char *content = text ? text : "";

	if (has_elements || node->properties || (!content[0] && !report_json_is_text(name_of(node))))
		write_object(out, node, depth, content);
	else
		write_value(out, name_of(node), content);
	xmlFree(text);
}

/* Our own document: NOBLANKS takes out the indentation, HUGE the limits for what others wrote. */
static int to_json(const char *text, size_t size, char **json, size_t *length)
{
	xmlDoc *document = xmlReadMemory(
		text, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_NOBLANKS | XML_PARSE_HUGE);
	FILE *out = document ? open_memstream(json, length) : NULL;
	bool has_failed = true;

	if (out) {
		xmlNode *root = xmlDocGetRootElement(document);
		bool is_first = true;

		fputc('{', out);
		write_key(out, &is_first, 1, name_of(root));
		write_element(out, root, 1);
		fputs("\n}\n", out);
		has_failed = ferror(out);
		has_failed |= fclose(out) != 0;
	}
	xmlFreeDoc(document);
	return has_failed ? -ENOMEM : 0;
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
