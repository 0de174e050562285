/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/xmlreader.h>
#include "common/arena.h"

#define READ_DEPTH_MAX 64
#define READ_NODES_MAX 4000000u
#define READ_TAG_MAX (64u << 10)
#define READ_ATTRIBUTES_MAX 64

struct report_document {
	struct arena arena;
	size_t nodes;
	struct report_node *root;
};

struct parse {
	xmlTextReaderPtr reader;
	struct report_document *document;
	struct report_node *open[READ_DEPTH_MAX]; /* begun, not ended */
	struct report_node *last[READ_DEPTH_MAX]; /* the newest child of each */
	size_t text_start[READ_DEPTH_MAX];        /* in text, of each */
	int depth;
	char *text; /* character data of the open elements, the innermost last */
	size_t text_used, text_size;
	unsigned line;    /* of the first reason, 0 = none */
	char reason[256]; /* "" = none yet */
};

/* One line, whatever libxml2 has in its message; the first reason stays. */
static int __attribute__((format(printf, 3, 4)))
refuse(struct parse *parse, unsigned line, const char *format, ...)
{
	va_list arguments;

	if (parse->reason[0])
		return -EBADMSG;
	parse->line = line;
	va_start(arguments, format);
	vsnprintf(parse->reason, sizeof(parse->reason), format, arguments);
	va_end(arguments);
	parse->reason[strcspn(parse->reason, "\r\n")] = '\0';
	return -EBADMSG;
}

static void on_error(
	void *data, const char *message, xmlParserSeverities severity, xmlTextReaderLocatorPtr locator)
{
	struct parse *parse = data;
	int line = xmlTextReaderGetParserLineNumber(parse->reader);

	/* The locator knows the line of the open element only. */
	(void)severity, (void)locator;
	refuse(parse, line > 0 ? (unsigned)line : 0, "not well-formed XML: %s", message);
}

static unsigned line_of(struct parse *parse)
{
	xmlNodePtr node = xmlTextReaderCurrentNode(parse->reader);
	long line = node ? xmlGetLineNo(node) : 0;

	return line > 0 ? (unsigned)line : 0;
}

/* Of the reader's own tree, which is several times as fast as moving the reader from attribute to attribute. */
static const char *read_value(struct parse *parse, const xmlAttr *attribute)
{
	const xmlNode *text = attribute->children;
	const char *kept;
	char *joined;

	if (!text)
		return "";
	if (!text->next && text->type == XML_TEXT_NODE)
		return arena_text(&parse->document->arena, (const char *)text->content, strlen((const char *)text->content));
	joined = (char *)xmlNodeListGetString(attribute->doc, attribute->children, 1);
	kept = joined ? arena_text(&parse->document->arena, joined, strlen(joined)) : NULL;
	xmlFree(joined);
	return kept;
}

