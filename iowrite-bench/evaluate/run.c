/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/run.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/evaluate/trial.h"
#include "iowrite-bench/evaluate/warmup.h"
#include "iowrite-bench/pin.h"

#define WARMUP_BYTES (32ull << 30)

struct running {
	const struct evaluate_options *options;
	const struct evaluate_plan *plan;
	const struct system *system;
	struct frame *frame;
	struct evaluate_result *result;
	struct stage *stage; /* NULL = the machine as it is */
	struct target target;
	struct gauge *gauge; /* NULL = none */
	struct dirty dirty;
	struct progress progress;
	bool is_warm; /* the trial before was buffered: the kernel's estimate is of such writes */
};

static int warm_up(struct running *running, const struct plan_row *row)
{
	struct warmup warmup = {
		.target = &running->target,
		.dirty = &running->dirty,
		.file_bytes = row->file_bytes,
		.most_bytes = WARMUP_BYTES,
		.longest_ns = running->options->warmup_ns,
		.stop = interrupt_flag(),
	};
	bool is_buffered = scenario_set(row->scenario) == SCENARIO_BUFFERED;
	int rc = 0;

	if (is_buffered && !running->is_warm && warmup.longest_ns)
		rc = warmup_run(&warmup);
	running->is_warm = is_buffered;
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot write to %s before %s", running->target.path, row->scenario->id);
	return DIAG_EXIT_HOST;
}

static int pass_over(struct running *running, const struct plan_row *row)
{
	if (!result_skip(running->result, row->scenario->id, "interrupted before it"))
		return DIAG_EXIT_OK;
	diag_error(ENOMEM, "cannot evaluate");
	return DIAG_EXIT_HOST;
}

static int run_row(struct running *running, const struct plan_row *row, unsigned repetition)
{
	struct trial_setup setup = {
		.target = &running->target,
		.dirty = &running->dirty,
		.system = running->system,
		.scenario = row->scenario,
		.repetition = repetition,
		.memory = running->options->shared.memory,
		.gauge = running->gauge,
		.stop = interrupt_flag(),
	};
	int code = DIAG_EXIT_OK;

	progress_line(&running->progress, "%s: %s, %u of %u", row->scenario->id, row->scenario->meaning, repetition,
		running->options->repetitions);
	if (running->stage)
		code = stage_thresholds(running->stage, row->background_bytes, row->dirty_bytes);
	if (!code)
		code = warm_up(running, row);
	if (code)
		return code;
	if (interrupt_signal())
		return pass_over(running, row);
	return trial_run(&setup, running->frame, running->result);
}

/* The whole list again and again: what drifts meets all scenarios. */
static int run_rows(struct running *running)
{
	int code = DIAG_EXIT_OK;

	for (unsigned repetition = 1; repetition <= running->options->repetitions; repetition++) {
		for (size_t i = 0; i < running->plan->count && !code; i++) {
			const struct plan_row *row = &running->plan->rows[i];

			if (!row->is_run)
				continue;
			if (!interrupt_signal())
				code = run_row(running, row, repetition);
			else if (repetition == 1)
				code = pass_over(running, row);
		}
	}
	progress_clear(&running->progress);
	return code;
}

static int open_target(struct running *running)
{
	struct target_request request = {
		.path = running->options->shared.slow_bytes_per_second ? stage_folder(running->stage)
								: running->options->shared.directory,
		.bytes = running->plan->largest_file,
	};

	return target_open(&request, &running->target);
}

static int list_skipped(const struct evaluate_plan *plan, struct evaluate_result *result)
{
	int rc = 0;

	for (size_t i = 0; i < plan->count && !rc; i++) {
		if (!plan->rows[i].is_run)
			rc = result_skip(result, plan->rows[i].scenario->id, "%s", plan->rows[i].reason);
	}
	return rc;
}

/* As the calibration's was, or the share of the CPU that write-back takes is another one. */
static void pin_writer(const struct running *running, struct pin *pin)
{
	const struct pin_request request = pin_again(running->system->writer, running->system->writer_cpu);

	pin_begin(&request, pin);
	snprintf(running->result->writer, sizeof(running->result->writer), "%s", pin->text);
}

static int run_on_target(struct running *running)
{
	int rc = dirty_open("", &running->dirty), code;
	struct pin pin;

	if (rc) {
		diag_error(rc, "cannot read /proc/vmstat");
		return DIAG_EXIT_HOST;
	}
	rc = list_skipped(running->plan, running->result);
	pin_writer(running, &pin);
	code = rc ? DIAG_EXIT_HOST : run_rows(running);
	pin_end(&pin);
	if (rc) {
		diag_error(rc, "cannot evaluate");
		code = DIAG_EXIT_HOST;
	}
	dirty_close(&running->dirty);
	return code;
}

/* What the kernel stands at is the models' to know; without it they take it to have come to rest. */
static int open_gauge(struct running *running)
{
	int rc;

	if (!running->stage) {
		running->result->control_unknown = "it is watched with --thresholds=small or --slow-device only";
		return DIAG_EXIT_OK;
	}
	rc = gauge_open(stage_undo(running->stage), &running->target, &running->gauge,
		&running->result->control_unknown);
	if (rc)
		diag_error(rc, "cannot evaluate");
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int run_on_stage(struct running *running, struct frame *frame)
{
	int code = open_target(running);

	if (code)
		return code;
	code = frame_start(frame, "iowrite-bench", frame->signature.argc, frame->signature.argv, &running->target);
	if (!code)
		code = open_gauge(running);
	if (!code)
		code = run_on_target(running);
	gauge_close(running->gauge);
	target_close(&running->target);
	return code;
}

int evaluate_run(const struct evaluate_options *options, const struct evaluate_plan *plan, const struct system *system,
	struct frame *frame, struct evaluate_result *result)
{
	struct running running = {.options = options, .plan = plan, .system = system, .frame = frame, .result = result};
	int code = DIAG_EXIT_OK, back;

	result->system_file = options->shared.system_path;
	result->system_date = system->date;
	progress_init(&running.progress, false);
	if (plan->needs_stage)
		code = stage_open(&plan->stage, &running.stage);
	if (!code)
		code = run_on_stage(&running, frame);
	back = stage_close(running.stage);
	if (code)
		return code;
	calibrated_judge(system, frame);
	if (back)
		frame_reason(frame, "not-restored", "what was changed for the run could not all be put back");
	return DIAG_EXIT_OK;
}
