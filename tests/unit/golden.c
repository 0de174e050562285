/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/golden.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/unit.h"

/* The text between each begin and the end that follows it becomes "@". */
static void blank(char *text, const char *begin, const char *end)
{
	char *from = text, *to;

	while ((from = strstr(from, begin))) {
		from += strlen(begin);
		to = strstr(from, end);
		assert_non_null(to);
		memmove(from + 1, to, strlen(to) + 1);
		*from = '@';
	}
}

void golden_normalise(char *text)
{
	blank(text, "<version_number>pmbench ", "</");
	blank(text, "<tool_version>", "</");
	blank(text, "<compiler>", "</");
	blank(text, "<compiler_flags>", "</");
	blank(text, "\"version_number\": \"", "\"");
	blank(text, "\"version\": \"", "\"");
	blank(text, "\"tool_version\": \"", "\"");
	blank(text, "\"compiler\": \"", "\"");
	blank(text, "\"compiler_flags\": \"", "\"");
	blank(text, "pmbench version: pmbench ", " Linux");
}

char *golden_read(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text;
	long size;

	if (!file)
		fail_msg("%s is missing", path);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	text = calloc(1, (size_t)size + 1);
	assert_int_equal(fread(text, 1, (size_t)size, file), size);
	fclose(file);
	return text;
}

void golden_compare(const char *name, const char *text)
{
	char path[512];
	char *golden;
	unsigned line = 1;
	size_t i;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", unit_srcdir(), name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *file = fopen(path, "w");

		assert_non_null(file);
		fputs(text, file);
		assert_int_equal(fclose(file), 0);
		return;
	}
	golden = golden_read(path);
	for (i = 0; golden[i] && golden[i] == text[i]; i++)
		line += golden[i] == '\n';
	if (golden[i] != text[i])
		fail_msg("%s differs from line %u on: expected '%.60s', got '%.60s'", name, line, &golden[i],
			&text[i]);
	free(golden);
}
