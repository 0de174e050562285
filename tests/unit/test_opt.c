/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option engine by one command that has an option of each type. */
#include "config.h"
#include "tests/unit/said.h"

#include <errno.h>
#include <string.h>
#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/cli/command.h"

#define ME "test_opt: "

struct values {
	bool is_cold;
	unsigned jobs, colour;
	uint64_t seed, size, time, first_argument;
	double share;
	const char *path, *preset, *duration;
	unsigned words, arguments, behind;
	char last[32];
};

static const char *const colours[] = {"red", "green", "blue", NULL};
#define AT(member) offsetof(struct values, member)

static int add_word(struct opt_value *in, const char *word)
{
	struct values *values = in->options;

	if (!strcmp(word, "bad")) {
		in->why = "is no good word";
		return -EINVAL;
	}
	snprintf(values->last, sizeof(values->last), "%s", word);
	values->words++;
	return 0;
}

static int set_words(struct opt_value *in)
{
	if (!strcmp(in->text, "foreign"))
		return -ENOTSUP;
	return opt_each_word(in, add_word);
}

static bool is_swap(const char *text)
{
	return strcmp(text, "none") != 0;
}

static const struct opt rows[] = {
	{.type = OPT_TITLE, .help = "What is done"},
	{"jobs", 'j', "N", OPT_UNSIGNED, .offset = AT(jobs), .min = 1, .max = 8, .preset = "2", .help = "run N threads"},
	{"seed", 0, "N", OPT_U64, .offset = AT(seed), .help = "begin the random numbers at N"},
	{"size", 's', "SIZE", OPT_SIZE, .offset = AT(size), .min = 4096, .max = 1 << 30, .unit = UNITS_MIB, .help = "map SIZE"},
	{"time", 0, "TIME", OPT_TIME, OPT_ZERO, AT(time), .min = 1000000, .max = 60 * UNITS_NS_PER_SEC, .help = "wait TIME"},
	{"share", 0, "SHARE", OPT_DOUBLE, .offset = AT(share), .low = 0, .high = 1, .preset = "0.5", .help = "take SHARE"},
	{"colour", 0, "COLOUR", OPT_CHOICE, .offset = AT(colour), .choices = colours, .preset = "green", .help = "paint it"},
	{"cold", 'c', NULL, OPT_FLAG, .offset = AT(is_cold), .help = "do not warm up"},
	{"words", 'w', "WORD,...", OPT_OWN, OPT_REPEATS, .set = set_words, .allowed = "must be words", .help = "say WORDs",
		.manual = "Says each WORD, as --words=a,b does; excludes `red`.\n\n  test --words=a\n\nNot before.\n"
			  "A source line as long as it is written in C is divided at the last blank within 79 columns, as\n"
			  ".this is, and a period at the beginning of a line is no request."},
	{.type = OPT_TITLE, .help = "Where"},
	{"path", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, AT(path), .preset = ".", .help = "work in PATH",
		.manual = "Works in PATH with --jobs, --seed, --size, --time, --share, --colour and --cold\nas it is."},
	{"json", 0, "FILE", OPT_STRING, OPT_UNREPORTED, AT(preset), .bare = "-", .help = "write FILE"},
	{"swap", 0, "SPEC", OPT_STRING, .offset = AT(preset), .must_be_typed = is_swap, .help = "make swap"},
	{"duration", 0, "DURATION", OPT_STRING, OPT_ARGUMENT, .offset = AT(duration)},
	{0},
};

static const struct opt rows_of_many[] = {
	{"jobs", 'j', "N", OPT_UNSIGNED, .offset = AT(jobs), .help = "run N threads"},
	{"path", 0, "PATH", OPT_STRING, .offset = AT(path), .help = "work in PATH"},
	{"file", 0, "FILE", OPT_OWN, OPT_ARGUMENT | OPT_REPEATS, .set = set_words},
	{0},
};

static const struct opt_relation relations[] = {
	{OPT_EXCLUDES, "size", "time", "keep one"},
	{OPT_NEEDS, "cold", "seed", NULL},
	{OPT_REPLACES, "colour", "share", NULL},
	{0},
};

