/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>
#include "common/completion.h"
#include "common/opt.h"

static char *printed;
static size_t length;

static FILE *begin(void)
{
	FILE *out = open_memstream(&printed, &length);

	assert_non_null(out);
	return out;
}

static void end(FILE *out, const char *wanted)
{
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, wanted);
	free(printed);
}

static const char *flavour(size_t index)
{
	static const char *const flavours[] = {"sweet", "sour"};

	return index < 2 ? flavours[index] : NULL;
}

static const struct completion_noun nouns[] = {
	{"FLAVOUR", COMPLETION_TEXT, flavour},
	{"REPORT", COMPLETION_FILE, NULL}, /* before the known one */
	{"--own", COMPLETION_TEXT, flavour},
	{NULL, COMPLETION_NONE, NULL},
};

static void wanted_is_the_only_word(void **state)
{
	char name[] = "x", rows[] = "--completion-rows", more[] = "5", abbreviated[] = "--completion";
	char *const one[] = {name, rows, NULL};
	char *const two[] = {name, rows, more, NULL};
	char *const other[] = {name, abbreviated, NULL};

	(void)state;
	assert_true(completion_is_wanted(2, one));
	assert_false(completion_is_wanted(3, two));
	assert_false(completion_is_wanted(2, other));
	assert_false(completion_is_wanted(1, one));
}

static void options(void **state)
{
	static const char *const words[] = {"none", "ratio:", NULL};
	const struct completion_option rows[] = {
		{.name = "cold", .letter = 'c'},
		{.name = "mapsize", .letter = 'm', .value_name = "SIZE"},
		{.name = "label", .value_name = "K=V", .is_repeatable = true},
		{.name = "json", .value_name = "FILE", .may_be_bare = true},
		{.letter = 'o', .value_name = "DIR"},
		{.name = "content", .value_name = "KIND", .choices = words},
		{.name = "taste", .value_name = "FLAVOUR", .choices = words},
		{.name = "to", .value_name = "json|csv|md"},
		{.name = "what", .value_name = "all|none|FILE", .choices = words},
		{.name = "progress", .value_name = "auto|none|FILE|N"},
		{.name = "bars", .value_name = "|a||b|"},
		{.name = "recover", .value_name = "set-aside", .may_be_bare = true},
		{.name = "from", .value_name = "REPORT"},
		{.name = "own", .value_name = "a|b"},
		{.name = "tastes", .value_name = "FLAVOUR,..."},
		{.name = "sizes", .value_name = "SIZE,...", .may_be_bare = true},
		{.name = "folders", .value_name = "DIR,..."},
		{.name = "more", .value_name = ",..."},
	};
	FILE *out = begin();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		completion_print_option(out, &rows[i], nouns);
	end(out,
		"option --cold -c none once\n"
		"option --mapsize -m text once\n"
		"option --label - text many\n"
		"option --json - file? once\n"
		"option - -o folder once\n"
		"option --content - text once none ratio:\n"
		"option --taste - text once none ratio: sweet sour\n"
		"option --to - text once json csv md\n"
		"option --what - file once none ratio: all\n"
		"option --progress - file once auto none\n"
		"option --bars - text once a b\n"
		"option --recover - text? once set-aside\n"
		"option --from - file once\n"
		"option --own - text once sweet sour\n"
		"option --tastes - list once sweet sour\n"
		"option --sizes - list? once\n"
		"option --folders - folder once\n"
		"option --more - text once\n");
}

/* A choice is offered once, whether the value's name lists it or not. */
static void option_rows(void **state)
{
	static const char *const words[] = {"none", "all", NULL};
	static const struct opt rows[] = {
		{.type = OPT_TITLE, .help = "A group"},
		{.name = "which", .letter = 'w', .value = "none|all", .type = OPT_CHOICE, .choices = words},
		{.name = "kind", .value = "KIND", .type = OPT_CHOICE, .choices = words},
		{.name = "label", .value = "K=V", .type = OPT_OWN, .flags = OPT_REPEATS},
		{.name = "json", .value = "FILE", .type = OPT_STRING, .bare = "-"},
		{.name = "secret", .type = OPT_FLAG, .flags = OPT_HIDDEN},
		{.name = "scenario", .value = "SCENARIO", .type = OPT_OWN, .flags = OPT_ARGUMENT},
		{0},
	};
	FILE *out = begin();

	(void)state;
	completion_print_options(out, rows, NULL);
	end(out,
		"option --which -w text once none all\n"
		"option --kind - text once none all\n"
		"option --label - text many\n"
		"option --json - file? once\n"
		"option --help -? none once\noption --usage - none once\noption --version -V none once\n");
}

static void argp_tables(void **state)
{
	static const struct argp_option table[] = {
		{.doc = "A group:"},
		{"output", 'o', "FILE", 0, "Where to", 1},
		{"out", 0, NULL, OPTION_ALIAS, NULL, 0},
		{"runs", 256, "N", 0, "How often (repeatable)", 0},
		{"json", 257, "FILE", OPTION_ARG_OPTIONAL, "As JSON", 0},
		{"secret", 258, NULL, OPTION_HIDDEN, "Not for people", 0},
		{"words", 0, NULL, OPTION_DOC, "Only words", 0},
		{NULL, 'x', NULL, 0, "A letter alone", 0},
		{0},
	};
	FILE *out = begin();

	(void)state;
	completion_print_argp(out, table, NULL);
	completion_print_argp(out, NULL, NULL);
	end(out,
		"option --output -o file once\n"
		"option --out - file once\n"
		"option --runs - text many\n"
		"option --json - file? once\n"
		"option - -x none once\n"
		"option --help -? none once\noption --usage - none once\noption --version -V none once\n"
		"option --help -? none once\noption --usage - none once\noption --version -V none once\n");
}

static void arguments(void **state)
{
	static const char *const lines[][2] = {
		{"", ""},
		{"FILE...", "argument - - file many\n"},
		{"[DIR]", "argument - - folder once\n"},
		{"[PATH]...", "argument - - file many\n"},
		{"[PATH...]", "argument - - file many\n"},
		{"BASE... -- NEW...", "argument - - text many\nargument - - text many\n"},
		{"-- COMMAND [ARGS...]", "argument - - command once\nargument - - text many\n"},
		{"FLAVOUR REPORT...", "argument - - text once sweet sour\nargument - - file many\n"},
		{"[-o FILE] sweet|sour FILE", "argument - - text once sweet sour\nargument - - file once\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		FILE *out = begin();

		completion_print_arguments(out, lines[i][0], nouns);
		end(out, lines[i][1]);
	}
	FILE *out = begin();

	completion_print_arguments(out, NULL, nouns);
	completion_print_command(out, "plot");
	end(out, "command plot\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wanted_is_the_only_word),
		cmocka_unit_test(options),
		cmocka_unit_test(option_rows),
		cmocka_unit_test(argp_tables),
		cmocka_unit_test(arguments),
	};

	return cmocka_run_group_tests_name("completion", tests, NULL, NULL);
}
