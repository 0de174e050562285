/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/probe.h"
#include "iowrite-bench/trace/trace.h"

#define AT(member) offsetof(struct trace_options, member)

static int set_thresholds(struct opt_value *in)
{
	struct trace_options *options = in->options;
	const char *comma = strchr(in->text, ',');
	char first[32];

	options->thresholds = !strcmp(in->text, "keep")  ? TRACE_KEEP
			      : !strcmp(in->text, "small") ? TRACE_SMALL
							   : TRACE_OWN;
	if (options->thresholds != TRACE_OWN)
		return 0;
	if (!comma || snprintf(first, sizeof(first), "%.*s", (int)(comma - in->text), in->text) >= (int)sizeof(first) ||
		units_parse_size(first, 1, &options->background_bytes) ||
		units_parse_size(comma + 1, 1, &options->dirty_bytes))
		return -EINVAL;
	return options->background_bytes < UNITS_MIB || options->background_bytes >= options->dirty_bytes ? -ERANGE : 0;
}

const struct opt trace_option_rows[] = {
	{.type = OPT_TITLE, .help = "Writes and comparison"},
	SCENARIO_ARGUMENT_ROW(AT(scenario)),
	{.name = "trace", .value = "FILE", .type = OPT_STRING, .offset = AT(writes_path),
		.help = "make the writes of this table (ops.csv), buffered, instead of a scenario's",
		.manual = "Make the writes of the table FILE, see FILES below, buffered and to a new file, instead "
			  "of a scenario's."},
	SCENARIO_SYSTEM_ROW(AT(shared.system_path),
		"compare with the kernel model's state, predicted from the calibration FILE",
		"Predict the writes from the calibration FILE of the same device, and show where the state of the "
		"kernel model differs most from the kernel's."),
	{.type = OPT_TITLE, .help = "Target and conditions"},
	SCENARIO_PLACE_ROWS(trace_options),
	{.name = "thresholds", .value = "keep|small|BACKGROUND,LIMIT", .type = OPT_OWN,
		.set = set_thresholds, .preset = "small",
		.allowed = "must be keep, small, or two sizes of 1M or more, the first below the second, as 256M,512M",
		.help = "keep the kernel's dirty thresholds, or set the scenario's own or these sizes, and restore "
			"them",
		.manual = "Keep the kernel's dirty thresholds (`keep`), set those of the scenario (`small`; a table "
			  "has none), or set the sizes BACKGROUND and LIMIT, of which the first is at least 1M and "
			  "below the second. They apply to the whole machine and are restored at the end."},
	{.type = OPT_TITLE, .help = "Output"},
	SCENARIO_OUTPUT_ROWS(trace_options),
	{0},
};

const struct opt_relation trace_option_relations[] = {
	{OPT_EXCLUDES, "scenario", "trace", "both give the writes; keep one"},
	SCENARIO_RELATIONS,
	{0},
};

int trace_options_check(void *whole, struct opt_line *line)
{
	struct trace_options *options = whole;

	(void)line;
	if (options->scenario || options->writes_path)
		return scenario_options_check(options, &options->shared);
	return diag_usage("nothing to write: name a scenario (iowrite-bench scenarios lists them), or give --trace FILE");
}

/* --- what is written --- */

