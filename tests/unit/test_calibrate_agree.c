/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two calibrations compared, and a calibration's file: what is written is read again. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/calibrate/compare.h"
#include "iowrite-bench/calibrate/calibrate.h"

static void set(struct system *system, enum system_parameter parameter, double value, const char *unstable)
{
	struct system_value *to = &system->parameters[parameter];

	*to = (struct system_value){.value = value, .low = 0.9 * value, .high = 1.1 * value, .n = 12, .method = "hand",
		.mean = 1.01 * value, .p5 = 0.8 * value, .p25 = 0.9 * value, .p75 = 1.2 * value, .p95 = 1.5 * value,
		.mean_low = 0.95 * value, .mean_high = 1.25 * value, .outliers = 3, .outlier_percent = 40.5, .left_out = 7};
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

struct wanted {
	const char *name, *why;
	bool is_the_older;
};
#define FINDINGS(...) ((const struct wanted[]){__VA_ARGS__, {0}})

/* Compares the two: these are the findings, and no others. */
static void assert_findings(struct pair *pair, const struct wanted *wanted)
{
	size_t count = 0;

	agree_free(&pair->agree);
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	for (; wanted[count].name; count++) {
		const struct agree_finding *found = &pair->agree.findings[count];

		assert_true(count < pair->agree.count);
		assert_string_equal(found->name, wanted[count].name);
		assert_string_equal(found->why, wanted[count].why);
		assert_int_equal(found->is_the_older, wanted[count].is_the_older);
	}
	assert_int_equal(pair->agree.count, count);
}

TEST_WITH("equal calibrations agree", setup, teardown)
{
	struct pair *pair = *state;

	/* Within a tenth either way, and what no model uses as it likes. */
	set(&pair->now, SYSTEM_BW_DEV, 2.19e9, "");
	set(&pair->now, SYSTEM_CLOCK, 80, "");
	assert_findings(pair, &(const struct wanted){0});
	assert_true(pair->agree.compared > 20);
}

/* The change shown is the one that the verdict is of: both are of the older value. */
TEST_WITH("a change is relative to the older value", setup, teardown)
{
	static const struct {
		double before, now, change; /* 0 = close */
	} cases[] = {{2e9, 2.2e9, 0}, {2e9, 1.8e9, 0}, {2e9, 1.81e9, 0}, {2e9, 2.21e9, 0.105}, {2e9, 1.79e9, -0.105},
		{-1e9, -0.91e9, 0}, {-1e9, -0.8e9, 0.2}, {1e9, -1e9, -2}, {0, 0, 0}, {1e9, 0, -1}, {0, 1e9, INFINITY},
		{0, -1e9, -INFINITY}};
	struct pair *pair = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set(&pair->before, SYSTEM_BW_DEV, cases[i].before, "");
		set(&pair->now, SYSTEM_BW_DEV, cases[i].now, "");
		assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
		assert_int_equal(pair->agree.count, cases[i].change != 0);
		if (pair->agree.count && isfinite(cases[i].change))
			assert_true(fabs(pair->agree.findings[0].change - cases[i].change) < 1e-9);
		else if (pair->agree.count)
			assert_true(pair->agree.findings[0].change == cases[i].change);
		agree_free(&pair->agree);
	}
}

TEST_WITH("a finding says which calibration is unstable, and why", setup, teardown)
{
	struct pair *pair = *state;

	set(&pair->now, SYSTEM_BW_DEV, 3e9, "off by up to 40 % within 3 blocks");
	set(&pair->before, SYSTEM_BW_SYNC, 1.3e9, "others wanted the CPUs");
	pair->now.curves[OP_SYNC][OP_APPEND].points[1].ns.value *= 1.2;
	assert_findings(pair, FINDINGS({"bw_dev", "off by up to 40 % within 3 blocks", false},
		{"bw_sync", "others wanted the CPUs", true}, {"sync.append 16384", "", false}));
	assert_string_equal(pair->now.curves[OP_SYNC][OP_APPEND].points[1].ns.unstable,
		"was 1.16e+05 in another calibration");
	/* Whichever was unstable: the value is marked in the newer one. */
	assert_string_equal(pair->now.parameters[SYSTEM_BW_SYNC].unstable, "was 1.3e+09 in another calibration");
	assert_string_equal(pair->now.parameters[SYSTEM_BW_DEV].unstable, "off by up to 40 % within 3 blocks");
}

/* Whatever a model asks for counts; clock no model asks for. */
TEST_WITH("all values that models use are compared", setup, teardown)
{
	struct pair *pair = *state;

	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		set(&pair->before, i, 1e6, "");
		set(&pair->now, i, 2e6, "");
	}
	assert_int_equal(agree_make(&pair->before, &pair->now, &pair->agree), 0);
	assert_int_equal(pair->agree.count, SYSTEM_PARAMETERS - 1);
	assert_string_equal(pair->now.parameters[SYSTEM_CLOCK].unstable, "");
}

