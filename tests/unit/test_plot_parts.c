/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tells names of cells apart. */
#include "config.h"
#include "tests/unit/unit.h"
#include <string.h>
#include "memstor/plot/parts.h"

static struct plot_parts parts_of(const char *const *names)
{
	struct plot_parts parts = {0};

	for (; *names; names++)
		plot_parts_add(&parts, *names);
	return parts;
}

static void assert_parts(const char *const *names, const char *const *owns, const char *common)
{
	struct plot_parts parts = parts_of(names);
	char text[PLOT_TEXT];

	for (; *names; names++, owns++)
		assert_string_equal(plot_parts_own(&parts, *names, text, sizeof(text)), *owns);
	assert_string_equal(plot_parts_common(&parts, text, sizeof(text)), common);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void what_differs(void **state)
{
	(void)state;
	assert_parts(LIST("pwrite.direct.append.write.4k", "pwrite.sync.append.write.4k", "pwrite.sync.append.write.64k"),
		LIST("direct.4k", "sync.4k", "sync.64k"), "pwrite.append.write");
	assert_parts(LIST("a.b", "a.bc"), LIST("b", "bc"), "a");
	assert_parts(LIST("a.b", "c.d"), LIST("a.b", "c.d"), "");
	assert_parts(LIST("hit", "minor"), LIST("hit", "minor"), "");
	assert_parts(LIST("a..b", "a..c"), LIST("b", "c"), "a.");
}

/* Nothing is taken off where that would leave nothing, or could not be put together again. */
static void what_stays_whole(void **state)
{
	char deep[] = "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17", other[] = "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.18";
	char longest[PLOT_TEXT + 40], text[8];
	struct plot_parts parts = parts_of(LIST("a.b", "a.c"));

	(void)state;
	assert_parts(LIST("a.b"), LIST("a.b"), "");
	assert_parts(LIST("a.b", "a.b"), LIST("a.b", "a.b"), "");
	assert_parts(LIST("a.b", "a.c.d", "a.e"), LIST("a.b", "a.c.d", "a.e"), "");
	assert_parts(LIST(deep, other), LIST(deep, other), "");
	memset(longest, 'x', sizeof(longest));
	longest[4] = '.';
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(plot_parts_own(&parts, "z", text, sizeof(text)), "z");
	parts = parts_of(LIST(longest, "xxxx.y"));
	assert_string_equal(plot_parts_own(&parts, longest, text, sizeof(text)), "xxxx.xx");
	assert_string_equal(plot_parts_common(&parts, text, sizeof(text)), "");
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_differs),
		cmocka_unit_test(what_stays_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
