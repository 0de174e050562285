/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What memstor doctor prints: as text, in colour, as JSON. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/examined.h"
#include "tests/unit/golden.h"
#include "tests/unit/json.h"

static char *printed(bool is_json, bool is_coloured)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(out);
	assert_int_equal(doctor_print(out, &result,
		&(struct doctor_output){.is_json = is_json, .is_coloured = is_coloured, .width = 80}), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void compare(const char *name, bool is_json)
{
	char file[64], *text = printed(is_json, false);

	snprintf(file, sizeof(file), "doctor-%s.%s", name, is_json ? "json" : "txt");
	golden_normalise(text);
	golden_compare(file, text);
	free(text);
}

TEST("text and JSON of three machines match their goldens")
{
	static const char *const names[] = {"laptop", "epyc", "container"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		examine(names[i]);
		compare(names[i], false);
		compare(names[i], true);
		assert_in_range(fake_kernel.paused_ns, 1, 1000000000);
	}
}

TEST("doctor's JSON is valid JSON")
{
	static const char *const names[] = {"laptop", "epyc", "container"};
	static const char *const wrong[] = {"", "{", "{\"a\"}", "[1,]", "{\"a\": 01}", "\"\n\"", "\"\\x\"", "[] []", "1.", "tru"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(json_is_valid(wrong[i]));
	assert_true(json_is_valid("{\"a\": [1.5e-3, -0, \"\\u00e4\", {}, [], null]}"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text;

		examine(names[i]);
		text = printed(true, false);
		assert_true(json_is_valid(text));
		free(text);
	}
}

/* Names of folders are anybody's. */
TEST("paths of any bytes give valid JSON")
{
	static const char *const names[][2] = {
		{"/a\"b\\c", "\"/a\\\"b\\\\c\""}, {"/\001\n\177", "\"/\\u0001\\u000a\\u007f\""},
		{"/\303\244\342\202\254\360\237\230\200", "\"/\303\244\342\202\254\360\237\230\200\""},
		{"/\377\300\257\355\240\200\364\220\200\200\342\202", "\"/????????????\""}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *text;

		examine("epyc");
		paths[0] = names[i][0];
		doctor_examine(&host, paths, 2, &result);
		text = printed(true, false);
		assert_true(json_is_valid(text));
		if (!strstr(text, names[i][1]))
			fail_msg("%s is not in %s", names[i][1], text);
		free(text);
		text = printed(false, false);
		assert_null(strchr(text, '\001'));
		free(text);
	}
}

TEST("colours are printed only on a terminal")
{
	char *text;

	examine("laptop");
	text = printed(false, false);
	assert_null(strchr(text, '\033'));
	free(text);
	text = printed(false, true);
	assert_non_null(strstr(text, "  \033[32mok\033[0m       page-size "));
	assert_non_null(strstr(text, "  \033[33mlimited\033[0m  memlock "));
	assert_non_null(strstr(text, "  \033[36mnote\033[0m     zram "));
	assert_non_null(strstr(text, "  \033[1;31mmissing\033[0m  privilege "));
	free(text);
}
