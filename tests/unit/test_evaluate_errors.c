/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors computed by hand. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/evaluate/evaluate.h"

#define WRITES 8

struct series {
	struct write_record records[WRITES];
	struct model_cost costs[WRITES];
	struct measured measured;
	struct prediction prediction;
};

static struct series *new_series_by(const uint64_t *ns, const uint64_t *sizes, size_t count, double overhead, double step)
{
	struct series *series = calloc(1, sizeof(*series));

	assert_non_null(series);
	for (size_t i = 0; i < count; i++) {
		series->records[i] = (struct write_record){.write_ns = ns[i], .size = sizes ? sizes[i] : 4096};
		series->costs[i].ns = series->costs[i].typical_ns = (double)ns[i] - overhead;
		series->costs[i].low_ns = series->costs[i].high_ns = series->costs[i].ns;
	}
	assert_int_equal(measured_make(series->records, count, overhead, step, &series->measured), 0);
	series->prediction = (struct prediction){.count = count, .costs = series->costs};
	return series;
}

static struct series *new_series(const uint64_t *ns, const uint64_t *sizes, size_t count, double overhead)
{
	return new_series_by(ns, sizes, count, overhead, 0);
}

static void free_series(struct series *series)
{
	measured_free(&series->measured);
	free(series);
}

static void predict_ns(struct series *series, size_t index, double ns, double low, double high)
{
	series->costs[index] = (struct model_cost){.ns = ns, .typical_ns = ns, .low_ns = low, .high_ns = high};
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted))))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

/* --- what was measured --- */

TEST("timer overhead is subtracted from measured times")
{
	const uint64_t ns[] = {120, 20, 30}, sizes[] = {9, 5, 9};
	struct series *series = new_series(ns, sizes, 3, 20);

	assert_near(series->measured.ns[0], 100);
	assert_near(series->measured.ns[1], 1); /* never nothing: errors are of it */
	assert_near(series->measured.total_ns, 111);
	assert_int_equal(series->measured.group_count, 2);
	assert_int_equal(series->measured.group[0], 1);
	assert_int_equal(series->measured.group[1], 0);
	assert_near(series->measured.group_mean[1], 55);
	free_series(series);
	/* A clock that costs more this time, and steps: of what reads nothing 12 ns are a fifth of half a step too much. */
	series = new_series_by(ns, sizes, 3, 29, 10);
	assert_near(series->measured.ns[1], 1);
	assert_near(series->measured.total_ns, 93);
	assert_near(measured_error(&series->measured, 1, 12), 0.2);
	free_series(series);
}

/* --- errors --- */

TEST("errors of a prediction equal those computed by hand")
{
	const uint64_t ns[] = {100, 200, 400}, sizes[] = {1, 1, 2};
	struct series *series = new_series(ns, sizes, 3, 0);
	struct iow_model_errors_values errors;

	predict_ns(series, 0, 120, 90, 110);
	predict_ns(series, 1, 100, 210, 300);
	predict_ns(series, 2, 400, 400, 400);
	/* What half of them cost at most is what a write is held against; the mean is for sums. */
	series->costs[1].typical_ns = 150;
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write_error_percent, 100 * (0.2 + 0.25) / 3);
	assert_near(errors.unresolved_percent, 0);
	assert_near(errors.within_tenth_percent, 100 / 3.0);
	/* The mean of size 1 is 150. */
	assert_near(errors.mean_write_error_percent, 100 * (30.0 / 150 + 50.0 / 150) / 3);
	assert_near(errors.total_error_percent, 100 * (620.0 - 700) / 700);
	assert_near(errors.curve_gap_percent, 100 * (20.0 + 80 + 80) / 3 / 700);
	assert_near(errors.coverage_percent, 50);
	/* (10 * 0.1 + 10 * 0.1) / 2 and (10 * 0.9 + 100 * 0.1) / 2, of 300 */
	assert_near(errors.pinball_percent, 100 * (1 + 9.5) / 300);
	free_series(series);
}

/* Readings of 7 and 17 ns by a clock that goes in steps of 10 are both what a write of 11 ns may give. */
TEST("a difference below the clock step is no error")
{
	const uint64_t ns[] = {7, 17, 27, 400};
	struct series *series = new_series_by(ns, NULL, 4, 0, 10);
	struct iow_model_errors_values errors;

	for (size_t i = 0; i < 3; i++)
		predict_ns(series, i, 11, 11, 11);
	predict_ns(series, 3, 500, 500, 500);
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write_error_percent, 100 * (6.0 / 27 + 90.0 / 400) / 4);
	assert_near(errors.within_tenth_percent, 50);
	assert_near(errors.unresolved_percent, 100 * (4.0 / 7 + 6.0 / 17 + 10.0 / 27 + 10.0 / 400) / 4);
	/* Sums of many do not know the steps. */
	assert_near(errors.total_error_percent, 100 * (533.0 - 451) / 451);
	free_series(series);
}

TEST("a perfect prediction has no error")
{
	const uint64_t ns[] = {17, 3000, 5, 80000};
	struct series *series = new_series(ns, NULL, 4, 2);
	struct iow_model_errors_values errors;

	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write_error_percent, 0);
	assert_near(errors.within_tenth_percent, 100);
	assert_near(errors.total_error_percent, 0);
	assert_near(errors.curve_gap_percent, 0);
	assert_true(isnan(errors.coverage_percent));
	assert_true(isnan(errors.pinball_percent));
	free_series(series);
}
