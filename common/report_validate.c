/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_validate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/SAX2.h>
#include <libxml/xmlschemas.h>

#define PARSE_OPTIONS (XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_NOENT)
#define PIECE ((size_t)64 << 10)
#define MESSAGE 1024
#define SCHEMA_MAX (64u << 20)

struct report_schema {
	xmlSchemaPtr schema;
	xmlDocPtr document; /* the schema's parts point into it */
};

/* libxml2 names the type or pattern that was missed; messages say what is allowed. What it says of other schemas is left as it
 * is. */
static const struct {
	const char *end, *words;
} plain_words[] = {
	{" is not a valid value of the atomic type 'count'.", ": allowed are whole numbers from 0 to 2^64-1"},
	{" is not a valid value of the atomic type 'integer'.", ": allowed are whole numbers from -2^63 to 2^63-1"},
	{" is not a valid value of the atomic type 'whole'.", ": allowed are whole numbers from -2^63 to 2^64-1"},
	{" is not a valid value of the atomic type 'flag'.", ": allowed are 0 and 1"},
	{" is not a valid value of the atomic type 'percent'.", ": allowed are whole numbers from 0 to 100"},
	{" is not accepted by the pattern '-?[0-9]+(\\.[0-9]+)?(e[+\\-][0-9]+)?'.",
		": allowed are numbers like 12, -0.5 and 1e-07"},
	{" is not accepted by the pattern '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'.",
		": allowed are UUIDs in lower case"},
	{" is not accepted by the pattern '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{9}Z'.",
		": allowed are times like 2026-11-20T13:08:15.966814597Z"},
	{" is not accepted by the pattern '0|[1-9][0-9]{0,19}'.", ": allowed are whole numbers from 0 to 2^64-1"},
	{" is not accepted by the pattern '[0-9a-f]{2}'.", ": allowed are two hexadecimal digits"},
	{" is not accepted by the pattern '[a-z0-9][a-z0-9\\-]*'.", ": allowed are small letters, digits and -"},
	{" is not accepted by the pattern 'true|false'.", ": allowed are true and false"},
	{" is not an element of the set {", ": allowed are {"},
	{" is greater than the maximum value allowed (", ": the largest allowed is ("},
	{" is less than the minimum value allowed (", ": the smallest allowed is ("},
	{"This element is not expected. Expected is (", "not expected here, but ("},
	{"This element is not expected. Expected is one of (", "not expected here, but one of ("},
	{"This element is not expected", "not expected here"},
	{"Missing child element(s). Expected is (", "incomplete, expected is ("},
	{"Missing child element(s). Expected is one of (", "incomplete, expected is one of ("},
	{"The attribute '", "the attribute '"},
	{"Character content other than whitespace is not allowed", "text is not allowed"},
	{"Element content is not allowed", "child elements are not allowed"},
	{"No matching global declaration available for the validation root",
		"the schema does not know this document element"},
};

#define VALUE_MAX 80 /* bytes of what was found that are shown */
#define REST_MAX 300

/* "Element 'a', attribute 'b': [facet 'pattern'] The value 'x' is not ..." -> "b of <a> is 'x': allowed are ..." */
static void simplify(const char *message, char *text, size_t length)
{
	static const char prefix[] = "The value ";
	char element[128] = "", attribute[128] = "";
	const char *bracket, *words = "", *rest;
	int used = 0, value = 0; /* value: bytes of what was found, "'x'" or nothing */

	if (sscanf(message, "Element '%127[^']', attribute '%127[^']': %n", element, attribute, &used) != 2 || !used) {
		attribute[0] = '\0';
		(void)sscanf(message, "Element '%127[^']': %n", element, &used);
	}
	message += used;
	bracket = message[0] == '[' ? strstr(message, "] ") : NULL;
	message = bracket ? bracket + 2 : message;
	message += strncmp(message, prefix, strlen(prefix)) ? 0 : strlen(prefix);
	rest = message;
	for (size_t i = 0; i < sizeof(plain_words) / sizeof(plain_words[0]) && rest == message; i++) {
		const char *at = strstr(message, plain_words[i].end);

		if (!at)
			continue;
		value = at - message < VALUE_MAX ? (int)(at - message) : VALUE_MAX;
		words = plain_words[i].words;
		rest = at + strlen(plain_words[i].end);
	}
	snprintf(text, length, "%s%s<%s>%s%.*s%s%s%.*s", attribute, attribute[0] ? " of " : "", element,
		message[0] == '\'' ? " is " : ": ", value, message, value == VALUE_MAX ? "..." : "", words, REST_MAX, rest);
	text[strcspn(text, "\r\n")] = '\0';
	length = strlen(text);
	if (length && text[length - 1] == '.')
		text[length - 1] = '\0';
}

struct validation {
	xmlParserCtxtPtr parser;
	void (*found)(void *data, unsigned line, const char *text);
	void *data;
};

/* What the schema finds comes while the parser is at it. */
#if LIBXML_VERSION >= 21200
static void on_finding(void *data, const xmlError *error)
#else
static void on_finding(void *data, xmlError *error)
#endif
{
	const struct validation *validation = data;
	int line = xmlSAX2GetLineNumber(validation->parser);
	char text[MESSAGE];

	if (error->level < XML_ERR_ERROR || !error->message)
		return;
	simplify(error->message, text, sizeof(text));
	validation->found(validation->data, line > 0 ? (unsigned)line : 0, text);
}

