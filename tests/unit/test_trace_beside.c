/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/trace/trace.h"

static const struct model_point points[] = {{100, 10}, {200, 30}, {200, 50}, {400, 70}};

TEST("the model's bytes are interpolated between points")
{
	assert_float_equal(model_bytes_at(points, 4, 0), 10, 0);
	assert_float_equal(model_bytes_at(points, 4, 100), 10, 0);
	assert_float_equal(model_bytes_at(points, 4, 150), 20, 1e-9);
	assert_float_equal(model_bytes_at(points, 4, 199), 29.8, 1e-9);
	assert_float_equal(model_bytes_at(points, 4, 200), 50, 0);
	assert_float_equal(model_bytes_at(points, 4, 300), 60, 1e-9);
	assert_float_equal(model_bytes_at(points, 4, 400), 70, 0);
	assert_float_equal(model_bytes_at(points, 4, 4000), 70, 0);
	assert_float_equal(model_bytes_at(points, 1, 150), 10, 0);
}

TEST("the largest gap and its time are found")
{
	struct timeline_state states[] = {{50, 10, 0, 0, 0, 0}, {150, 10, 5, 0, 0, 0}, {300, 60, 90, 0, 0, 0},
		{400, 1, 1, 0, 0, 0}};
	struct timeline timeline = {.state_count = 4, .states = states};
	struct model_gap gap;

	assert_int_equal(model_largest_gap(points, 4, &timeline, &gap), 0);
	assert_int_equal(gap.time_ns, 300);
	assert_float_equal(gap.model_bytes, 60, 1e-9);
	assert_float_equal(gap.kernel_bytes, 150, 0);
	/* Either may be the larger one. */
	states[2].writeback = 0;
	assert_int_equal(model_largest_gap(points, 4, &timeline, &gap), 0);
	assert_int_equal(gap.time_ns, 400);
}

TEST("a gap needs points and a timeline; an equal value is a gap of 0")
{
	struct timeline_state only = {0};
	struct timeline none = {0}, one = {.state_count = 1, .states = &only};
	struct model_gap gap;

	assert_int_equal(model_largest_gap(points, 4, &none, &gap), -ENODATA);
	assert_int_equal(model_largest_gap(points, 0, &one, &gap), -ENODATA);
	/* Equal is a difference of 0, and said. */
	assert_int_equal(model_largest_gap(&(struct model_point){0, 0}, 1, &one, &gap), 0);
	assert_float_equal(gap.model_bytes, 0, 0);
}
