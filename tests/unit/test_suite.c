/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/units.h"
#include "memstor/suite/suite.h"

static struct suite suite;
static char why[512];

static int parse_with(const char *text, const struct suite_variable *settings, size_t count)
{
	const struct suite_scope scope = {count, settings};

	return suite_parse("x", "/here", text, strlen(text), &scope, &suite, why, sizeof(why));
}

static void parse(const char *text)
{
	if (parse_with(text, NULL, 0))
		fail_msg("%s", why);
}

static void refuse(const char *text, const char *expected)
{
	assert_int_equal(parse_with(text, NULL, 0), -EINVAL);
	assert_string_equal(why, expected);
	assert_int_equal(suite.step_count, 0);
}

/* The words of a step with bars between. */
static const char *words_of(size_t step)
{
	static char text[512];
	size_t used = 0;

	assert_true(step < suite.step_count);
	for (size_t i = 0; i < suite.steps[step].word_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "|" : "", suite.steps[step].words[i]);
	assert_null(suite.steps[step].words[suite.steps[step].word_count]);
	return text;
}

static int tear_down(void **state)
{
	(void)state;
	suite_free(&suite);
	return 0;
}

TEST_WITH("a suite of one step is parsed", NULL, tear_down)
{
	parse("step a\nrun pmbench -m 256 -p uniform 5\n");
	assert_int_equal(suite.step_count, 1);
	assert_string_equal(suite.about, "");
	assert_string_equal(suite.steps[0].name, "a");
	assert_string_equal(words_of(0), "pmbench|-m|256|-p|uniform|5");
	assert_int_equal(suite.steps[0].line, 2);
	assert_int_equal(suite.steps[0].repeat, 1);
	assert_int_equal(suite.steps[0].warmup, 0);
	assert_int_equal(suite.steps[0].need_count, 0);
	assert_true(suite.steps[0].budget_ns == 600 * UNITS_NS_PER_SEC);
}

TEST_WITH("lines before the first step apply to all steps", NULL, tear_down)
{
	parse("about What it is # not this\nrepeat 3\nwarmup 1\nbudget 30s\nneeds root\nneeds cpus:2\n"
	      "step a\nrun pmbench\nstep b\nneeds space:2G\nrepeat 5\nbudget 1m\nwarmup 0\nrun pmbench\n");
	assert_string_equal(suite.about, "What it is");
	assert_int_equal(suite.steps[0].repeat, 3);
	assert_int_equal(suite.steps[0].warmup, 1);
	assert_int_equal(suite.steps[0].need_count, 2);
	assert_int_equal(suite.steps[1].repeat, 5);
	assert_int_equal(suite.steps[1].warmup, 0);
	assert_true(suite.steps[1].budget_ns == 60 * UNITS_NS_PER_SEC);
	assert_int_equal(suite.steps[1].need_count, 3);
	assert_string_equal(suite.steps[1].needs[1].text, "cpus:2");
	assert_true(suite.steps[1].needs[2].amount == 2 * UNITS_GIB);
}

