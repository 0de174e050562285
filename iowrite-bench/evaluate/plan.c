/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/plan.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/evaluate/forecast.h"
#include "iowrite-bench/feed.h"

#define MORE_MEMORY (256 * UNITS_MIB)

/* --- can it be here? --- */

static int check_device(const struct evaluate_options *options, const struct system *system,
	const struct plan_host *host)
{
	const struct calibrated_place place = {
		.folder = options->shared.directory,
		.device = host->device,
		.file_system = host->file_system,
		.slow_bytes_per_second = options->shared.slow_bytes_per_second,
		.slow_text = options->shared.slow_text,
	};

	return calibrated_check(system, options->shared.system_path, &place);
}

static int check_root(const struct evaluate_options *options, const struct plan_host *host)
{
	if (host->is_root || (options->thresholds == EVALUATE_KEEP && !options->shared.slow_bytes_per_second))
		return DIAG_EXIT_OK;
	diag_error(0, "%s needs root: %s",
		options->shared.slow_bytes_per_second ? "--slow-device" : "--thresholds small",
		options->shared.slow_bytes_per_second ? "run it as root, or leave it out" : "run it as root, or take keep");
	return DIAG_EXIT_HOST;
}

/* --- one scenario --- */

__attribute__((format(printf, 2, 3)))
static void refuse(struct plan_row *row, const char *format, ...)
{
	va_list arguments;

	if (row->reason[0])
		return;
	va_start(arguments, format);
	vsnprintf(row->reason, sizeof(row->reason), format, arguments);
	va_end(arguments);
}

/* Pages of the file, the data that is written from, and the warm memory that is held before it becomes such pages:
 * at most half of what is available (feed.h). */
static uint64_t memory_of(const struct evaluate_options *options, const struct plan_row *row, const struct op *ops,
	size_t count)
{
	const struct scenario *scenario = row->scenario;
	uint64_t data = scenario_largest(scenario), pages = row->file_bytes, fed;

	if (scenario->mode >= OP_DIRECT)
		return data + MORE_MEMORY;
	if (options->shared.memory == MODEL_WARM) {
		fed = 2 * feed_need(ops, count);
		pages = fed > pages ? fed : pages;
	}
	return pages + data + MORE_MEMORY;
}

static void check_room(const struct evaluate_options *options, const struct plan_host *host, const struct op *ops,
	size_t count, struct plan_row *row)
{
	uint64_t memory = memory_of(options, row, ops, count), room = host->room_bytes, more = 0;

	if (options->shared.slow_bytes_per_second) {
		more = STAGE_MORE_ROOM;
		room = options->shared.slow_size_bytes ? options->shared.slow_size_bytes : room;
	}
	if (row->file_bytes + more > room && options->shared.slow_size_bytes)
		refuse(row, "needs %llu MiB of room, and --slow-size gives %llu MiB to the slow device in %s",
			(unsigned long long)((row->file_bytes + more) >> 20), (unsigned long long)(room >> 20),
			options->shared.directory);
	else if (row->file_bytes + more > room)
		refuse(row, "needs %llu MiB of room, and the folder has %llu MiB beside what is left to others",
			(unsigned long long)((row->file_bytes + more) >> 20), (unsigned long long)(room >> 20));
	if (memory > host->memory_bytes)
		refuse(row, "needs %llu MiB of memory, and %llu MiB are available", (unsigned long long)(memory >> 20),
			(unsigned long long)(host->memory_bytes >> 20));
}

static void check_mode(const struct evaluate_options *options, const struct plan_host *host, struct plan_row *row)
{
	const struct scenario *scenario = row->scenario;

	if (scenario_set(scenario) == SCENARIO_SYNC && options->shared.slow_bytes_per_second) {
		refuse(row, "what a synchronous write costs on the slow device is its throttle's doing");
		return;
	}
	if (scenario->mode < OP_DIRECT)
		return;
	if (!host->has_direct)
		refuse(row, "%s has no O_DIRECT", host->file_system);
	else if (scenario_smallest(scenario) % host->offset_align)
		refuse(row, "O_DIRECT here takes multiples of %u bytes", host->offset_align);
}

