/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/compare/compare.h"
#include "tests/unit/normal.h"

#define INTERVALS 100

struct made {
	double values[INTERVALS], weights[INTERVALS];
	struct compare_series series;
};

static void close_series(struct made *made, size_t count)
{
	made->series = (struct compare_series){made->values, made->weights, count};
}

TEST("constant series by hand")
{
	struct made base, new;
	struct compare_within within = {-1, -1, -1};

	for (size_t i = 0; i < INTERVALS; i++) {
		base.values[i] = 2;
		new.values[i] = 3;
		base.weights[i] = new.weights[i] = 1 + (double)i;
	}
	close_series(&base, INTERVALS);
	close_series(&new, COMPARE_WITHIN_INTERVALS);
	assert_int_equal(compare_series(&base.series, &new.series, 0.95, 1, &within), 0);
	assert_true(fabs(within.low - 1.5) < 1e-12 && fabs(within.high - 1.5) < 1e-12);
	assert_true(within.p > 0 && within.p < 0.001);
	within.low = -1;
	close_series(&new, COMPARE_WITHIN_INTERVALS - 1);
	assert_int_equal(compare_series(&base.series, &new.series, 0.95, 1, &within), -EINVAL);
	assert_int_equal(compare_series(&new.series, &base.series, 0.95, 1, &within), -EINVAL);
	assert_true(within.low == -1);
}

/* An interval that is ten times as long counts ten times. */
TEST("a longer interval weighs more in proportion")
{
	struct made base, new;
	struct compare_within within;

	for (size_t i = 0; i < INTERVALS; i++) {
		base.values[i] = 1;
		base.weights[i] = 1;
		new.values[i] = i % 2 ? 1 : 2;
		new.weights[i] = i % 2 ? 10 : 1e-9;
	}
	close_series(&base, INTERVALS);
	close_series(&new, INTERVALS);
	assert_int_equal(compare_series(&base.series, &new.series, 0.95, 1, &within), 0);
	assert_true(fabs(within.high - 1) < 1e-6);
}

/* Neighbours alike (correlation 0.6). */
static void draw(struct made *made, struct rng *rng)
{
	double state = normal(rng);

	for (size_t i = 0; i < INTERVALS; i++) {
		state = 0.6 * state + 0.8 * normal(rng);
		made->values[i] = 100 + 2 * state;
		made->weights[i] = 1;
	}
	close_series(made, INTERVALS);
}

/* Single intervals taken for independent would be outside in a third of all cases: blocks are not. */
TEST("dependent intervals are not taken for many")
{
	static struct made base, new;
	unsigned outside = 0;
	struct rng rng;

	rng_seed(&rng, 37, 0);
	for (unsigned pair = 0; pair < 200; pair++) {
		struct compare_within within;

		draw(&base, &rng);
		draw(&new, &rng);
		assert_int_equal(compare_series(&base.series, &new.series, 0.95, pair, &within), 0);
		outside += within.low > 1 || within.high < 1;
	}
	assert_in_range(outside, 1, 36);
}