TEST_WITH("variables make a step for each combination", NULL, tear_down)
{
	static const char *const names[] = {"a-u-1", "a-u-2", "a-u-3", "a-z-1", "a-z-2", "a-z-3", "last"};

	parse("set n 7\nstep a-$p-$r\nfor p in u z\nrun pmbench -p \"$p $n\" '$p' --ram ${r}M\nfor r in 1 2 3\nrepeat $r\n"
	      "step last\nrun pmbench $n $$n\n");
	assert_int_equal(suite.step_count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_string_equal(suite.steps[i].name, names[i]);
	assert_string_equal(words_of(4), "pmbench|-p|z 7|$p|--ram|2M");
	assert_int_equal(suite.steps[4].repeat, 2);
	assert_int_equal(suite.steps[5].repeat, 3);
	assert_string_equal(words_of(6), "pmbench|7|$n");
}

TEST_WITH("variables of the command line replace those of the suite", NULL, tear_down)
{
	static const struct suite_variable given[] = {{"n", "9"}, {"p", "b 'c d'"}};
	static const struct suite_variable list[] = {{"k", "7  8\tx,1"}};
	static const struct suite_variable unknown[] = {{"n", "9"}, {"q", "1"}};
	static const struct suite_variable empty[] = {{"p", " "}};
	static const struct suite_variable broken[] = {{"p", "'"}};
	static const char text[] = "set n 1\nset m x$n\nstep a-$k\nfor k in 1 2\nrun pmbench $m\n"
				   "step b-$m-$n\nfor p in a\nrun pmbench $p\n";

	assert_int_equal(parse_with("set n 1\nset m x$n\nstep a\nfor p in a\nrun pmbench $m $p\n", given, 1), 0);
	assert_string_equal(words_of(0), "pmbench|x9|a");
	suite_free(&suite);
	assert_int_equal(parse_with("set n 1\nset m 2\nstep a-$n\nfor p in 1 2 3\nrun pmbench $p\n", given, 2), -EINVAL);
	assert_string_equal(why, "x:3: step 'a-9': there is one of this name; variables of for must be part of the name");
	assert_int_equal(parse_with("step a-$k\nfor k in 1 2\nrun pmbench $k\n", list, 1), 0);
	assert_int_equal(suite.step_count, 3);
	assert_string_equal(suite.steps[2].name, "a-x,1");
	suite_free(&suite);
	assert_int_equal(parse_with(text, unknown, 2), -EINVAL);
	assert_string_equal(why, "--set 'q=1': x has no such variable; it has: n, m, k, p");
	assert_int_equal(parse_with(text, empty, 1), -EINVAL);
	assert_string_equal(why, "x:7: --set p: a list without a value");
	assert_int_equal(parse_with(text, broken, 1), -EINVAL);
	assert_string_equal(why, "x:7: --set p: a quote (') is not closed in its line");
}

TEST_WITH("$here is the folder of the suite", NULL, tear_down)
{
	const struct suite_scope none = {0};
	static const char text[] = "step a\nrun pmbench $here/y\n";

	parse(text);
	assert_string_equal(words_of(0), "pmbench|/here/y");
	suite_free(&suite);
	assert_int_equal(suite_parse("x", NULL, text, strlen(text), &none, &suite, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "x:2: $here: no such variable; there are: none");
}

TEST_WITH("quotes, comments and continued lines are parsed as in a shell", NULL, tear_down)
{
	parse("\n  # nothing\n\tstep\ta \n run pmbench it's a=\"b c\" 'd \"$e' \"\" x'y z'w # none\n");
	assert_string_equal(words_of(0), "pmbench|it's|a=b c|d \"$e||x'y|z'w");
	suite_free(&suite);
	parse("step a\nrun pmbench \\\n  1 \\\r\n 2\\3 4\\\nbudget 20s\n");
	assert_string_equal(words_of(0), "pmbench|1|2\\3|4|budget|20s");
	suite_free(&suite);
	parse("step a\nrun pmbench # no \\\nbudget 20s");
	assert_true(suite.steps[0].budget_ns == 20 * UNITS_NS_PER_SEC);
}

/* Lines are counted through those that go on. */
TEST_WITH("refusals name the line, counted through continued ones", NULL, tear_down)
{
	refuse("step a\nrun pmbench \\\n\\\n1\nbudget x\n", "x:5: budget 'x': must be a time from 10ms to 168h, as 30s or 5m");
	refuse("step a\nrun pmbench \\\n $x\n", "x:2: $x: no such variable; there are: here");
	refuse("step a\n\n", "x:1: step 'a': it has no line: run PROGRAM OPTION...");
	refuse("#\n#\n", "x:2: a suite without a step; a step is: step NAME, and a line below it: run PROGRAM OPTION...");
}

TEST_WITH("steps, words and variables have limits", NULL, tear_down)
{
	char text[40000];
	size_t used = 0;

	used = (size_t)snprintf(text, sizeof(text), "step a\nrun pmbench");
	for (int i = 0; i < 256; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " x");
	refuse(text, "x:2: more than 256 words in a line");
	used = (size_t)snprintf(text, sizeof(text), "step a\n");
	for (int i = 0; i < 33; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "needs root\n");
	refuse(text, "x:34: more than 32 lines in a step");
}

TEST_WITH("too many needs are refused", NULL, tear_down)
{
	char text[400];
	size_t used = (size_t)snprintf(text, sizeof(text), "step a\nrun pmbench\nneeds");

	for (int i = 0; i < 17; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " root");
	refuse(text, "x:3: more than 16 needs of a step");
}

TEST("names of steps are safe as names of folders")
{
	assert_true(suite_is_name("a"));
	assert_true(suite_is_name("9._,+=%-"));
	assert_false(suite_is_name(""));
	assert_false(suite_is_name("."));
	assert_false(suite_is_name("-a"));
	assert_false(suite_is_name("a/b"));
	assert_false(suite_is_name("a:b"));
	assert_false(suite_is_name("\xc3\xa4"));
}
