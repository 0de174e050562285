/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/predict/predict.h"

static double sum(const struct iow_cost_split_values *split)
{
	return split->syscall_percent + split->copy_percent + split->throttle_percent + split->device_percent +
	       split->residual_percent;
}

static void assert_percent(double value, double wanted)
{
	if (!(fabs(value - wanted) < 1e-9))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

TEST("a cost split has parts of the measured time")
{
	struct model_cost costs[] = {{.syscall_ns = 10, .copy_ns = 30}, {.syscall_ns = 10, .throttle_ns = 100},
		{.device_ns = 50}};
	const struct prediction prediction = {.count = 3, .costs = costs, .total_ns = 200};
	struct iow_cost_split_values split;

	split_make(&prediction, "kernel", 400, &split);
	assert_string_equal(split.predicted_by, "kernel");
	assert_percent(split.syscall_percent, 5);
	assert_percent(split.copy_percent, 7.5);
	assert_percent(split.throttle_percent, 25);
	assert_percent(split.device_percent, 12.5);
	assert_percent(split.residual_percent, 50);
	/* Twice as fast as predicted. */
	split_make(&prediction, "kernel", 100, &split);
	assert_percent(split.throttle_percent, 100);
	assert_percent(split.residual_percent, -100);
}

TEST("without measured writes the split is the residual")
{
	struct model_cost cost = {.copy_ns = 5};
	const struct prediction prediction = {.count = 1, .costs = &cost};
	const struct prediction none = {0};
	struct iow_cost_split_values split;

	split_make(&prediction, "cawl", 0, &split);
	assert_percent(split.copy_percent, 0);
	assert_percent(split.residual_percent, 100);
	split_make(&none, "cawl", 1000, &split);
	assert_percent(split.residual_percent, 100);
}

/* The report's grammar knows no negative share but the residual's. */
TEST("the parts add up for any prediction")
{
	struct rng rng;

	rng_seed(&rng, 7, 0);
	for (int round = 0; round < 1000; round++) {
		struct model_cost costs[4];
		const struct prediction prediction = {.count = 4, .costs = costs};
		struct iow_cost_split_values split;

		for (int i = 0; i < 4; i++)
			costs[i] = (struct model_cost){.syscall_ns = rng_double(&rng), .copy_ns = rng_double(&rng) * 100,
				.throttle_ns = rng_double(&rng) * 1000 - 100, .device_ns = rng_double(&rng)};
		split_make(&prediction, "kernel", rng_double(&rng) * 5000, &split);
		assert_true(fabs(sum(&split) - 100) < 1e-6);
		assert_true(split.syscall_percent >= 0 && split.copy_percent >= 0 && split.throttle_percent >= 0 &&
			    split.device_percent >= 0);
	}
}

TEST("a split is written by the schema")
{
	const struct iow_cost_split_values split = {"kernel", 1, 2, 3.5, 0, 93.5};
	struct report *report;
	const char *text;
	size_t size;

	assert_int_equal(report_new("cell", &report), 0);
	FIELD_WRITE(report, "cost_split", iow_cost_split, &split);
	assert_int_equal(report_document(report, &text, &size), 0);
	assert_non_null(strstr(text, "<cost_split>"));
	assert_non_null(strstr(text, "<predicted_by>kernel</predicted_by>"));
	assert_non_null(strstr(text, "<throttle_percent>3.5</throttle_percent>"));
	assert_non_null(strstr(text, "<device_percent>0</device_percent>"));
	assert_true(strstr(text, "<syscall_percent>") < strstr(text, "<copy_percent>"));
	assert_true(strstr(text, "<device_percent>") < strstr(text, "<residual_percent>93.5</residual_percent>"));
	report_free(report);
}