TEST_WITH("a changed threshold has its reason", setup, teardown)
{
	struct pair *pair = *state;

	set(&pair->before, SYSTEM_LIMIT_HARD, 1e9, "");
	set(&pair->now, SYSTEM_LIMIT_HARD, 2e9, "");
	snprintf(pair->now.parameters[SYSTEM_LIMIT_HARD].method, 64, "%s", FACTS_SHARE);
	set(&pair->now, SYSTEM_WARM_POOL, 1e9, "");
	pair->before.parameters[SYSTEM_WARM_POOL].value = 2e9;
	assert_findings(pair, FINDINGS({"limit_hard", "it is a share of the free memory, which has changed", false},
		{"warm_pool", "it depends on what other programs have used and freed", false}));
	assert_string_equal(pair->now.parameters[SYSTEM_LIMIT_HARD].unstable,
		"was 1e+09 in another calibration: it is a share of the free memory, which has changed");
}

TEST_WITH("a calibration of another device or kernel is reported", setup, teardown)
{
	struct pair *pair = *state;

	set(&pair->now, SYSTEM_BW_DEV, 3e9, "");
	snprintf(pair->now.kernel, sizeof(pair->now.kernel), "7.0");
	assert_findings(pair, FINDINGS({"bw_dev", "they are of two kernels", false}));
	snprintf(pair->now.device, sizeof(pair->now.device), "sdx");
	pair->now.parameters[SYSTEM_BW_DEV].unstable[0] = '\0';
	assert_findings(pair, FINDINGS({"bw_dev", "they are of two devices or file systems", false}));
}

TEST_WITH("a difference in pinning is reported", setup, teardown)
{
	struct pair *pair = *state;

	set(&pair->before, SYSTEM_COEFF_BG, 0.9, "");
	set(&pair->now, SYSTEM_COEFF_BG, 0.5, "");
	snprintf(pair->before.writer, sizeof(pair->before.writer), "not pinned: there is one CPU");
	snprintf(pair->now.writer, sizeof(pair->now.writer), "pinned to CPU 1");
	assert_findings(pair, FINDINGS({"coeff_bg", "the writer was pinned to a CPU in one of them", false}));
}

/* A smaller --size has fewer sizes. */
TEST_WITH("sizes that only one calibration has are findings", setup, teardown)
{
	static const char missed[] = "--size, --runtime or --max-bytes ended before this size";
	struct pair *pair = *state;

	pair->before.curves[OP_DIRECT][OP_OVERWRITE].count = 2;
	pair->now.curves[OP_SYNC][OP_APPEND].count = 1;
	assert_findings(pair, FINDINGS({"sync.append 16384", missed, false}, {"sync.append 65536", missed, false},
		{"direct.overwrite 65536", missed, true}));
	assert_string_equal(pair->now.curves[OP_DIRECT][OP_OVERWRITE].points[2].ns.unstable,
		"not in the other calibration");
}

TEST_WITH("the lines of curves are compared", setup, teardown)
{
	struct pair *pair = *state;

	/* l_s by a tenth of the least write's cost, and what a byte costs behind the last. */
	pair->now.curves[OP_SYNC][OP_APPEND].segments[0] = (struct system_segment){0, 85000, 3};
	assert_findings(pair, FINDINGS({"sync.append line at 0", "", false}, {"sync.append beyond 65536", "", false}));
}

/* The kernel model takes them where there are some, also beyond the last size. */
TEST_WITH("the means of curves are compared", setup, teardown)
{
	struct pair *pair = *state;
	struct system_point *before = pair->before.curves[OP_SYNC][OP_APPEND].points;
	struct system_point *now = pair->now.curves[OP_SYNC][OP_APPEND].points;

	before[0].ns.mean = 130000; /* the other has none */
	before[1].ns.mean = 130000;
	now[1].ns.mean = 160000;
	before[2].ns.mean = 200000;
	now[2].ns.mean = 400000;
	snprintf(now[2].ns.unstable, sizeof(now[2].ns.unstable), "others wanted the CPUs");
	assert_findings(pair, FINDINGS({"sync.append 16384 mean", "", false},
		{"sync.append 65536 mean", "others wanted the CPUs", false},
		{"sync.append beyond 65536", "2 of 3 sizes are, 16384: was 1.3e+05 in another calibration", false}));
	assert_string_equal(now[1].ns.unstable, "was 1.3e+05 in another calibration");
	assert_string_equal(now[2].ns.unstable, "others wanted the CPUs");
}

