/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/target.h"
#include "common/units.h"
#include "iowrite-bench/predict/trace_file.h"
#include "iowrite-bench/storage.h"
#include "iowrite-bench/bdi.h"
#include "iowrite-bench/trace/session.h"

#define FAST_BYTES_PER_SECOND 1e9      /* from here on a scenario's thresholds for fast devices are taken */
#define MORE_ROOM (256 * UNITS_MIB)    /* what a new file system keeps for itself, and its journal */
#define ROUND (64 * UNITS_MIB)

/* --- what is written --- */

static int take_scenario(const struct scenario *scenario, struct trace_plan *plan)
{
	int rc = scenario_ops(scenario, &plan->ops, &plan->count);

	if (rc) {
		diag_error(rc, "cannot plan %s", scenario->id);
		return DIAG_EXIT_HOST;
	}
	plan->name = scenario->id;
	plan->meaning = scenario->meaning;
	plan->mode = scenario->mode;
	plan->regime = scenario->regime;
	plan->is_stdio = scenario->is_stdio;
	/* What is not at a block's edge is about blocks that have to be read first. */
	plan->is_uncached = scenario->misplaced != 0;
	return DIAG_EXIT_OK;
}

static int take_table(const char *path, struct trace_plan *plan)
{
	struct trace_file table = {0};
	int code = trace_file_read(path, &table);

	if (code)
		return code;
	plan->name = path;
	plan->meaning = "";
	plan->ops = table.ops;
	plan->count = table.count;
	table.ops = NULL;
	trace_file_free(&table);
	return DIAG_EXIT_OK;
}

static int take_writes(const struct trace_options *options, struct trace_plan *plan)
{
	int code = options->scenario ? take_scenario(options->scenario, plan)
				     : take_table(options->writes_path, plan);

	if (code)
		return code;
	plan->memory = options->memory;
	plan->method = method_of(plan->is_stdio ? "fwrite" : "pwrite");
	plan->needs_direct = plan->mode >= OP_DIRECT;
	for (size_t i = 0; i < plan->count; i++) {
		uint64_t end = plan->ops[i].offset + plan->ops[i].size;

		plan->bytes += plan->ops[i].size;
		plan->file_bytes = end > plan->file_bytes ? end : plan->file_bytes;
	}
	return DIAG_EXIT_OK;
}

/* --- under what conditions --- */

/* The kernel's write-back, or else what the device took; NAN when the calibration has neither. */
static double device_rate(const struct system *system)
{
	double rate = system_get(system, SYSTEM_BW_SYNC);

	return isfinite(rate) ? rate : system_get(system, SYSTEM_BW_DEV);
}

static void set_stage(const struct trace_options *options, struct trace_plan *plan)
{
	const struct scenario *scenario = options->scenario;
	struct stage_request *stage = &plan->stage;
	bool is_fast = !options->slow_bytes_per_second && plan->has_system &&
		       device_rate(&plan->system) >= FAST_BYTES_PER_SECOND;
	uint64_t size = plan->file_bytes + MORE_ROOM;

	if (options->thresholds == TRACE_OWN) {
		stage->background_bytes = options->background_bytes;
		stage->dirty_bytes = options->dirty_bytes;
	} else if (options->thresholds == TRACE_SMALL && scenario) {
		stage->background_bytes = is_fast ? scenario->fast_background_bytes : scenario->background_bytes;
		stage->dirty_bytes = is_fast ? scenario->fast_dirty_bytes : scenario->dirty_bytes;
	}
	if (options->slow_bytes_per_second) {
		size += -size % ROUND;
		stage->slow_bytes_per_second = options->slow_bytes_per_second;
		stage->slow_size_bytes = options->slow_size_bytes ? options->slow_size_bytes : size;
		stage->slow_folder = options->directory;
	}
	plan->needs_stage = stage->dirty_bytes || stage->slow_bytes_per_second;
}

