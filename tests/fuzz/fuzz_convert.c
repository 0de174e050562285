/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any report in each form: JSON parses, every row of CSV and Markdown has the same cells. */
#include "config.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "memstor/convert/convert.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

/* The end of the value at `at`, without blanks before it; aborts when it is none. */
static const char *skip_value(const char *at, unsigned depth);

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \n");
}

static const char *skip_string(const char *at)
{
	check(*at++ == '"');
	for (; *at != '"'; at++) {
		check((unsigned char)*at >= 0x20);
		if (*at == '\\') {
			at++;
			check(*at && strchr("\"\\u", *at));
			if (*at == 'u') {
				check(strspn(at + 1, "0123456789abcdef") >= 4);
				at += 4;
			}
		}
	}
	return at + 1;
}

static const char *skip_number(const char *at)
{
	static const char digits[] = "0123456789";

	at += *at == '-';
	check(strspn(at, digits) > 0 && (at[0] != '0' || strspn(at, digits) == 1));
	at += strspn(at, digits);
	if (*at == '.') {
		check(strspn(++at, digits) > 0);
		at += strspn(at, digits);
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		check(strspn(at, digits) > 0);
		at += strspn(at, digits);
	}
	return at;
}

static const char *skip_members(const char *at, char close, unsigned depth)
{
	const char *names[512];
	size_t count = 0;

	at = skip_blanks(at);
	if (*at == close)
		return at + 1;
	for (;;) {
		if (close == '}') {
			const char *end = skip_string(at);

			/* No member is there twice. */
			for (size_t i = 0; i < count; i++)
				check(strncmp(names[i], at, (size_t)(end - at)) != 0);
			check(count < sizeof(names) / sizeof(names[0]));
			names[count++] = at;
			at = skip_blanks(end);
			check(*at++ == ':');
		}
		at = skip_blanks(skip_value(skip_blanks(at), depth + 1));
		if (*at == close)
			return at + 1;
		check(*at++ == ',');
		at = skip_blanks(at);
	}
}

static const char *skip_value(const char *at, unsigned depth)
{
	check(depth < 200);
	if (*at == '"')
		return skip_string(at);
	if (*at == '{')
		return skip_members(at + 1, '}', depth);
	if (*at == '[')
		return skip_members(at + 1, ']', depth);
	if (strncmp(at, "true", 4) == 0)
		return at + 4;
	if (strncmp(at, "false", 5) == 0)
		return at + 5;
	return skip_number(at);
}

static void check_json(const char *text)
{
	check(!*skip_blanks(skip_value(skip_blanks(text), 0)));
}

static void check_lines(const char *text)
{
	for (unsigned i = 0; i < 2; i++) {
		const char *end = skip_value(text, 0);

		check(*end == '\n' && !memchr(text, '\n', (size_t)(end - text)));
		text = end + 1;
	}
	check(!*text);
}

/* Cells of the row at *at, which moves to the next one. */
static size_t count_cells(const char **at)
{
	const char *c = *at;
	size_t cells = 1;

	while (*c != '\n') {
		check(*c != '\0');
		if (*c == '"') {
			for (c++; *c != '"' || c[1] == '"'; c++) {
				check(*c != '\0');
				c += *c == '"';
			}
			c++;
			check(*c == ',' || *c == '\n');
			continue;
		}
		cells += *c == ',';
		/* Quotes within plain cells, and formulas. */
		check(*c != '"' && *c != '\r');
		c++;
		check(c[-1] != ',' || (*c != '=' && *c != '@'));
	}
	*at = c + 1;
	return cells;
}

static void check_csv(const char *text)
{
	size_t cells = count_cells(&text);

	while (*text)
		check(count_cells(&text) == cells);
}

static void check_rows(const char *text)
{
	size_t wanted = 0;

	for (; *text == '|'; text = strchr(text, '\n') + 1) {
		size_t bars = 0;

		for (const char *c = text; *c != '\n'; c++) {
			check((unsigned char)*c >= ' ');
			bars += *c == '|' && (c == text || c[-1] != '\\');
		}
		check(!wanted || bars == wanted);
		wanted = bars;
	}
	check(wanted > 0 && (*text == '\n' || !*text));
}

static void check_pmgraph(const char *text)
{
	check(strncmp(text, "OS/kernel,", 10) == 0);
}

static const struct {
	const struct convert_format *format;
	enum convert_what what;
	void (*check)(const char *text);
} forms[] = {
	{&convert_json, CONVERT_SUMMARY, check_json},
	{&convert_ndjson, CONVERT_SUMMARY, check_lines},
	{&convert_csv, CONVERT_SUMMARY, check_csv},
	{&convert_csv, CONVERT_BUCKETS, check_csv},
	{&convert_csv, CONVERT_SERIES, check_csv},
	{&convert_csv, CONVERT_FACTS, check_csv},
	{&convert_markdown, CONVERT_SUMMARY, check_rows},
	{&convert_pmgraph, CONVERT_SUMMARY, check_pmgraph},
};

static void convert_twice(size_t form, const struct loaded *loaded)
{
	struct convert convert = {.format = forms[form].format, .what = forms[form].what, .total = 2};
	char *text = NULL;
	size_t size;
	int err;

	convert.out = open_memstream(&text, &size);
	check(convert.out);
	err = convert_add(&convert, loaded);
	if (!err)
		err = convert_add(&convert, loaded);
	check(!err || (strncmp(convert.why, "name:", 5) == 0 && !strpbrk(convert.why, "\r\n\033")));
	/* As memstor does: what was refused is not ended. */
	if (err)
		arena_free(&convert.arena);
	else if (convert_end(&convert))
		abort();
	check(fclose(convert.out) == 0);
	if (!err && strlen(text) == size)
		forms[form].check(text);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct report_document *document;
	struct loaded *loaded;
	char why[600];

	if (report_read_memory((const char *)data, size, &document, why, sizeof(why)) ||
		loaded_make(document, "name", LOADED_SERIES, &loaded, why, sizeof(why)))
		return 0;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		convert_twice(i, loaded);
	loaded_free(loaded);
	return 0;
}
