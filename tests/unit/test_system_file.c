/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A calibration's file: what is written is read again. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/system/system.h"

static void set(struct system *system, enum system_parameter parameter, double value, const char *unstable)
{
	struct system_value *to = &system->parameters[parameter];

	*to = (struct system_value){.value = value, .low = 0.9 * value, .high = 1.1 * value, .n = 12, .method = "hand",
		.mean = 1.01 * value, .p5 = 0.8 * value, .p25 = 0.9 * value, .p75 = 1.2 * value, .p95 = 1.5 * value,
		.mean_low = 0.95 * value, .mean_high = 1.25 * value, .outliers = 3, .outlier_percent = 40.5, .left_out = 7};
	snprintf(to->unstable, sizeof(to->unstable), "%s", unstable);
}

static void add_curve(struct system *system, enum op_mode mode, enum op_regime regime)
{
	struct system_curve *curve = &system->curves[mode][regime];

	curve->points = calloc(3, sizeof(*curve->points));
	assert_non_null(curve->points);
	for (curve->count = 0; curve->count < 3; curve->count++) {
		uint64_t size = 4096ull << (2 * curve->count);

		curve->points[curve->count] = (struct system_point){.size = size,
			.ns = {.value = 100000 + (double)size, .low = NAN, .high = NAN, .n = 5, .method = "hand"}};
	}
	curve->segment_count = 1;
	curve->segments[0] = (struct system_segment){0, 100000, 1};
}

static void known(struct system *system)
{
	system_init(system);
	set(system, SYSTEM_BW_DEV, 2e9, "");
	set(system, SYSTEM_BW_SYNC, 1e9, "");
	set(system, SYSTEM_SC_SK, 1000, "");
	set(system, SYSTEM_CLOCK, 20, "");
	add_curve(system, OP_DIRECT, OP_OVERWRITE);
	add_curve(system, OP_SYNC, OP_APPEND);
}

static void assert_same(const struct system_value *a, const struct system_value *b)
{
	assert_true(a->value == b->value);
	assert_true((isnan(a->low) && isnan(b->low)) || (a->low == b->low && a->high == b->high));
	assert_true(a->mean == b->mean && a->p5 == b->p5 && a->p25 == b->p25 && a->p75 == b->p75 && a->p95 == b->p95);
	assert_int_equal(a->n, b->n);
	if (a->p95 > 0)
		assert_true(a->mean_low == b->mean_low && a->mean_high == b->mean_high);
	assert_true(a->outliers == b->outliers && a->outlier_percent == b->outlier_percent && a->left_out == b->left_out);
	assert_string_equal(a->method, b->method);
	assert_string_equal(a->unstable, b->unstable);
}

TEST("a calibration file holds all values")
{
	const struct system_curve *curve;
	char path[] = "/tmp/memstor-system-XXXXXX";
	struct system made, read;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	known(&made);
	set(&made, SYSTEM_BW_RDEV, 3.25e9, "off by <40 %> & more");
	snprintf(made.parameters[SYSTEM_WARM_POOL].unstable, 96, "debugfs cannot be read");
	snprintf(made.curves[OP_DIRECT][OP_APPEND].unknown, 96, "a device does not grow");
	snprintf(made.throttled_unknown, 96, "no stage");
	made.throttled[2] = (struct system_band){.size = 8 << 20, .p10 = 0.5, .p50 = 1, .p90 = 2.5};
	made.throttled[4] =
		(struct system_band){.size = 8 << 20, .think = 0.5, .p10 = 0.5, .p50 = 1, .p90 = 2.5, .typical = 0.6};
	snprintf(made.writer, sizeof(made.writer), "pinned to CPU 3");
	made.writer_cpu = 3;
	assert_int_equal(system_write(&made, path), 0);
	assert_int_equal(system_read(path, &read), 0);
	unlink(path);
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (isfinite(made.parameters[i].value))
			assert_same(&read.parameters[i], &made.parameters[i]);
		else
			assert_string_equal(read.parameters[i].unstable, made.parameters[i].unstable);
	}
	curve = &read.curves[OP_SYNC][OP_APPEND];
	assert_int_equal(curve->count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_same(&curve->points[i].ns, &made.curves[OP_SYNC][OP_APPEND].points[i].ns);
	assert_true(curve->segments[0].ns_per_byte == 1);
	assert_string_equal(read.curves[OP_DIRECT][OP_APPEND].unknown, "a device does not grow");
	assert_string_equal(read.throttled_unknown, "no stage");
	assert_true(read.throttled[2].p90 == 2.5);
	assert_true(read.throttled[2].think == 0 && isnan(read.throttled[2].typical));
	assert_true(read.throttled[4].think == 0.5 && read.throttled[4].typical == 0.6);
	assert_string_equal(read.writer, "pinned to CPU 3");
	assert_int_equal(read.writer_cpu, 3);
	system_free(&read);
	system_free(&made);
}