/* In pieces, as report_read does. 0, or -EBADMSG when it is not well-formed. */
static int parse(xmlParserCtxtPtr parser, const char *text, size_t size)
{
	xmlCtxtUseOptions(parser, PARSE_OPTIONS);
	xmlSwitchEncoding(parser, XML_CHAR_ENCODING_UTF8);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		text += 3;
		size -= 3;
	}
	for (size_t part; size > 0; text += part, size -= part) {
		part = size < PIECE ? size : PIECE;
		xmlParseChunk(parser, text, (int)part, part == size);
	}
	return parser->wellFormed ? 0 : -EBADMSG;
}

/* The parser's events go to the schema alone: a tree would take as long as everything else together. */
int report_validate(const struct report_schema *schema, const char *text, size_t size,
	void (*found)(void *data, unsigned line, const char *text), void *data)
{
	xmlSAXHandler none = {.initialized = XML_SAX2_MAGIC};
	struct validation validation = {xmlCreatePushParserCtxt(&none, NULL, NULL, 0, NULL), found, data};
	xmlParserCtxtPtr parser = validation.parser;
	xmlSchemaValidCtxtPtr context = xmlSchemaNewValidCtxt(schema->schema);
	xmlSchemaSAXPlugPtr plug = NULL;
	int error = -ENOMEM;

	if (parser && context)
		plug = xmlSchemaSAXPlug(context, &parser->sax, &parser->userData);
	if (plug) {
		xmlSchemaSetValidStructuredErrors(context, on_finding, &validation);
		error = parse(parser, text, size);
		xmlSchemaSAXUnplug(plug);
	}
	xmlSchemaFreeValidCtxt(context);
	xmlFreeParserCtxt(parser);
	return error;
}

struct complaint {
	char *why;
	size_t length;
	const char *name;
	bool is_said;
};

/* The first element that would have another file read, or NULL. */
static xmlNode *find_reference(xmlNode *node)
{
	for (; node; node = xmlNextElementSibling(node)) {
		const char *name = (const char *)node->name;

		if (!strcmp(name, "include") || !strcmp(name, "import") || !strcmp(name, "redefine"))
			return node;
	}
	return NULL;
}

static void complain(struct complaint *complaint, long line, const char *text, const char *more)
{
	if (complaint->is_said || complaint->length == 0)
		return;
	complaint->is_said = true;
	snprintf(complaint->why, complaint->length, "%s:%ld: %s%s", complaint->name, line > 0 ? line : 1, text, more);
	complaint->why[strcspn(complaint->why, "\r\n")] = '\0';
}

#if LIBXML_VERSION >= 21200
static void on_schema_error(void *data, const xmlError *error)
#else
static void on_schema_error(void *data, xmlError *error)
#endif
{
	complain(data, error->line, "", error->message ? error->message : "not a schema");
}

static xmlDocPtr read_schema(const char *text, size_t size, struct complaint *complaint)
{
	const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
	xmlDocPtr document = size < SCHEMA_MAX ? xmlReadMemory(text, (int)size, complaint->name, NULL, options) : NULL;
	xmlNode *root = document ? xmlDocGetRootElement(document) : NULL, *reference;

	if (!root) {
		const xmlError *error = xmlGetLastError();
		bool is_known = size < SCHEMA_MAX && error && error->message;

		complain(complaint, is_known ? error->line : 1, "not well-formed XML: ",
			is_known ? error->message : "it is too large");
	} else if (strcmp((const char *)root->name, "schema") != 0) {
		char what[128];

		snprintf(what, sizeof(what), "<%.60s> is not a schema: the document element must be xs:schema", root->name);
		complain(complaint, xmlGetLineNo(root), what, "");
	} else {
		reference = find_reference(xmlFirstElementChild(root));
		if (!reference && !document->intSubset)
			return document;
		complain(complaint, reference ? xmlGetLineNo(reference) : 1,
			"a schema is one file without document type, xs:include, xs:import and xs:redefine", "");
	}
	xmlFreeDoc(document);
	return NULL;
}

int report_schema_new(
	const char *text, size_t size, const char *name, struct report_schema **schema, char *why, size_t length)
{
	struct complaint complaint = {why, length, name, false};
	struct report_schema *new = calloc(1, sizeof(*new));
	xmlSchemaParserCtxtPtr parser = NULL;

	if (new) {
		new->document = read_schema(text, size, &complaint);
		parser = new->document ? xmlSchemaNewDocParserCtxt(new->document) : NULL;
	}
	if (parser) {
		xmlSchemaSetParserStructuredErrors(parser, on_schema_error, &complaint);
		new->schema = xmlSchemaParse(parser);
		xmlSchemaFreeParserCtxt(parser);
	}
	if (new && new->schema) {
		*schema = new;
		return 0;
	}
	report_schema_free(new);
	if (!complaint.is_said && length)
		snprintf(why, length, "%s: %s", name, strerror(ENOMEM));
	return complaint.is_said ? -EINVAL : -ENOMEM;
}

void report_schema_free(struct report_schema *schema)
{
	if (!schema)
		return;
	if (schema->schema)
		xmlSchemaFree(schema->schema);
	xmlFreeDoc(schema->document);
	free(schema);
}
