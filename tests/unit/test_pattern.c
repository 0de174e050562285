/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What patterns promise besides their distributions (test_pattern_draw.c): text, limits, order, scatter. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include "common/pattern.h"
#include "tests/unit/chisquare.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char kinds_text[] =
	"allowed are uniform, normal[,SD], normal_ih[,SD], linear[,STRIDE], pareto[,ALPHA], "
	"zipf[,S], hotset[,SET%[,ACCESS%[,DRIFT]]]";

static void good_texts(void **state)
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

	(void)state;
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

static void bad_texts(void **state)
{
	struct pattern_spec spec, before;

	(void)state;
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

static struct pattern_spec shaped(enum pattern_kind kind, double shape)
{
	return (struct pattern_spec){.kind = kind, .has_shape = true, .shape = shape};
}

static void checks_refuse(void **state)
{
	static const char sd_below[] =
		"the standard deviation must be at most the number of pages in the set";
	static const char stride_below[] = "the stride must be at most the number of pages in the set";
	struct pattern_spec hot = {.kind = PATTERN_HOTSET, .hot_set = 0.5, .hot_access = 0.5};

	(void)state;
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

static void checks_fill_defaults(void **state)
{
	struct pattern_spec normal = {.kind = PATTERN_NORMAL};
	const char *why;

	(void)state;
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

static struct pattern start(struct pattern_spec spec, uint64_t pages, uint64_t seed, uint64_t stream)
{
	struct pattern pattern;
	const char *why = "";

	if (pattern_check(&spec, pages, &why))
		fail_msg("%s: %s", pattern_name(spec.kind), why);
	pattern_init(&pattern, &spec, pages, seed, stream);
	return pattern;
}

static void linear_wraps_as_the_original(void **state)
{
	static const uint64_t expected[] = {0, 3, 6, 9, 1, 4, 7, 2, 5, 8, 0, 3, 6};
	struct pattern pattern = start(shaped(PATTERN_LINEAR, 3), 10, 1, 5);

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(pattern.next(&pattern), expected[i]);
}

static void linear_visits_each_page_once_a_round(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 97, 1000};

	(void)state;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		for (uint64_t stride = 1; stride <= sizes[i]; stride++) {
			struct pattern pattern =
				start(shaped(PATTERN_LINEAR, (double)stride), sizes[i], 1, 0);
			uint8_t seen[1000] = {0};

			for (uint64_t k = 0; k < 2 * sizes[i]; k++)
				seen[pattern.next(&pattern)]++;
			for (uint64_t k = 0; k < sizes[i]; k++)
				assert_int_equal(seen[k], 2);
		}
	}
}

/* With all accesses hot, the window is what is drawn: 3 pages, one further every 5 draws, around the end. */
static void hotset_drifts(void **state)
{
	struct pattern_spec spec = {.kind = PATTERN_HOTSET, .hot_set = 0.3, .hot_access = 1, .hot_drift = 5};
	struct pattern pattern = start(spec, 10, 1, 0);
	unsigned in_place[3] = {0};

	(void)state;
	for (uint64_t i = 0; i < 30000; i++) {
		uint64_t offset = (pattern.next(&pattern) + 10 - i / 5 % 10) % 10;

		assert_true(offset < 3);
		in_place[offset]++;
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(in_place[i], 9700, 10300);
}

/* Over whole turns of the window every page is drawn equally often. */
static void drift_levels_out(void **state)
{
	struct pattern_spec spec = {
		.kind = PATTERN_HOTSET, .hot_set = 0.2, .hot_access = 0.8, .hot_drift = 100};
	struct pattern pattern = start(spec, 97, 1, 0);
	uint64_t count[97] = {0};

	(void)state;
	for (int i = 0; i < 97 * 100 * 50; i++)
		count[pattern.next(&pattern)]++;
	assert_true(chisquare_even_p(count, 97) > CHISQUARE_SUSPICIOUS);
}

static void same_seed_same_pages(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < PATTERN_KINDS; kind++) {
		struct pattern_spec spec = {.kind = (enum pattern_kind)kind,
			.hot_set = 0.2,
			.hot_access = 0.8,
			.is_scattered = kind % 2 == 0};
		struct pattern a = start(spec, 100000, 7, 3), b = start(spec, 100000, 7, 3),
			       other_stream = start(spec, 100000, 7, 4),
			       other_seed = start(spec, 100000, 8, 3);
		unsigned stream_matches = 0, seed_matches = 0;

		for (int i = 0; i < 1000; i++) {
			uint64_t page = a.next(&a);

			assert_int_equal(page, b.next(&b));
			stream_matches += page == other_stream.next(&other_stream);
			seed_matches += page == other_seed.next(&other_seed);
		}
		/* Zipf and pareto meet at their hottest pages. */
		assert_true(kind == PATTERN_LINEAR ? stream_matches == 1000 : stream_matches < 300);
		assert_true(kind == PATTERN_LINEAR ? seed_matches == 1000 : seed_matches < 300);
	}
}

static void permutation_is_one_to_one(uint64_t pages, uint64_t key, uint8_t *seen)
{
	struct pattern_permutation permutation;

	memset(seen, 0, pages);
	pattern_permutation_init(&permutation, pages, key);
	for (uint64_t i = 0; i < pages; i++) {
		uint64_t image = pattern_permute(&permutation, i);

		if (image >= pages || seen[image])
			fail_msg("%llu pages, key %llu: %llu -> %llu", (unsigned long long)pages,
				(unsigned long long)key, (unsigned long long)i, (unsigned long long)image);
		seen[image] = 1;
	}
}

static void scatter_is_a_bijection(void **state)
{
	static const uint64_t large[] = {
		65535, 65536, 65537, 99991, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, 3000000};
	uint8_t *seen = malloc(3000000);

	(void)state;
	assert_non_null(seen);
	for (uint64_t pages = 1; pages <= 1100; pages++) {
		for (uint64_t key = 0; key < 5; key++)
			permutation_is_one_to_one(pages, key, seen);
	}
	for (size_t i = 0; i < COUNT(large); i++)
		permutation_is_one_to_one(large[i], 99, seen);
	free(seen);
}

/* Over many seeds each ordered pair of places is equally likely for the two hottest ranks. */
static void scatter_of_few_pages_is_even(void **state)
{
	(void)state;
	for (uint64_t pages = 2; pages <= 12; pages++) {
		uint64_t count[12 * 12] = {0};
		double probability[12 * 12] = {0};

		for (uint64_t key = 0; key < 200000; key++) {
			struct pattern_permutation p;

			pattern_permutation_init(&p, pages, key);
			count[pattern_permute(&p, 0) * pages + pattern_permute(&p, 1)]++;
		}
		for (uint64_t i = 0; i < pages * pages; i++)
			probability[i] = i / pages == i % pages ? 0 : 1.0 / (double)(pages * (pages - 1));
		if (!chisquare_fits(chisquare_p(count, probability, pages * pages, 200000)))
			fail_msg("%llu pages: p = %g", (unsigned long long)pages,
				chisquare_p(count, probability, pages * pages, 200000));
	}
}

/* Popularity is not adjacency: places of neighbouring ranks, and the steps between them, are spread evenly.
 */
static void scatter_breaks_adjacency(void **state)
{
	static const uint64_t sizes[] = {1000003, 1u << 20, PATTERN_PAGES_MAX};

	(void)state;
	for (size_t s = 0; s < COUNT(sizes); s++) {
		for (uint64_t key = 1; key <= 20; key++) {
			uint64_t places[64] = {0}, steps[64] = {0}, last = 0;
			struct pattern_permutation p;

			pattern_permutation_init(&p, sizes[s], key);
			for (uint64_t rank = 0; rank < 5000; rank++) {
				uint64_t place = pattern_permute(&p, rank);

				places[place * 64 / sizes[s]]++;
				steps[(place + sizes[s] - last) % sizes[s] * 64 / sizes[s]]++;
				last = place;
			}
			if (chisquare_even_p(places, 64) < 1e-6 || chisquare_even_p(steps, 64) < 1e-6)
				fail_msg("%llu pages, key %llu", (unsigned long long)sizes[s],
					(unsigned long long)key);
		}
	}
}

/* A scattered pattern is the plain one, with each page renamed in the same way in every stream. */
static void scatter_renames_pages(void **state)
{
	struct pattern_spec spec = {.kind = PATTERN_ZIPF},
			    scattered = {.kind = PATTERN_ZIPF, .is_scattered = true};
	uint64_t names[1000] = {0};
	unsigned moved = 0;

	(void)state;
	for (uint64_t stream = 0; stream < 4; stream++) {
		struct pattern plain = start(spec, 1000, 42, stream),
			       renamed = start(scattered, 1000, 42, stream);

		for (int i = 0; i < 10000; i++) {
			uint64_t page = plain.next(&plain), name = renamed.next(&renamed);

			assert_true(!names[page] || names[page] == name + 1);
			names[page] = name + 1;
			moved += page != name;
		}
	}
	assert_true(moved > 35000);
}

/* The promise of pattern_zipf.c: draws cost one random number, rarely more. */
static void zipf_rejects_little(void **state)
{
	static const double exponents[] = {1e-6, 0.3, 0.9, 1, 1.1, 1.5, 2, 3, 5, 10, 100};
	static const uint64_t sizes[] = {1, 2, 3, 5, 100, 1u << 20, PATTERN_PAGES_MAX};
	enum { DRAWS = 20000 };

	(void)state;
	for (size_t e = 0; e < COUNT(exponents); e++) {
		for (size_t s = 0; s < COUNT(sizes); s++) {
			struct pattern pattern = start(shaped(PATTERN_ZIPF, exponents[e]), sizes[s], 1, 0);
			struct rng rng = pattern.rng;
			unsigned numbers = 0;

			for (int i = 0; i < DRAWS; i++)
				pattern.next(&pattern);
			while (memcmp(&rng, &pattern.rng, sizeof(rng)) && numbers < 2 * DRAWS) {
				rng_next(&rng);
				numbers++;
			}
			assert_in_range(numbers, DRAWS, DRAWS + DRAWS / 50);
		}
	}
}

/* Hand data, and that what is refused for drawing is refused here. */
static void probabilities_by_hand(void **state)
{
	struct pattern_spec hot = {.kind = PATTERN_HOTSET, .hot_set = 0.5, .hot_access = 0.9};
	double p[4];

	(void)state;
	assert_int_equal(pattern_probabilities(&(struct pattern_spec){.kind = PATTERN_UNIFORM}, 4, p), 0);
	assert_true(p[0] == 0.25 && p[3] == 0.25);
	/* 1, 1/2, 1/3, 1/4 of 25/12 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_ZIPF, true, 1, 0, 0, 0, 0}, 4, p), 0);
	assert_true(fabs(p[0] - 0.48) < 1e-15 && fabs(p[1] - 0.24) < 1e-15 && fabs(p[3] - 0.12) < 1e-15);
	/* 1/1 - 1/2, ... 1/4 - 1/5 of 4/5 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_PARETO, true, 1, 0, 0, 0, 0}, 4, p), 0);
	assert_true(
		fabs(p[0] - 0.625) < 1e-15 && fabs(p[1] - 5.0 / 24) < 1e-15 && fabs(p[3] - 0.0625) < 1e-15);
	/* One sigma either side: 0.341345 each; two: 0.135905 more; of 0.954500 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_NORMAL, true, 1, 0, 0, 0, 0}, 4, p), 0);
	assert_true(fabs(p[1] - 0.341344746 / 0.954499736) < 1e-8 &&
		    fabs(p[0] - 0.135905122 / 0.954499736) < 1e-8);
	/* Half of 12 uniforms sum to less than 6; 4 pages of 3 each: F(3) = sum (-1)^k C(12,k) (3-k)^12 / 12!
	 */
	assert_int_equal(pattern_probabilities(
				 &(struct pattern_spec){PATTERN_NORMAL_IH, true, 1.0 / 3, 0, 0, 0, 0}, 4, p),
		0);
	assert_true(fabs(p[0] - (531441 - 12 * 4096 + 66) / 479001600.0) < 1e-15);
	assert_true(fabs(p[0] + p[1] - 0.5) < 1e-15 && fabs(p[0] - p[3]) < 1e-15);
	assert_int_equal(pattern_probabilities(&hot, 4, p), 0);
	assert_true(fabs(p[0] - 0.45) < 1e-15 && fabs(p[3] - 0.05) < 1e-15);
	hot.hot_set = 2;
	assert_int_equal(pattern_probabilities(&hot, 4, p), -ERANGE);
	assert_int_equal(pattern_probabilities(&hot, 0, p), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_texts),
		cmocka_unit_test(bad_texts),
		cmocka_unit_test(checks_refuse),
		cmocka_unit_test(checks_fill_defaults),
		cmocka_unit_test(linear_wraps_as_the_original),
		cmocka_unit_test(linear_visits_each_page_once_a_round),
		cmocka_unit_test(hotset_drifts),
		cmocka_unit_test(drift_levels_out),
		cmocka_unit_test(same_seed_same_pages),
		cmocka_unit_test(scatter_is_a_bijection),
		cmocka_unit_test(scatter_of_few_pages_is_even),
		cmocka_unit_test(scatter_breaks_adjacency),
		cmocka_unit_test(scatter_renames_pages),
		cmocka_unit_test(zipf_rejects_little),
		cmocka_unit_test(probabilities_by_hand),
	};

	return cmocka_run_group_tests_name("pattern", tests, NULL, NULL);
}
