/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Patterns as text, and which shapes are refused for how many pages. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/shaped.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char kinds_text[] =
	"allowed are uniform, normal[,SD], normal_ih[,SD], linear[,STRIDE], pareto[,ALPHA], "
	"zipf[,S], hotset[,SET%[,ACCESS%[,DRIFT]]]";

TEST("each pattern is parsed and printed back")
{
	static const struct {
		const char *text;
		struct pattern_spec spec;
	} cases[] = {
		{"uniform", {.kind = PATTERN_UNIFORM}},
		{"normal", {.kind = PATTERN_NORMAL}},
		{"normal,1536", {.kind = PATTERN_NORMAL, .has_shape = true, .shape = 1536}},
		{"normal,0.5", {.kind = PATTERN_NORMAL, .has_shape = true, .shape = 0.5}},
		{"normal_ih,1e3", {.kind = PATTERN_NORMAL_IH, .has_shape = true, .shape = 1000}},
		{"linear,23", {.kind = PATTERN_LINEAR, .has_shape = true, .shape = 23}},
		{"pareto,1.161", {.kind = PATTERN_PARETO, .has_shape = true, .shape = 1.161}},
		{"zipf", {.kind = PATTERN_ZIPF}},
		{"zipf,1.1", {.kind = PATTERN_ZIPF, .has_shape = true, .shape = 1.1}},
		{"hotset", {.kind = PATTERN_HOTSET, .hot_set = 0.2, .hot_access = 0.8}},
		{"hotset,10%", {.kind = PATTERN_HOTSET, .hot_set = 0.1, .hot_access = 0.8}},
		{"hotset,12.5,90", {.kind = PATTERN_HOTSET, .hot_set = 0.125, .hot_access = 0.9}},
		{"hotset,100%,0%,7", {.kind = PATTERN_HOTSET, .hot_set = 1, .hot_access = 0, .hot_drift = 7}},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct pattern_spec *want = &cases[i].spec;
		struct pattern_spec spec;
		const char *why;

		memset(&spec, 0xff, sizeof(spec));
		if (pattern_parse(cases[i].text, &spec, &why))
			fail_msg("%s: %s", cases[i].text, why);
		assert_int_equal(spec.kind, want->kind);
		assert_true(spec.has_shape == want->has_shape && spec.shape == want->shape);
		assert_true(spec.hot_set == want->hot_set && spec.hot_access == want->hot_access);
		assert_true(spec.hot_drift == want->hot_drift && !spec.is_scattered);
		assert_memory_equal(pattern_name(spec.kind), cases[i].text, strcspn(cases[i].text, ","));
	}
}

struct complaint {
	const char *text;
	int err;
	const char *why;
};

#define NORMAL_TAKES "normal takes one number, its standard deviation in pages: normal,1536"
#define LINEAR_TAKES "linear takes one number, its stride in pages: linear,23"
#define ZIPF_TAKES "zipf takes one number, its exponent s: zipf,1.1"
#define HOTSET_TAKES                                                                                         \
	"hotset takes its share of the pages, of the accesses, and draws a step: hotset,20%,80%,1000"
#define SD_ABOVE "the standard deviation in pages must be above 0"
#define S_RANGE "s must be above 0 and at most 100"
#define HOT_RANGE "the hot set must be above 0% and at most 100% of the pages"

static const struct complaint complaints[] = {
	{"", -EINVAL, kinds_text},
	{",", -EINVAL, kinds_text},
	{"Uniform", -EINVAL, kinds_text},
	{"uni", -EINVAL, kinds_text},
	{"uniform ", -EINVAL, kinds_text},
	{"normal_", -EINVAL, kinds_text},
	{"zipfian,1", -EINVAL, kinds_text},
	{"a_name_that_is_longer_than_any_of_ours_is,1", -EINVAL, kinds_text},
	{"uniform,1", -EINVAL, "uniform takes no number"},
	{"uniform,", -EINVAL, "uniform takes no number"},
	{"normal,", -EINVAL, NORMAL_TAKES},
	{"normal,x", -EINVAL, NORMAL_TAKES},
	{"normal,1,2", -EINVAL, NORMAL_TAKES},
	{"normal,1,2,3,4,5,6", -EINVAL, NORMAL_TAKES},
	{"normal,nan", -EINVAL, NORMAL_TAKES},
	{"normal,inf", -EINVAL, NORMAL_TAKES},
	{"normal,0x10", -EINVAL, NORMAL_TAKES},
	{"normal, 5", -EINVAL, NORMAL_TAKES},
	{"normal,5k", -EINVAL, NORMAL_TAKES},
	{"normal,1111111111111111111111111111111111111111111111", -EINVAL, NORMAL_TAKES},
	{"normal,0", -ERANGE, SD_ABOVE},
	{"normal,-3", -ERANGE, SD_ABOVE},
	{"normal,-1e999", -ERANGE, SD_ABOVE},
	{"normal,1e999", -ERANGE, "the number is too large"},
	{"normal_ih,-1", -ERANGE, SD_ABOVE},
	{"linear,x", -EINVAL, LINEAR_TAKES},
	{"linear,0", -ERANGE, "the stride in pages must be at least 1"},
	{"linear,0.5", -ERANGE, "the stride in pages must be at least 1"},
	{"linear,-1", -ERANGE, "the stride in pages must be at least 1"},
	{"pareto,0", -ERANGE, "alpha must be above 0 and at most 100"},
	{"pareto,100.1", -ERANGE, "alpha must be above 0 and at most 100"},
	{"pareto,", -EINVAL, "pareto takes one number, its alpha: pareto,1.161"},
	{"zipf,1.1.1", -EINVAL, ZIPF_TAKES},
	{"zipf,1.1%", -EINVAL, ZIPF_TAKES},
	{"zipf,0", -ERANGE, S_RANGE},
	{"zipf,-1", -ERANGE, S_RANGE},
	{"zipf,101", -ERANGE, S_RANGE},
	{"zipf,1e999", -ERANGE, S_RANGE},
	{"hotset,", -EINVAL, HOTSET_TAKES},
	{"hotset,%", -EINVAL, HOTSET_TAKES},
	{"hotset,20%%", -EINVAL, HOTSET_TAKES},
	{"hotset,20,", -EINVAL, HOTSET_TAKES},
	{"hotset,20,80,x", -EINVAL, HOTSET_TAKES},
	{"hotset,20,80,1.5", -EINVAL, HOTSET_TAKES},
	{"hotset,20,80,-1", -EINVAL, HOTSET_TAKES},
	{"hotset,20,80,1,1", -EINVAL, HOTSET_TAKES},
	{"hotset,0%", -ERANGE, HOT_RANGE},
	{"hotset,101%", -ERANGE, HOT_RANGE},
	{"hotset,-1", -ERANGE, HOT_RANGE},
	{"hotset,20,101", -ERANGE, "the hot set's accesses must be 0% to 100%"},
	{"hotset,20,80,18446744073709551616", -ERANGE,
		"the draws a step of the hot set must be at most 2^64 - 1 (0: it stays)"},
};

