/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/report_read.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "common/base/input.h"
#include "common/base/units.h"

#define READ_DEPTH_MAX 64
#define READ_NODES_MAX 4000000u
#define READ_NAMES_MAX 20000 /* different names; libxml2 compares each name with ever more others */
#define READ_TAG_MAX (64u << 10)
#define READ_ATTRIBUTES_MAX 64

static unsigned line_at(const char *text, const char *at)
{
	unsigned line = 1;

	while ((text = memchr(text, '\n', (size_t)(at - text)))) {
		text++;
		line++;
	}
	return line;
}

/* In a well-formed document '<' stands at the begin of each tag and nowhere else. */
static const char *find_long_tag(const char *text, size_t size)
{
	const char *end = text + size;

	for (;;) {
		const char *next = memchr(text, '<', (size_t)(end - text));

		if ((size_t)((next ? next : end) - text) > READ_TAG_MAX)
			return text;
		if (!next)
			return NULL;
		text = next + 1;
	}
}

/*
 * Refuses text that the parser would read wrongly or slowly: JSON and encodings without '<', zero bytes (the end of the input to
 * libxml2), and tags with so many attributes that comparing each with each takes long.
 */
static const char *report_read_obstacle(const char *text, size_t size, unsigned *line)
{
	const char *found;

	*line = 0;
	if (size == 0)
		return "the file is empty";
	if (size > REPORT_READ_MAX)
		return "larger than 64 MiB";
	found = memchr(text, '\0', size);
	if (found) {
		*line = line_at(text, found);
		return "a report has no zero bytes";
	}
	if (!strchr("< \t\r\n", *text)) {
		*line = 1;
		return *text == '{' ? "this is JSON; only XML is read" : "not XML";
	}
	found = find_long_tag(text, size);
	if (found)
		*line = line_at(text, found);
	return found ? "more than 64 KiB from one tag to the next" : NULL;
}

struct report_document {
	struct arena arena;
	xmlDictPtr names; /* the parser's: each name of elements and attributes once */
	size_t nodes;
	struct report_node *root;
};

struct parse {
	xmlParserCtxtPtr parser;
	int error; /* the first error; later input is ignored */
	struct report_document *document;
	struct report_node *open[READ_DEPTH_MAX]; /* elements begun and not ended */
	struct report_node *last[READ_DEPTH_MAX]; /* the newest child of each */
	size_t text_start[READ_DEPTH_MAX];        /* start of each element's text in `text` */
	int depth;
	char *text; /* character data of the open elements, the innermost last */
	size_t text_used, text_size;
	unsigned line;    /* of reason; 0 = none */
	char reason[256]; /* "" = none yet */
};

/* Formats the reason on one line, whatever libxml2's message contains; the first reason stays. */
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

/* Records an error, because callbacks cannot return it. */
static void stop(struct parse *parse, int error)
{
	if (!parse->error)
		parse->error = error;
	xmlStopParser(parse->parser);
}

static unsigned line_now(struct parse *parse)
{
	int line = xmlSAX2GetLineNumber(parse->parser);

	return line > 0 ? (unsigned)line : 0;
}

#if LIBXML_VERSION >= 21200
static void on_error(void *data, const xmlError *error)
#else
static void on_error(void *data, xmlError *error)
#endif
{
	struct parse *parse = data;

	if (error->level < XML_ERR_ERROR || parse->error)
		return;
	stop(parse, refuse(parse, error->line > 0 ? (unsigned)error->line : 0, "not well-formed XML: %s",
			    error->message ? error->message : ""));
}

/* Document types are the only source of entities. */
static void on_document_type(void *data, const xmlChar *name, const xmlChar *external, const xmlChar *system)
{
	struct parse *parse = data;

	(void)name, (void)external, (void)system;
	stop(parse, refuse(parse, line_now(parse), "a report has no document type and no entities"));
}

/* Returns the dictionary's pointer for a name without a prefix, the same wherever the name occurs; "prefix:name" is copied.
 * NULL when memory is short. */
static const char *keep_name(struct arena *arena, const xmlChar *prefix, const xmlChar *name)
{
	size_t length;
	char *joined;

	if (!prefix)
		return (const char *)name;
	length = strlen((const char *)prefix) + strlen((const char *)name) + 2;
	joined = arena_allocate(arena, length);
	if (joined)
		snprintf(joined, length, "%s:%s", (const char *)prefix, (const char *)name);
	return joined;
}

