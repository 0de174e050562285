/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/utf8.h"

static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	while (*text) {
		uint32_t code;
		size_t length = utf8_decode(text, UTF8_UP_TO_NUL, &code);

		if (utf8_is_surrogate(code))
			length = 0;
		if (!length)
			putc('?', out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (code < ' ' || code == 0x7f)
			fprintf(out, "\\u%04" PRIx32, code);
		else
			fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
	putc('"', out);
}

static void new_line(struct json *json)
{
	putc('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		putc('\t', json->out);
}

static void next(struct json *json, const char *name)
{
	if (json->has_member)
		putc(',', json->out);
	if (json->depth)
		new_line(json);
	json->has_member = true;
	if (name) {
		write_string(json->out, name);
		fputs(": ", json->out);
	}
}

void json_begin(struct json *json, const char *name, char bracket)
{
	next(json, name);
	putc(bracket, json->out);
	json->depth++;
	json->has_member = false;
}

void json_end(struct json *json, char bracket)
{
	json->depth--;
	if (json->has_member)
		new_line(json);
	putc(bracket, json->out);
	json->has_member = true;
	if (!json->depth)
		putc('\n', json->out);
}

void json_text(struct json *json, const char *name, const char *value)
{
	next(json, name);
	write_string(json->out, value);
}

void json_number(struct json *json, const char *name, double value)
{
	char text[32] = "null";

	next(json, name);
	for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, json->out);
}

void json_whole(struct json *json, const char *name, uint64_t value)
{
	next(json, name);
	fprintf(json->out, "%" PRIu64, value);
}

void json_truth(struct json *json, const char *name, bool value)
{
	next(json, name);
	fputs(value ? "true" : "false", json->out);
}

void json_words(struct json *json, const char *name, const char *const *words)
{
	next(json, name);
	putc('[', json->out);
	for (size_t i = 0; words[i]; i++) {
		fputs(i ? ", " : "", json->out);
		write_string(json->out, words[i]);
	}
	putc(']', json->out);
}
