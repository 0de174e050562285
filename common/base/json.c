/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/json.h"

#include <inttypes.h>
#include <math.h>

#include "common/base/units.h"
#include "common/base/utf8.h"

static void write_string(FILE *out, const char *text)
{
	putc_unlocked('"', out);
	while (*text) {
		size_t plain = 0, length;
		uint32_t code;

		while (text[plain] >= ' ' && text[plain] < 0x7f && text[plain] != '"' && text[plain] != '\\')
			plain++;
		fwrite_unlocked(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		length = utf8_decode(text, UTF8_UP_TO_NUL, &code);
		if (utf8_is_surrogate(code))
			length = 0;
		if (!length)
			putc_unlocked('?', out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (code < ' ' || code == 0x7f)
			fprintf(out, "\\u%04" PRIx32, code);
		else
			fwrite_unlocked(text, 1, length, out);
		text += length ? length : 1;
	}
	putc_unlocked('"', out);
}

static bool is_flat(const struct json *json)
{
	return json->flat_from && json->depth >= json->flat_from;
}

static void new_line(struct json *json)
{
	putc_unlocked('\n', json->out);
	for (unsigned i = 0; i < json->depth; i++)
		fputs_unlocked(json->indent ? json->indent : "\t", json->out);
}

static void next(struct json *json, const char *name)
{
	if (json->has_member)
		putc_unlocked(',', json->out);
	if (!is_flat(json) && json->depth)
		new_line(json);
	else if (json->has_member)
		putc_unlocked(' ', json->out);
	json->has_member = true;
	if (name) {
		write_string(json->out, name);
		fputs_unlocked(": ", json->out);
	}
}

void json_begin(struct json *json, const char *name, char bracket)
{
	next(json, name);
	putc_unlocked(bracket, json->out);
	json->depth++;
	json->has_member = false;
}

void json_begin_flat(struct json *json, const char *name, char bracket)
{
	json_begin(json, name, bracket);
	if (!json->flat_from)
		json->flat_from = json->depth;
}

void json_end(struct json *json, char bracket)
{
	bool has_line = json->has_member && !is_flat(json);

	if (json->flat_from == json->depth)
		json->flat_from = 0;
	json->depth--;
	if (has_line)
		new_line(json);
	putc_unlocked(bracket, json->out);
	json->has_member = true;
	if (!json->depth)
		putc_unlocked('\n', json->out);
}

void json_literal(struct json *json, const char *name, const char *value)
{
	next(json, name);
	fputs_unlocked(value, json->out);
}

void json_text(struct json *json, const char *name, const char *value)
{
	next(json, name);
	write_string(json->out, value);
}

void json_number(struct json *json, const char *name, double value)
{
	char text[UNITS_TEXT];

	json_literal(json, name, isfinite(value) ? units_write_double(value, text, sizeof(text)) : "null");
}

void json_whole(struct json *json, const char *name, uint64_t value)
{
	next(json, name);
	fprintf(json->out, "%" PRIu64, value);
}

void json_truth(struct json *json, const char *name, bool value)
{
	json_literal(json, name, value ? "true" : "false");
}

void json_words(struct json *json, const char *name, const char *const *words)
{
	json_begin_flat(json, name, '[');
	for (size_t i = 0; words[i]; i++)
		json_text(json, NULL, words[i]);
	json_end(json, ']');
}
