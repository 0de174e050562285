/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which goals there are, what was reached of them, and what is a tie. */
#include "config.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>
#include "iowrite-bench/evaluate/goals.h"

static void add(struct evaluate_result *result, const char *id, double kernel, double kernel_total, double cawl,
	double cawl_total)
{
	struct result_trial *trial = result_add_trial(result);

	assert_non_null(trial);
	trial->scenario = scenario_of(id);
	assert_non_null(trial->scenario);
	trial->models[RESULT_KERNEL] = (struct result_judgement){
		.is_there = true, .errors = {.per_write = kernel, .total = kernel_total}};
	trial->models[RESULT_CAWL] =
		(struct result_judgement){.is_there = true, .errors = {.per_write = cawl, .total = cawl_total}};
}

static const struct result_goal *goal(const struct evaluate_result *result, const char *set, const char *error)
{
	for (size_t i = 0; i < result->goal_count; i++) {
		if (!strcmp(result->goals[i].set, set) && !strcmp(result->goals[i].error, error))
			return &result->goals[i];
	}
	return NULL;
}

static void assert_goal(const struct evaluate_result *result, const char *set, const char *error, double limit,
	double reached, bool is_met)
{
	const struct result_goal *found = goal(result, set, error);

	if (!found)
		fail_msg("no goal %s %s", set, error);
	assert_true(fabs(found->limit_percent - limit) < 1e-9);
	assert_true(fabs(found->reached_percent - reached) < 1e-9);
	assert_int_equal(found->is_met, is_met);
}

static void sets_are_means_of_scenarios(void **state)
{
	struct evaluate_result result = {.is_slow = true};

	(void)state;
	add(&result, "c1", 10, -8, 99, 99);
	add(&result, "c1", 20, 2, 99, 99); /* mean 15 and 5 */
	add(&result, "c2", 25, -5, 99, 99);
	add(&result, "f4a", 15, 50, 99, 99);
	add(&result, "f9-256", 16, -2, 99, 99);
	assert_int_equal(goals_make(&result), 0);
	assert_goal(&result, "buffered-slow", "per-write", 20, 20, true);
	assert_goal(&result, "buffered-slow", "total", 5, 5, true);
	assert_null(goal(&result, "buffered-fast", "per-write"));
	assert_goal(&result, "sync", "per-write", 15, 15, true);
	assert_null(goal(&result, "sync", "total"));
	assert_goal(&result, "fwrite", "per-write", 15, 16, false);
	assert_goal(&result, "fwrite", "total", 3, 2, true);
	assert_goal(&result, "all", "no-cost", 0, 0, true);
	assert_false(goals_are_met(&result));
	result_free(&result);
}

static void a_fast_device_has_goals_of_its_own(void **state)
{
	struct evaluate_result result = {0};

	(void)state;
	add(&result, "f8", 30, 9, 99, 99);
	assert_int_equal(goals_make(&result), 0);
	assert_goal(&result, "buffered-fast", "per-write", 30, 30, true);
	assert_goal(&result, "buffered-fast", "total", 9, 9, true);
	assert_null(goal(&result, "fwrite", "total"));
	assert_true(goals_are_met(&result));
	result_free(&result);
}

static void three_points_are_a_tie(void **state)
{
	struct evaluate_result result = {0};

	(void)state;
	add(&result, "f4a", 14, 2.9, 11, 0);
	add(&result, "f5a", 14, -3.1, 10.9, 0);
	assert_int_equal(goals_make(&result), 0);
	assert_goal(&result, "f4a", "cawl-per-write", 14, 14, true);
	assert_goal(&result, "f4a", "cawl-total", 3, 2.9, true);
	assert_goal(&result, "f5a", "cawl-per-write", 13.9, 14, false);
	assert_goal(&result, "f5a", "cawl-total", 3, 3.1, false);
	result_free(&result);
}

static void what_was_not_predicted_is_no_goal(void **state)
{
	struct evaluate_result result = {0};

	(void)state;
	assert_int_equal(goals_make(&result), 0);
	assert_int_equal(result.goal_count, 0);
	assert_true(goals_are_met(&result));
	result_free(&result);
	add(&result, "f4a", 10, 0, 10, 0);
	result.trials[0].models[RESULT_KERNEL].is_there = false;
	assert_int_equal(goals_make(&result), 0);
	assert_int_equal(result.goal_count, 0);
	result_free(&result);
}

static void a_cost_that_is_none_misses(void **state)
{
	struct evaluate_result result = {0};

	(void)state;
	add(&result, "f4a", 10, 0, 10, 0);
	result.trials[0].models[RESULT_KERNEL].errors.refused = 0.5;
	assert_int_equal(goals_make(&result), 0);
	assert_goal(&result, "all", "no-cost", 0, 0.5, false);
	result_free(&result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_are_means_of_scenarios),
		cmocka_unit_test(a_fast_device_has_goals_of_its_own),
		cmocka_unit_test(three_points_are_a_tie),
		cmocka_unit_test(what_was_not_predicted_is_no_goal),
		cmocka_unit_test(a_cost_that_is_none_misses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
