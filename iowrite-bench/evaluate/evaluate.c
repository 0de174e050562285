/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench evaluate: options, calibration, plan, run, report. */
#include "config.h"
#include "iowrite-bench/evaluate/evaluate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "iowrite-bench/commands.h"

#define WARMUP_BYTES (32ull << 30)
/* A sample of the dirty bytes takes tens of microseconds and evicts CPU caches: too much before each small write. */
#define SAMPLE_EACH_BYTES (1u << 20)
#define SAMPLE_EVERY_NS 10000000

/* --- one scenario --- */

/* Adds a trial, or a row that says why there is none, to the result, and reasons to the frame. */
static int run_trial(struct evaluation *all)
{
	const struct scenario *scenario = all->scenario;
	struct measure_job job = {
		.target = &all->target,
		.method = scenario_method(scenario),
		.sync = method_sync_of("none"),
		.mode = scenario->mode,
		.regime = scenario->regime,
		.memory = all->options.shared.memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = scenario_is_uncached(scenario),
		.dirty = &all->dirty,
		.rest_ns = scenario->mode == OP_BUFFERED ? MEASURE_REST_NS : 0,
		.sample_every_ns = scenario_smallest(scenario) >= SAMPLE_EACH_BYTES ? 0 : SAMPLE_EVERY_NS,
		.others = pin_others(&all->pin),
		.stop = interrupt_flag(),
	};
	struct model_control control = {0};
	struct measurement found = {0};
	char text[FAILURE_TEXT];
	struct op *ops;
	int code, rc = scenario_ops(scenario, &ops, &job.count);

	if (rc)
		return rc;
	job.ops = ops;
	throttle_state_read(all->throttle, &all->dirty, &control);
	frame_window_begin(&all->frame);
	code = measure(&job, &found);
	/* Buffered and O_DIRECT scenarios sync in their preparation only, the others with each write. */
	frame_window_end(&all->frame, scenario->id, scenario->mode == OP_BUFFERED || scenario->mode == OP_DIRECT ? 0
		: job.count * traffic_metadata(&all->target, false));
	if (code) {
		/* measure() has reported why. */
		if (!interrupt_signal()) {
			all->result.has_failed = true;
			frame_reason(&all->frame, "not-prepared", "%s could not be prepared", scenario->id);
		}
		rc = evaluate_result_skip(&all->result, scenario->id,
			interrupt_signal() ? "interrupted before the first write" : "could not be prepared");
	} else if (found.error && !interrupt_signal()) {
		all->result.has_failed = true;
		failure_text(all->target.path, found.failed_at, found.error, text, sizeof(text));
		frame_reason(&all->frame, "write-failed", "%s: after %zu of %zu writes %s", scenario->id, found.count, job.count,
			text);
		rc = evaluate_result_skip(&all->result, scenario->id, "ended after %zu of %zu writes", found.count, job.count);
	} else if (found.error || found.count < job.count) {
		rc = evaluate_result_skip(&all->result, scenario->id, "interrupted after %zu of %zu writes", found.count,
			job.count);
	} else {
		frame_decide_stops(&all->frame, &found.stops, scenario->id);
		validity_distrust(&all->frame, scenario->id, scenario_bytes(scenario), found.unbacked_bytes);
		if (op_mode_is_synchronous(scenario->mode) && all->frame.durability.not_durable[0])
			frame_reason(&all->frame, "not-durable", "%s: %s", scenario->id, all->frame.durability.not_durable);
		rc = trial_decide(all, &found, &control);
	}
	measure_free(&found);
	free(ops);
	return rc;
}

/* Runs a row. Returns 0, or a diag_exit code after one line when no other trial can be made. */
static int run_row(struct evaluation *all, const struct evaluate_plan_row *row)
{
	const struct warmup warmup = {
		.target = &all->target,
		.dirty = &all->dirty,
		.file_bytes = row->file_bytes,
		.most_bytes = WARMUP_BYTES,
		.longest_ns = all->options.warmup_ns,
		.stop = interrupt_flag(),
	};
	const char *id = row->scenario->id;
	bool is_buffered = scenario_set(row->scenario) == SCENARIO_BUFFERED;
	int rc = 0, code = DIAG_EXIT_OK;

	all->scenario = row->scenario;
	progress_line(&all->progress, "%s: %s, %u of %u", id, row->scenario->meaning, all->repetition, all->options.repetitions);
	if (all->stage)
		code = test_setup_thresholds(all->stage, row->background_bytes, row->dirty_bytes);
	if (code)
		return code;
	if (is_buffered && !all->is_warm && warmup.longest_ns)
		rc = warmup_run(&warmup);
	all->is_warm = is_buffered;
	if (rc)
		return diag_host(rc, "cannot write to %s before %s", all->target.path, id);
	rc = interrupt_signal() ? evaluate_result_skip(&all->result, id, "interrupted before it") : run_trial(all);
	return rc ? diag_host(rc, "cannot evaluate %s", id) : DIAG_EXIT_OK;
}

