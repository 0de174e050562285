/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "tests/unit/chisquare.h"

#define DRAWS 200000u

/* xoshiro256++ from state {1, 2, 3, 4}: the published reference sequence. */
TEST("a seed gives the known sequence")
{
	static const uint64_t expected[] = {41943041, 58720359, 3588806011781223ull, 3591011842654386ull,
		9228616714210784205ull, 9973669472204895162ull};
	struct rng rng = {{1, 2, 3, 4}};

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		assert_int_equal(rng_next(&rng), expected[i]);
}

TEST("streams differ and repeat")
{
	struct rng a, b, c;

	rng_seed(&a, 7, 0);
	rng_seed(&b, 7, 1);
	rng_seed(&c, 7, 0);
	for (int i = 0; i < 1000; i++) {
		uint64_t x = rng_next(&a);

		assert_int_equal(x, rng_next(&c));
		assert_int_not_equal(x, rng_next(&b));
	}
}

/* Where a product without rejection, or a modulo, would prefer some numbers: of 3 x 2^62 one residue of three
 * would come twice as often, or the lowest third of the range. */
TEST("bounded draws have no bias")
{
	static const uint64_t bounds[] = {
		3, 6, 7, 10, 12, 1000, 3ull << 30, (1ull << 63) + 1, 3ull << 62, 5ull << 61, UINT64_MAX - 15};

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		uint64_t n = bounds[i], residues[12] = {0}, segments[12] = {0};
		uint64_t cells = n % 12 == 0 ? 12 : n % 10 == 0 ? 10 : n % 7 == 0 ? 7 : n % 3 == 0 ? 3 : 1;
		struct rng rng;

		rng_seed(&rng, 99, i);
		for (unsigned k = 0; k < DRAWS; k++) {
			uint64_t x = rng_below(&rng, n);

			assert_true(x < n);
			residues[x % cells]++;
			segments[(uint64_t)((unsigned __int128)x * cells / n)]++;
		}
		if (cells == 1)
			continue;
		if (!chisquare_fits(chisquare_even_p(residues, cells)) ||
			!chisquare_fits(chisquare_even_p(segments, cells)))
			fail_msg("below %llu", (unsigned long long)n);
	}
}

TEST("a draw below one is zero")
{
	struct rng rng;

	rng_seed(&rng, 1, 1);
	for (int i = 0; i < 100; i++)
		assert_int_equal(rng_below(&rng, 1), 0);
}

/* Mean and spread of the halves of a range that rejects almost every second draw: (2^63 + 1) of 2^64. */
TEST("draws below a bound are even after rejection")
{
	uint64_t parity_by_half[4] = {0};
	struct rng rng;

	rng_seed(&rng, 5, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t x = rng_below(&rng, (1ull << 63) + 1);

		parity_by_half[(x >> 62 & 1) * 2 + (x & 1)]++;
	}
	assert_true(chisquare_fits(chisquare_even_p(parity_by_half, 4)));
}

/* One draw gives a page, an offset and a direction that know nothing of each other. */
TEST("rest of a draw is independent")
{
	enum { PAGES = 7, OFFSETS = 10, DIRECTIONS = 2 };
	static const uint64_t sets[] = {PAGES, PAGES * 1000003ull, PAGES << 21, PAGES * (1ull << 37)};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		uint64_t joint[PAGES * OFFSETS * DIRECTIONS] = {0}, low[PAGES * OFFSETS] = {0};
		struct rng rng;

		rng_seed(&rng, 17, i);
		for (unsigned k = 0; k < DRAWS; k++) {
			uint64_t rest, page = rng_below_rest(&rng, sets[i], &rest);
			uint64_t offset = rng_split(&rest, OFFSETS), direction = rng_split(&rest, DIRECTIONS);

			assert_true(page < sets[i] && offset < OFFSETS && direction < DIRECTIONS);
			joint[(page / (sets[i] / PAGES) * OFFSETS + offset) * DIRECTIONS + direction]++;
			low[page % PAGES * OFFSETS + offset]++;
		}
		assert_true(chisquare_fits(chisquare_even_p(joint, PAGES * OFFSETS * DIRECTIONS)));
		assert_true(chisquare_fits(chisquare_even_p(low, PAGES * OFFSETS)));
	}
}

TEST("real draws fill the unit interval")
{
	uint64_t count[100] = {0};
	double sum = 0;
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (unsigned i = 0; i < DRAWS; i++) {
		double x = rng_double(&rng);

		assert_true(x >= 0 && x < 1);
		count[(unsigned)(x * 100)]++;
		sum += x;
	}
	assert_true(chisquare_fits(chisquare_even_p(count, 100)));
	/* Four standard errors. */
	assert_true(fabs(sum / DRAWS - 0.5) < 4 * sqrt(1.0 / 12 / DRAWS));
	rng = (struct rng){{UINT64_MAX, 0, 0, 0}};
	assert_true(rng_double(&rng) < 1);
}
