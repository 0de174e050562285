/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two calibrations compared, and a calibration's file: what is written is read again. */
#include "config.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "iowrite-bench/calibrate/agree.h"

static void set(struct system *system, enum system_parameter parameter, double value, const char *unstable)
{
	struct system_value *to = &system->parameters[parameter];

	*to = (struct system_value){.value = value, .low = 0.9 * value, .high = 1.1 * value, .n = 12, .method = "hand",
		.mean = 1.01 * value, .p5 = 0.8 * value, .p25 = 0.9 * value, .p75 = 1.2 * value, .p95 = 1.5 * value};
	snprintf(to->unstable, sizeof(to->unstable), "%s", unstable);
}

static void add_curve(struct system *system, enum op_mode mode, enum op_regime regime, double factor)
{
	struct system_curve *curve = &system->curves[mode][regime];

	curve->points = calloc(3, sizeof(*curve->points));
	assert_non_null(curve->points);
	for (curve->count = 0; curve->count < 3; curve->count++) {
		uint64_t size = 4096ull << (2 * curve->count);

		curve->points[curve->count] = (struct system_point){.size = size,
			.ns = {.value = factor * (100000 + (double)size), .low = NAN, .high = NAN, .n = 5, .method = "hand"}};
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
	add_curve(system, OP_DIRECT, OP_OVERWRITE, 1);
	add_curve(system, OP_SYNC, OP_APPEND, 1);
}

struct pair {
	struct system before, now;
	struct agree agree;
};

static int setup(void **state)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	known(&pair->before);
	known(&pair->now);
	*state = pair;
	return 0;
}

static int teardown(void **state)
{
	struct pair *pair = *state;

	agree_free(&pair->agree);
	system_free(&pair->before);
	system_free(&pair->now);
	free(pair);
	return 0;
}

static void the_same_agrees(void **state)
{
	struct pair *pair = *state;

	/* Within a tenth either way, and what no model uses as it likes. */
	set(&pair->now, SYSTEM_BW_DEV, 2.19e9, "");
	set(&pair->now, SYSTEM_CLOCK, 80, "");
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, 0);
	assert_true(pair->agree.compared > 20);
}

static void who_knew_is_said(void **state)
{
	struct pair *pair = *state;
	const struct agree_finding *found;

	set(&pair->now, SYSTEM_BW_DEV, 3e9, "off by up to 40 % within 3 blocks");
	set(&pair->before, SYSTEM_BW_SYNC, 1.3e9, "others wanted the CPUs");
	pair->now.curves[OP_SYNC][OP_APPEND].points[1].ns.value *= 1.2;
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, 3);
	found = pair->agree.findings;
	assert_string_equal(found[0].name, "bw_dev");
	assert_string_equal(found[0].why, "off by up to 40 % within 3 blocks");
	assert_false(found[0].is_the_older);
	assert_string_equal(found[1].name, "bw_sync");
	assert_true(found[1].is_the_older);
	assert_string_equal(found[2].name, "sync.append 16384");
	assert_null(found[2].why);
	assert_string_equal(pair->now.curves[OP_SYNC][OP_APPEND].points[1].ns.unstable,
		"was 1.16e+05 in another calibration");
}

/* A difference next to nothing is judged by what it is added to. */
static void a_difference_has_its_scale(void **state)
{
	struct pair *pair = *state;

	set(&pair->now, SYSTEM_SC_SK, 9000, "");
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, 0);
	set(&pair->now, SYSTEM_SC_SK, 15000, "");
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, 1);
	assert_string_equal(pair->agree.findings[0].name, "sc_sk");
}

static void what_only_one_knows_is_a_finding(void **state)
{
	struct pair *pair = *state;

	pair->now.parameters[SYSTEM_BW_SYNC].value = NAN;
	snprintf(pair->now.parameters[SYSTEM_BW_SYNC].unstable, 96, "no time");
	free(pair->now.curves[OP_SYNC][OP_APPEND].points);
	pair->now.curves[OP_SYNC][OP_APPEND] = (struct system_curve){.unknown = "no room"};
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, 2);
	assert_string_equal(pair->agree.findings[0].why, "no time");
	assert_string_equal(pair->agree.findings[1].name, "sync.append");
	assert_string_equal(pair->agree.findings[1].why, "no room");
}

static void assert_same(const struct system_value *a, const struct system_value *b)
{
	assert_true(a->value == b->value);
	assert_true((isnan(a->low) && isnan(b->low)) || (a->low == b->low && a->high == b->high));
	assert_true(a->mean == b->mean && a->p5 == b->p5 && a->p25 == b->p25 && a->p75 == b->p75 && a->p95 == b->p95);
	assert_int_equal(a->n, b->n);
	assert_string_equal(a->method, b->method);
	assert_string_equal(a->unstable, b->unstable);
}

static void a_file_holds_all(void **state)
{
	struct pair *pair = *state;
	const struct system_curve *curve;
	char path[] = "/tmp/memstor-system-XXXXXX";
	struct system read;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	set(&pair->now, SYSTEM_BW_RDEV, 3.25e9, "off by <40 %> & more");
	snprintf(pair->now.parameters[SYSTEM_RATELIMIT0].unstable, 96, "debugfs cannot be read");
	snprintf(pair->now.curves[OP_DIRECT][OP_APPEND].unknown, 96, "a device does not grow");
	snprintf(pair->now.throttled_unknown, 96, "no stage");
	pair->now.throttled[2] = (struct system_band){0.5, 1, 2.5};
	assert_int_equal(system_write(&pair->now, path), 0);
	assert_int_equal(system_read(path, &read), 0);
	unlink(path);
	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		if (isfinite(pair->now.parameters[i].value))
			assert_same(&read.parameters[i], &pair->now.parameters[i]);
		else
			assert_string_equal(read.parameters[i].unstable, pair->now.parameters[i].unstable);
	}
	curve = &read.curves[OP_SYNC][OP_APPEND];
	assert_int_equal(curve->count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_same(&curve->points[i].ns, &pair->now.curves[OP_SYNC][OP_APPEND].points[i].ns);
	assert_true(curve->segments[0].ns_per_byte == 1);
	assert_string_equal(read.curves[OP_DIRECT][OP_APPEND].unknown, "a device does not grow");
	assert_string_equal(read.throttled_unknown, "no stage");
	assert_true(read.throttled[2].p90 == 2.5);
	system_free(&read);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_agrees, setup, teardown),
		cmocka_unit_test_setup_teardown(who_knew_is_said, setup, teardown),
		cmocka_unit_test_setup_teardown(a_difference_has_its_scale, setup, teardown),
		cmocka_unit_test_setup_teardown(what_only_one_knows_is_a_finding, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_holds_all, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
