/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write amplification by theory, against what is known of it otherwise. The simulated device is compared with it by
 * `ssd-workloads validate`. */
#include "config.h"
#include <math.h>

#include "tests/unit/unit.h"
#include "ssd-workloads/sim/mean_field.h"

static void assert_near(const char *what, double found, double expected, double percent)
{
	if (!(fabs(found / expected - 1) <= percent / 100))
		fail_msg("%s: %.6f instead of %.6f", what, found, expected);
}

TEST("greedy with uniform writes is what an independent simulation found, by space and block size")
{
	/* 4096 blocks, one in reserve, 30 overwrites after 30 of warm-up. */
	static const struct { double op, of_32, of_128; } cases[] = {{.07, 6.364, 7.417}, {.10, 4.911, 5.466}, {.20, 2.936, 3.123},
		{.28, 2.333, 2.443}, {.30, 2.230, 2.330}, {.40, 1.866, 1.935}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_near("32 pages", mean_field_uniform(1 + cases[i].op, 32, 0), cases[i].of_32, .5);
		assert_near("128 pages", mean_field_uniform(1 + cases[i].op, 128, 0), cases[i].of_128, .5);
	}
	assert_near("best of 10", mean_field_uniform(1.1, 128, 10), 5.64, .5);
}

TEST("with large blocks greedy is the closed form, and with many choices the best of them is greedy")
{
	for (int i = 1; i < 20; i++) {
		double op = .05 * i;

		assert_near("large blocks", mean_field_uniform(1 + op, 16384, 0), mean_field_closed_form(1 + op), .2);
		assert_near("many choices", mean_field_uniform(1 + op, 64, 100000), mean_field_uniform(1 + op, 64, 0), .1);
	}
	assert_near("closed form", mean_field_closed_form(1.2), 3.1878, .01);
}

TEST("a drawn victim alone, of large blocks, costs the inverse of what is over")
{
	/* A block that is drawn has as many valid pages as any. */
	for (int i = 1; i < 10; i++) {
		double op = .1 * i;

		assert_near("one choice", mean_field_uniform(1 + op, 4096, 1), (1 + op) / op, 1);
	}
}

TEST("amplification falls with more space and with more choices, and is above 1")
{
	for (int i = 0; i < 10; i++) {
		double op = .05 * pow(1.5, i), before = INFINITY;

		for (uint32_t choices = 1; choices <= 64; choices *= 2) {
			double found = mean_field_uniform(1 + op, 64, choices);

			assert_true(found > mean_field_uniform(1 + op * 1.1, 64, choices));
			assert_true(found < before && found > mean_field_uniform(1 + op, 64, 0));
			before = found;
		}
		assert_true(mean_field_uniform(1 + op, 64, 0) > 1);
	}
}

TEST("hot and cold pages that are written alike are uniform")
{
	assert_near("half and half", mean_field_hot(1.2, 16, 3, .5, .5), mean_field_uniform(1.2, 16, 3), .01);
	assert_near("a tenth", mean_field_hot(1.3, 16, 10, .1, .1), mean_field_uniform(1.3, 16, 10), .01);
	assert_near("which part is the hot one", mean_field_hot(1.2, 16, 4, .3, .8), mean_field_hot(1.2, 16, 4, .7, .2), .01);
}

TEST("hot and cold pages in one open block cost more than uniform ones")
{
	double uniform = mean_field_uniform(1.2, 16, 10), some = mean_field_hot(1.2, 16, 10, .2, .8);

	assert_true(some > 1.05 * uniform);
	assert_true(mean_field_hot(1.2, 16, 10, .1, .9) > some);
}
