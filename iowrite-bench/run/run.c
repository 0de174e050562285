/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench run: measures. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <errno.h>
#include <stdlib.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "iowrite-bench/feed.h"
#include "iowrite-bench/run/execute.h"
#include "iowrite-bench/run/options.h"
#include "iowrite-bench/run/plan.h"
#include "iowrite-bench/run/report.h"
#include "iowrite-bench/run/text.h"

#define DESCRIPTORS 16     /* that a run opens */
#define DESCRIPTORS_EACH 4 /* and each of its threads: the file, a ring */

/* --- before anything is measured --- */

static int check_paths(const struct run_options *options)
{
	/* What is written in a folder has no name. */
	const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
		{"--ops-csv", options->csv_path}, {"--filename", options->is_folder ? NULL : options->path}};
	size_t count = sizeof(files) / sizeof(files[0]), outputs = count - 1; /* the last one is the target */
	int code = frame_check_apart(files, count);

	for (size_t i = 0; i < outputs && !code; i++)
		code = frame_check_output(files[i].option, files[i].path);
	return code;
}

struct targets {
	size_t count;
	struct target *list;
};

static void close_targets(struct targets *targets)
{
	while (targets->count)
		target_close(&targets->list[--targets->count]);
	free(targets->list);
	targets->list = NULL;
}

/* The first is asked for the room of all; of a folder each thread gets files of its own. */
static int open_targets(const struct run_plan *plan, struct targets *targets)
{
	struct target_request request = {
		.path = plan->options->path,
		.needs_folder = plan->options->is_folder,
		.bytes = plan->bytes,
		.destroy_data = plan->options->destroy_data,
	};
	size_t count = (size_t)plan->options->threads * plan->options->files;
	int code = DIAG_EXIT_OK;

	targets->list = calloc(count, sizeof(*targets->list));
	if (!targets->list) {
		diag_error(ENOMEM, "cannot open the target");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < count && !code; i++) {
		code = target_open(&request, &targets->list[i]);
		if (!code)
			targets->count++;
		if (!code && targets->list[0].kind != TARGET_NAMELESS)
			break;
	}
	return code;
}

static int read_calibration(const struct run_options *options, struct system *system)
{
	system_init(system);
	return options->system_path ? system_read(options->system_path, system) : DIAG_EXIT_OK;
}

/* --- measuring --- */

/* What is called disturbed is not "ok". */
static void judge_disturbed(struct frame *frame, const struct run_measured *measured)
{
	const struct outside *outside = &measured->outside;
	char text[256];

	if (measured->is_disturbed) {
		contention_text(&measured->contention, text, sizeof(text));
		frame_reason(frame, "contention", "%s: %s", measured->cell->id, text);
	}
	for (size_t i = 0; i < outside->count; i++) {
		const struct outside_reason *reason = &outside->reasons[i];

		if (reason->is_measured)
			frame_reason(frame, reason->code,
				"%s: %s", measured->cell->id, reason->text);
	}
}

static void judge(struct run_result *result)
{
	struct frame *frame = result->frame;

	frame->signature.is_interrupted = result->is_interrupted;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		if (measured->failure[0])
			frame_reason(frame, "failed-cells", "%s: %s", measured->cell->id, measured->failure);
		else if (!measured->tally.operations && !result->is_interrupted)
			frame_reason(frame, "no-samples", "%s: not one write was measured", measured->cell->id);
		if (!measured->failure[0])
			frame_judge_durability(frame, &frame->durability, measured->cell->id, &result->cells[i].durability);
		outside_distrust(frame, measured->cell->id, measured->tally.bytes, measured->unfed_bytes);
		judge_disturbed(frame, measured);
	}
	if (result->series.lacks_memory)
		frame_reason(frame, "short-series", "there was no memory for all intervals of the series");
	run_result_judge(result);
}

static int publish(struct run_result *result)
{
	int code;

	judge(result);
	if (run_options_print_text(result->plan->options))
		run_text(stdout, result);
	code = run_report(result);
	return code ? code : run_result_code(result);
}

