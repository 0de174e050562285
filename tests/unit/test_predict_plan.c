/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From options to the writes, thresholds and memory that are predicted. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "tests/unit/fakeroot.h"
#include "iowrite-bench/predict/plan.h"

#define MIB (1ull << 20)

struct fixture {
	char root[64], system_path[512];
	struct predict_options options;
	struct predict_plan plan;
	struct predict_result result;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	fakeroot_make(fixture->root);
	fakeroot_put(fixture->root, "/proc/meminfo", "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n");
	snprintf(fixture->system_path, sizeof(fixture->system_path), "%s/tests/fixtures/iowrite/system.xml", unit_srcdir());
	fixture->options = (struct predict_options){.system_path = fixture->system_path,
		.has_model = {true, true, true}, .pattern = {.seed = 1, .total = 1024 * MIB, .files = 1}};
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	predict_result_free(&fixture->result);
	predict_plan_free(&fixture->plan);
	fakeroot_remove(fixture->root);
	free(fixture);
	return 0;
}

static const struct predict_plan *make(struct fixture *fixture)
{
	predict_plan_free(&fixture->plan);
	assert_int_equal(predict_plan_make(fixture->root, &fixture->options, &fixture->plan), 0);
	return &fixture->plan;
}

static void assert_write(const struct predict_plan *plan, size_t index, uint64_t delay_ns, uint64_t offset, uint64_t size)
{
	assert_true(index < plan->writes.count);
	assert_int_equal(plan->writes.ops[index].delay_ns, delay_ns);
	assert_int_equal(plan->writes.ops[index].offset, offset);
	assert_int_equal(plan->writes.ops[index].size, size);
}

TEST_WITH("a pattern gives its list of writes", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct predict_pattern *pattern = &fixture->options.pattern;
	const struct predict_plan *plan;
	uint64_t least = UINT64_MAX, most = 0;

	*pattern = (struct predict_pattern){.size = 4096, .total = 10000, .delay_ns = 7, .files = 1};
	plan = make(fixture);
	assert_int_equal(plan->writes.count, 2);
	assert_int_equal(plan->bytes, 8192);
	assert_write(plan, 1, 7, 4096, 4096);
	*pattern = (struct predict_pattern){.size = 1000, .total = 3000, .order = PREDICT_BACKWRITE, .back = 0.25, .files = 1};
	plan = make(fixture);
	assert_write(plan, 0, 0, 0, 1000);
	assert_write(plan, 2, 0, 1500, 1000);
	*pattern = (struct predict_pattern){.size = MIB, .total = 16 * MIB, .order = PREDICT_RANDWRITE, .seed = 5, .files = 1};
	plan = make(fixture);
	for (size_t i = 0; i < 16; i++) {
		uint64_t offset = plan->writes.ops[i].offset;

		assert_true(offset % MIB == 0 && offset < 16 * MIB);
		least = offset < least ? offset : least;
		most = offset > most ? offset : most;
	}
	assert_true(least < 8 * MIB && most >= 8 * MIB);
}

TEST_WITH("several files are written in turn", set_up, tear_down)
{
	struct fixture *fixture = *state;
	struct predict_pattern *pattern = &fixture->options.pattern;
	const struct predict_plan *plan;

	*pattern = (struct predict_pattern){.size = 4096, .total = 7 * 4096, .files = 3};
	plan = make(fixture);
	assert_int_equal(plan->writes.files, 3);
	for (size_t i = 0; i < 7; i++)
		assert_write(plan, i, 0, i % 3 * OP_FILE_BYTES + i / 3 * 4096, 4096);
	/* Each begins where its file ends: nothing is written twice. */
	for (size_t i = 0; i < plan->used_count; i++)
		assert_string_equal(plan->used[i].curve, "buffered.append");
	pattern->order = PREDICT_RANDWRITE;
	fixture->options.setup.model.regime = OP_OVERWRITE;
	plan = make(fixture);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(plan->writes.ops[i].offset / OP_FILE_BYTES, i % 3);
		assert_true(plan->writes.ops[i].offset % OP_FILE_BYTES < 2 * 4096);
	}
}

/* A write in another file than the last one is no continuation: equation 2 has a seek in each but the first. */
TEST_WITH("each change of the file is a seek", set_up, tear_down)
{
	static const char *const models[] = {"cawl", "kernel"};
	struct fixture *fixture = *state;
	double total[2], seeks_ns;

	for (uint64_t files = 1; files <= 2; files++) {
		fixture->options.pattern = (struct predict_pattern){.size = 4096, .total = 8 * 4096, .files = files};
		fixture->options.setup.model.mode = OP_DIRECT;
		make(fixture);
		for (int i = 0; i < 2; i++) {
			struct predict_setup setup = {.kind = model_kind(models[i]), .model = fixture->plan.setup.model};
			struct prediction prediction;
			const char *missing;

			assert_int_equal(predict(&fixture->plan.system, &setup, fixture->plan.writes.ops, 8, &prediction,
				&missing), 0);
			seeks_ns = 7 * system_get(&fixture->plan.system, SYSTEM_SC_SK);
			assert_true(seeks_ns > 7);
			if (files == 2)
				assert_true(fabs(prediction.total_ns - total[i] - seeks_ns) < 1);
			total[i] = prediction.total_ns;
			predict_free(&prediction);
		}
	}
}