static const struct program program = {.name = "test_opt", .summary = "Tries."};
static const struct command command = {
	.program = &program, .arguments = "[DURATION]", .doc = "Tries.", .examples = "  test_opt 3\n", .options = rows,
	.relations = relations};

static const struct command command_of_many = {.program = &program, .arguments = "FILE...", .options = rows_of_many};

/* What was taken, a letter before each: "b" for behind. */
static int take(void *options, const char *text, bool is_behind)
{
	struct values *values = options;
	size_t used = strlen(values->last);

	snprintf(values->last + used, sizeof(values->last) - used, " %s%s", is_behind ? "b:" : "", text);
	return 0;
}

static const struct command command_of_groups = {
	.program = &program, .options = rows_of_many, .flags = COMMAND_GROUPS, .take = take};
static const struct command command_of_sides = {
	.program = &program, .options = rows_of_many, .flags = COMMAND_OPTIONS_BEHIND, .take = take};

#define MAX 9
struct words {
	const char *list[MAX];
};
#define LINE(...) (&(struct words){{"test_opt", __VA_ARGS__}})
#define SAID(...) said_of(parse_alone, LINE(__VA_ARGS__))

static int count_of(const struct words *words)
{
	int count = 0;

	while (count < MAX && words->list[count])
		count++;
	return count;
}

static int parse_alone(void *data)
{
	struct words *words = data;
	struct values values = {0};
	struct opt_line line;
	int code = command_parse(&command, count_of(words), (char **)words->list, &values, &line, NULL);

	opt_free(&line);
	return code;
}

static void parse(struct words *words, struct values *values, struct opt_line *line)
{
	*values = (struct values){0};
	assert_int_equal(command_parse(&command, count_of(words), (char **)words->list, values, line, NULL), 0);
}

static void assert_refused(struct said said, int status, const char *err)
{
	assert_string_equal(said.err, err);
	assert_string_equal(said.out, "");
	assert_int_equal(said.status, status);
}

TEST("an option of each type sets its member")
{
	struct values values;
	struct opt_line line;

	parse(LINE("-j3", "--seed=18446744073709551615", "-s", "2", "--share=.25", "--colour=blue", "-c", "90"), &values, &line);
	assert_int_equal(values.jobs, 3);
	assert_true(values.seed == UINT64_MAX);
	assert_int_equal(values.size, 2 * UNITS_MIB);
	assert_true(values.share == 0.25);
	assert_int_equal(values.colour, 2);
	assert_true(values.is_cold);
	assert_string_equal(values.duration, "90");
	opt_free(&line);
}

TEST("an option that is not given has its default")
{
	struct values values;
	struct opt_line line;

	parse(LINE("--time=0"), &values, &line);
	assert_int_equal(values.jobs, 2);
	assert_int_equal(values.colour, 1);
	assert_true(values.share == 0.5);
	assert_string_equal(values.path, ".");
	assert_int_equal(opt_source_of(&line, "jobs"), OPT_BY_DEFAULT);
	assert_int_equal(opt_source_of(&line, "time"), OPT_BY_USER);
	assert_string_equal(opt_text(&line, "jobs"), "2");
	opt_free(&line);
}

TEST("the last value is used, repeated options add up")
{
	struct values values;
	struct opt_line line;

	parse(LINE("-j1", "-w", "a,b", "-j", "4", "--words=c"), &values, &line);
	assert_int_equal(values.jobs, 4);
	assert_int_equal(values.words, 3);
	assert_string_equal(values.last, "c");
	opt_free(&line);
}

TEST("a refusal names option, value and range")
{
	assert_refused(SAID("-j9"), 2, ME "-j 9: must be a whole number from 1 to 8\n");
	assert_refused(SAID("--jobs=x"), 2, ME "-j x: must be a whole number from 1 to 8\n");
	assert_refused(SAID("--seed=-1"), 2, ME "--seed -1: must be a whole number from 0 to 2^64 - 1\n");
	assert_refused(SAID("--seed=18446744073709551616"), 2,
		ME "--seed 18446744073709551616: must be a whole number from 0 to 2^64 - 1\n");
	assert_refused(SAID("-s", "1k"), 2, ME "-s 1k: must be a size from 4K to 1G\n");
	assert_refused(SAID("--time=1us"), 2, ME "--time 1us: must be 0 or a time from 1ms to 1m\n");
	assert_refused(SAID("--share=2"), 2, ME "--share 2: must be a number from 0 to 1\n");
	assert_refused(SAID("--colour=pink"), 2, ME "--colour pink: must be red, green or blue\n");
	assert_refused(SAID("--path="), 2, ME "--path '': must not be empty\n");
	assert_refused(SAID("-w", "a,,b"), 2, ME "-w a,,b: must be words\n");
	assert_refused(SAID("-w", "a,bad"), 2, ME "-w a,bad: is no good word\n");
	assert_refused(SAID("-w", "foreign"), 3, ME "-w foreign: must be words\n");
}

