/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/hot/rng.h"
#include "memtrace/estimate/accuracy.h"

#define PAGES 64u

static bool is_near(double value, double expected)
{
	return fabs(value - expected) < 1e-12;
}

static double recall_of(const double *known, const double *estimated, size_t count, size_t top)
{
	double recall = -1;

	assert_int_equal(accuracy_recall(known, estimated, count, top, &recall), 0);
	return recall;
}

TEST("recall is the part of the most popular pages that the estimates put among as many")
{
	const double known[] = {9, 1, 8, 2, 7, 3}, same[] = {90, 10, 80, 20, 70, 30}, other[] = {5, 4, 0, 3, 1, 2};

	assert_true(is_near(recall_of(known, same, 6, 3), 1));
	/* The top 3 are pages 0, 2, 4; by the estimates 0, 1, 3. */
	assert_true(is_near(recall_of(known, other, 6, 3), 1 / 3.));
	assert_true(is_near(recall_of(known, other, 6, 1), 1));
	assert_true(is_near(recall_of(known, other, 6, 6), 1));
}

TEST("recall of equal estimates is that of any order of them, as likely as the others")
{
	const double known[] = {4, 3, 2, 1}, none[] = {0, 0, 0, 0}, some[] = {1, 7, 1, 1}, equal[] = {2, 2, 2, 2};

	assert_true(is_near(recall_of(known, none, 4, 1), 1 / 4.));
	assert_true(is_near(recall_of(known, none, 4, 2), 2 / 4.));
	/* Page 1 for certain, page 0 in one case of three. */
	assert_true(is_near(recall_of(known, some, 4, 2), (1 + 1 / 3.) / 2));
	assert_true(is_near(recall_of(equal, some, 4, 1), 1 / 4.));
}

TEST("the share of the most popular pages is that of the known ones, in accesses and in estimates")
{
	const double known[] = {10, 60, 10, 20}, estimated[] = {2, 3, 2, 1}, none[] = {0, 0, 0, 0};
	double share, found;

	assert_int_equal(accuracy_share(known, estimated, 4, 1, &share, &found), 0);
	assert_true(is_near(share, 0.6) && is_near(found, 3 / 8.));
	assert_int_equal(accuracy_share(known, estimated, 4, 2, &share, &found), 0);
	assert_true(is_near(share, 0.8) && is_near(found, 4 / 8.));
	/* Pages 0 and 2 are equal: the first is taken. */
	assert_int_equal(accuracy_share(known, estimated, 4, 3, &share, &found), 0);
	assert_true(is_near(share, 0.9) && is_near(found, 6 / 8.));
	assert_int_equal(accuracy_share(known, none, 4, 1, &share, &found), 0);
	assert_true(is_near(share, 0.6) && isnan(found));
	assert_int_equal(accuracy_share(none, known, 4, 1, &share, &found), 0);
	assert_true(isnan(share) && is_near(found, 0.1));
}

TEST("an ideal sampler draws as many samples as it is asked for, by popularity")
{
	const double known[] = {0, 1, 0, 3, 0}, one[] = {0, 0, 5};
	double drawn[5], again[5];

	assert_int_equal(accuracy_draw(known, 5, 10000, 1, drawn), 0);
	assert_true(drawn[0] == 0 && drawn[2] == 0 && drawn[4] == 0);
	assert_true(drawn[1] + drawn[3] == 10000);
	/* Binomial: 2500, and ten times its deviation of 43. */
	assert_true(fabs(drawn[1] - 2500) < 433);
	assert_int_equal(accuracy_draw(known, 5, 10000, 1, again), 0);
	assert_memory_equal(drawn, again, sizeof(drawn));
	assert_int_equal(accuracy_draw(known, 5, 10000, 2, again), 0);
	assert_memory_not_equal(drawn, again, sizeof(drawn));
	assert_int_equal(accuracy_draw(one, 3, 7, 1, drawn), 0);
	assert_true(drawn[0] == 0 && drawn[1] == 0 && drawn[2] == 7);
	assert_int_equal(accuracy_draw(known, 5, 0, 1, drawn), 0);
	assert_true(drawn[1] == 0 && drawn[3] == 0);
}

TEST("an ideal sampler draws each page as often as it is popular")
{
	const double known[] = {1, 2, 3, 4, 5, 6, 7, 8};
	double drawn[8];

	assert_int_equal(accuracy_draw(known, 8, 36000, 1, drawn), 0);
	for (size_t i = 0; i < 8; i++)
		assert_true(fabs(drawn[i] - 1000 * known[i]) < 5 * sqrt(1000 * known[i]));
}

TEST("an LRU buffer misses what was not accessed among the last pages of its size")
{
	static const size_t order[] = {0, 1, 2, 0, 0, 1, 2, 2};
	struct lru_stack stack;

	assert_int_equal(lru_stack_open(&stack, 3), 0);
	assert_true(is_near(lru_stack_ratio(&stack, 1), 0));
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		lru_stack_access(&stack, order[i]);
	/* Distances: first, first, first, 3, 1, 3, 3, 1. */
	assert_true(is_near(lru_stack_ratio(&stack, 0), 1));
	assert_true(is_near(lru_stack_ratio(&stack, 1), 6 / 8.));
	assert_true(is_near(lru_stack_ratio(&stack, 2), 6 / 8.));
	assert_true(is_near(lru_stack_ratio(&stack, 3), 3 / 8.));
	assert_true(is_near(lru_stack_ratio(&stack, 99), 3 / 8.));
	lru_stack_close(&stack);
}

/* Hits of a buffer that is a list, the last accessed page first. */
static uint64_t simulate(const size_t *order, size_t count, size_t buffer)
{
	size_t list[PAGES], held = 0;
	uint64_t hits = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < held && list[at] != order[i])
			at++;
		hits += at < held;
		if (at == held && held < buffer)
			held++;
		else if (at == held)
			at--;
		memmove(list + 1, list, at * sizeof(*list));
		list[0] = order[i];
	}
	return hits;
}

TEST("miss ratios are those of a simulated buffer, however long the sequence")
{
	size_t order[3000];
	struct lru_stack stack;
	struct rng rng;

	rng_seed(&rng, 3, 0);
	assert_int_equal(lru_stack_open(&stack, PAGES), 0);
	for (size_t i = 0; i < 3000; i++) {
		order[i] = rng_below(&rng, 1 + rng_below(&rng, PAGES));
		lru_stack_access(&stack, order[i]);
	}
	for (size_t buffer = 1; buffer <= PAGES; buffer += 7)
		assert_true(is_near(lru_stack_ratio(&stack, buffer), 1 - (double)simulate(order, 3000, buffer) / 3000));
	lru_stack_close(&stack);
}