static int take_writes(const struct trace_options *options, struct trace_plan *plan)
{
	const struct scenario *scenario = options->scenario;
	struct trace_file table = {0};

	if (scenario) {
		int rc = scenario_ops(scenario, &plan->ops, &plan->count);

		if (rc)
			return diag_host(rc, "cannot plan %s", scenario->id);
		plan->name = scenario->id;
		plan->meaning = scenario->meaning;
		plan->asked = *scenario;
	} else {
		int code = trace_file_read(options->writes_path, &table);

		if (code)
			return code;
		if (table.files > 1) {
			diag_error(0, "--trace %s: the table has %u files (column file), and trace writes one; give a table of one",
				options->writes_path, table.files);
			trace_file_free(&table);
			return DIAG_EXIT_USAGE;
		}
		plan->name = options->writes_path;
		plan->meaning = "";
		plan->asked = (struct scenario){.mode = OP_BUFFERED, .regime = OP_APPEND};
		plan->ops = table.ops;
		plan->count = table.count;
		table.ops = NULL;
		trace_file_free(&table);
	}
	plan->memory = options->shared.memory;
	plan->method = scenario_method(&plan->asked);
	plan->needs_direct = plan->asked.mode >= OP_DIRECT;
	for (size_t i = 0; i < plan->count; i++) {
		uint64_t end = plan->ops[i].offset + plan->ops[i].size;

		plan->bytes += plan->ops[i].size;
		plan->file_bytes = end > plan->file_bytes ? end : plan->file_bytes;
	}
	return DIAG_EXIT_OK;
}

/* --- under what conditions --- */

static void set_conditions(const struct trace_options *options, struct trace_plan *plan)
{
	const struct scenario_options *shared = &options->shared;
	struct test_setup_request *setup = &plan->setup;
	bool is_fast = !shared->slow_bytes_per_second && plan->has_system && calibrated_is_fast(&plan->system);
	uint64_t space;

	if (options->thresholds == TRACE_OWN) {
		setup->background_bytes = options->background_bytes;
		setup->dirty_bytes = options->dirty_bytes;
	} else if (options->thresholds == TRACE_SMALL && options->scenario) {
		calibrated_thresholds(options->scenario, is_fast, &setup->background_bytes, &setup->dirty_bytes);
	}
	if (shared->slow_bytes_per_second) {
		setup->slow_bytes_per_second = shared->slow_bytes_per_second;
		setup->slow_size_bytes = shared->slow_size_bytes;
		setup->slow_folder = shared->directory;
		/* A folder without space, or that is none, is refused when it is opened. */
		if (!setup->slow_size_bytes)
			setup->slow_size_bytes = test_setup_slow_size(plan->file_bytes, setup->dirty_bytes,
				memory_space_free(shared->directory, &space) ? 0 : space);
	}
	plan->needs_setup = setup->dirty_bytes || setup->slow_bytes_per_second;
}

/* --- the calibration --- */

int trace_plan_predict(const struct trace_plan *plan, const struct dirty_state *before, const struct model_control *control,
	const struct op *ops, size_t count, struct prediction *prediction)
{
	const struct forecast_conditions conditions = {&plan->system, &plan->asked, plan->memory, *before, *control};
	const char *missing = "";
	int rc = forecast(&conditions, MODEL_KERNEL, ops, count, prediction, &missing);

	if (rc && rc != -ENODATA)
		return diag_host(rc, "cannot predict");
	return rc ? diag_usage("%s lacks %s, which the kernel model needs: calibrate again, or leave --system out",
			    plan->system_path, missing)
		  : DIAG_EXIT_OK;
}

/* Opens the folder as the run will, where the image of a slow device needs the space instead of the writes, and checks that the
 * calibration is of this device and has all that the model needs. */
static int check_target(const struct trace_options *options, const struct trace_plan *plan)
{
	const struct test_setup_request *setup = &plan->setup;
	const struct target_request request = {
		.path = options->shared.directory,
		.needs_folder = true,
		.bytes = setup->slow_bytes_per_second ? setup->slow_size_bytes : plan->file_bytes,
		.needs_direct = plan->needs_direct && !setup->slow_bytes_per_second,
	};
	/* Thresholds that are not set are read when the run begins. */
	const struct dirty_state before = {
		.background_threshold = setup->dirty_bytes ? setup->background_bytes : UNITS_GIB,
		.threshold = setup->dirty_bytes ? setup->dirty_bytes : 2 * UNITS_GIB,
	};
	const struct model_control control = {0};
	struct prediction nothing = {0};
	struct storage storage;
	struct target target;
	char bdi[EVENT_BDI];
	int code = target_open(&request, &target);

	if (code)
		return code;
	storage_read("", target.device, &storage);
	if (plan->has_system)
		code = calibrated_check(&plan->system, &options->shared, storage.device, target.file_system);
	if (!code && plan->has_system)
		code = trace_plan_predict(plan, &before, &control, NULL, 0, &nothing);
	predict_free(&nothing);
	if (!code && !setup->slow_bytes_per_second && bdi_of("", target.device, bdi, sizeof(bdi)))
		code = diag_host(0, "--directory '%s': a file on %s has no device that could be traced; take a folder on "
			"a disk, or --slow-device", options->shared.directory, target.file_system);
	target_close(&target);
	return code;
}

