/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/html/html.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/utf8.h"
#include "schema/metric.h"

#define REPLACEMENT 0xfffdu
#define PART_MIN 2048 /* bytes that are worth packing */

/* The character at text, of size bytes at least one, and how many bytes it takes. */
static uint32_t decode(const char *text, size_t size, size_t *length)
{
	uint32_t code;

	*length = utf8_decode(text, size, &code);
	if (*length && *length <= size && !utf8_is_surrogate(code))
		return code;
	*length = 1;
	return REPLACEMENT;
}

static void write_json_character(FILE *out, uint32_t code)
{
	if (code == '"' || code == '\\')
		fprintf(out, "\\%c", (int)code);
	else if (code == '\n')
		fputs("\\n", out);
	else if (code >= 0x10000)
		fprintf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
	else if (code < ' ' || code > '~' || code == '<' || code == '>' || code == '&')
		fprintf(out, "\\u%04x", code);
	else
		fputc((int)code, out);
}

void html_write_json(FILE *out, const char *text, size_t size)
{
	size_t length;

	fputc('"', out);
	for (size_t i = 0; i < size; i += length)
		write_json_character(out, decode(text + i, size - i, &length));
	fputc('"', out);
}

void html_write_text(FILE *out, const char *text)
{
	size_t size = strlen(text), length;

	for (size_t i = 0; i < size; i += length) {
		uint32_t code = decode(text + i, size - i, &length);

		if (code == '\n' || code == '\t')
			fputc(' ', out);
		else if (!utf8_is_shown(code) || code == 0xfeff)
			fprintf(out, "&#x%x;", REPLACEMENT);
		else if (code > '~' || strchr("&<>\"'", (int)code))
			fprintf(out, "&#x%x;", code);
		else
			fputc((int)code, out);
	}
}

/* How often needle is in text from..to, and where first. */
static unsigned find(const char *text, size_t from, size_t to, const char *needle, size_t *at)
{
	size_t length = strlen(needle);
	const char *end = text + to, *next = text + from;
	unsigned count = 0;

	while ((next = memmem(next, (size_t)(end - next), needle, length))) {
		if (count++ == 0)
			*at = (size_t)(next - text);
		next += length;
	}
	return count;
}

static void write_base64(FILE *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		uint32_t three = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (left > 2 ? bytes[i + 2] : 0);

		fputc_unlocked(digits[three >> 18], out);
		fputc_unlocked(digits[three >> 12 & 63], out);
		fputc_unlocked(left > 1 ? digits[three >> 6 & 63] : '=', out);
		fputc_unlocked(left > 2 ? digits[three & 63] : '=', out);
	}
}

static int write_packed(FILE *out, const char *name, const char *text, size_t size)
{
	uLongf length = compressBound(size);
	unsigned char *packed = malloc(length);

	if (!packed || compress2(packed, &length, (const Bytef *)text, size, Z_BEST_SPEED) != Z_OK) {
		free(packed);
		return -ENOMEM;
	}
	fprintf(out, "{\"part\": \"%s\", \"zlib\": \"", name);
	write_base64(out, packed, length);
	fputs("\"}", out);
	free(packed);
	return 0;
}

int html_write_parts(FILE *out, const char *text, size_t size)
{
	size_t done = 0;
	int err = 0;

	fputc('[', out);
	for (size_t i = 0; schema_large[i] && !err; i++) {
		char first[64], last[64];
		size_t begin = 0, end = 0;

		snprintf(first, sizeof(first), "<%s>", schema_large[i]);
		snprintf(last, sizeof(last), "</%s>", schema_large[i]);
		/* Twice: one of them may be a comment's or another text's. */
		if (find(text, 0, size, first, &begin) != 1 || find(text, 0, size, last, &end) != 1 ||
			begin < done || end < begin || end - begin < PART_MIN)
			continue;
		end += strlen(last);
		html_write_json(out, text + done, begin - done);
		fputs(", ", out);
		err = write_packed(out, schema_large[i], text + begin, end - begin);
		fputs(", ", out);
		done = end;
	}
	html_write_json(out, text + done, size - done);
	fputc(']', out);
	return err;
}

int html_template_find(const char *text, size_t size, struct html_template *page)
{
	static const char title[] = "<title>", title_end[] = "</title>", table[] = "</noscript>";
	static const char data[] = "<script type=\"application/json\" id=\"memstor-reports\">";
	static const char data_end[] = "[]</script>";
	struct html_template found = {.text = text, .size = size};
	size_t script = 0;
	unsigned tables;

	if (find(text, 0, size, data, &script) != 1)
		return -EINVAL;
	found.data = script + sizeof(data) - 1;
	found.data_end = found.data + 2;
	if (size - found.data < sizeof(data_end) - 1 || memcmp(text + found.data, data_end, sizeof(data_end) - 1) != 0)
		return -EINVAL;
	if (find(text, 0, script, title, &found.title) != 1 || find(text, 0, script, title_end, &found.title_end) != 1)
		return -EINVAL;
	found.title += sizeof(title) - 1;
	tables = find(text, 0, script, table, &found.table);
	found.has_noscript = tables == 1;
	if (tables == 0)
		found.table = script;
	if (found.title > found.title_end || found.title_end > found.table || tables > 1)
		return -EINVAL;
	*page = found;
	return 0;
}