static int measure_plan(const struct run_plan *plan, const struct targets *targets, const struct system *system,
	struct frame *frame)
{
	const struct execute_request request = {plan, targets->list, targets->count,
		plan->options->system_path ? system : NULL};
	struct run_result result;
	int code, rc = run_result_init(&result, plan, frame);

	if (rc) {
		diag_error(rc, "cannot begin to measure");
		return DIAG_EXIT_HOST;
	}
	code = execute(&request, &result);
	if (!code)
		code = publish(&result);
	run_result_free(&result);
	return code;
}

static int with_frame(const struct run_plan *plan, const struct targets *targets, const struct system *system)
{
	const struct run_options *options = plan->options;
	struct frame *frame = malloc(sizeof(*frame));
	int code;

	if (!frame) {
		diag_error(ENOMEM, "cannot begin to measure");
		return DIAG_EXIT_HOST;
	}
	code = frame_start(frame, "iowrite-bench", options->argc, options->argv, &targets->list[0]);
	if (!code) {
		frame->signature.options = options->effective;
		frame->signature.option_count = options->effective_count;
		frame->signature.labels = options->labels.list;
		frame->signature.label_count = options->labels.count;
		code = measure_plan(plan, targets, system, frame);
	}
	free(frame);
	return code;
}

static int with_targets(struct run_plan *plan, const struct system *system)
{
	struct targets targets = {0};
	int code = open_targets(plan, &targets);

	if (plan->options->memory == MODEL_WARM)
		plan->memory_bytes = feed_available();
	if (!code)
		code = run_plan_fit(plan, &targets.list[0]);
	if (!code)
		code = target_check_descriptors(plan->options->path, DESCRIPTORS + DESCRIPTORS_EACH * plan->options->threads);
	if (!code && plan->options->is_dry_run)
		run_plan_print(plan, &targets.list[0]);
	else if (!code)
		code = with_frame(plan, &targets, system);
	close_targets(&targets);
	return code;
}

static int with_plan(const struct run_options *options, const struct system *system)
{
	struct run_plan plan;
	int code = run_plan_make(options, &plan);

	if (code)
		return code;
	code = with_targets(&plan, system);
	run_plan_free(&plan);
	return code;
}

static int with_options(const struct run_options *options)
{
	struct system *system;
	int code = check_paths(options);

	if (code)
		return code;
	system = calloc(1, sizeof(*system)); /* too large for a frame */
	if (!system) {
		diag_error(ENOMEM, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	code = read_calibration(options, system);
	if (!code) {
		code = with_plan(options, system);
		system_free(system);
	}
	free(system);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct run_options *options = malloc(sizeof(*options));
	int rc, code = DIAG_EXIT_HOST;

	rc = options ? interrupt_install() : -ENOMEM;
	if (rc) {
		diag_error(rc, "cannot begin");
	} else {
		code = run_options_parse(command, argc, argv, options);
		if (!code) {
			code = with_options(options);
			run_options_free(options);
		}
	}
	free(options);
	return code;
}

const struct command command_run = {
	.program = &iowrite_program,
	.name = "run",
	.arguments = "",
	.summary = "measure each write, by every combination of the lists given",
	.doc = "Measures what each write to a file costs, by every combination of method, mode, sync, regime, order and size "
	       "that the lists give, in rounds forth and back.\v"
	       "Examples:\n"
	       "  iowrite-bench run --bs=4k,64k --mode=buffered,direct,sync\n"
	       "  iowrite-bench run --sync-each=fsync,fdatasync,rwf-dsync --method=pwritev2\n"
	       "  iowrite-bench run --preset=etcd-wal --directory=/var/lib/etcd -f etcd.xml\n"
	       "Sizes are bytes, or 4k, 1m; times are seconds, or 20ms. Nothing is left behind. See iowrite-bench(1).",
	.argp_options = run_option_table,
	.run = run,
};