int trace_plan_make(const struct trace_options *options, struct trace_plan *plan)
{
	char why[256];
	uint64_t needed;
	int code;

	*plan = (struct trace_plan){0};
	system_init(&plan->system);
	code = take_writes(options, plan);
	if (!code && options->shared.system_path) {
		plan->system_path = options->shared.system_path;
		code = system_read(plan->system_path, &plan->system);
		plan->has_system = !code;
	}
	if (!code) {
		set_conditions(options, plan);
		needed = plan->file_bytes + TEST_SETUP_MORE_ROOM;
		/* Before the device exists: a message about it would name the folder of a descriptor. */
		if (plan->setup.slow_bytes_per_second && plan->setup.slow_size_bytes < needed)
			code = diag_usage("--slow-size '%s': the slow device in %s needs %llu MiB or more: %llu MiB for "
				"the file, the rest for its file system", options->shared.slow_size_text,
				options->shared.directory, (unsigned long long)((needed + UNITS_MIB - 1) / UNITS_MIB),
				(unsigned long long)((plan->file_bytes + UNITS_MIB - 1) / UNITS_MIB));
	}
	if (!code && probe_require("", "tracefs", why, sizeof(why)))
		code = diag_host(0, "trace needs tracefs: %s", why);
	if (!code)
		code = check_target(options, plan);
	if (code)
		trace_plan_free(plan);
	return code;
}

void trace_plan_free(struct trace_plan *plan)
{
	free(plan->ops);
	system_free(&plan->system);
	*plan = (struct trace_plan){0};
}

void trace_plan_print(FILE *out, const struct trace_options *options, const struct trace_plan *plan)
{
	const struct test_setup_request *setup = &plan->setup;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	fprintf(out, "%s%s%s\n", plan->name, plan->meaning[0] ? ": " : "", plan->meaning);
	fprintf(out, "%-12s %zu of %s by %s, %s, to a file without a name in %s%s\n", "writes", plan->count,
		units_format_size(plan->bytes, a, sizeof(a)), plan->method->name, op_mode_name(plan->asked.mode),
		setup->slow_bytes_per_second ? "a slow device in " : "", options->shared.directory);
	if (setup->slow_bytes_per_second)
		fprintf(out, "%-12s a loop device of %s with %s/s\n", "device",
			units_format_size(setup->slow_size_bytes, a, sizeof(a)),
			units_format_size(setup->slow_bytes_per_second, b, sizeof(b)));
	if (setup->dirty_bytes)
		fprintf(out, "%-12s background %s, limit %s, for the whole machine during the run\n", "thresholds",
			units_format_size(setup->background_bytes, a, sizeof(a)),
			units_format_size(setup->dirty_bytes, b, sizeof(b)));
	else
		fprintf(out, "%-12s unchanged\n", "thresholds");
	fprintf(out, "%-12s instance " TRACE_PREFIX "PID-..., buffers of %d KiB for each CPU, events", "trace",
		TRACE_BUFFER_KIB);
	for (int kind = 0; kind < EVENT_FORMATS; kind++)
		fprintf(out, " writeback:%s", event_name((enum event_kind)kind));
	fputc('\n', out);
	if (plan->has_system)
		fprintf(out, "%-12s compared with the kernel model by %s, of %s\n", "model", options->shared.system_path,
			plan->system.date);
}
