/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <math.h>
#include "common/clock_step.h"
#include "common/hot/rng.h"

#define READINGS 10000

static uint64_t differences[READINGS];

/* A clock of this step is read every low to high ns, and now and then after an interruption. */
static double measured(double step, double low, double high)
{
	uint64_t before = 0, now;
	double time = 12345.6;
	struct rng rng;

	rng_seed(&rng, 7, 0);
	for (size_t i = 0; i < READINGS; i++) {
		double share = (double)(rng_next(&rng) >> 11) / 9007199254740992.0;

		time += i % 1000 == 999 ? 54321 * (1 + share) : low + share * (high - low);
		now = (uint64_t)floor(floor(time / step) * step);
		differences[i] = i ? now - before : 0;
		before = now;
	}
	return clock_step_ns(differences, READINGS);
}

static void steps_are_found(void **state)
{
	/* 26 MHz, 24 MHz, 54 MHz; as a hypervisor has it; a clock that a timer moves. */
	static const double steps[] = {1e3 / 26, 1e3 / 24, 1e3 / 54, 10.0148, 10, 4, 100, 1000, 1e4};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double step = measured(steps[i], 18, 70);

		if (fabs(step / steps[i] - 1) > 0.01)
			fail_msg("%g instead of %g", step, steps[i]);
	}
}

static void fine_clocks_have_one_ns(void **state)
{
	static const double steps[] = {1, 0.3, 1.7, 2.5};

	(void)state;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_true(measured(steps[i], 18, 70) == 1);
}

static void what_little_tells(void **state)
{
	uint64_t none[] = {0, 0}, same[] = {20, 20, 0, 20}, large[] = {UINT64_MAX, 0};

	(void)state;
	assert_true(clock_step_ns(none, 0) == 0);
	assert_true(clock_step_ns(none, 2) == 0);
	assert_true(clock_step_ns(same, 4) == 20);
	assert_true(clock_step_ns(large, 2) > 1e19);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_found),
		cmocka_unit_test(fine_clocks_have_one_ns),
		cmocka_unit_test(what_little_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
