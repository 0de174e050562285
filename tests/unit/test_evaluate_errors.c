/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors computed by hand, the floor against all predictors there are, and laws that hold for any series. */
#include "config.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>
#include "common/hot/rng.h"
#include "iowrite-bench/evaluate/errors.h"
#include "iowrite-bench/evaluate/floor.h"

#define WRITES 6000

struct series {
	struct record records[WRITES];
	struct model_cost costs[WRITES];
	struct measured measured;
	struct prediction prediction;
};

static struct series *new_series_by(const uint64_t *ns, const uint64_t *sizes, size_t count, double overhead, double step)
{
	const struct measured_clock clock = {overhead, step};
	struct series *series = calloc(1, sizeof(*series));

	assert_non_null(series);
	for (size_t i = 0; i < count; i++) {
		series->records[i] = (struct record){.write_ns = ns[i], .size = sizes ? sizes[i] : 4096};
		series->costs[i].ns = series->costs[i].typical_ns = (double)ns[i] - overhead;
		series->costs[i].low_ns = series->costs[i].high_ns = series->costs[i].ns;
	}
	assert_int_equal(measured_make(series->records, count, &clock, &series->measured), 0);
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

static double floor_of(const struct series *series)
{
	double percent = NAN;

	assert_int_equal(floor_percent(&series->measured, &percent), 0);
	return percent;
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted))))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

/* --- what was measured --- */

static void the_clock_is_taken_off(void **state)
{
	const uint64_t ns[] = {120, 20, 30}, sizes[] = {9, 5, 9};
	struct series *series = new_series(ns, sizes, 3, 20);

	(void)state;
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

static void errors_by_hand(void **state)
{
	const uint64_t ns[] = {100, 200, 400}, sizes[] = {1, 1, 2};
	struct series *series = new_series(ns, sizes, 3, 0);
	struct errors errors;

	(void)state;
	predict_ns(series, 0, 120, 90, 110);
	predict_ns(series, 1, 100, 210, 300);
	predict_ns(series, 2, 400, 400, 400);
	/* What half of them cost at most is what a write is held against; the mean is for sums. */
	series->costs[1].typical_ns = 150;
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write, 100 * (0.2 + 0.25) / 3);
	assert_near(errors.unresolved, 0);
	/* The mean of size 1 is 150. */
	assert_near(errors.mean_write, 100 * (30.0 / 150 + 50.0 / 150) / 3);
	assert_near(errors.total, 100 * (620.0 - 700) / 700);
	assert_near(errors.curve_gap, 100 * (20.0 + 80 + 80) / 3 / 700);
	assert_near(errors.coverage, 50);
	/* (10 * 0.1 + 10 * 0.1) / 2 and (10 * 0.9 + 100 * 0.1) / 2, of 300 */
	assert_near(errors.pinball, 100 * (1 + 9.5) / 300);
	assert_near(errors.refused, 0);
	free_series(series);
}

/* Readings of 7 and 17 ns by a clock that goes in steps of 10 are both what a write of 11 ns may give. */
static void less_than_a_step_is_no_error(void **state)
{
	const uint64_t ns[] = {7, 17, 27, 400};
	struct series *series = new_series_by(ns, NULL, 4, 0, 10);
	struct errors errors;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		predict_ns(series, i, 11, 11, 11);
	predict_ns(series, 3, 500, 500, 500);
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write, 100 * (6.0 / 27 + 90.0 / 400) / 4);
	assert_near(errors.unresolved, 100 * (4.0 / 7 + 6.0 / 17 + 10.0 / 27 + 10.0 / 400) / 4);
	/* Sums of many do not know the steps. */
	assert_near(errors.total, 100 * (533.0 - 451) / 451);
	free_series(series);
}

static void a_perfect_prediction_has_none(void **state)
{
	const uint64_t ns[] = {17, 3000, 5, 80000};
	struct series *series = new_series(ns, NULL, 4, 2);
	struct errors errors;

	(void)state;
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.per_write, 0);
	assert_near(errors.total, 0);
	assert_near(errors.curve_gap, 0);
	assert_true(isnan(errors.coverage));
	assert_true(isnan(errors.pinball));
	free_series(series);
}

static void what_is_no_cost_is_counted(void **state)
{
	const uint64_t ns[] = {10, 10, 10, 10};
	struct series *series = new_series(ns, NULL, 4, 0);
	struct errors errors;

	(void)state;
	predict_ns(series, 0, -1, -1, -1);
	predict_ns(series, 1, NAN, NAN, NAN);
	predict_ns(series, 2, INFINITY, 0, INFINITY);
	errors_make(&series->measured, &series->prediction, &errors);
	assert_near(errors.refused, 75);
	free_series(series);
}

/* --- the floor --- */

