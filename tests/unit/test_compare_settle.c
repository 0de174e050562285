/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/compare/compare.h"

static struct compare_change with(enum compare_verdict verdict, double p)
{
	return (struct compare_change){.verdict = verdict, .p = p};
}

TEST("significance is adjusted over many verdicts")
{
	struct compare_change changes[20], *list[20];
	enum compare_verdict overall;

	for (size_t i = 0; i < 20; i++) {
		changes[i] = with(COMPARE_INCONCLUSIVE, 1);
		list[i] = &changes[i];
	}
	/* Of twenty one at 0.03 is chance; of one it is not. */
	changes[0] = with(COMPARE_SLOWER, 0.03);
	assert_int_equal(compare_settle(0.95, list, 20, &overall), 0);
	assert_int_equal(overall, COMPARE_INCONCLUSIVE);
	assert_false(changes[0].holds);
	assert_int_equal(compare_settle(0.95, list, 1, &overall), 0);
	assert_int_equal(overall, COMPARE_SLOWER);
	assert_true(changes[0].holds);
	changes[1] = with(COMPARE_FASTER, 0.001);
	assert_int_equal(compare_settle(0.95, list, 20, &overall), 0);
	assert_int_equal(overall, COMPARE_FASTER);
	assert_true(changes[1].holds && !changes[0].holds);
	/* What is slower is not made up for by what is faster. */
	changes[2] = with(COMPARE_SLOWER, 0.001);
	assert_int_equal(compare_settle(0.95, list, 20, &overall), 0);
	assert_int_equal(overall, COMPARE_SLOWER);
	for (size_t i = 0; i < 20; i++)
		changes[i] = with(COMPARE_NO_DIFFERENCE, i % 2 ? 1 : 0.001);
	assert_int_equal(compare_settle(0.95, list, 20, &overall), 0);
	assert_int_equal(overall, COMPARE_NO_DIFFERENCE);
	changes[7] = with(COMPARE_INCONCLUSIVE, NAN);
	assert_int_equal(compare_settle(0.95, list, 20, &overall), 0);
	assert_int_equal(overall, COMPARE_INCONCLUSIVE);
	assert_int_equal(compare_settle(0.95, list, 0, &overall), 0);
	assert_int_equal(overall, COMPARE_INCONCLUSIVE);
}
