/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What patterns promise besides their distributions (test_pattern_draw.c) and their text (test_pattern_text.c): order,
 * scatter. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/chisquare.h"
#include "tests/unit/probabilities.h"
#include "tests/unit/shaped.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct pattern start(struct pattern_spec spec, uint64_t pages, uint64_t seed, uint64_t stream)
{
	struct pattern pattern;
	const char *why = "";

	if (pattern_check(&spec, pages, &why))
		fail_msg("%s: %s", pattern_name(spec.kind), why);
	pattern_init(&pattern, &spec, pages, seed, stream);
	return pattern;
}

TEST("linear wraps as in the original")
{
	static const uint64_t expected[] = {0, 3, 6, 9, 1, 4, 7, 2, 5, 8, 0, 3, 6};
	struct pattern pattern = start(shaped(PATTERN_LINEAR, 3), 10, 1, 5);

	for (size_t i = 0; i < COUNT(expected); i++)
		assert_int_equal(pattern.next(&pattern), expected[i]);
}

TEST("linear visits each page once a round")
{
	static const uint64_t sizes[] = {1, 2, 3, 10, 97, 1000};

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
TEST("the hot window moves one page every DRIFT draws")
{
	struct pattern_spec spec = {.kind = PATTERN_HOTSET, .hot_set = 0.3, .hot_access = 1, .hot_drift = 5};
	struct pattern pattern = start(spec, 10, 1, 0);
	unsigned in_place[3] = {0};

	for (uint64_t i = 0; i < 30000; i++) {
		uint64_t offset = (pattern.next(&pattern) + 10 - i / 5 % 10) % 10;

		assert_true(offset < 3);
		in_place[offset]++;
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(in_place[i], 9700, 10300);
}

/* Over whole turns of the window every page is drawn equally often. */
TEST("a drifting hot window draws every page equally often")
{
	struct pattern_spec spec = {
		.kind = PATTERN_HOTSET, .hot_set = 0.2, .hot_access = 0.8, .hot_drift = 100};
	struct pattern pattern = start(spec, 97, 1, 0);
	uint64_t count[97] = {0};

	for (int i = 0; i < 97 * 100 * 50; i++)
		count[pattern.next(&pattern)]++;
	assert_true(chisquare_even_p(count, 97) > CHISQUARE_SUSPICIOUS);
}

TEST("the same seed gives the same pages")
{
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

TEST("scatter is a bijection")
{
	static const uint64_t large[] = {
		65535, 65536, 65537, 99991, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, 3000000};
	uint8_t *seen = malloc(3000000);

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
TEST("scatter of few pages is uniform")
{
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
TEST("a scattered pattern spreads neighbouring ranks evenly")
{
	static const uint64_t sizes[] = {1000003, 1u << 20, PATTERN_PAGES_MAX};

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
TEST("a scattered pattern is the plain one with pages renamed")
{
	struct pattern_spec spec = {.kind = PATTERN_ZIPF},
			    scattered = {.kind = PATTERN_ZIPF, .is_scattered = true};
	uint64_t names[1000] = {0};
	unsigned moved = 0;

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

/* The promise of drawing zipf: draws cost one random number, rarely more. */
TEST("a zipf draw rarely needs more than one random number")
{
	static const double exponents[] = {1e-6, 0.3, 0.9, 1, 1.1, 1.5, 2, 3, 5, 10, 100};
	static const uint64_t sizes[] = {1, 2, 3, 5, 100, 1u << 20, PATTERN_PAGES_MAX};
	enum { DRAWS = 20000 };

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
TEST("probabilities of patterns equal those by hand")
{
	struct pattern_spec hot = {.kind = PATTERN_HOTSET, .hot_set = 0.5, .hot_access = 0.9};
	double p[4];

	assert_int_equal(pattern_probabilities(&(struct pattern_spec){.kind = PATTERN_UNIFORM}, 4, p), 0);
	assert_true(p[0] == 0.25 && p[3] == 0.25);
	/* 1, 1/2, 1/3, 1/4 of 25/12 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_ZIPF, true, 1, 0, 0, 0, 0, NULL}, 4, p), 0);
	assert_true(fabs(p[0] - 0.48) < 1e-15 && fabs(p[1] - 0.24) < 1e-15 && fabs(p[3] - 0.12) < 1e-15);
	/* 1/1 - 1/2, ... 1/4 - 1/5 of 4/5 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_PARETO, true, 1, 0, 0, 0, 0, NULL}, 4, p), 0);
	assert_true(
		fabs(p[0] - 0.625) < 1e-15 && fabs(p[1] - 5.0 / 24) < 1e-15 && fabs(p[3] - 0.0625) < 1e-15);
	/* One sigma either side: 0.341345 each; two: 0.135905 more; of 0.954500 */
	assert_int_equal(
		pattern_probabilities(&(struct pattern_spec){PATTERN_NORMAL, true, 1, 0, 0, 0, 0, NULL}, 4, p), 0);
	assert_true(fabs(p[1] - 0.341344746 / 0.954499736) < 1e-8 &&
		    fabs(p[0] - 0.135905122 / 0.954499736) < 1e-8);
	/* Half of 12 uniforms sum to less than 6; 4 pages of 3 each: F(3) = sum (-1)^k C(12,k) (3-k)^12 / 12!
	 */
	assert_int_equal(pattern_probabilities(
				 &(struct pattern_spec){PATTERN_NORMAL_IH, true, 1.0 / 3, 0, 0, 0, 0, NULL}, 4, p),
		0);
	assert_true(fabs(p[0] - (531441 - 12 * 4096 + 66) / 479001600.0) < 1e-15);
	assert_true(fabs(p[0] + p[1] - 0.5) < 1e-15 && fabs(p[0] - p[3]) < 1e-15);
	assert_int_equal(pattern_probabilities(&hot, 4, p), 0);
	assert_true(fabs(p[0] - 0.45) < 1e-15 && fabs(p[3] - 0.05) < 1e-15);
	hot.hot_set = 2;
	assert_int_equal(pattern_probabilities(&hot, 4, p), -ERANGE);
	assert_int_equal(pattern_probabilities(&hot, 0, p), -ERANGE);
}