static double limit_of(const struct predict_plan *plan, enum system_parameter parameter)
{
	return system_get(&plan->system, parameter) / (double)MIB;
}

/* A scenario brings its thresholds, other ones for a fast device; options have the last word. */
TEST_WITH("options replace the calibrated thresholds", set_up, tear_down)
{
	struct fixture *fixture = *state;
	const struct predict_plan *plan;

	fixture->options.scenario = scenario_of("c2");
	plan = make(fixture);
	assert_true(limit_of(plan, SYSTEM_LIMIT_BG) == 512 && limit_of(plan, SYSTEM_LIMIT_HARD) == 1024);
	assert_string_equal(plan->limits_from, "of the scenario");
	fixture->options.limit_bg = 100 * MIB;
	plan = make(fixture);
	assert_true(limit_of(plan, SYSTEM_LIMIT_BG) == 100 && limit_of(plan, SYSTEM_LIMIT_HARD) == 1024);
	assert_string_equal(plan->limits_from, "as given");
	fixture->options.limit_bg = 0;
	fixture->options.scenario = scenario_of("f9-512");
	plan = make(fixture);
	assert_true(limit_of(plan, SYSTEM_LIMIT_BG) == 1024 && limit_of(plan, SYSTEM_LIMIT_HARD) == 2048);
	assert_string_equal(plan->limits_from, "calibrated");
	assert_non_null(plan->setup.policy);
}

static bool has_bounds(struct fixture *fixture, enum model_memory memory)
{
	fixture->options.setup.model.memory = memory;
	return make(fixture)->has_bounds;
}

/* system.xml without a warm pool cannot tell; with one a machine without a balloon can. */
TEST_WITH("as-is memory gives two bounds", set_up, tear_down)
{
	static const char parameter[] = "<iowritesystem version=\"1.2\"><parameter name=\"warm_pool\" unit=\"bytes\" "
					"value=\"1e9\" n=\"1\" method=\"\"/></iowritesystem>";
	struct fixture *fixture = *state;
	char path[128];

	fixture->options.pattern.size = MIB;
	assert_true(has_bounds(fixture, MODEL_AS_IS));
	assert_false(has_bounds(fixture, MODEL_WARM));
	assert_false(has_bounds(fixture, MODEL_COLD));
	fakeroot_put(fixture->root, "/system.xml", parameter);
	snprintf(path, sizeof(path), "%s/system.xml", fixture->root);
	fixture->options.system_path = path;
	assert_false(has_bounds(fixture, MODEL_AS_IS));
	assert_int_equal(fixture->plan.validity.count, 0);
	fakeroot_put(fixture->root, "/sys/bus/virtio/drivers/virtio_balloon/virtio1/features", "0110\n");
	assert_true(has_bounds(fixture, MODEL_AS_IS));
	assert_string_equal(fixture->plan.validity.reasons[0].code, "balloon");
	assert_false(has_bounds(fixture, MODEL_WARM));
	fixture->options.system_path = fixture->system_path;
}

static const struct predict_row *row(const struct fixture *fixture, const char *name)
{
	for (size_t i = 0; i < fixture->result.count; i++) {
		if (!strcmp(fixture->result.rows[i].name, name))
			return &fixture->result.rows[i];
	}
	fail_msg("no row %s", name);
	return NULL;
}

TEST_WITH("bounds enclose every prediction", set_up, tear_down)
{
	struct fixture *fixture = *state;
	double warm, cold;

	fixture->options.scenario = scenario_of("c7");
	fixture->options.setup.model.memory = MODEL_AS_IS;
	make(fixture);
	assert_int_equal(predict_result_make(&fixture->options, &fixture->plan, &fixture->result), 0);
	assert_int_equal(fixture->result.count, 5);
	warm = row(fixture, "kernel warm")->total_ns;
	cold = row(fixture, "kernel cold")->total_ns;
	assert_true(warm < cold);
	assert_string_equal(row(fixture, "cawl cold")->values.bound, "cold");
	assert_null(row(fixture, "naive")->values.bound);
	assert_true(isnan(fixture->result.measured.total_ns));
}

/* Errors by hand: the device takes 419430400 bytes a second, 4096 bytes in 9765.625 ns. */
TEST_WITH("errors refer to measured times", set_up, tear_down)
{
	struct fixture *fixture = *state;
	char path[128];

	fakeroot_put(fixture->root, "/t.csv", "offset,size,write_ns,mode,sync\n"
		"0,4096,9765,buffered,none\n4096,4096,19531,buffered,none\n8192,4096,0,buffered,none\n");
	snprintf(path, sizeof(path), "%s/t.csv", fixture->root);
	fixture->options.trace_path = path;
	make(fixture);
	assert_int_equal(predict_result_make(&fixture->options, &fixture->plan, &fixture->result), 0);
	/* A write that took no time has no relative error: 0.0064 and 50.0 %. */
	assert_true(fabs(row(fixture, "naive")->values.per_write_error_percent - 25.0026) < 0.001);
	assert_true(fabs(row(fixture, "naive")->values.total_error_percent - 0.0029) < 0.001);
	assert_true(isnan(row(fixture, "naive")->values.coverage_percent));
	assert_true(fixture->result.measured.p50_ns == 9765);
	fixture->options.trace_path = NULL;
}