TEST("usage errors are one line")
{
	assert_refused(SAID("--nothing=1"), 2, ME "--nothing: no such option; --help lists them\n");
	assert_refused(SAID("-x"), 2, ME "-x: no such option; --help lists them\n");
	assert_refused(SAID("-cx"), 2, ME "-x: no such option; --help lists them\n");
	assert_refused(SAID("--jobs"), 2, ME "--jobs: needs a value\n");
	assert_refused(SAID("-j"), 2, ME "-j: needs a value\n");
	assert_refused(SAID("--cold=1"), 2, ME "--cold: takes no value\n");
	assert_refused(SAID("--s=1"), 2, ME "--s: could be any of --seed --size --share --swap\n");
	assert_refused(SAID("1", "2"), 2, ME "2: one argument too many: DURATION is 1 already\n");
}

TEST("an unambiguous abbreviation of an option is accepted")
{
	struct values values;
	struct opt_line line;

	parse(LINE("--colo=red", "--js", "--", "-3"), &values, &line);
	assert_int_equal(values.colour, 0);
	assert_string_equal(values.preset, "-");
	assert_string_equal(values.duration, "-3");
	opt_free(&line);
}

static void parse_by(const struct command *by, struct words *words, struct values *values)
{
	struct opt_line line;

	*values = (struct values){0};
	assert_int_equal(command_parse(by, count_of(words), (char **)words->list, values, &line, NULL), 0);
	opt_free(&line);
}

TEST("a repeated argument takes all arguments")
{
	struct values values;

	parse_by(&command_of_many, LINE("a", "-j4", "b", "--", "-c"), &values);
	assert_int_equal(values.words, 3);
	assert_int_equal(values.jobs, 4);
	assert_string_equal(values.last, "-c");
	parse_by(&command_of_many, LINE("-j4"), &values);
	assert_int_equal(values.words, 0);
}

TEST("a double dash ends the options or separates the sides")
{
	struct values values;

	parse_by(&command_of_groups, LINE("a", "--", "-j4", "b", "--", "c", "--"), &values);
	assert_string_equal(values.last, " a -- b -- c --");
	assert_int_equal(values.jobs, 4);
	parse_by(&command_of_groups, LINE("--", "--path", "--", "b"), &values);
	assert_string_equal(values.last, " -- b");
	parse_by(&command_of_sides, LINE("a", "--", "b", "-j4", "--", "-c"), &values);
	assert_string_equal(values.last, " a b:b b:-c");
	assert_int_equal(values.jobs, 4);
	/* With nothing before it, it ends the options as everywhere. */
	parse_by(&command_of_sides, LINE("-j4", "--", "-j5", "b"), &values);
	assert_string_equal(values.last, " b:-j5 b:b");
	assert_int_equal(values.jobs, 4);
}

TEST("options that exclude or need each other are refused")
{
	assert_refused(SAID("-s1", "--time=1s"), 2, ME "-s and --time: keep one\n");
	assert_refused(SAID("-c"), 2, ME "-c: needs --seed\n");
}