TEST("malformed patterns are refused and leave the result alone")
{
	struct pattern_spec spec, before;

	memset(&spec, 0x5a, sizeof(spec));
	before = spec;
	for (size_t i = 0; i < COUNT(complaints); i++) {
		const char *why = NULL;
		int err = pattern_parse(complaints[i].text, &spec, &why);

		if (err != complaints[i].err || !why || strcmp(why, complaints[i].why))
			fail_msg("'%s': %d, %s", complaints[i].text, err, why ? why : "no reason");
		assert_memory_equal(&spec, &before, sizeof(spec));
	}
}

static void refuse(struct pattern_spec spec, uint64_t pages, const char *expected)
{
	struct pattern_spec before = spec;
	const char *why = NULL;

	assert_int_equal(pattern_check(&spec, pages, &why), -ERANGE);
	assert_non_null(why);
	assert_string_equal(why, expected);
	assert_memory_equal(&spec, &before, sizeof(spec));
}

TEST("shapes beyond the set are refused")
{
	static const char sd_below[] =
		"the standard deviation must be at most the number of pages in the set";
	static const char stride_below[] = "the stride must be at most the number of pages in the set";
	struct pattern_spec hot = {.kind = PATTERN_HOTSET, .hot_set = 0.5, .hot_access = 0.5};

	for (unsigned kind = 0; kind < PATTERN_KINDS; kind++) {
		refuse(shaped((enum pattern_kind)kind, 1), 0, "a pattern needs a set of at least one page");
		refuse(shaped((enum pattern_kind)kind, 1), PATTERN_PAGES_MAX + 1,
			"a pattern can draw from at most 2^40 pages");
	}
	refuse(shaped(PATTERN_NORMAL, NAN), 10, SD_ABOVE);
	refuse(shaped(PATTERN_NORMAL, INFINITY), 10, sd_below);
	refuse(shaped(PATTERN_NORMAL, 10.01), 10, sd_below);
	refuse(shaped(PATTERN_NORMAL_IH, 11), 10, sd_below);
	refuse(shaped(PATTERN_LINEAR, NAN), 10, "the stride in pages must be at least 1");
	refuse(shaped(PATTERN_LINEAR, 11), 10, stride_below);
	refuse(shaped(PATTERN_LINEAR, INFINITY), 10, stride_below);
	refuse(shaped(PATTERN_PARETO, NAN), 10, "alpha must be above 0 and at most 100");
	refuse(shaped(PATTERN_ZIPF, NAN), 10, S_RANGE);
	hot.hot_set = 0;
	refuse(hot, 10, HOT_RANGE);
	hot.hot_set = NAN;
	refuse(hot, 10, HOT_RANGE);
	hot.hot_set = 0.5;
	hot.hot_access = NAN;
	refuse(hot, 10, "the hot set's accesses must be 0% to 100%");
}

static double checked_shape(struct pattern_spec spec, uint64_t pages)
{
	const char *why = "";

	if (pattern_check(&spec, pages, &why))
		fail_msg("%s: %s", pattern_name(spec.kind), why);
	return spec.shape;
}

TEST("a check fills in the default shape of a pattern")
{
	struct pattern_spec normal = {.kind = PATTERN_NORMAL};
	const char *why;

	assert_true(checked_shape(normal, 1200) == 100);
	assert_true(checked_shape((struct pattern_spec){.kind = PATTERN_NORMAL_IH}, 1200) == 100);
	assert_true(checked_shape((struct pattern_spec){.kind = PATTERN_LINEAR}, 1200) == 1);
	assert_true(checked_shape((struct pattern_spec){.kind = PATTERN_PARETO}, 1200) == 1.00001);
	assert_true(checked_shape((struct pattern_spec){.kind = PATTERN_ZIPF}, 1200) == 1.00001);
	/* The original's readers pass -e to every pattern; a stride of 1.00001 is one of 1. */
	assert_true(checked_shape(shaped(PATTERN_LINEAR, 1.00001), 10) == 1);
	assert_true(checked_shape(shaped(PATTERN_LINEAR, 10.9), 10) == 10);
	assert_true(checked_shape(shaped(PATTERN_UNIFORM, -5), 10) == -5);
	/* A default follows the set when the spec is checked for another one. */
	assert_int_equal(pattern_check(&normal, 1200, &why), 0);
	assert_true(checked_shape(normal, 2400) == 200);
}
