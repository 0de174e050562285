/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON reports become XML before they are read: one reader, one schema, one set of limits. The text is translated as it
 * stands, so that numbers keep all digits and findings name the line of the JSON file; a library's tree has neither.
 */
#include "config.h"
#include "common/report_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_private.h"
#include "common/report_read.h"

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

static int write_scalar(struct reader *reader)
{
	size_t length = 0, left = (size_t)(reader->end - reader->at);
	char text[64];

	if (*reader->at == '"')
		return read_string(reader);
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
