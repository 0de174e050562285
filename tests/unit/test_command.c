/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/said.h"

#include <errno.h>
#include <string.h>
#include "common/base/diag.h"
#include "common/cli/command.h"
#include "common/cli/opt.h"

#define ME "test_command: " /* diag begins with the process's name, not the program's */

static const struct program program;

struct input {
	const char *sweet, *last; /* last: argument */
	int words;
};

static int set_sweet(struct opt_value *in)
{
	struct input *input = in->options;

	in->why = "has no such taste";
	input->sweet = in->text;
	return strcmp(in->text, "bitter") ? 0 : -EINVAL;
}

static int take(void *options, const char *text, bool is_behind)
{
	struct input *input = options;

	(void)is_behind;
	input->words++;
	input->last = text;
	return 0;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct input input = {0};
	struct opt_line line;
	char **rest;
	int code = command_parse(command, argc, argv, &input, &line, &rest);

	if (!code)
		printf("%s by %s: %s, %d, %s, %s\n", command->name, argv[0], input.sweet, input.words,
			input.last ? input.last : "none", *rest ? *rest : "none");
	opt_free(&line);
	return code ? code : input.words == 3 ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

static const struct opt options[] = {
	{"sweet", 's', "FLAVOUR", OPT_OWN, OPT_REPEATS, .set = set_sweet, .preset = "sour", .help = "taste so"},
	{0},
};

static const struct command bake = {
	.program = &program, .name = "bake", .arguments = "[CAKE...]", .summary = "put it into the oven",
	.doc = "Bakes.", .options = options, .take = take, .run = run};
static const struct command eat = {
	.program = &program, .name = "eat", .arguments = "CAKE", .summary = "end it", .doc = "Eats.",
	.options = options, .flags = COMMAND_IN_ORDER, .run = run};
static const struct command *const commands[] = {&bake, &eat, NULL};

static const char *flavour(size_t index)
{
	static const char *const flavours[] = {"sweet", "sour"};

	return index < 2 ? flavours[index] : NULL;
}

static const char *cake(size_t index)
{
	return index ? NULL : "muffin";
}

static const struct completion_noun option_nouns[] = {
	{"FLAVOUR", COMPLETION_TEXT, flavour}, {NULL, COMPLETION_NONE, NULL}};
static const struct completion_noun argument_nouns[] = {
	{"CAKE", COMPLETION_TEXT, cake}, {NULL, COMPLETION_NONE, NULL}};

static const struct program program = {
	.name = "kitchen", .summary = "Makes cakes.", .examples = "  kitchen eat\n", .commands = commands,
	.option_nouns = option_nouns, .argument_nouns = argument_nouns};

struct line {
	const char *words[8];
};

/* kitchen WORD... */
#define LINE(...) &(struct line){{"./kitchen", __VA_ARGS__}}
#define KITCHEN(...) said_of(main_of, LINE(__VA_ARGS__))

static int main_of(void *data)
{
	const struct line *line = data;
	char text[8][64], *argv[9] = {NULL};
	int argc = 0;

	for (; line->words[argc]; argc++) {
		snprintf(text[argc], sizeof(text[argc]), "%s", line->words[argc]);
		argv[argc] = text[argc];
	}
	return command_main(&program, argc, argv);
}

static void assert_said(struct said said, int status, const char *out, const char *err)
{
	assert_string_equal(said.err, err);
	assert_string_equal(said.out, out);
	assert_int_equal(said.status, status);
}

TEST("help lists the commands")
{
	static const char help[] = "Usage: kitchen COMMAND [OPTION...] [ARGUMENT...]\nMakes cakes.\n\n"
				   "Examples:\n  kitchen eat\n\n"
				   "  bake       put it into the oven\n  eat        end it\n\n"
				   "kitchen COMMAND --help lists the options of a command.\nThe manual is kitchen(1).\n";

	assert_said(KITCHEN("--help"), DIAG_EXIT_OK, help, "");
	assert_said(KITCHEN("-?", "bake"), DIAG_EXIT_OK, help, "");
}

TEST("--version prints the version of the package")
{
	static const char version[] = "kitchen (" PACKAGE_NAME ") " PACKAGE_VERSION "\n";

	assert_said(KITCHEN("--version"), DIAG_EXIT_OK, version, "");
	assert_said(KITCHEN("-V"), DIAG_EXIT_OK, version, "");
	assert_said(KITCHEN("eat", "--version"), DIAG_EXIT_OK, version, "");
}

TEST("an unknown command is refused in one line")
{
	static const char *const words[] = {"bak", "bake ", "", "-h", "--", "\n"};
	static const char *const shown[] = {"bak", "bake ", "", "-h", "--", "?"};

	assert_said(KITCHEN(NULL), DIAG_EXIT_USAGE, "", ME "no command given: kitchen --help lists them\n");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char line[128];

		snprintf(line, sizeof(line), ME "'%s' is not a command of kitchen: kitchen --help lists them\n",
			shown[i]);
		assert_said(KITCHEN(words[i], "eat"), DIAG_EXIT_USAGE, "", line);
	}
}

