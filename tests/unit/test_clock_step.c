/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/host/timebase.h"
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
	return clock_step(differences, READINGS);
}

TEST("the step of a clock is found from its readings")
{
	/* 26 MHz, 24 MHz, 54 MHz; as a hypervisor has it; a clock that a timer moves. */
	static const double steps[] = {1e3 / 26, 1e3 / 24, 1e3 / 54, 10.0148, 10, 4, 100, 1000, 1e4};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double step = measured(steps[i], 18, 70);

		if (fabs(step / steps[i] - 1) > 0.01)
			fail_msg("%g instead of %g", step, steps[i]);
	}
}

TEST("fine clocks have one ns")
{
	static const double steps[] = {1, 0.3, 1.7, 2.5};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_true(measured(steps[i], 18, 70) == 1);
}

/* What rdtscp showed in a guest whose host scales the counter: multiples of 24.45 ticks. The greatest common divisor is 1. */
TEST("the step of a scaled counter is no whole number")
{
	static const struct {
		uint64_t ticks;
		unsigned count;
	} seen[] = {{0, 3}, {48, 400}, {49, 52000}, {73, 21000}, {74, 9000}, {97, 3000}, {98, 5000}, {122, 800}, {123, 30},
		/* interrupted */
		{61, 1}, {85, 1}, {87, 1}, {110, 1}, {5012, 2}, {99123, 1}};
	uint64_t *ticks = malloc(100000 * sizeof(*ticks));
	size_t count = 0;
	double step;

	for (size_t i = 0; i < sizeof(seen) / sizeof(seen[0]); i++)
		for (unsigned k = 0; k < seen[i].count; k++)
			ticks[count++] = seen[i].ticks;
	step = clock_step(ticks, count);
	free(ticks);
	if (fabs(step - 24.45) > 0.1)
		fail_msg("%g instead of 24.45", step);
}

TEST("a counter of even steps that are small is fine")
{
	uint64_t ticks[3000];

	for (size_t i = 0; i < 3000; i++)
		ticks[i] = 36 + i % 20 * 2;
	assert_true(clock_step(ticks, 3000) == 1);
}

TEST("few readings of a clock give the step that they show")
{
	uint64_t none[] = {0, 0}, same[] = {20, 20, 0, 20}, large[] = {UINT64_MAX, 0};

	assert_true(clock_step(none, 0) == 0);
	assert_true(clock_step(none, 2) == 0);
	assert_true(clock_step(same, 4) == 20);
	assert_true(clock_step(large, 2) > 1e19);
}
