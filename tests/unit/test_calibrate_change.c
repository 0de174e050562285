/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fall of a rate is found where it is, and none where there is only scatter. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/system/estimate.h"

#define COUNT 200

static void make(double *rates, size_t at, double before, double after, double noise, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	for (size_t i = 0; i < COUNT; i++)
		rates[i] = (i < at ? before : after) * (1 + noise * (2 * rng_double(&rng) - 1));
}

static bool find(const double *rates, size_t count, struct change *change)
{
	bool is_found;

	assert_int_equal(change_find(rates, count, change, &is_found), 0);
	return is_found;
}

TEST("a fall of the rate is found at its position")
{
	static const size_t places[] = {12, 40, 100, 180};
	double rates[COUNT];
	struct change change;

	for (size_t i = 0; i < 4; i++) {
		for (uint64_t seed = 0; seed < 20; seed++) {
			make(rates, places[i], 488e6, 300e6, 0.1, seed);
			if (!find(rates, COUNT, &change))
				fail_msg("none at %zu, seed %llu", places[i], (unsigned long long)seed);
			assert_in_range(change.at, places[i] - 2, places[i] + 2);
			assert_true(change.before > 440e6 && change.after < 330e6);
		}
	}
}

TEST("scatter is not taken for a fall")
{
	double rates[COUNT];
	struct change change;

	for (uint64_t seed = 0; seed < 200; seed++) {
		make(rates, 0, 1, 488e6, 0.3, seed);
		assert_false(find(rates, COUNT, &change));
	}
	make(rates, 0, 1, 488e6, 0, 1);
	assert_false(find(rates, COUNT, &change));
}

/* Up, or by less than a fifth: not what it is for. */
TEST("a rise is not taken for a fall")
{
	double rates[COUNT];
	struct change change;

	make(rates, 100, 300e6, 488e6, 0.02, 1);
	assert_false(find(rates, COUNT, &change));
	make(rates, 100, 488e6, 420e6, 0.02, 1);
	assert_false(find(rates, COUNT, &change));
}

/* A second in which another process had the device, here and there. */
TEST("single outliers are ignored")
{
	double rates[COUNT];
	struct change change;

	make(rates, 0, 1, 488e6, 0.05, 3);
	for (size_t i = 120; i < COUNT; i += 3)
		rates[i] /= 20;
	assert_false(find(rates, COUNT, &change));
}

TEST("a change is found only with enough samples on both sides")
{
	double rates[COUNT];
	struct change change;

	make(rates, CHANGE_LEAST, 488e6, 100e6, 0, 1);
	assert_false(find(rates, 0, &change));
	assert_false(find(rates, 2 * CHANGE_LEAST - 1, &change));
	assert_true(find(rates, 2 * CHANGE_LEAST, &change));
}
