/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/cli/opt.h"

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

TEST("wanted is the only word")
{
	char name[] = "x", rows[] = "--completion-rows", more[] = "5", abbreviated[] = "--completion";
	char *const one[] = {name, rows, NULL};
	char *const two[] = {name, rows, more, NULL};
	char *const other[] = {name, abbreviated, NULL};

	assert_true(completion_is_wanted(2, one));
	assert_false(completion_is_wanted(3, two));
	assert_false(completion_is_wanted(2, other));
	assert_false(completion_is_wanted(1, one));
}

/* A choice is offered once, whether the value's name lists it or not. */
TEST("an option offers the values that its row lists, each once")
{
	static const char *const words[] = {"none", "ratio:", NULL}, *const all[] = {"none", "all", NULL};
	static const struct opt rows[] = {
		{.type = OPT_TITLE, .help = "A group"},
		{.name = "cold", .letter = 'c', .type = OPT_FLAG},
		{.name = "mapsize", .letter = 'm', .value = "SIZE", .type = OPT_SIZE},
		{.name = "label", .value = "K=V", .type = OPT_OWN, .flags = OPT_REPEATS},
		{.name = "json", .value = "FILE", .type = OPT_STRING, .bare = "-"},
		{.name = "output", .letter = 'o', .value = "DIR", .type = OPT_STRING},
		{.name = "content", .value = "KIND", .type = OPT_OWN, .choices = words},
		{.name = "taste", .value = "FLAVOUR", .type = OPT_OWN, .choices = words},
		{.name = "to", .value = "json|csv|md", .type = OPT_OWN},
		{.name = "what", .value = "all|none|FILE", .type = OPT_OWN, .choices = words},
		{.name = "progress", .value = "auto|none|FILE|N", .type = OPT_OWN},
		{.name = "bars", .value = "|a||b|", .type = OPT_OWN},
		{.name = "recover", .value = "set-aside", .type = OPT_OWN, .bare = ""},
		{.name = "from", .value = "REPORT", .type = OPT_STRING},
		{.name = "own", .value = "a|b", .type = OPT_OWN},
		{.name = "tastes", .value = "FLAVOUR,...", .type = OPT_OWN},
		{.name = "sizes", .value = "SIZE,...", .type = OPT_OWN, .bare = "4k"},
		{.name = "folders", .value = "DIR,...", .type = OPT_OWN},
		{.name = "more", .value = ",...", .type = OPT_OWN},
		{.name = "which", .value = "none|all", .type = OPT_CHOICE, .choices = all},
		{.name = "secret", .type = OPT_FLAG, .flags = OPT_HIDDEN},
		{.name = "scenario", .value = "SCENARIO", .type = OPT_OWN, .flags = OPT_ARGUMENT},
		{0},
	};
	FILE *out = begin();

	completion_print_options(out, rows, nouns);
	end(out,
		"option --cold -c none once\n"
		"option --mapsize -m text once\n"
		"option --label - text many\n"
		"option --json - file? once\n"
		"option --output -o folder once\n"
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
		"option --more - text once\n"
		"option --which - text once none all\n"
		"hidden --secret - none once\n"
		"option --help -? none once\noption --usage - none once\noption --version -V none once\n");
}

TEST("an argument prints the completion row of its usage")
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

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		FILE *out = begin();

		completion_print_arguments(out, lines[i][0], nouns);
		end(out, lines[i][1]);
	}
	FILE *out = begin();

	completion_print_arguments(out, NULL, nouns);
	end(out, "");
}