/* libxml2 passes five pointers for each attribute: name, prefix, namespace, begin and end of the value. */
static int read_attributes(struct parse *parse, struct report_node *node, size_t count, const xmlChar **attributes)
{
	struct arena *arena = &parse->document->arena;
	const char **list;

	if (count == 0)
		return 0;
	if (count > READ_ATTRIBUTES_MAX)
		return refuse(parse, node->line, "<%.40s> has more than %d attributes", node->name, READ_ATTRIBUTES_MAX);
	list = arena_allocate(arena, count * 2 * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++, attributes += 5) {
		list[2 * i] = keep_name(arena, attributes[1], attributes[0]);
		list[2 * i + 1] = arena_text(arena, (const char *)attributes[3], (size_t)(attributes[4] - attributes[3]));
		if (!list[2 * i] || !list[2 * i + 1])
			return -ENOMEM;
	}
	node->attributes = list;
	node->attribute_count = count;
	return 0;
}

static int begin_element(struct parse *parse, const xmlChar *prefix, const xmlChar *name, size_t attribute_count,
	const xmlChar **attributes)
{
	struct report_node *node;
	int error;

	if (parse->depth == READ_DEPTH_MAX)
		return refuse(parse, line_now(parse), "elements are nested more than %d deep", READ_DEPTH_MAX);
	if (xmlDictSize(parse->document->names) > READ_NAMES_MAX)
		return refuse(parse, line_now(parse), "more than %d different names", READ_NAMES_MAX);
	if (++parse->document->nodes > READ_NODES_MAX)
		return refuse(parse, line_now(parse), "more than %u elements", READ_NODES_MAX);
	node = arena_allocate(&parse->document->arena, sizeof(*node));
	if (!node)
		return -ENOMEM;
	memset(node, 0, sizeof(*node));
	node->name = keep_name(&parse->document->arena, prefix, name);
	if (!node->name)
		return -ENOMEM;
	node->text = node->whole = "";
	node->line = line_now(parse);
	error = read_attributes(parse, node, attribute_count, attributes);
	if (error)
		return error;
	if (parse->depth == 0) {
		parse->document->root = node;
	} else {
		node->parent = parse->open[parse->depth - 1];
		if (parse->last[parse->depth - 1])
			parse->last[parse->depth - 1]->next = node;
		else
			node->parent->child = node;
		parse->last[parse->depth - 1] = node;
	}
	parse->open[parse->depth] = node;
	parse->last[parse->depth] = NULL;
	parse->text_start[parse->depth] = parse->text_used;
	parse->depth++;
	return 0;
}

static void on_begin(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
	const xmlChar **namespaces, int attribute_count, int default_count, const xmlChar **attributes)
{
	struct parse *parse = data;
	int error;

	(void)uri, (void)namespace_count, (void)namespaces, (void)default_count;
	if (parse->error)
		return;
	error = begin_element(parse, prefix, name, (size_t)attribute_count, attributes);
	if (error)
		stop(parse, error);
}

/* Instructions are skipped, but their names are in the dictionary. */
static void on_instruction(void *data, const xmlChar *target, const xmlChar *text)
{
	struct parse *parse = data;

	(void)target, (void)text;
	if (!parse->error && xmlDictSize(parse->document->names) > READ_NAMES_MAX)
		stop(parse, refuse(parse, line_now(parse), "more than %d different names", READ_NAMES_MAX));
}

/* Collects text, which comes in pieces; outside the document element it is white space. */
static void on_text(void *data, const xmlChar *value, int length)
{
	struct parse *parse = data;
	size_t size = (size_t)length;

	if (parse->error || parse->depth == 0 || size == 0)
		return;
	if (parse->text_size - parse->text_used < size) {
		size_t capacity = 2 * (parse->text_used + size);
		char *grown = realloc(parse->text, capacity);

		if (!grown) {
			stop(parse, -ENOMEM);
			return;
		}
		parse->text = grown;
		parse->text_size = capacity;
	}
	memcpy(parse->text + parse->text_used, value, size);
	parse->text_used += size;
}

static void on_end(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
	struct parse *parse = data;
	struct report_node *node;
	size_t first, start, last, end;

	(void)name, (void)prefix, (void)uri;
	if (parse->error || parse->depth == 0)
		return;
	node = parse->open[--parse->depth];
	first = start = parse->text_start[parse->depth];
	last = end = parse->text_used;
	parse->text_used = first;
	while (start < end && isspace((unsigned char)parse->text[start]))
		start++;
	while (start < end && isspace((unsigned char)parse->text[end - 1]))
		end--;
	if (start < end)
		node->text = arena_text(&parse->document->arena, parse->text + start, end - start);
	node->whole = node->text;
	if (!node->child && last - first > end - start)
		node->whole = arena_text(&parse->document->arena, parse->text + first, last - first);
	if (!node->text || !node->whole)
		stop(parse, -ENOMEM);
}

/*
 * Uses SAX because libxml2's xmlTextReader builds a tree of its own first, which takes twice as long. Without handlers for
 * declarations there are no entities but the five of XML, which are replaced.
 */