/* Asked with no writes a model says what it lacks. */
static int check_model(const struct evaluate_options *options, const struct system *system, const struct op *ops,
	size_t count, struct plan_row *row)
{
	struct forecast_conditions conditions = {
		.system = system,
		.scenario = row->scenario,
		.memory = options->shared.memory,
		.before = {.background_threshold = row->background_bytes, .threshold = row->dirty_bytes},
	};
	struct prediction prediction;
	const char *missing = "";
	int rc;

	/* What is in force will be known when it is measured. */
	if (!row->dirty_bytes && !isfinite(system_get(system, SYSTEM_LIMIT_HARD)))
		conditions.before = (struct dirty_state){.background_threshold = UNITS_GIB, .threshold = 2 * UNITS_GIB};
	rc = forecast(&conditions, RESULT_KERNEL, ops, row->reason[0] ? 0 : count, &prediction, &missing);
	if (!rc) {
		row->predicted_s = prediction.total_ns / 1e9 + (double)count * (double)row->scenario->delay_ns / 1e9;
		predict_free(&prediction);
	}
	if (rc == -ENODATA)
		refuse(row, "the calibration lacks %s, which the kernel model needs", missing);
	return rc == -ENODATA ? 0 : rc;
}

static int make_row(const struct evaluate_options *options, const struct system *system, const struct plan_host *host,
	const struct evaluate_plan *plan, struct plan_row *row)
{
	const struct scenario *scenario = row->scenario;
	struct op *ops;
	size_t count;
	int rc = scenario_ops(scenario, &ops, &count);

	if (rc)
		return rc;
	row->file_bytes = scenario_file_bytes(scenario);
	row->bytes = scenario_bytes(scenario);
	if (options->thresholds == EVALUATE_SMALL)
		calibrated_thresholds(scenario, !plan->is_slow, &row->background_bytes, &row->dirty_bytes);
	check_mode(options, host, row);
	check_room(options, host, ops, count, row);
	rc = check_model(options, system, ops, count, row);
	free(ops);
	row->is_run = !row->reason[0];
	return rc;
}

/* --- all of them --- */

static void set_stage(const struct evaluate_options *options, struct evaluate_plan *plan)
{
	plan->stage = (struct stage_request){
		.slow_bytes_per_second = options->shared.slow_bytes_per_second,
		.slow_size_bytes = options->shared.slow_size_bytes,
		.slow_folder = options->shared.directory,
	};
	if (!options->shared.slow_bytes_per_second)
		return;
	plan->needs_stage = true;
	if (!plan->stage.slow_size_bytes)
		plan->stage.slow_size_bytes = plan->slow_bytes;
}

static int check_slow_size(const struct evaluate_options *options, const struct plan_host *host)
{
	if (options->shared.slow_size_bytes <= host->room_bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "--slow-size '%s': %s has room for %llu MiB beside what is left to others: take less",
		options->shared.slow_size_text, options->shared.directory,
		(unsigned long long)(host->room_bytes / UNITS_MIB));
	return DIAG_EXIT_HOST;
}

static void take_room(const struct plan_row *row, uint64_t free_bytes, struct evaluate_plan *plan)
{
	uint64_t slow = stage_slow_size(row->file_bytes, row->dirty_bytes, free_bytes);

	plan->largest_file = row->file_bytes > plan->largest_file ? row->file_bytes : plan->largest_file;
	plan->slow_bytes = slow > plan->slow_bytes ? slow : plan->slow_bytes;
}

int plan_make(const struct evaluate_options *options, const struct system *system, const struct plan_host *host,
	struct evaluate_plan *plan)
{
	int code = check_root(options, host);

	if (!code)
		code = check_device(options, system, host);
	if (code)
		return code;
	*plan = (struct evaluate_plan){.count = options->scenario_count};
	plan->is_slow = !calibrated_is_fast(system);
	for (size_t i = 0; i < plan->count; i++) {
		struct plan_row *row = &plan->rows[i];
		int rc;

		row->scenario = options->scenarios[i];
		rc = make_row(options, system, host, plan, row);
		if (rc) {
			diag_error(rc, "cannot plan %s", row->scenario->id);
			return DIAG_EXIT_HOST;
		}
		if (!row->is_run)
			continue;
		plan->run_count++;
		plan->needs_stage |= row->dirty_bytes != 0;
		take_room(row, host->room_bytes, plan);
	}
	set_stage(options, plan);
	return check_slow_size(options, host);
}
