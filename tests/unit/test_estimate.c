/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines, medians, means and their intervals, by hand and of known distributions. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "iowrite-bench/system/estimate.h"
#include "iowrite-bench/system/curve.h"

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

TEST("the mean is that of all samples, and outliers are counted")
{
	double values[] = {9, 10, 10, 11, 11, 12, 1000}, low[] = {1, 98, 100, 102, 99, 101, 103}, same[] = {5, 5, 5, 5};
	struct estimate_block block = {values, 7}, below = {low, 7}, alike = {same, 4};
	struct system_value value;

	assert_int_equal(estimate(&block, 1, 0, "", &value), 0);
	assert_true(is_close(value.mean, 1063.0 / 7));
	assert_int_equal(value.outliers, 1);
	assert_true(is_close(value.outlier_percent, 100 * 1000.0 / 1063));
	assert_true(value.value == 11);
	assert_int_equal(estimate(&below, 1, 0, "", &value), 0);
	assert_true(is_close(value.mean, 604.0 / 7));
	assert_int_equal(value.outliers, 1);
	assert_int_equal(estimate(&alike, 1, 0, "", &value), 0);
	assert_true(value.mean == 5 && value.mean_low == 5 && value.mean_high == 5);
	assert_true(value.outliers == 0 && value.outlier_percent == 0);
	/* A single sample has no interval. */
	alike.count = 1;
	assert_int_equal(estimate(&alike, 1, 0, "", &value), 0);
	assert_true(value.mean == 5 && isnan(value.mean_low) && isnan(value.mean_high));
}

/* 58 of 100 writes take 300 us, the others 2.5 ms: the quartiles alone say that the mean is above 775 us. */
TEST("the mean of two modes is between them, however far they are apart")
{
	double values[100];
	struct estimate_block block = {values, 100};
	struct system_value value;

	for (int i = 0; i < 100; i++)
		values[i] = i % 50 < 29 ? 300000 + i : 2500000 + i;
	assert_int_equal(estimate(&block, 1, 0, "", &value), 0);
	assert_true(is_close(value.mean, (58 * 300000.0 + 42 * 2500000 + 4950) / 100));
	assert_true(value.mean >= 0.5 * value.p25 + 0.2 * value.p75 + 0.05 * value.p95);
	assert_true(value.mean_low < 1224000 && value.mean_high > 1224049);
	assert_int_equal(value.outliers, 42);
}

/* The spread of blocks, not of samples, when a block's samples are alike. */
TEST("the interval of the mean is as wide as blocks differ")
{
	double a[] = {100, 100, 100, 100}, b[] = {110, 110, 110, 110}, c[] = {90, 90, 90, 90};
	struct estimate_block blocks[] = {{a, 4}, {NULL, 0}, {b, 4}, {c, 4}};
	struct system_value value;
	/* Student: 4.302653 times the standard error of three block means, 10 / sqrt(3). */
	double off = 4.30265272991 * 10 / sqrt(3);

	assert_int_equal(estimate(blocks, 4, 0, "", &value), 0);
	assert_true(fabs(value.mean_high - 100 * exp(off / 100)) < 1e-6);
	assert_true(fabs(value.mean_low - 100 * exp(-off / 100)) < 1e-6);
	/* A half width of 8 means has an end: 8 e means. */
	a[0] = a[1] = a[2] = a[3] = 1;
	b[0] = b[1] = b[2] = b[3] = c[0] = c[1] = c[2] = c[3] = 1000;
	assert_int_equal(estimate(blocks, 3, 0, "", &value), 0);
	assert_true(value.mean == 500.5 && value.mean_low > 0 && value.mean_high < 13 * M_E * value.mean);
	b[0] = b[1] = b[2] = b[3] = 110;
	c[0] = c[1] = c[2] = c[3] = 90;
	a[0] = a[1] = a[2] = a[3] = 100;
	/* Of a difference the interval may reach below 0. */
	assert_int_equal(estimate(blocks, 4, 1000, "", &value), 0);
	assert_true(fabs(value.mean_high - (100 + off)) < 1e-6 && fabs(value.mean_low - (100 - off)) < 1e-6);
}

enum kind { NORMAL, EXPONENTIAL, LOG_NORMAL, TWO_MODES, MODES_OF_BLOCKS, KINDS };

static double normal(struct rng *rng)
{
	return sqrt(-2 * log(1 - rng_double(rng))) * cos(2 * M_PI * rng_double(rng));
}

static double draw(struct rng *rng, enum kind kind, bool is_slow_block)
{
	switch (kind) {
	case NORMAL:
		return 10 + 2 * normal(rng);
	case EXPONENTIAL:
		return -log(1 - rng_double(rng));
	case LOG_NORMAL:
		return exp(normal(rng));
	case TWO_MODES:
		is_slow_block = rng_double(rng) < 0.42;
		/* fall through */
	default:
		return (is_slow_block ? 5 : 1) * (0.9 + 0.2 * rng_double(rng));
	}
}

/* 2000 calibrations of 8 blocks of 12. In the last kind all samples of a block are of one of two modes, so that there are 8
 * numbers of two values; an interval by the 96 samples holds 39 % of these means. */
TEST("95 % intervals of the mean cover it for skewed costs, two modes and dependent samples")
{
	static const double means[KINDS] = {10, 1, 1.6487212707, 2.68, 2.68};

	for (enum kind kind = NORMAL; kind < KINDS; kind++) {
		struct rng rng;
		int held = 0;

		rng_seed(&rng, 23, kind);
		for (int round = 0; round < 2000; round++) {
			double values[8][12];
			struct estimate_block blocks[8];
			struct system_value value;

			for (int i = 0; i < 8; i++) {
				bool is_slow = rng_double(&rng) < 0.42;

				for (int k = 0; k < 12; k++)
					values[i][k] = draw(&rng, kind, is_slow);
				blocks[i] = (struct estimate_block){values[i], 12};
			}
			assert_int_equal(estimate(blocks, 8, 0, "", &value), 0);
			held += value.mean_low <= means[kind] && means[kind] <= value.mean_high;
		}
		if (held < (kind == MODES_OF_BLOCKS ? 1840 : 1880) || held > 1980)
			fail_msg("kind %d: %d of 2000 intervals hold the mean", kind, held);
	}
}