TEST("typed options replace those of a report")
{
	struct opt_line line = {.rows = rows, .relations = relations};
	struct values values = {0};

	assert_int_equal(opt_add(&line, opt_row(rows, "jobs"), "7", OPT_BY_REPORT, "r.xml"), 0);
	assert_int_equal(opt_add(&line, opt_row(rows, "time"), "3s", OPT_BY_REPORT, "r.xml"), 0);
	assert_int_equal(opt_add(&line, opt_row(rows, "share"), "0.1", OPT_BY_REPORT, "r.xml"), 0);
	assert_int_equal(opt_add(&line, opt_row(rows, "words"), "a", OPT_BY_REPORT, "r.xml"), 0);
	assert_int_equal(opt_add(&line, opt_row(rows, "size"), "1", OPT_BY_USER, NULL), 0);
	assert_int_equal(opt_add(&line, opt_row(rows, "colour"), "red", OPT_BY_USER, NULL), 0);
	assert_int_equal(opt_apply(&line, &values), 0);
	assert_int_equal(values.jobs, 7);
	assert_int_equal(values.time, 0);
	assert_true(values.share == 0); /* a default gives way, too */
	assert_int_equal(values.words, 1);
	assert_int_equal(opt_source_of(&line, "time"), OPT_BY_DEFAULT);
	assert_int_equal(opt_source_of(&line, "jobs"), OPT_BY_REPORT);
	opt_free(&line);
}

TEST("effective options are typed values or defaults")
{
	static const struct named_text_values wanted[] = {
		{"jobs", "2"}, {"size", "8"}, {"share", "0.5"}, {"colour", "green"}, {"words", "a"}, {"words", "b"}, {"path", "."},
		{"duration", "9"}};
	struct values values;
	struct opt_line line;

	parse(LINE("--words=a", "-s8", "--words=b", "--json", "9"), &values, &line);
	assert_int_equal(opt_list_effective(&line, &values), 0);
	assert_int_equal(line.effective_count, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < line.effective_count; i++) {
		assert_string_equal(line.effective[i].name, wanted[i].name);
		assert_string_equal(line.effective[i].value, wanted[i].value);
	}
	opt_free(&line);
}

TEST("help lists the rows in order")
{
	struct said said = SAID("--help");

	assert_int_equal(said.status, 0);
	assert_string_equal(said.out, "Usage: test_opt [OPTION...] [DURATION]\nTries.\n\nExamples:\n  test_opt 3\n\n"
		" What is done:\n"
		"  -j, --jobs=N               run N threads (default: 2)\n"
		"      --seed=N               begin the random numbers at N\n"
		"  -s, --size=SIZE            map SIZE\n"
		"      --time=TIME            wait TIME\n"
		"      --share=SHARE          take SHARE (default: 0.5)\n"
		"      --colour=COLOUR        paint it (default: green)\n"
		"  -c, --cold                 do not warm up\n"
		"  -w, --words=WORD,...       say WORDs\n\n"
		" Where:\n"
		"      --path=PATH            work in PATH (default: .)\n"
		"      --json[=FILE]          write FILE\n"
		"      --swap=SPEC            make swap\n\n"
		"  -?, --help                 print this help\n"
		"      --usage                print a short usage\n"
		"  -V, --version              print the version\n");
}

TEST("the manual has a paragraph for each row")
{
	struct said said = SAID("--manual-options");

	assert_int_equal(said.status, 0);
	assert_non_null(strstr(said.out, ".TP\n\\fB\\-j\\fR \\fIN\\fR, \\fB\\-\\-jobs\\fR=\\fIN\\fR\n"
					 "Run \\fIN\\fR threads.\nThe default is \\fB2\\fR.\n"));
	assert_non_null(strstr(said.out, ".TP\n\\fB\\-w\\fR \\fIWORD,...\\fR, \\fB\\-\\-words\\fR=\\fIWORD,...\\fR\n"
					 "Says each \\fIWORD\\fR, as \\fB\\-\\-words=a,b\\fR does; excludes \\fBred\\fR.\n"
					 ".IP\n.EX\ntest \\fB\\-\\-words=a\\fR\n.EE\n.IP\nNot before.\n"
					 "A source line as long as it is written in C is divided at the last blank within\n"
					 "79 columns, as\n\\&.this is, and a period at the beginning of a line is no request.\n"));
}

/* mandoc complains of both. */
TEST("the manual has no long line and no paragraph break first")
{
	struct said said = SAID("--manual-options");
	char *rest = said.out;

	assert_int_equal(strncmp(said.out, ".I What is done\n.TP\n", 20), 0);
	assert_non_null(strstr(said.out, "\\fB\\-\\-cold\\fR\nas it is.\n"));
	for (const char *line; (line = strsep(&rest, "\n"));)
		assert_in_range(strlen(line), 0, 80);
}
