/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench evaluate: options, calibration, plan, run, report. */
#include "config.h"
#include "iowrite-bench/evaluate/evaluate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "common/report_common.h"
#include "iowrite-bench/scenario_options.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/measure.h"
#include "iowrite-bench/pin.h"
#include "iowrite-bench/scenario.h"

/* All that a run needs; too large for a stack. */
struct evaluation {
	struct evaluate_options options;
	struct system system;
	struct plan_host host;
	struct evaluate_plan plan;
	struct frame frame;
	struct evaluate_result result;
};

static int publish(struct evaluation *all)
{
	const struct evaluate_options *options = &all->options;
	const struct iow_result_values result = {
		.clock = FIELD_BY(frame_clock, &all->frame), .evaluation = FIELD_BY(evaluate_report, &all->result)};
	const struct iow_report_values values = {FRAME_MEMBERS(&all->frame), .result = FIELD_ONE(&result)};

	scenario_options_sign(&options->shared, &all->frame.signature);
	return frame_publish(&all->frame, "iowritebench", &(struct iow_document_values){FIELD_ONE(&values)},
		options->shared.xml_path, options->shared.json_path);
}

/* What could not be written comes before what cannot be trusted. */
static int verdict(const struct evaluation *all)
{
	if (all->result.has_failed)
		return DIAG_EXIT_HOST;
	if (all->frame.signature.is_interrupted || all->frame.reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return DIAG_EXIT_OK;
}

static int measure_all(struct evaluation *all, int argc, char **argv)
{
	int code = interrupt_install();

	contention_expect_stops();
	if (code)
		return diag_host(code, "cannot catch signals");
	all->frame.signature.argc = argc;
	all->frame.signature.argv = argv;
	code = evaluate_run(&all->options, &all->plan, &all->system, &all->frame, &all->result);
	if (code)
		return code;
	all->frame.signature.is_interrupted = interrupt_signal() != 0;
	if (!scenario_options_take_stdout(&all->options.shared))
		evaluate_text(stdout, &all->result);
	for (size_t i = 0; i < all->frame.reason_count; i++)
		diag_warn("%s: %s", all->frame.reasons[i].code, all->frame.reasons[i].text);
	code = publish(all);
	return code ? code : verdict(all);
}

static int evaluate(struct evaluation *all, int argc, char **argv)
{
	int code = plan_look(&all->options, &all->host);

	if (!code)
		code = plan_make(&all->options, &all->system, &all->host, &all->plan);
	if (code)
		return code;
	if (!all->options.shared.is_dry_run && !all->plan.run_count)
		return diag_host(0, "none of %zu scenarios can be measured here, the first one (%s) because: %s",
			all->plan.count, all->plan.rows[0].scenario->id, all->plan.rows[0].reason);
	calibrated_warn(&all->system, all->options.shared.system_path);
	if (all->options.shared.is_dry_run) {
		plan_print(stdout, &all->options, &all->plan);
		return DIAG_EXIT_OK;
	}
	return measure_all(all, argc, argv);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct evaluation *all = calloc(1, sizeof(*all));
	int code;

	if (!all)
		return diag_host(ENOMEM, "cannot evaluate");
	system_init(&all->system);
	code = command_parse(command, argc, argv, &all->options, &all->options.shared.line, NULL);
	if (!code)
		code = system_read(all->options.shared.system_path, &all->system);
	if (!code)
		code = evaluate(all, argc, argv);
	result_free(&all->result);
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
	       "calibration with the models naive, cawl and kernel, and show how far each is off.",
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

/* --- run --- */

#define WARMUP_BYTES (32ull << 30)

struct running {
	const struct evaluate_options *options;
	const struct evaluate_plan *plan;
	const struct system *system;
	struct frame *frame;
	struct evaluate_result *result;
	struct test_setup *stage; /* NULL = the machine as it is */
	struct target target;
	struct throttle_state *throttle; /* NULL = none */
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
	return rc ? diag_host(rc, "cannot write to %s before %s", running->target.path, row->scenario->id) : DIAG_EXIT_OK;
}

static int pass_over(struct running *running, const struct plan_row *row)
{
	if (!result_skip(running->result, row->scenario->id, "interrupted before it"))
		return DIAG_EXIT_OK;
	return diag_host(ENOMEM, "cannot evaluate");
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
		.throttle = running->throttle,
		.stop = interrupt_flag(),
	};
	int code = DIAG_EXIT_OK;

	progress_line(&running->progress, "%s: %s, %u of %u", row->scenario->id, row->scenario->meaning, repetition,
		running->options->repetitions);
	if (running->stage)
		code = test_setup_thresholds(running->stage, row->background_bytes, row->dirty_bytes);
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
		.path = running->options->shared.slow_bytes_per_second ? test_setup_folder(running->stage)
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

	if (rc)
		return diag_host(rc, "cannot read /proc/vmstat");
	rc = list_skipped(running->plan, running->result);
	pin_writer(running, &pin);
	code = rc ? DIAG_EXIT_HOST : run_rows(running);
	pin_end(&pin);
	if (rc)
		code = diag_host(rc, "cannot evaluate");
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
	rc = throttle_state_open(test_setup_undo(running->stage), &running->target, &running->throttle,
		&running->result->control_unknown);
	return rc ? diag_host(rc, "cannot evaluate") : DIAG_EXIT_OK;
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
	throttle_state_close(running->throttle);
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
		code = test_setup_open(&plan->stage, &running.stage);
	if (!code)
		code = run_on_stage(&running, frame);
	back = test_setup_close(running.stage);
	if (code)
		return code;
	calibrated_decide(system, frame);
	if (back)
		frame_reason(frame, "not-restored", "some changed settings could not be restored");
	return DIAG_EXIT_OK;
}

/* Looking takes tens of microseconds and what is in the caches: small writes are not worth it each time. */
#define LOOK_EACH_BYTES (1u << 20)
#define LOOK_EVERY_NS 10000000

static int measure_it(const struct trial_setup *setup, const struct op *ops, size_t count,
	struct measurement *measurement)
{
	const struct scenario *scenario = setup->scenario;
	struct measure_job job = {
		.target = setup->target,
		.method = scenario_method(scenario),
		.sync = method_sync_of("none"),
		.mode = scenario->mode,
		.regime = scenario->regime,
		.ops = ops,
		.count = count,
		.memory = setup->memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = scenario_is_uncached(scenario),
		.dirty = setup->dirty,
		.rest_ns = scenario->mode == OP_BUFFERED ? MEASURE_REST_NS : 0,
		.sample_every_ns = scenario_smallest(scenario) >= LOOK_EACH_BYTES ? 0 : LOOK_EVERY_NS,
		.stop = setup->stop,
	};

	return measure(&job, measurement);
}

/* Not all of it was written. */
static int explain(const struct trial_setup *setup, const struct measurement *measurement, size_t wanted,
	struct frame *frame, struct evaluate_result *result)
{
	const char *id = setup->scenario->id;
	char text[FAILURE_TEXT];

	if (!measurement->error || *setup->stop)
		return result_skip(result, id, "interrupted after %zu of %zu writes", measurement->count, wanted);
	result->has_failed = true;
	failure_text(setup->target->path, measurement->failed_at, measurement->error, text, sizeof(text));
	frame_reason(frame, "write-failed", "%s: after %zu of %zu writes %s", id, measurement->count, wanted, text);
	return result_skip(result, id, "ended after %zu of %zu writes", measurement->count, wanted);
}

static int keep(const struct trial_setup *setup, const struct op *ops, size_t count, struct frame *frame,
	struct evaluate_result *result)
{
	struct model_control control = {0};
	struct measurement measurement;
	int rc;

	throttle_state_read(setup->throttle, setup->dirty, &control);
	if (measure_it(setup, ops, count, &measurement)) {
		/* measure() has said why. */
		if (!*setup->stop) {
			result->has_failed = true;
			frame_reason(frame, "not-prepared", "%s could not be prepared", setup->scenario->id);
		}
		return result_skip(result, setup->scenario->id,
			*setup->stop ? "interrupted before the first write" : "could not be prepared");
	}
	if (measurement.count < count || measurement.error) {
		rc = explain(setup, &measurement, count, frame, result);
	} else {
		frame_decide_stops(frame, &measurement.stops, setup->scenario->id);
		validity_distrust(frame, setup->scenario->id, scenario_bytes(setup->scenario), measurement.unbacked_bytes);
		rc = trial_decide(setup, &measurement, &control, frame, result);
	}
	measure_free(&measurement);
	return rc;
}

int trial_run(const struct trial_setup *setup, struct frame *frame, struct evaluate_result *result)
{
	struct op *ops;
	size_t count;
	int rc = scenario_ops(setup->scenario, &ops, &count);

	if (!rc) {
		rc = keep(setup, ops, count, frame, result);
		free(ops);
	}
	return rc ? diag_host(rc, "cannot evaluate %s", setup->scenario->id) : DIAG_EXIT_OK;
}

/* --- warmup --- */

#define CHUNK (4u << 20)
#define ALIGN 4096
#define WARMUP_SAMPLE_NS 100000000
#define LOOKS 20
/* Parts of the way between the thresholds: 0.5 is freerun, 0.75 the setpoint, 1 the limit. */
#define ENOUGH 0.625
#define TOO_MUCH 0.9 /* the limit before still acts: it sinks by 1/32 each 200 ms (update_dirty_limit) */

struct settling {
	double enough;         /* bytes dirty or in write-back: nearer to the setpoint than to where throttling begins */
	double too_much;       /* and these: nearer to the limit */
	double sum;
	unsigned looks;
	uint64_t next_ns;
};

/* A file of which a part is always clean, whatever the kernel lets be dirty: its pages are in the cache after the first
 * round, and then the writer is faster than any device. 0: it would never be throttled. */
static uint64_t round_bytes(const struct warmup *warmup, const struct dirty_state *state)
{
	uint64_t wanted = state->threshold + state->threshold / 4;

	wanted = wanted < warmup->file_bytes ? wanted : warmup->file_bytes;
	wanted -= wanted % CHUNK;
	return wanted > state->threshold ? wanted : 0;
}

/* Means over two seconds: the device takes what it takes in portions. */
static bool is_settled(const struct warmup *warmup, struct settling *settling, uint64_t now)
{
	struct dirty_state state;
	double mean;

	if (now < settling->next_ns || dirty_read(warmup->dirty, &state))
		return false;
	settling->next_ns = now + WARMUP_SAMPLE_NS;
	settling->sum += (double)state.dirty + (double)state.writeback;
	if (++settling->looks < LOOKS)
		return false;
	mean = settling->sum / LOOKS;
	settling->sum = 0;
	settling->looks = 0;
	return mean >= settling->enough && mean <= settling->too_much;
}

static int write_rounds(const struct warmup *warmup, const char *data, uint64_t bytes, struct settling *settling)
{
	uint64_t end = report_monotonic_ns() + warmup->longest_ns, now;

	for (uint64_t done = 0; done < warmup->most_bytes && !*warmup->stop; done += CHUNK) {
		now = report_monotonic_ns();
		if (now >= end || is_settled(warmup, settling, now))
			return 0;
		if (pwrite(warmup->target->fd, data, CHUNK, (off_t)(done % bytes)) < 0)
			return -errno;
	}
	return 0;
}

int warmup_run(const struct warmup *warmup)
{
	struct settling settling = {0};
	struct dirty_state state;
	uint64_t bytes, background;
	char *data;
	int rc = dirty_read(warmup->dirty, &state);

	if (rc)
		return rc;
	bytes = round_bytes(warmup, &state);
	if (!bytes)
		return 0;
	background = state.background_threshold < state.threshold ? state.background_threshold : state.threshold / 2;
	/* The setpoint is half of the way from freerun, the middle of the thresholds, to the upper one. */
	settling.enough = (double)background + ENOUGH * (double)(state.threshold - background);
	settling.too_much = (double)background + TOO_MUCH * (double)(state.threshold - background);
	data = aligned_alloc(ALIGN, CHUNK);
	if (!data)
		return -ENOMEM;
	memset(data, 0x5a, CHUNK);
	rc = write_rounds(warmup, data, bytes, &settling);
	free(data);
	if (ftruncate(warmup->target->fd, 0) && !rc)
		rc = -errno;
	return rc;
}