static int parse_all(struct parse *parse, const char *text, size_t size)
{
	xmlSAXHandler handlers = {
		.initialized = XML_SAX2_MAGIC,
		.startElementNs = on_begin,
		.endElementNs = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
		.processingInstruction = on_instruction,
		.internalSubset = on_document_type,
		.serror = on_error,
	};
	/* Skip the byte order mark that some editors write. */
	size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	unsigned line;
	const char *obstacle = report_read_obstacle(text + mark, size - mark, &line);

	if (obstacle)
		return refuse(parse, line, "%s", obstacle);
	parse->parser = xmlNewParserCtxt();
	if (!parse->parser)
		return -ENOMEM;
	*parse->parser->sax = handlers;
	parse->parser->userData = parse;
	parse->document->names = parse->parser->dict;
	xmlDictReference(parse->document->names);
	/* A declared encoding is ignored (other encodings fail in report_read_obstacle). Without a startDocument handler there
	 * is no document to free. */
	xmlCtxtReadMemory(parse->parser, text + mark, (int)(size - mark), NULL, NULL,
		XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_NOENT);
	if (parse->error)
		return parse->error;
	if (!parse->parser->wellFormed || !parse->document->root || parse->depth)
		return refuse(parse, 0, "not well-formed XML");
	return 0;
}

/* name: the file's name in messages; NULL = none. */
static int read_named(const char *name, const char *text, size_t size, struct report_document **document, char *why,
	size_t length)
{
	struct parse parse = {.document = calloc(1, sizeof(**document))};
	int error = parse.document ? parse_all(&parse, text, size) : -ENOMEM;
	const char *reason = parse.reason[0] ? parse.reason : strerror(-error);

	xmlFreeParserCtxt(parse.parser);
	free(parse.text);
	if (!error) {
		*document = parse.document;
		return 0;
	}
	report_read_free(parse.document);
	if (length && parse.line && name)
		snprintf(why, length, "%s:%u: %s", name, parse.line, reason);
	else if (length && parse.line)
		snprintf(why, length, "line %u: %s", parse.line, reason);
	else if (length)
		snprintf(why, length, "%s%s%s", name ? name : "", name ? ": " : "", reason);
	return error;
}

int report_read_memory(
	const char *text, size_t size, struct report_document **document, char *why, size_t length)
{
	return read_named(NULL, text, size, document, why, length);
}

void report_read_free(struct report_document *document)
{
	if (!document)
		return;
	arena_free(&document->arena);
	xmlDictFree(document->names);
	free(document);
}

const struct report_node *report_read_root(const struct report_document *document)
{
	return document->root;
}

/* --- read file --- */

int report_read_file(const char *path, struct report_document **document, char *why, size_t length)
{
	char *text;
	size_t size;
	int error = input_read(path, REPORT_READ_MAX, &text, &size);

	if (error) {
		if (length)
			snprintf(why, length, "%s: %s", path, error == -EFBIG ? "larger than 64 MiB" : input_error(error));
		return error;
	}
	error = read_named(path, text, size, document, why, length);
	free(text);
	return error;
}

/* --- find --- */

const struct report_node *report_read_find(const struct report_node *from, const char *path)
{
	size_t length = strcspn(path, "/");

	for (const struct report_node *child = from->child; child; child = child->next) {
		const struct report_node *found = child;

		if (strncmp(child->name, path, length) != 0 || child->name[length] != '\0')
			continue;
		if (path[length] == '/')
			found = report_read_find(child, path + length + 1);
		if (found)
			return found;
	}
	return NULL;
}

const char *report_read_text(const struct report_node *from, const char *path)
{
	const struct report_node *node = from ? report_read_find(from, path) : NULL;

	return node ? node->text : "";
}

const struct report_node *report_read_next(const struct report_node *node)
{
	const struct report_node *next = node->next;

	while (next && next->name != node->name && strcmp(next->name, node->name) != 0)
		next = next->next;
	return next;
}

const char *report_read_attribute(const struct report_node *node, const char *name)
{
	for (size_t i = 0; i < node->attribute_count; i++) {
		if (strcmp(node->attributes[2 * i], name) == 0)
			return node->attributes[2 * i + 1];
	}
	return NULL;
}

int report_read_u64(const struct report_node *from, const char *path, uint64_t *value)
{
	const struct report_node *node = report_read_find(from, path);

	return node ? units_parse_u64(node->text, 0, UINT64_MAX, value) : -ENOENT;
}

int report_read_double(const struct report_node *from, const char *path, double *value)
{
	const struct report_node *node = report_read_find(from, path);

	return node ? units_parse_double(node->text, -DBL_MAX, DBL_MAX, value) : -ENOENT;
}
