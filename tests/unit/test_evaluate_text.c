/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for people, to the letter; and a report of the same with every number where it belongs. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "common/report/report_read.h"
#include "iowrite-bench/evaluate/evaluate.h"

static struct iow_model_errors_values errors_of(enum model_id model, double per_write, double total)
{
	return (struct iow_model_errors_values){.name = model_kinds[model]->name, .predicted_s = 1.5,
		.per_write_error_percent = per_write, .within_tenth_percent = 100 - per_write / 4,
		.unresolved_percent = 53.4, .total_error_percent = total,
		.mean_write_error_percent = 3, .curve_gap_percent = 4, .coverage_percent = NAN, .pinball_percent = NAN,
		.improvement_percent = model == MODEL_NAIVE ? NAN : 100 * (1 - per_write / 340)};
}

static void make(struct evaluate_result *result)
{
	struct evaluate_result_trial *trial;

	*result = (struct evaluate_result){.system_file = "s.xml", .system_date = "today"};
	trial = evaluate_result_add_trial(result);
	assert_non_null(trial);
	*trial = (struct evaluate_result_trial){.scenario = scenario_of("c2"), .repetition = 1, .background_bytes = 10,
		.freerun_bytes = 15, .limit_bytes = 20, .operations = 192, .bytes = 3221225472, .measured_s = 5.49,
		.has_control = true, .control = {.limit = 1288490189, .ratelimit = 104857600, .tick_s = 0.004},
		.validity = {2, {{"busy-machine", "as it is", true}, {"unstable-device", "it is", false}}}};
	trial->models[MODEL_NAIVE] = errors_of(MODEL_NAIVE, 340, 40);
	trial->models[MODEL_CAWL] = errors_of(MODEL_CAWL, 22, -1.2);
	trial->models[MODEL_KERNEL] = errors_of(MODEL_KERNEL, 26, 1.6);
	trial->models[MODEL_KERNEL].curve_gap_percent = 4.26;
	trial->models[MODEL_KERNEL].coverage_percent = 81.4;
	trial->models[MODEL_KERNEL].pinball_percent = 5;
	trial->writes = calloc(1, sizeof(*trial->writes));
	assert_non_null(trial->writes);
	trial->write_count = 1;
	trial->writes[0] = (struct iow_write_values){.size = 16777216, .measured_ns = 30, .naive_ns = 1, .cawl_ns = NAN,
		.kernel_ns = 2, .dirty_bytes = FIELD_NO_COUNT, .typical_ns = 1.5, .low_ns = NAN, .high_ns = NAN,
		.predicted_dirty_bytes = 7, .predicted_writeback_bytes = 8, .cawl_dirty_bytes = 9};
	trial = evaluate_result_add_trial(result);
	assert_non_null(trial);
	*trial = (struct evaluate_result_trial){.scenario = scenario_of("f9-1M"), .repetition = 1, .operations = 300,
		.measured_s = 0.0546, .validity = {1, {{"unstable-device", "it is", false}}}};
	assert_int_equal(evaluate_result_skip(result, "f4a", "%s has no O_DIRECT", "tmpfs"), 0);
}

static const char wanted[] =
	"scenario  run  writes  measured  naive  near  of total  cawl  near  of total  kernel  near  of total   gap  band\n"
	"c2          1     192    5.49 s    340  15.0     +40.0  22.0  94.5     -1.20    26.0  93.5     +1.60  4.26  81.4\n"
	"f9-1M       1     300   54.6 ms      -     -         -     -     -         -       -     -         -     -     -\n"
	"Errors in percent: per write, and of the total. Near: share of the writes of which the error is at most 10 %.\n"
	"Gap: how far the kernel model's cost so far is from the measured one, mean over the writes, of the total.\n"
	"Band: throttled writes inside the kernel model's 10 to 90 %.\n"
	"Differences below the clock step are not counted as errors per write. With them the error of "
	"the kernel model is higher, in percentage points:\n"
	" c2 1: 53\n"
	"Improvement over naive, of the error per write, median and range: cawl 94 % (94 to 94), kernel 92 % (92 to 92)\n"
	"\n"
	"The kernel's dirty-throttle state when each run began\n"
	"scenario  run    limit  ratelimit\n"
	"c2          1  1.2 GiB   105 MB/s\n"
	"\n"
	"scenario  run  model not valid because\n"
	"c2        1    busy-machine: as it is\n"
	"all            unstable-device: it is\n"
	"\n"
	"scenario  not measured, or not predicted\n"
	"f4a       tmpfs has no O_DIRECT\n";

TEST("the table of an evaluation matches")
{
	struct evaluate_result result = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	make(&result);
	assert_non_null(out);
	evaluate_text(out, &result);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, wanted);
	free(text);
	/* The kernel's state is unknown. */
	result.control_unknown = "it is root's";
	out = open_memstream(&text, &size);
	assert_non_null(out);
	evaluate_text(out, &result);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "when each run began\nassumed to be steady: it is root's\n\nscenario  run  model"));
	free(text);
	evaluate_result_free(&result);
}

static void assert_number(const struct report_node *from, const char *path, double value)
{
	double found = NAN;

	assert_int_equal(report_read_double(from, path, &found), 0);
	assert_true(found == value);
}

TEST("the report of an evaluation has its elements")
{
	struct evaluate_result result = {0};
	struct report_document *document;
	const struct report_node *scenario, *node;
	struct report *report;
	const char *text;
	char why[256];
	size_t size;

	make(&result);
	assert_int_equal(report_new("root", &report), 0);
	result.control_unknown = "it is root's";
	evaluate_report(report, field_find(iow_result_record(), "evaluation"), &result);
	assert_int_equal(report_document(report, &text, &size), 0);
	if (report_read_memory(text, size, &document, why, sizeof(why)))
		fail_msg("%s", why);
	scenario = report_read_find(report_read_root(document), "evaluation/scenario");
	assert_non_null(scenario);
	assert_number(scenario, "freerun_bytes", 15);
	assert_number(scenario, "control_limit_bytes", 1288490189);
	assert_number(scenario, "control_ratelimit_bytes_per_second", 104857600);
	assert_null(report_read_find(scenario, "control_write_bytes_per_second"));
	assert_number(scenario, "control_tick_ns", 4000000);
	assert_null(report_read_find(scenario, "control_step_bytes"));
	assert_null(report_read_find(report_read_next(scenario), "control_limit_bytes"));
	node = report_read_find(report_read_root(document), "evaluation/control_unknown_reason");
	assert_string_equal(node->text, "it is root's");
	assert_number(scenario, "model/total_error_percent", 40);
	assert_number(scenario, "model/unresolved_percent", 53.4);
	node = report_read_find(scenario, "write");
	assert_non_null(node);
	assert_string_equal(report_read_attribute(node, "kernel_ns"), "2");
	assert_null(report_read_attribute(node, "cawl_ns"));
	assert_null(report_read_attribute(node, "dirty_bytes"));
	assert_null(report_read_attribute(node, "low_ns"));
	assert_string_equal(report_read_attribute(node, "typical_ns"), "1.5");
	assert_string_equal(report_read_attribute(node, "predicted_dirty_bytes"), "7");
	assert_string_equal(report_read_attribute(node, "cawl_dirty_bytes"), "9");
	node = report_read_find(report_read_root(document), "evaluation/skipped");
	assert_string_equal(node->text, "tmpfs has no O_DIRECT");
	report_read_free(document);
	report_free(report);
	evaluate_result_free(&result);
}
