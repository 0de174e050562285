/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, medians and their intervals, by hand. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/estimate.h"
#include "iowrite-bench/curve.h"

static bool is_close(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

static void fill(struct system_point *points, size_t count, double fixed, double slope)
{
	for (size_t i = 0; i < count; i++) {
		points[i].size = 4096ull << i;
		points[i].ns.value = fixed + slope * (double)points[i].size;
	}
}

TEST("a fit finds a known line")
{
	struct system_point points[9] = {0};
	double fixed, slope, error;

	fill(points, 9, 150000, 0.3);
	line_fit(points, 9, &fixed, &slope, &error);
	assert_true(is_close(fixed, 150000));
	assert_true(is_close(slope, 0.3));
	assert_true(error < 1e-12);
	/* Three wild ones of nine move nothing. */
	points[2].ns.value *= 5;
	points[5].ns.value /= 3;
	points[8].ns.value *= 2;
	line_fit(points, 9, &fixed, &slope, &error);
	assert_true(is_close(fixed, 150000));
	assert_true(is_close(slope, 0.3));
}

/* Costs are not negative: where the best line would be, the best one that is not is taken. */
TEST("a fitted cost is never negative")
{
	struct system_point points[3] = {{1000, {.value = 100}}, {2000, {.value = 300}}, {4000, {.value = 700}}};
	double fixed, slope, error;

	line_fit(points, 3, &fixed, &slope, &error);
	assert_true(fixed == 0 && slope > 0);
	points[1].ns.value = 80;
	points[2].ns.value = 60;
	line_fit(points, 3, &fixed, &slope, &error);
	assert_true(is_close(fixed, 80) && slope == 0);
}

TEST("a break is kept only when it lowers the error")
{
	struct system_point points[10] = {0};
	struct system_curve curve = {.count = 10, .points = points};

	fill(points, 10, 3000, 0.5);
	line_fit_curve(&curve);
	assert_int_equal(curve.segment_count, 1);
	for (size_t i = 5; i < 10; i++)
		points[i].ns.value = 20000 + 0.1 * (double)points[i].size;
	line_fit_curve(&curve);
	assert_int_equal(curve.segment_count, 2);
	assert_int_equal(curve.segments[1].from_size, 4096 << 5);
	assert_true(is_close(curve.segments[0].ns_per_byte, 0.5));
	assert_true(is_close(curve.segments[1].ns_per_byte, 0.1));
}

/* Of 4000 samples of 25 from one distribution at least 95 % of the intervals hold its median; not all. */
TEST("95 % intervals of the median cover it in 95 % of cases")
{
	struct rng rng;
	int held = 0;

	rng_seed(&rng, 11, 0);
	for (int round = 0; round < 4000; round++) {
		double values[25];
		struct estimate_block block = {values, 25};
		struct system_value value;

		for (int i = 0; i < 25; i++)
			values[i] = -log(1 - rng_double(&rng)); /* skewed: median log 2 */
		assert_int_equal(estimate(&block, 1, 0, "test", &value), 0);
		held += value.low <= M_LN2 && M_LN2 <= value.high;
	}
	assert_in_range(held, 3760, 3960);
}

TEST("the spread between blocks decides whether an estimate is stable")
{
	double a[] = {10, 11, 12}, b[] = {20, 21, 22}, c[] = {11, 10, 12};
	struct estimate_block blocks[] = {{a, 3}, {b, 3}, {NULL, 0}, {c, 3}};
	struct system_value value;

	assert_int_equal(estimate(blocks, 4, 0, "median of block medians", &value), 0);
	assert_true(value.value == 11);
	assert_true(value.low == 10 && value.high == 21);
	assert_int_equal(value.n, 9);
	assert_string_equal(value.method, "median of block medians");
	assert_string_equal(value.unstable, "off by up to 91 % within 3 blocks");
	assert_false(estimate_is_good(&value, 0));
	assert_int_equal(estimate(blocks, 1, 0, "", &value), 0);
	assert_true(value.value == 11);
}

TEST("a median of zero is marked")
{
	double none = 0, some = 5;
	struct estimate_block blocks[] = {{&none, 1}, {&none, 1}, {&some, 1}};
	struct system_value value;

	assert_int_equal(estimate(blocks, 3, 0, "", &value), 0);
	assert_true(value.value == 0 && value.high == 5);
	assert_string_equal(value.unstable, "0 in the median, and not in each of 3 blocks");
	some = 0;
	assert_int_equal(estimate(blocks, 3, 0, "", &value), 0);
	assert_string_equal(value.unstable, "");
}

TEST("outliers are left out of the mean")
{
	const double values[] = {9, 10, 10, 11, 11, 12, 1000};
	const double same[] = {5, 5, 5, 5}, alike[] = {2, 5, 5, 5, 5, 12, 16}, nothing[] = {0, 0, 0, 2};

	assert_true(is_close(estimate_mean(values, 7), 10.5));
	assert_true(estimate_mean(same, 4) == 5);
	assert_true(isnan(estimate_mean(values, 0)));
	/* More than half alike: nothing is too cheap, and stalls are left out. */
	assert_true(estimate_mean(alike, 7) == 34.0 / 6);
	/* Three times a difference that is mostly nothing is no limit. */
	assert_true(estimate_mean(nothing, 4) == 0.5);
}
