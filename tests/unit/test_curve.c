/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a prediction takes from a curve of which some sizes were hardly measured. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/system/system.h"
#include "tests/unit/known_system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "iowrite-bench/calibrate/finish.h"
#include "iowrite-bench/system/curve.h"

#define KIB 1024

static struct system_point point(uint64_t size, double ns, unsigned n)
{
	return (struct system_point){.size = size, .ns = {.value = ns, .low = 0.9 * ns, .high = 1.1 * ns, .n = n, .mean = ns}};
}

static void pool(struct system *system, struct system_point *points, size_t count)
{
	struct system_curve *curve;

	known_system(system);
	curve = &system->curves[OP_BUFFERED][OP_APPEND];
	*curve = (struct system_curve){.count = count, .points = points};
	line_fit_curve(curve);
	assert_int_equal(curve_pool(curve), 0);
}

static const struct system_pooled *pooled_of(const struct system *system, size_t i)
{
	return &system->curves[OP_BUFFERED][OP_APPEND].pooled[i];
}

static double cost(const struct system *system, uint64_t size)
{
	return system_cost_ns(system, OP_BUFFERED, OP_APPEND, size);
}

/* One write of 4 KiB that waited 180 us must not cost a list of them a minute. */
TEST("one slow sample does not raise the cost of a size")
{
	struct system_point points[] = {point(KIB, 1300, 48), point(2 * KIB, 1900, 48), point(4 * KIB, 180000, 1),
		point(8 * KIB, 4400, 1), point(16 * KIB, 7000, 48), point(64 * KIB, 20000, 30)};
	struct system system;

	pool(&system, points, 6);
	assert_true(cost(&system, 4 * KIB) > 1900 && cost(&system, 4 * KIB) < 7000);
	assert_true(system_mean_ns(&system, OP_BUFFERED, OP_APPEND, 4 * KIB) < 7000);
	/* What was pooled is named, and the interval holds all of it. */
	assert_true(pooled_of(&system, 2)->n >= CURVE_SAMPLES);
	assert_true(pooled_of(&system, 2)->from_size < pooled_of(&system, 2)->to_size);
	assert_true(pooled_of(&system, 2)->high >= 180000);
	/* Well measured sizes stay what they are. */
	assert_true(cost(&system, KIB) == 1300 && cost(&system, 64 * KIB) == 20000);
	assert_true(pooled_of(&system, 0)->from_size == KIB && pooled_of(&system, 0)->to_size == KIB);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

TEST("no size costs less than a smaller one")
{
	struct system_point points[] = {point(KIB, 1000, 9), point(2 * KIB, 5000, 3), point(4 * KIB, 2000, 90),
		point(8 * KIB, 1500, 10), point(16 * KIB, 9000, 9), point(32 * KIB, 8000, 4)};
	struct system system;

	pool(&system, points, 6);
	for (uint64_t size = KIB; size < 64 * KIB; size += KIB / 2)
		assert_true(cost(&system, size) <= cost(&system, size + KIB / 2));
	/* The weight decides. */
	assert_true(cost(&system, 4 * KIB) == 2000);
	assert_int_equal(pooled_of(&system, 2)->n, 103);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

TEST("a size that is not a power of two may cost more")
{
	struct system_point points[] = {point(32 * KIB, 8400, 50), point(60 * KIB, 18400, 50), point(64 * KIB, 14000, 50),
		point(252 * KIB, 55000, 50), point(256 * KIB, 47000, 50)};
	struct system system;

	pool(&system, points, 5);
	assert_true(cost(&system, 60 * KIB) == 18400);
	assert_true(cost(&system, 64 * KIB) == 14000);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

TEST("a point that was given and not measured is not pooled")
{
	struct system_point points[] = {point(KIB, 1000, 0), point(64 * KIB, 20000, 0)};
	struct system system;

	pool(&system, points, 2);
	assert_true(cost(&system, KIB) == 1000 && cost(&system, 64 * KIB) == 20000);
	assert_false(system.curves[OP_BUFFERED][OP_APPEND].is_too_few);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

TEST("fewer than three samples are refused")
{
	struct system_point points[] = {point(4 * KIB, 3000, 1), point(64 * KIB, 20000, 1)};
	const struct op op = {0, 0, 4096};
	const struct predict_setup setup = {.kind = model_kind("kernel")};
	struct prediction prediction;
	const char *missing = NULL;
	struct system system;

	pool(&system, points, 2);
	assert_true(isnan(cost(&system, 4 * KIB)));
	assert_int_equal(predict(&system, &setup, &op, 1, &prediction, &missing), -ENODATA);
	assert_string_equal(missing, "buffered");
	assert_non_null(strstr(system.curves[OP_BUFFERED][OP_APPEND].unknown, "fewer than 3 samples"));
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

TEST("the sizes used are those around")
{
	struct system_point points[] = {point(4 * KIB, 3000, 9), point(64 * KIB, 20000, 9)};
	const struct system_curve curve = {.count = 2, .points = points};
	static const struct {
		uint64_t size;
		size_t first, last;
	} cases[] = {{1, 0, 0}, {4 * KIB, 0, 0}, {5 * KIB, 0, 1}, {64 * KIB, 1, 1}, {MIB, 1, 1}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t first, last;

		curve_used(&curve, cases[i].size, &first, &last);
		assert_int_equal(first, cases[i].first);
		assert_int_equal(last, cases[i].last);
	}
}

/* What predictions need, and nothing else. */
TEST("unstable values that predictions need are listed")
{
	struct system_point points[] = {point(4 * KIB, 3000, 9), point(8 * KIB, 5000, 9), point(64 * KIB, 20000, 9)};
	char why[FINISH_WHY];
	struct system system;

	pool(&system, points, 3);
	finish_doubts(&system, why);
	assert_string_equal(why, "");
	snprintf(system.parameters[SYSTEM_BW_MEM].unstable, SYSTEM_WHY, "no model's");
	snprintf(points[0].ns.unstable, SYSTEM_WHY, "one of three");
	finish_doubts(&system, why);
	assert_string_equal(why, "");
	snprintf(system.parameters[SYSTEM_BW_SYNC].unstable, SYSTEM_WHY, "off by up to 40 %%");
	points[2].ns.n = 2;
	finish_doubts(&system, why);
	assert_string_equal(why, "bw_sync, buffered.append (1 of 3 sizes)");
	points[2].ns.n = 9;
	snprintf(points[1].ns.unstable, SYSTEM_WHY, "two of three");
	finish_doubts(&system, why);
	assert_string_equal(why, "bw_sync, buffered.append (2 of 3 sizes)");
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

/* --- the interval of a total --- */

static double total(const struct system *system, const char *kind, struct model_setup model, const struct op *ops, size_t count,
	double *low, double *high)
{
	const struct predict_setup setup = {.kind = model_kind(kind), .model = model};
	struct prediction prediction;
	const char *missing;
	double sum;

	assert_int_equal(predict(system, &setup, ops, count, &prediction, &missing), 0);
	assert_int_equal(predict_interval(system, &setup, ops, count, &prediction), 0);
	*low = prediction.total_low_ns;
	*high = prediction.total_high_ns;
	sum = prediction.total_ns;
	predict_free(&prediction);
	return sum;
}

static void set_interval(struct system *system, enum system_parameter parameter, double low, double high)
{
	system->parameters[parameter].low = low;
	system->parameters[parameter].high = high;
}

/* Ten writes of 4 KiB whose mean is known to a fifth: the total is, too. Their median is another matter. */
TEST("the interval of a total is that of the mean of its writes")
{
	struct system_point points[] = {point(4 * KIB, 3000, 9), point(64 * KIB, 20000, 9)};
	struct op ops[10] = {{0}};
	struct system system;
	double low, high;

	points[0].ns.mean = 5000;
	points[0].ns.mean_low = 4000;
	points[0].ns.mean_high = 6250;
	pool(&system, points, 2);
	for (size_t i = 0; i < 10; i++)
		ops[i] = (struct op){0, 4 * KIB * i, 4 * KIB};
	assert_true(fabs(total(&system, "kernel", (struct model_setup){0}, ops, 10, &low, &high) - 50000) < 1e-6);
	assert_true(fabs(low - 40000) < 1e-6 && fabs(high - 62500) < 1e-6);
	/* The calibration itself is not changed. */
	assert_true(system_mean_ns(&system, OP_BUFFERED, OP_APPEND, 4 * KIB) == 5000);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}

/* A device of 80 to 125 MB/s: dear is the low end of a rate. */
TEST("the interval of a total follows the rates that it depends on")
{
	struct op ops[64] = {{0}};
	struct system system;
	double low, high, middle;

	known_system(&system);
	for (size_t i = 0; i < 64; i++)
		ops[i] = (struct op){0, 16 * MIB * i, 16 * MIB};
	assert_true(total(&system, "naive", (struct model_setup){0}, ops, 64, &low, &high) > 0);
	assert_true(isnan(low) && isnan(high));
	set_interval(&system, SYSTEM_BW_DEV, 80e6, 125e6);
	middle = total(&system, "naive", (struct model_setup){0}, ops, 64, &low, &high);
	assert_true(fabs(low / middle - 0.8) < 1e-9 && fabs(high / middle - 1.25) < 1e-9);
	/* Writers that are held back: the write-back of the kernel; what it is known by is not the rate of O_DIRECT. */
	assert_true(total(&system, "kernel", (struct model_setup){0}, ops, 64, &low, &high) > 0);
	assert_true(isnan(low) && isnan(high));
	set_interval(&system, SYSTEM_BW_SYNC, 80e6, 125e6);
	middle = total(&system, "kernel", (struct model_setup){0}, ops, 64, &low, &high);
	assert_true(low < 0.9 * middle && low > 0.7 * middle && high > 1.1 * middle && high < 1.4 * middle);
	/* An interval that is not around the value is that of something else. */
	set_interval(&system, SYSTEM_BW_SYNC, 10e6, 20e6);
	assert_true(total(&system, "kernel", (struct model_setup){0}, ops, 64, &low, &high) == middle && isnan(low));
}

/* Two sizes of hardly any samples share a mean; one of enough samples keeps its own, and a median of means would drop it. */
TEST("means are averaged, whatever the outliers")
{
	struct system_point points[] = {point(4 * KIB, 3000, 2), point(16 * KIB, 3000, 2), point(64 * KIB, 20000, 9)};
	struct system system;

	points[0].ns.mean = 4000;
	points[1].ns.mean = 400000;
	points[2].ns.mean = 25000;
	pool(&system, points, 3);
	assert_true(pooled_of(&system, 0)->mean_ns > 100000);
	assert_true(pooled_of(&system, 2)->mean_ns == 25000);
	free(system.curves[OP_BUFFERED][OP_APPEND].pooled);
}