static int check_device(const struct trace_options *options, const struct trace_plan *plan, dev_t device)
{
	const char *wanted = options->slow_bytes_per_second ? "loop" : NULL;
	struct storage storage;

	if (!plan->has_system)
		return DIAG_EXIT_OK;
	storage_read("", device, &storage);
	if (wanted ? !strncmp(plan->system.device, wanted, strlen(wanted))
		   : !strcmp(plan->system.device, storage.device))
		return DIAG_EXIT_OK;
	diag_error(0, "%s is a calibration of %s, not of %s: calibrate where the writes go, or leave --system out",
		options->system_path, plan->system.device[0] ? plan->system.device : "no device",
		wanted ? "a slow device" : storage.device);
	return DIAG_EXIT_USAGE;
}

/* The folder, tried as it will be used; the slow device's image takes as much room as the writes would. */
static int check_target(const struct trace_options *options, const struct trace_plan *plan)
{
	struct target_request request = {
		.path = options->directory,
		.bytes = plan->stage.slow_bytes_per_second ? plan->stage.slow_size_bytes : plan->file_bytes,
		.needs_direct = plan->needs_direct && !plan->stage.slow_bytes_per_second,
	};
	struct target target;
	struct stat facts;
	char bdi[EVENT_TEXT];
	int code;

	if (stat(options->directory, &facts) || !S_ISDIR(facts.st_mode)) {
		diag_error(0, "--directory '%s': must be a folder", options->directory);
		return DIAG_EXIT_USAGE;
	}
	code = target_open(&request, &target);
	if (code)
		return code;
	code = check_device(options, plan, target.device);
	if (!code && !plan->stage.slow_bytes_per_second && bdi_of("", target.device, bdi, sizeof(bdi))) {
		diag_error(0, "--directory '%s': what is written to %s has no device that could be traced; take a folder on "
			      "a disk, or --slow-device", options->directory, target.file_system);
		code = DIAG_EXIT_HOST;
	}
	target_close(&target);
	return code;
}

int trace_plan_make(const struct trace_options *options, struct trace_plan *plan)
{
	int code;

	*plan = (struct trace_plan){0};
	system_init(&plan->system);
	code = take_writes(options, plan);
	if (!code && options->system_path) {
		code = system_read(options->system_path, &plan->system);
		plan->has_system = !code;
	}
	if (!code) {
		set_stage(options, plan);
		code = session_check();
	}
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
	const struct stage_request *stage = &plan->stage;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	fprintf(out, "%s%s%s\n", plan->name, plan->meaning[0] ? ": " : "", plan->meaning);
	fprintf(out, "%-12s %zu of %s by %s, %s, to a file without a name in %s%s\n", "writes", plan->count,
		units_format_size(plan->bytes, a, sizeof(a)), plan->method->name, op_mode_name(plan->mode),
		stage->slow_bytes_per_second ? "a slow device in " : "", options->directory);
	if (stage->slow_bytes_per_second)
		fprintf(out, "%-12s a loop device of %s with %s/s\n", "device",
			units_format_size(stage->slow_size_bytes, a, sizeof(a)),
			units_format_size(stage->slow_bytes_per_second, b, sizeof(b)));
	if (stage->dirty_bytes)
		fprintf(out, "%-12s background %s, limit %s, for everybody, while it lasts\n", "thresholds",
			units_format_size(stage->background_bytes, a, sizeof(a)),
			units_format_size(stage->dirty_bytes, b, sizeof(b)));
	else
		fprintf(out, "%-12s as they are\n", "thresholds");
	fprintf(out, "%-12s instance " SESSION_PREFIX "PID-..., buffers of %d KiB for each CPU, events", "trace",
		SESSION_BUFFER_KIB);
	for (int kind = 0; kind < EVENT_FORMATS; kind++)
		fprintf(out, " writeback:%s", event_name((enum event_kind)kind));
	fputc('\n', out);
	if (plan->has_system)
		fprintf(out, "%-12s the kernel model by %s, of %s\n", "beside", options->system_path, plan->system.date);
}