static int read_attributes(struct parse *parse, struct report_node *node, const xmlNode *element)
{
	const struct report_node *before = parse->depth ? parse->last[parse->depth - 1] : NULL;
	const char **list;
	size_t count = 0;

	for (const xmlAttr *attribute = element->properties; attribute; attribute = attribute->next)
		count++;
	if (count == 0)
		return 0;
	if (count > READ_ATTRIBUTES_MAX)
		return refuse(parse, node->line, "<%.40s> has more than %d attributes", node->name, READ_ATTRIBUTES_MAX);
	list = arena_allocate(&parse->document->arena, count * 2 * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (const xmlAttr *attribute = element->properties; attribute; attribute = attribute->next) {
		size_t i = node->attribute_count++;
		const char *name = (const char *)attribute->name;

		/* Siblings mostly have the same attributes. */
		if (before && before->attribute_count > i && strcmp(before->attributes[2 * i], name) == 0)
			list[2 * i] = before->attributes[2 * i];
		else
			list[2 * i] = arena_text(&parse->document->arena, name, strlen(name));
		list[2 * i + 1] = read_value(parse, attribute);
		if (!list[2 * i] || !list[2 * i + 1])
			return -ENOMEM;
	}
	node->attributes = list;
	return 0;
}

static void link_node(struct parse *parse, struct report_node *node)
{
	if (parse->depth == 0) {
		parse->document->root = node;
		return;
	}
	node->parent = parse->open[parse->depth - 1];
	if (parse->last[parse->depth - 1])
		parse->last[parse->depth - 1]->next = node;
	else
		node->parent->child = node;
	parse->last[parse->depth - 1] = node;
}

/* Siblings mostly repeat their name; it is kept once. */
static const char *keep_name(struct parse *parse, const char *name)
{
	const struct report_node *sibling = parse->depth ? parse->last[parse->depth - 1] : NULL;

	if (sibling && strcmp(sibling->name, name) == 0)
		return sibling->name;
	return arena_text(&parse->document->arena, name, strlen(name));
}

static void end_element(struct parse *parse);

static int begin_element(struct parse *parse)
{
	const char *name = (const char *)xmlTextReaderConstName(parse->reader);
	bool is_empty = xmlTextReaderIsEmptyElement(parse->reader) == 1;
	const xmlNode *element = xmlTextReaderCurrentNode(parse->reader);
	struct report_node *node;
	int error;

	if (parse->depth == READ_DEPTH_MAX)
		return refuse(parse, line_of(parse), "elements are nested more than %d deep", READ_DEPTH_MAX);
	if (++parse->document->nodes > READ_NODES_MAX)
		return refuse(parse, line_of(parse), "more than %u elements", READ_NODES_MAX);
	node = arena_allocate(&parse->document->arena, sizeof(*node));
	if (!node || !name || !element)
		return -ENOMEM;
	memset(node, 0, sizeof(*node));
	node->name = keep_name(parse, name);
	if (!node->name)
		return -ENOMEM;
	node->text = node->whole = "";
	node->line = line_of(parse);
	error = read_attributes(parse, node, element);
	if (error)
		return error;
	link_node(parse, node);
	parse->open[parse->depth] = node;
	parse->last[parse->depth] = NULL;
	parse->text_start[parse->depth] = parse->text_used;
	parse->depth++;
	if (is_empty)
		end_element(parse);
	return 0;
}

static int add_text(struct parse *parse)
{
	const char *value = (const char *)xmlTextReaderConstValue(parse->reader);
	size_t size = value ? strlen(value) : 0;

	if (parse->depth == 0 || size == 0)
		return 0;
	if (parse->text_size - parse->text_used < size) {
		size_t room = 2 * (parse->text_used + size);
		char *grown = realloc(parse->text, room);

		if (!grown)
			return -ENOMEM;
		parse->text = grown;
		parse->text_size = room;
	}
	memcpy(parse->text + parse->text_used, value, size);
	parse->text_used += size;
	return 0;
}

/* Gives the innermost element its text. On lack of memory that is NULL, which the caller looks for. */
static void end_element(struct parse *parse)
{
	size_t first = parse->text_start[--parse->depth], start = first;
	size_t last = parse->text_used, end = last;
	struct report_node *node = parse->open[parse->depth];

	parse->text_used = first;
	while (start < end && isspace((unsigned char)parse->text[start]))
		start++;
	while (start < end && isspace((unsigned char)parse->text[end - 1]))
		end--;
	if (start < end)
		node->text = arena_text(&parse->document->arena, parse->text + start, end - start);
	node->whole = node->text;
	if (!node->child && last - first > end - start) {
		node->whole = arena_text(&parse->document->arena, parse->text + first, last - first);
		if (!node->whole)
			node->text = NULL;
	}
}

static int read_event(struct parse *parse)
{
	switch (xmlTextReaderNodeType(parse->reader)) {
	case XML_READER_TYPE_ELEMENT:
		return begin_element(parse);
	case XML_READER_TYPE_END_ELEMENT:
		end_element(parse);
		return parse->open[parse->depth]->text ? 0 : -ENOMEM;
	case XML_READER_TYPE_TEXT:
	case XML_READER_TYPE_CDATA:
		return add_text(parse);
	case XML_READER_TYPE_DOCUMENT_TYPE:
	case XML_READER_TYPE_ENTITY_REFERENCE:
		return refuse(parse, line_of(parse), "a report has no document type and no entities");
	default:
		return 0;
	}
}

static unsigned line_at(const char *text, const char *at)
{
	unsigned line = 1;

	while ((text = memchr(text, '\n', (size_t)(at - text)))) {
		text++;
		line++;
	}
	return line;
}

/*
 * What makes a parser slow or large is refused before it starts: a document type (the only source of
 * entities), and tags with so many attributes that comparing each with each takes long. '<' stands in a
 * well-formed document at the begin of each tag and nowhere inside one.
 */
static int check_bytes(struct parse *parse, const char *text, size_t size)
{
	const char *end = text + size, *from = text, *found;

	if (size == 0)
		return refuse(parse, 0, "the file is empty");
	if (size > REPORT_READ_MAX)
		return refuse(parse, 0, "larger than %u MiB", REPORT_READ_MAX >> 20);
	found = memmem(text, size, "<!DOCTYPE", 9);
	if (!found)
		found = memchr(text, '\0', size);
	if (found)
		return refuse(parse, line_at(text, found),
			"a report has no document type, no entities and no zero bytes");
	while (from < end) {
		const char *next = memchr(from, '<', (size_t)(end - from));

		if ((size_t)((next ? next : end) - from) > READ_TAG_MAX)
			return refuse(parse, line_at(text, from), "more than %u KiB from one tag to the next",
				READ_TAG_MAX >> 10);
		if (!next)
			break;
		from = next + 1;
	}
	return 0;
}

static int parse_all(struct parse *parse, const char *text, size_t size)
{
	/* NUL bytes being refused, an encoding other than UTF-8 can only be declared, and that is ignored. */
	const int options = XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_BIG_LINES | XML_PARSE_NOERROR |
			    XML_PARSE_NOWARNING | XML_PARSE_NOBLANKS | XML_PARSE_COMPACT;
	int more, error = check_bytes(parse, text, size);

	if (error)
		return error;
	parse->reader = xmlReaderForMemory(text, (int)size, NULL, "UTF-8", options);
	if (!parse->reader)
		return -ENOMEM;
	xmlTextReaderSetErrorHandler(parse->reader, on_error, parse);
	while ((more = xmlTextReaderRead(parse->reader)) == 1) {
		error = read_event(parse);
		if (error)
			return error;
	}
	if (more < 0 || !parse->document->root || parse->depth || parse->reason[0])
		return refuse(parse, 0, "not well-formed XML");
	return 0;
}

/* On failure parse says where and why. */
static int read_bytes(const char *text, size_t size, struct report_document **document, struct parse *parse)
{
	int error = -ENOMEM;

	parse->document = calloc(1, sizeof(*parse->document));
	if (parse->document)
		error = parse_all(parse, text, size);
	if (parse->reader)
		xmlFreeTextReader(parse->reader);
	free(parse->text);
	if (error)
		report_read_free(parse->document);
	else
		*document = parse->document;
	return error;
}

static void say_why(const struct parse *parse, const char *name, int error, char *why, size_t length)
{
	const char *reason = parse->reason[0] ? parse->reason : strerror(-error);

	if (length && parse->line && name)
		snprintf(why, length, "%s:%u: %s", name, parse->line, reason);
	else if (length && parse->line)
		snprintf(why, length, "line %u: %s", parse->line, reason);
	else if (length)
		snprintf(why, length, "%s%s%s", name ? name : "", name ? ": " : "", reason);
}

int report_read_named(const char *name, const char *text, size_t size, struct report_document **document, char *why,
	size_t length)
{
	struct parse parse = {.line = 0};
	int error = read_bytes(text, size, document, &parse);

	if (error)
		say_why(&parse, name, error, why, length);
	return error;
}

int report_read_memory(
	const char *text, size_t size, struct report_document **document, char *why, size_t length)
{
	return report_read_named(NULL, text, size, document, why, length);
}

void report_read_free(struct report_document *document)
{
	if (!document)
		return;
	arena_free(&document->arena);
	free(document);
}

const struct report_node *report_read_root(const struct report_document *document)
{
	return document->root;
}