TEST_WITH("the bands of throttled writes are compared", setup, teardown)
{
	struct pair *pair = *state;

	pair->before.throttled[0] = (struct system_band){.size = 2 << 20, .p10 = 0.02, .p50 = 1, .p90 = 2};
	pair->now.throttled[0] = (struct system_band){.size = 2 << 20, .p10 = 0.05, .p50 = 1.05, .p90 = 2.5};
	pair->before.throttled[1] = (struct system_band){.size = 8 << 20, .p10 = 0.5, .p50 = 1, .p90 = 2};
	pair->now.throttled[1] = (struct system_band){.size = 8 << 20, .p10 = 0.5, .p50 = 1.5, .p90 = 2};
	pair->before.throttled[2] = (struct system_band){.size = 32 << 20, .p10 = 0.5, .p50 = 1, .p90 = 2};
	pair->before.throttled[4] =
		(struct system_band){.size = 8 << 20, .think = 0.5, .p10 = 0.5, .p50 = 1, .p90 = 2, .typical = 0.6};
	pair->now.throttled[4] = pair->before.throttled[4];
	pair->now.throttled[4].typical = 0.9;
	snprintf(pair->now.throttled_unknown, 96, "no stage");
	assert_findings(pair, FINDINGS({"throttled 2 MiB p90", "", false}, {"throttled 8 MiB p50", "", false},
		{"throttled 32 MiB p10", "no stage", false}, {"throttled 8 MiB thinking typical", "", false}));
	assert_string_equal(pair->now.throttled[0].unstable, "was 2 in another calibration");
	assert_string_equal(pair->now.throttled[1].unstable, "was 1 in another calibration");
}

/* A difference near 0 is compared with what it is added to. */
TEST_WITH("a difference has its scale", setup, teardown)
{
	struct pair *pair = *state;

	set(&pair->now, SYSTEM_SC_SK, 9000, "");
	assert_findings(pair, &(const struct wanted){0});
	set(&pair->now, SYSTEM_SC_SK, 15000, "");
	assert_findings(pair, FINDINGS({"sc_sk", "", false}));
}

TEST_WITH("a value that only one calibration has is a finding", setup, teardown)
{
	struct pair *pair = *state;
	struct system older;

	pair->now.parameters[SYSTEM_BW_SYNC].value = NAN;
	snprintf(pair->now.parameters[SYSTEM_BW_SYNC].unstable, 96, "no time");
	free(pair->now.curves[OP_SYNC][OP_APPEND].points);
	pair->now.curves[OP_SYNC][OP_APPEND] = (struct system_curve){.unknown = "no room"};
	assert_findings(pair, FINDINGS({"bw_sync", "no time", false}, {"sync.append", "no room", false}));
	assert_true(isnan(pair->agree.findings[0].change));
	older = pair->now;
	pair->now = pair->before;
	pair->before = older;
	assert_findings(pair, FINDINGS({"bw_sync", "no time", true}, {"sync.append", "no room", true}));
	assert_string_equal(pair->now.parameters[SYSTEM_BW_SYNC].unstable, "not in the other calibration");
	assert_string_equal(pair->now.curves[OP_SYNC][OP_APPEND].points[2].ns.unstable, "not in the other calibration");
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

TEST_WITH("a calibration file holds all values", setup, teardown)
{
	struct pair *pair = *state;
	const struct system_curve *curve;
	char path[] = "/tmp/memstor-system-XXXXXX";
	struct system read;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	set(&pair->now, SYSTEM_BW_RDEV, 3.25e9, "off by <40 %> & more");
	snprintf(pair->now.parameters[SYSTEM_WARM_POOL].unstable, 96, "debugfs cannot be read");
	snprintf(pair->now.curves[OP_DIRECT][OP_APPEND].unknown, 96, "a device does not grow");
	snprintf(pair->now.throttled_unknown, 96, "no stage");
	pair->now.throttled[2] = (struct system_band){.size = 8 << 20, .p10 = 0.5, .p50 = 1, .p90 = 2.5, .unstable = "hand"};
	pair->now.throttled[4] =
		(struct system_band){.size = 8 << 20, .think = 0.5, .p10 = 0.5, .p50 = 1, .p90 = 2.5, .typical = 0.6};
	snprintf(pair->now.writer, sizeof(pair->now.writer), "pinned to CPU 3");
	pair->now.writer_cpu = 3;
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
	assert_string_equal(read.throttled[2].unstable, "hand");
	assert_true(read.throttled[2].think == 0 && isnan(read.throttled[2].typical));
	assert_true(read.throttled[4].think == 0.5 && read.throttled[4].typical == 0.6);
	assert_string_equal(read.writer, "pinned to CPU 3");
	assert_int_equal(read.writer_cpu, 3);
	system_free(&read);
}