/* Repeats the whole list, so that a drift affects all scenarios. */
static int run_rows(struct evaluation *all)
{
	const struct evaluate_plan *plan = &all->plan;
	int rc = 0, code = DIAG_EXIT_OK;

	for (size_t i = 0; i < plan->count && !rc; i++) {
		if (!plan->rows[i].is_run)
			rc = evaluate_result_skip(&all->result, plan->rows[i].scenario->id, "%s", plan->rows[i].reason);
	}
	for (all->repetition = 1; all->repetition <= all->options.repetitions; all->repetition++) {
		for (size_t i = 0; i < plan->count && !code && !rc; i++) {
			const struct evaluate_plan_row *row = &plan->rows[i];

			if (!row->is_run)
				continue;
			if (!interrupt_signal())
				code = run_row(all, row);
			else if (all->repetition == 1)
				rc = evaluate_result_skip(&all->result, row->scenario->id, "interrupted before it");
		}
	}
	progress_clear(&all->progress);
	return rc ? diag_host(rc, "cannot evaluate") : code;
}

/* --- all of them --- */

/* Carries out the plan and restores everything. Starts the frame, because the target may be on a device built here. An
 * interrupted run is a result. */
static int measure_plan(struct evaluation *all, int argc, char **argv)
{
	const struct scenario_options *shared = &all->options.shared;
	struct target_request request = {.path = shared->directory, .bytes = all->plan.largest_file};
	/* Pins as the calibration did, because the share of the CPU that write-back takes depends on it. */
	const struct pin_request cpus = pin_again(all->system.writer, all->system.writer_cpu);
	int rc = 0, back, code = all->plan.needs_stage ? test_setup_open(&all->plan.stage, &all->stage) : DIAG_EXIT_OK;

	progress_init(&all->progress, false);
	if (!code && shared->slow_bytes_per_second)
		request.path = test_setup_folder(all->stage);
	if (!code)
		code = target_open(&request, &all->target);
	if (!code)
		code = frame_start(&all->frame, "iowrite-bench", argc, argv, &all->target);
	if (code)
		goto out;
	all->frame.accepts_limits = all->options.accepts_limits;
	/* The slow device's limit belongs to the run. */
	if (shared->slow_bytes_per_second)
		limits_own_disk(&all->frame.limits, all->frame.storage.disk);
	/* The kernel's throttling state is an input of the models; without it they assume that it has settled. */
	all->result.control_unknown = "it is read only with --thresholds=small or --slow-device";
	if (all->stage)
		rc = throttle_state_open(test_setup_undo(all->stage), &all->target, &all->throttle,
			&all->result.control_unknown);
	if (rc) {
		code = diag_host(rc, "cannot evaluate");
		goto out;
	}
	rc = dirty_open("", &all->dirty);
	if (rc) {
		code = diag_host(rc, "cannot read /proc/vmstat");
		goto out;
	}
	pin_begin(&cpus, &all->pin);
	snprintf(all->result.writer, sizeof(all->result.writer), "%s", all->pin.text);
	code = run_rows(all);
	pin_end(&all->pin);
out:
	throttle_state_close(all->throttle);
	dirty_close(&all->dirty);
	target_close(&all->target);
	back = test_setup_close(all->stage);
	if (code)
		return code;
	calibrated_decide(&all->system, &all->frame);
	frame_decide_limits(&all->frame);
	if (back)
		frame_reason(&all->frame, "not-restored", "some changed settings could not be restored");
	return DIAG_EXIT_OK;
}

