/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steady state by SNIA's rule, of the last five values. */
#include "config.h"
#include "tests/unit/unit.h"

#include <math.h>
#include "ssd-workloads/engine/steady.h"

static void known_answers(void **state)
{
	static const struct {
		double values[8];
		size_t count;
		enum steady_verdict verdict;
		double range, slope;
	} cases[] = {
		{{100, 100, 100, 100}, 4, STEADY_UNKNOWN, NAN, NAN},
		{{100, 100, 100, 100, 100}, 5, STEADY_YES, 0, 0},
		{{110, 100, 90, 100, 100}, 5, STEADY_YES, 10, -8},
		{{111, 100, 90, 99, 100}, 5, STEADY_NO, 11, -9.2},
		{{94, 97, 100, 103, 106}, 5, STEADY_NO, 6, 12},
		{{96, 98, 100, 102, 104}, 5, STEADY_YES, 4, 8},
		/* What was before the window counts for nothing. */
		{{1, 900, 3, 100, 100, 100, 100, 100}, 8, STEADY_YES, 0, 0},
		{{0, 0, 0, 0, 0}, 5, STEADY_UNKNOWN, NAN, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct steady steady;

		steady_judge(cases[i].values, cases[i].count, &steady);
		assert_int_equal(steady.verdict, cases[i].verdict);
		if (isnan(cases[i].range)) {
			assert_true(isnan(steady.range_percent) && isnan(steady.slope_percent));
			continue;
		}
		assert_true(fabs(steady.range_percent - cases[i].range) < 1e-6);
		assert_true(fabs(steady.slope_percent - cases[i].slope) < 1e-6);
	}
	assert_string_equal(steady_name(STEADY_NO), "not-steady");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
