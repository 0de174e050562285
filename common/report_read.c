/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_read.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <libxml/xmlreader.h>
#include "common/arena.h"

#define READ_SIZE_MAX (64u << 20)
#define READ_DEPTH_MAX 64
#define READ_NODES_MAX 4000000u
#define READ_TAG_MAX (64u << 10)
#define READ_FIRST (256u << 10) /* room for a file, doubled as needed */

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

	(void)severity;
	refuse(parse, (unsigned)xmlTextReaderLocatorLineNumber(locator), "not well-formed XML: %s", message);
}

static unsigned line_of(struct parse *parse)
{
	xmlNodePtr node = xmlTextReaderCurrentNode(parse->reader);
	long line = node ? xmlGetLineNo(node) : 0;

	return line > 0 ? (unsigned)line : 0;
}

static int read_attributes(struct parse *parse, struct report_node *node)
{
	int count = xmlTextReaderAttributeCount(parse->reader);
	const char **list;

	if (count <= 0)
		return count;
	list = arena_allocate(&parse->document->arena, (size_t)count * 2 * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < (size_t)count; i++) {
		const char *name, *value;

		if (xmlTextReaderMoveToAttributeNo(parse->reader, (int)i) != 1)
			return refuse(
				parse, node->line, "attribute %zu of <%s> cannot be read", i + 1, node->name);
		name = (const char *)xmlTextReaderConstName(parse->reader);
		value = (const char *)xmlTextReaderConstValue(parse->reader);
		if (!name || !value)
			return refuse(
				parse, node->line, "attribute %zu of <%s> cannot be read", i + 1, node->name);
		list[2 * i] = arena_text(&parse->document->arena, name, strlen(name));
		list[2 * i + 1] = arena_text(&parse->document->arena, value, strlen(value));
		if (!list[2 * i] || !list[2 * i + 1])
			return -ENOMEM;
	}
	xmlTextReaderMoveToElement(parse->reader);
	node->attributes = list;
	node->attribute_count = (size_t)count;
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
	struct report_node *node;
	int error;

	if (parse->depth == READ_DEPTH_MAX)
		return refuse(parse, line_of(parse), "elements are nested more than %d deep", READ_DEPTH_MAX);
	if (++parse->document->nodes > READ_NODES_MAX)
		return refuse(parse, line_of(parse), "more than %u elements", READ_NODES_MAX);
	node = arena_allocate(&parse->document->arena, sizeof(*node));
	if (!node || !name)
		return -ENOMEM;
	memset(node, 0, sizeof(*node));
	node->name = keep_name(parse, name);
	if (!node->name)
		return -ENOMEM;
	node->text = "";
	node->line = line_of(parse);
	error = read_attributes(parse, node);
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

/* Gives the innermost element its text. On lack of memory the text is NULL, which the caller looks for. */
static void end_element(struct parse *parse)
{
	size_t start = parse->text_start[--parse->depth];
	size_t end = parse->text_used;

	parse->text_used = start;
	while (start < end && isspace((unsigned char)parse->text[start]))
		start++;
	while (start < end && isspace((unsigned char)parse->text[end - 1]))
		end--;
	if (start < end)
		parse->open[parse->depth]->text =
			arena_text(&parse->document->arena, parse->text + start, end - start);
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
	if (size > READ_SIZE_MAX)
		return refuse(parse, 0, "larger than %u MiB", READ_SIZE_MAX >> 20);
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
			    XML_PARSE_NOWARNING;
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

/* At most one byte over the limit, which report_read_memory then refuses. */
static int read_whole(int fd, char **text, size_t *size)
{
	size_t used = 0, room = READ_FIRST;
	char *bytes = malloc(room);

	while (bytes && used <= READ_SIZE_MAX) {
		ssize_t got = read(fd, bytes + used, room - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int error = got < 0 ? -errno : 0;

			if (error)
				free(bytes);
			*text = error ? NULL : bytes;
			*size = used;
			return error;
		}
		used += (size_t)got;
		if (used == room) {
			char *grown = realloc(bytes, room *= 2);

			if (!grown)
				free(bytes);
			bytes = grown;
		}
	}
	*text = bytes;
	*size = used;
	return bytes ? 0 : -ENOMEM;
}

int report_read_bytes(const char *path, char **text, size_t *size, char *why, size_t length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int error = fd < 0 ? -errno : read_whole(fd, text, size);

	if (fd >= 0)
		close(fd);
	if (error && length)
		snprintf(why, length, "%s: %s", path, strerror(-error));
	return error;
}

int report_read_file(const char *path, struct report_document **document, char *why, size_t length)
{
	char *text;
	size_t size;
	int error = report_read_bytes(path, &text, &size, why, length);

	if (error)
		return error;
	error = report_read_named(path, text, size, document, why, length);
	free(text);
	return error;
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