static int evaluate(struct evaluation *all, int argc, char **argv)
{
	const struct evaluate_options *options = &all->options;
	struct frame *frame = &all->frame;
	const struct iow_result_values result = {
		.clock = FIELD_BY(frame_clock, frame), .evaluation = FIELD_BY(evaluate_report, &all->result)};
	int code = interrupt_install();

	if (code)
		return diag_host(code, "cannot catch signals");
	contention_expect_stops();
	all->result.system_file = options->shared.system_path;
	all->result.system_date = all->system.date;
	code = measure_plan(all, argc, argv);
	if (code)
		return code;
	frame->signature.is_interrupted = interrupt_signal() != 0;
	if (!scenario_options_take_stdout(&options->shared))
		evaluate_text(stdout, &all->result);
	for (size_t i = 0; i < frame->reason_count; i++)
		diag_warn("%s: %s", frame->reasons[i].code, frame->reasons[i].text);
	code = scenario_options_publish(&options->shared, frame, &result);
	/* A failed report or scenario takes precedence over results that cannot be trusted. */
	if (code || all->result.has_failed)
		return code ? code : DIAG_EXIT_HOST;
	return frame->signature.is_interrupted || frame->reason_count ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct evaluation *all = calloc(1, sizeof(*all));
	int code;

	if (!all)
		return diag_host(ENOMEM, "cannot evaluate");
	all->target.fd = all->dirty.fd = -1;
	system_init(&all->system);
	code = command_parse(command, argc, argv, &all->options, &all->options.shared.line, NULL);
	if (!code)
		code = system_read(all->options.shared.system_path, &all->system);
	if (!code)
		code = evaluate_plan_read_host(&all->options, &all->host);
	if (!code)
		code = evaluate_plan_make(&all->options, &all->system, &all->host, &all->plan);
	if (!code && !all->options.shared.is_dry_run && !all->plan.run_count)
		code = diag_host(0, "none of %zu scenarios can be measured here; the first one (%s): %s", all->plan.count,
			all->plan.rows[0].scenario->id, all->plan.rows[0].reason);
	if (!code)
		calibrated_warn(&all->system, all->options.shared.system_path);
	if (!code && all->options.shared.is_dry_run)
		evaluate_plan_print(stdout, &all->options, &all->plan);
	else if (!code)
		code = evaluate(all, argc, argv);
	evaluate_result_free(&all->result);
	system_free(&all->system);
	scenario_options_free(&all->options.shared);
	free(all);
	return code;
}

const struct command command_evaluate = {
	.program = &iowrite_program,
	.name = "evaluate",
	.summary = "measure scenarios, predict them, and show each model's error",
	.doc = "Measure the scenarios of the CAWL paper, scaled to minutes and small disks, predict each from a "
	       "calibration with the models naive, cawl and kernel, and show the error of each.",
	.examples = "  iowrite-bench evaluate --system system.xml --dry-run\n"
		    "  iowrite-bench evaluate --system system.xml -f evaluation.xml\n"
		    "  iowrite-bench evaluate --system slow.xml --slow-device 400M\n",
	.notes = "Exit status: 0 done, 3 not possible on this host, or a write failed, 4 interrupted "
		 "or not trustworthy.",
	.options = evaluate_option_rows,
	.relations = evaluate_option_relations,
	.add = evaluate_options_add,
	.check = evaluate_options_check,
	.run = run,
};

/* --- warmup --- */

#define CHUNK (4u << 20)
#define ALIGN 4096
#define WARMUP_SAMPLE_NS 100000000
#define WARMUP_SAMPLES 20
/* Parts of the way between the thresholds, for dirty plus write-back bytes: 0.5 is freerun, 0.75 the setpoint, 1 the limit. */
#define ENOUGH 0.625 /* nearer to the setpoint than to where throttling begins */
#define TOO_MUCH 0.9 /* the previous limit is still in force: the kernel lowers it by 1/32 each 200 ms (update_dirty_limit) */

int warmup_run(const struct warmup *warmup)
{
	uint64_t bytes, background, end_ns, next_ns = 0;
	double way, enough, too_much, sum = 0;
	struct dirty_state state;
	unsigned samples = 0;
	char *data;
	int rc = dirty_read(warmup->dirty, &state);

	if (rc)
		return rc;
	/* The file is larger than the threshold, so that a part of it is always clean; a smaller one would never be throttled.
	 * After the first round its pages are cached, and the writer is faster than any device. */
	bytes = state.threshold + state.threshold / 4;
	bytes = bytes < warmup->file_bytes ? bytes : warmup->file_bytes;
	bytes -= bytes % CHUNK;
	if (bytes <= state.threshold)
		return 0;
	background = state.background_threshold < state.threshold ? state.background_threshold : state.threshold / 2;
	way = (double)(state.threshold - background);
	enough = (double)background + ENOUGH * way;
	too_much = (double)background + TOO_MUCH * way;
	data = aligned_alloc(ALIGN, CHUNK);
	if (!data)
		return -ENOMEM;
	memset(data, 0x5a, CHUNK);
	end_ns = report_monotonic_ns() + warmup->longest_ns;
	for (uint64_t done = 0; done < warmup->most_bytes && !*warmup->stop && !rc; done += CHUNK) {
		uint64_t now = report_monotonic_ns();

		if (now >= end_ns)
			break;
		if (now >= next_ns && !dirty_read(warmup->dirty, &state)) {
			next_ns = now + WARMUP_SAMPLE_NS;
			sum += (double)state.dirty + (double)state.writeback;
			samples++;
		}
		/* Means over two seconds: the device writes in portions. */
		if (samples == WARMUP_SAMPLES) {
			if (sum / WARMUP_SAMPLES >= enough && sum / WARMUP_SAMPLES <= too_much)
				break;
			sum = 0;
			samples = 0;
		}
		if (pwrite(warmup->target->fd, data, CHUNK, (off_t)(done % bytes)) < 0)
			rc = -errno;
	}
	free(data);
	if (ftruncate(warmup->target->fd, 0) && !rc)
		rc = -errno;
	return rc;
}
