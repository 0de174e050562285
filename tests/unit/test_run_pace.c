/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/units.h"
#include "memstor/run/run.h"

static struct run_plan plan;
static struct run_step steps[2];
static struct suite_step suites[2];
static struct run_record records[2][3];
static struct run_pace pace;

/* Two steps of three runs and one warm-up; budgets 10 s and 40 s. */
static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		suites[i] = (struct suite_step){.name = i ? "b" : "a", .budget_ns = (i ? 40 : 10) * UNITS_NS_PER_SEC};
		steps[i] = (struct run_step){&suites[i], .is_selected = true, .runs = 3, .warmup = 1, .records = records[i]};
		snprintf(steps[i].name, sizeof(steps[i].name), "%s", suites[i].name);
		for (int j = 0; j < 3; j++)
			records[i][j] = (struct run_record){.exit_status = -1};
	}
	plan = (struct run_plan){.steps = steps, .step_count = 2};
	return run_order(&plan) || run_pace_begin(&plan, plan.turn_count, &pace);
}

static int tear_down(void **state)
{
	(void)state;
	run_pace_free(&pace);
	free(plan.turns);
	return 0;
}

static double left(size_t index, bool expected_bound)
{
	bool is_bound = !expected_bound;
	double seconds = run_pace_left(&pace, index, &is_bound);

	assert_int_equal(is_bound, expected_bound);
	return seconds;
}

/* The turn took so long. */
static void end(size_t index, double seconds)
{
	const struct run_turn *turn = &plan.turns[index];
	struct run_record record = {.state = RUN_DONE, .seconds = seconds, .wall_start = "now"};

	/* Not a word on a test's stderr. */
	pace.progress.is_shown = true;
	pace.now++;
	run_pace_end(&pace, index, &record);
	pace.progress.is_shown = false;
	if (!turn->is_warmup)
		records[turn->step][turn->number - 1] = record;
}

TEST_WITH("the first estimate is the sum of the budgets", set_up, tear_down)
{
	assert_true(left(0, true) == 200);
	assert_true(left(2, true) == 150);
}

TEST_WITH("measured times replace the budgets", set_up, tear_down)
{
	end(0, 2); /* a's warm-up: a fifth of its budget */
	assert_true(left(1, false) == 40.0 / 5 + 3 * (2 + 40.0 / 5));
	end(1, 20);
	assert_true(left(2, false) == 3 * (2 + 20));
	end(2, 4); /* a takes 3 on average now */
	assert_true(left(3, false) == 3 * 20 + 2 * 3);
}

TEST_WITH("skipped steps take no time", set_up, tear_down)
{
	snprintf(steps[1].skipped, sizeof(steps[1].skipped), "no");
	assert_true(left(0, true) == 40);
	assert_false(run_pace_is_open(&plan, &plan.turns[1]));
}

/* A warm-up is open as long as something of its step is to be measured. */
TEST_WITH("done turns are closed", set_up, tear_down)
{
	assert_true(plan.turns[0].is_warmup && plan.turns[0].step == 0);
	records[0][0].state = RUN_DONE;
	records[0][1].state = RUN_UNTRUSTED;
	records[0][2].state = RUN_FAILED;
	assert_true(run_pace_is_open(&plan, &plan.turns[0]));
	assert_false(run_pace_is_open(&plan, &plan.turns[2]));
	records[0][2].state = RUN_DONE;
	assert_false(run_pace_is_open(&plan, &plan.turns[0]));
	assert_true(left(0, true) == 160);
}
