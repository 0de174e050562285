/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fall of a rate is found where it is, and none where there is only scatter. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/estimate.h"

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

static void a_fall_is_where_it_is(void **state)
{
	static const size_t places[] = {12, 40, 100, 180};
	double rates[COUNT];
	struct change change;

	(void)state;
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

static void scatter_is_no_fall(void **state)
{
	double rates[COUNT];
	struct change change;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		make(rates, 0, 1, 488e6, 0.3, seed);
		assert_false(find(rates, COUNT, &change));
	}
	make(rates, 0, 1, 488e6, 0, 1);
	assert_false(find(rates, COUNT, &change));
}

/* Up, or by less than a fifth: not what it is for. */
static void a_rise_is_no_fall(void **state)
{
	double rates[COUNT];
	struct change change;

	(void)state;
	make(rates, 100, 300e6, 488e6, 0.02, 1);
	assert_false(find(rates, COUNT, &change));
	make(rates, 100, 488e6, 420e6, 0.02, 1);
	assert_false(find(rates, COUNT, &change));
}

/* Somebody else's second, here and there. */
static void single_values_are_not_heard(void **state)
{
	double rates[COUNT];
	struct change change;

	(void)state;
	make(rates, 0, 1, 488e6, 0.05, 3);
	for (size_t i = 120; i < COUNT; i += 3)
		rates[i] /= 20;
	assert_false(find(rates, COUNT, &change));
}

static void few_say_nothing(void **state)
{
	double rates[COUNT];
	struct change change;

	(void)state;
	make(rates, CHANGE_LEAST, 488e6, 100e6, 0, 1);
	assert_false(find(rates, 0, &change));
	assert_false(find(rates, 2 * CHANGE_LEAST - 1, &change));
	assert_true(find(rates, 2 * CHANGE_LEAST, &change));
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fall_is_where_it_is),
		cmocka_unit_test(scatter_is_no_fall),
		cmocka_unit_test(a_rise_is_no_fall),
		cmocka_unit_test(single_values_are_not_heard),
		cmocka_unit_test(few_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