static void floors_by_hand(void **state)
{
	const uint64_t steps[] = {1, 1, 1, 10, 10, 100, 100, 100};
	const uint64_t four[] = {100, 200, 400, 800};
	const uint64_t sizes[] = {1, 2, 1, 2};
	struct series *series = new_series(steps, NULL, 8, 0);

	(void)state;
	assert_near(floor_of(series), 0);
	free_series(series);
	/* Two of four share a cost, best the smaller one's: 100 / 200 of a write. */
	series = new_series(four, NULL, 4, 0);
	assert_near(floor_of(series), 100 * 0.5 / 4);
	free_series(series);
	/* A cost for each size: two stretches of two are exact. */
	series = new_series(four, sizes, 4, 0);
	assert_near(floor_of(series), 0);
	free_series(series);
	series = new_series(four, NULL, 1, 0);
	assert_near(floor_of(series), 0);
	free_series(series);
}

/* Of all costs that occur, and a step beside them, for each size by itself. */
static double least_error(const struct measured *measured, size_t begin, size_t end)
{
	double sum = 0;

	for (unsigned group = 0; group < measured->group_count; group++) {
		double best = INFINITY;

		for (size_t c = 2 * begin; c < 2 * end; c++) {
			double error = 0, ns = measured->ns[c / 2] + (c % 2 ? 1 : -1) * measured->step_ns;

			for (size_t i = begin; i < end; i++) {
				if (measured->group[i] == group)
					error += measured_error(measured, i, ns);
			}
			best = fmin(best, error);
		}
		sum += best;
	}
	return sum;
}

static double try_all(const struct measured *measured)
{
	double best = INFINITY;

	for (size_t a = 0; a <= measured->count; a++) {
		for (size_t b = a; b <= measured->count; b++) {
			double error = 0;

			error += a ? least_error(measured, 0, a) : 0;
			error += b > a ? least_error(measured, a, b) : 0;
			error += measured->count > b ? least_error(measured, b, measured->count) : 0;
			best = fmin(best, error);
		}
	}
	return 100 * best / (double)measured->count;
}

static void the_floor_is_the_least_of_all(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7, 0);
	for (int round = 0; round < 40; round++) {
		size_t count = 1 + rng_next(&rng) % 16;
		uint64_t ns[16], sizes[16];
		struct series *series;

		for (size_t i = 0; i < count; i++) {
			ns[i] = 1 + rng_next(&rng) % (round % 2 ? 5 : 1000);
			sizes[i] = rng_next(&rng) % (1 + (unsigned)round % 3);
		}
		series = new_series_by(ns, sizes, count, 0, round % 4 < 2 ? 0 : round % 7);
		assert_near(floor_of(series), try_all(&series->measured));
		free_series(series);
	}
}

/* Longer than FLOOR_EXACT; three levels, whose ends are no ends of the grid. */
static struct series *long_series(uint64_t noise, bool has_steps)
{
	uint64_t *ns = calloc(WRITES, sizeof(*ns));
	struct series *series;
	struct rng rng;

	rng_seed(&rng, 3, 0);
	for (size_t i = 0; ns && i < WRITES; i++)
		ns[i] = (!has_steps || i < 1003 ? 1000 : i < 4001 ? 9000 : 3000) + rng_next(&rng) % (noise + 1);
	assert_non_null(ns);
	series = new_series(ns, NULL, WRITES, 0);
	free(ns);
	return series;
}

static void the_floor_of_long_series(void **state)
{
	struct series *series = long_series(0, true);
	double floor = floor_of(series);

	(void)state;
	/* Not more writes than a step of the grid holds are on the wrong side of each of two ends. */
	assert_true(floor > 0 && floor < 100 * 2 * 9.0 / FLOOR_GRID);
	free_series(series);
	series = long_series(0, false);
	assert_near(floor_of(series), 0);
	free_series(series);
}

static void no_constant_is_below_the_floor(void **state)
{
	struct series *series = long_series(500, true);
	double floor = floor_of(series);

	(void)state;
	for (int power = 0; power < 100; power++) {
		double c = pow(1.1, power);
		struct errors errors;

		for (size_t i = 0; i < WRITES; i++)
			predict_ns(series, i, c, c * 0.5, c * 2);
		errors_make(&series->measured, &series->prediction, &errors);
		assert_true(floor <= errors.per_write);
		assert_true(errors.coverage >= 0 && errors.coverage <= 100);
		assert_true(errors.pinball >= 0);
		assert_true(errors.curve_gap >= 0);
	}
	free_series(series);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_clock_is_taken_off),
		cmocka_unit_test(errors_by_hand),
		cmocka_unit_test(less_than_a_step_is_no_error),
		cmocka_unit_test(a_perfect_prediction_has_none),
		cmocka_unit_test(what_is_no_cost_is_counted),
		cmocka_unit_test(floors_by_hand),
		cmocka_unit_test(the_floor_is_the_least_of_all),
		cmocka_unit_test(the_floor_of_long_series),
		cmocka_unit_test(no_constant_is_below_the_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