TEST("a command gets its arguments")
{
	assert_said(KITCHEN("bake"), DIAG_EXIT_OK, "bake by bake: sour, 0, none, none\n", "");
	assert_said(KITCHEN("bake", "x", "-s", "honey", "y"), DIAG_EXIT_OK, "bake by bake: honey, 2, y, none\n", "");
	assert_said(KITCHEN("bake", "--sweet=a", "--sweet", "b", "--", "-s"), DIAG_EXIT_OK, "bake by bake: b, 1, -s, none\n", "");
	/* In order: options end where the arguments begin. */
	assert_said(KITCHEN("eat", "--sweet=a", "x", "-s", "honey"), DIAG_EXIT_OK, "eat by eat: a, 0, none, x\n", "");
	assert_said(KITCHEN("eat", "--", "-s"), DIAG_EXIT_OK, "eat by eat: sour, 0, none, -s\n", "");
	/* What it returns is what the program ends with. */
	assert_said(KITCHEN("bake", "x", "y", "z"), DIAG_EXIT_UNTRUSTED, "bake by bake: sour, 3, z, none\n", "");
}

TEST("a usage error of a command is one line")
{
	assert_said(KITCHEN("bake", "--salt"), DIAG_EXIT_USAGE, "", ME "--salt: no such option; --help lists them\n");
	assert_said(KITCHEN("eat", "-s"), DIAG_EXIT_USAGE, "", ME "-s: needs a value\n");
	assert_said(KITCHEN("bake", "-s", "bitter", "x"), DIAG_EXIT_USAGE, "", ME "-s bitter: has no such taste\n");
}

TEST("each command has its own help")
{
	static const char begin[] = "Usage: kitchen bake [OPTION...] [CAKE...]\nBakes.\n";
	struct said said = KITCHEN("bake", "--help");

	assert_int_equal(said.status, DIAG_EXIT_OK);
	assert_string_equal(said.err, "");
	assert_int_equal(strncmp(said.out, begin, strlen(begin)), 0);
	assert_non_null(strstr(said.out, "-s, --sweet=FLAVOUR"));
}

TEST("completion rows come from the option tables")
{
	assert_said(KITCHEN(COMPLETION_ROWS), DIAG_EXIT_OK,
		"command bake\ncommand eat\noption --help -? none once\noption --version -V none once\n", "");
	assert_said(KITCHEN("eat", COMPLETION_ROWS), DIAG_EXIT_OK,
		"option --sweet -s text many sweet sour\noption --help -? none once\noption --usage - none once\n"
		"option --version -V none once\nargument - - text once muffin\n", "");
	/* Beside other words it is a word as any. */
	assert_said(KITCHEN("eat", COMPLETION_ROWS, "x"), DIAG_EXIT_USAGE, "",
		ME COMPLETION_ROWS ": no such option; --help lists them\n");
}

static int into_a_full_device(void *data)
{
	if (!freopen("/dev/full", "w", stdout))
		_exit(99);
	return main_of(data);
}

TEST("output that cannot be written is an error")
{
	struct line *const lines[] = {LINE("--help"), LINE("bake", "x"), LINE("eat", "--usage")};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_said(said_of(into_a_full_device, lines[i]), DIAG_EXIT_HOST, "",
			ME "cannot write to standard output\n");
}
