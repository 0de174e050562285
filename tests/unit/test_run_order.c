/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/run/run.h"

static struct run_plan plan;
static struct run_step steps[4];

/* The turns as "a1 b1 b2": a letter by step, upper case for a warm-up. */
static const char *order_of(size_t count)
{
	static char text[256];
	size_t used = 0;

	plan.steps = steps;
	plan.step_count = count;
	assert_int_equal(run_order(&plan), 0);
	text[0] = '\0';
	for (size_t i = 0; i < plan.turn_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%c%u", i ? " " : "",
			(plan.turns[i].is_warmup ? 'A' : 'a') + (int)plan.turns[i].step, plan.turns[i].number);
	free(plan.turns);
	return text;
}

static void set(size_t i, bool is_selected, unsigned runs, unsigned warmup)
{
	steps[i] = (struct run_step){.is_selected = is_selected, .runs = runs, .warmup = warmup};
}

TEST("steps run in alternating order from round to round")
{
	for (size_t i = 0; i < 3; i++)
		set(i, true, 4, 0);
	assert_string_equal(order_of(1), "a1 a2 a3 a4");
	assert_string_equal(order_of(2), "a1 b1 b2 a2 a3 b3 b4 a4");
	assert_string_equal(order_of(3), "a1 b1 c1 c2 b2 a2 a3 b3 c3 c4 b4 a4");
}

TEST("a step with fewer runs leaves the later rounds")
{
	set(0, true, 1, 0);
	set(1, true, 3, 0);
	set(2, true, 2, 0);
	assert_string_equal(order_of(3), "a1 b1 c1 c2 b2 b3");
}

TEST("all warm-ups run before the measured rounds")
{
	set(0, true, 2, 2);
	set(1, true, 2, 0);
	set(2, true, 1, 1);
	assert_string_equal(order_of(3), "A1 C1 A2 a1 b1 c1 b2 a2");
}

TEST("only selected steps are in the order")
{
	set(0, false, 2, 2);
	set(1, true, 2, 1);
	set(2, false, 9, 9);
	assert_string_equal(order_of(3), "B1 b1 b2");
	set(1, false, 2, 1);
	assert_string_equal(order_of(3), "");
}

TEST("more turns than the limit are refused")
{
	set(0, true, RUN_TURNS_MAX, 0);
	plan.steps = steps;
	plan.step_count = 1;
	assert_int_equal(run_order(&plan), 0);
	assert_int_equal(plan.turn_count, RUN_TURNS_MAX);
	free(plan.turns);
	set(0, true, RUN_TURNS_MAX, 1);
	assert_int_equal(run_order(&plan), -E2BIG);
}
