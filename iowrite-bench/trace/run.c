/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/undo.h"
#include "iowrite-bench/bdi.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/failure.h"
#include "iowrite-bench/gauge.h"
#include "iowrite-bench/outside.h"
#include "iowrite-bench/pin.h"
#include "iowrite-bench/trace/session.h"

#define LOOK_EVERY_NS 10000000 /* at /proc/vmstat, which takes as long as a small write */

/* What a run holds while it lasts, in the order in which it is made. */
struct hold {
	struct stage *stage;
	struct undo *undo;
	struct target target;
	bool has_target;
	struct dirty dirty;
	char bdi[EVENT_TEXT];
	uint64_t cgroup; /* whose write-back it is */
	struct session *session;
};

/* --- setting up --- */

static int open_target(const struct trace_options *options, const struct trace_plan *plan, struct hold *hold)
{
	const char *folder = hold->stage ? stage_folder(hold->stage) : NULL;
	struct target_request request = {
		.path = folder ? folder : options->shared.directory,
		.bytes = plan->file_bytes,
		.needs_direct = plan->needs_direct,
	};
	int code = target_open(&request, &hold->target);

	hold->has_target = !code;
	if (!code && bdi_of("", hold->target.device, hold->bdi, sizeof(hold->bdi))) {
		diag_error(0, "%s: its device has no name that events could be told apart by", request.path);
		code = DIAG_EXIT_HOST;
	}
	return code;
}

static int set_up(const struct trace_options *options, const struct trace_plan *plan, struct hold *hold)
{
	int rc, code = plan->needs_stage ? stage_open(&plan->stage, &hold->stage) : DIAG_EXIT_OK;

	if (!code && undo_open("iowrite-bench", &hold->undo))
		code = DIAG_EXIT_HOST;
	if (!code)
		code = open_target(options, plan, hold);
	if (code)
		return code;
	rc = dirty_open("", &hold->dirty);
	if (rc) {
		diag_error(rc, "cannot read /proc/vmstat");
		return DIAG_EXIT_HOST;
	}
	hold->cgroup = bdi_cgroup("", hold->target.file_system);
	return session_open(hold->undo, hold->bdi, &hold->session);
}

static int tear_down(struct hold *hold)
{
	int code = DIAG_EXIT_OK;

	session_close(hold->session);
	dirty_close(&hold->dirty);
	if (hold->has_target)
		target_close(&hold->target);
	if (undo_close(hold->undo))
		code = DIAG_EXIT_HOST;
	if (stage_close(hold->stage))
		code = DIAG_EXIT_HOST;
	return code;
}

/* --- measuring --- */

static int measure_traced(const struct trace_plan *plan, struct hold *hold, struct trace_result *result,
	struct session_trace *trace)
{
	const struct measure_job job = {
		.target = &hold->target,
		.method = plan->method,
		.sync = method_sync_of("none"),
		.mode = plan->asked.mode,
		.regime = plan->asked.regime,
		.ops = plan->ops,
		.count = plan->count,
		.memory = plan->memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = scenario_is_uncached(&plan->asked),
		.dirty = &hold->dirty,
		.look_every_ns = LOOK_EVERY_NS,
		.stop = interrupt_flag(),
	};
	/* Where the calibration's writer was, or the share of the CPU that write-back takes is another one. */
	const struct pin_request request =
		plan->has_system ? pin_again(plan->system.writer, plan->system.writer_cpu) : (struct pin_request){0};
	int code = session_start(hold->session);
	struct pin pin;

	if (code)
		return code;
	pin_begin(&request, &pin);
	snprintf(result->writer, sizeof(result->writer), "%s", pin.text);
	code = measure(&job, &result->measurement);
	pin_end(&pin);
	return code ? code : session_stop(hold->session, trace);
}

static int read_trace(const struct session_trace *trace, struct hold *hold, struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	const struct timeline_window window = {trace->pid, hold->bdi, found->begin_ns, found->end_ns,
		hold->dirty.page_bytes, hold->cgroup};
	int rc = timeline_read(trace->formats, trace->text, trace->bytes, &window, &result->timeline);

	if (!rc)
		rc = timeline_summarize(&result->timeline, &found->before, found->end_ns - found->begin_ns,
			&result->summary);
	if (rc) {
		diag_error(rc, "cannot read the trace");
		return DIAG_EXIT_HOST;
	}
	result->lost_events = trace->lost + result->timeline.unread_lines;
	result->limit_bytes = result->timeline.state_count ? result->timeline.states[0].limit : found->before.threshold;
	return DIAG_EXIT_OK;
}

static void judge(const struct session_trace *trace, struct trace_result *result)
{
	struct frame *frame = &result->frame;
	const struct measurement *found = &result->measurement;

	char text[FAILURE_TEXT];

	frame->signature.is_interrupted = interrupt_signal() != 0;
	result->has_failed = found->error && !(frame->signature.is_interrupted && found->error == EINTR);
	if (result->has_failed) {
		failure_text(frame->target.path, found->failed_at, found->error, text, sizeof(text));
		frame_reason(frame, "write-failed", "after %zu of %zu writes %s", found->count, result->plan->count, text);
		diag_error(0, "after %zu of %zu writes %s", found->count, result->plan->count, text);
	}
	if (result->lost_events)
		frame_reason(frame, "lost-events",
			"%" PRIu64 " events did not fit into the buffers of %d KiB for each CPU, and %zu could not be read: "
			"pauses among them are in no sum, and the curves have gaps",
			trace->lost, SESSION_BUFFER_KIB, result->timeline.unread_lines);
	outside_distrust(frame, result->plan->name, result->plan->bytes, found->unfed_bytes);
	if (!trace->pid)
		frame_reason(frame, "no-mark", "the writer was not found in the trace: its pauses are missing");
}

/* --- beside --- */

/* What the kernel told first: until then it had nothing to balance, and stood where it did before. How it counts pauses is
 * the same at all times. */
static void take_conditions(const struct trace_result *result, struct trace_conditions *found)
{
	const struct timeline *timeline = &result->timeline;

	*found = (struct trace_conditions){.before = result->measurement.before};
	if (timeline->state_count)
		found->control.limit = (double)timeline->states[0].limit;
	found->control.tick_s = gauge_tick_s();
	found->control.step_bytes = timeline_step(timeline);
	if (!timeline->ratelimit_count)
		return;
	found->control.ratelimit = (double)timeline->ratelimits[0].dirty;
	found->control.write_rate = (double)timeline->ratelimits[0].write;
}

/* The same writes with the delays that they really had, under the thresholds that were in force. */
static int predict_same(const struct trace_plan *plan, struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	struct op *ops = calloc(found->count ? found->count : 1, sizeof(*ops));
	struct trace_conditions conditions;
	int code;

	if (!ops) {
		diag_error(ENOMEM, "cannot predict");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < found->count; i++)
		ops[i] = (struct op){found->records[i].delay_ns, found->records[i].offset, found->records[i].size};
	take_conditions(result, &conditions);
	code = trace_plan_predict(plan, &conditions, ops, found->count, &result->prediction);
	free(ops);
	result->has_prediction = !code;
	return code;
}

static int lay_beside(struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	struct beside_point *points = calloc(found->count + 1, sizeof(*points));

	if (!points) {
		diag_error(ENOMEM, "cannot compare the trace");
		return DIAG_EXIT_HOST;
	}
	points[0].bytes = (double)found->before.dirty + (double)found->before.writeback;
	for (size_t i = 0; i < found->count; i++) {
		const struct record *record = &found->records[i];
		const struct model_cost *cost = &result->prediction.costs[i];

		points[i + 1].time_ns = record->start_ns + record->write_ns - found->begin_ns;
		points[i + 1].bytes = cost->dirty_bytes + cost->writeback_bytes;
	}
	result->has_gap = !beside_largest(points, found->count + 1, &result->timeline, &result->gap);
	free(points);
	return DIAG_EXIT_OK;
}

static int run_held(const struct trace_plan *plan, struct hold *hold, int argc, char **argv,
	struct trace_result *result)
{
	struct session_trace trace;
	int code = frame_start(&result->frame, "iowrite-bench", argc, argv, &hold->target);

	if (!code)
		code = measure_traced(plan, hold, result, &trace);
	if (!code)
		code = read_trace(&trace, hold, result);
	if (code)
		return code;
	judge(&trace, result);
	if (plan->has_system) {
		calibrated_judge(&plan->system, &result->frame);
		code = predict_same(plan, result);
	}
	if (!code && plan->has_system)
		code = lay_beside(result);
	return code;
}

int trace_run(const struct trace_options *options, const struct trace_plan *plan, int argc, char **argv,
	struct trace_result *result)
{
	struct hold hold = {.dirty.fd = -1};
	int code, end, rc = interrupt_install();

	*result = (struct trace_result){.plan = plan};
	if (rc) {
		diag_error(rc, "cannot catch signals");
		return DIAG_EXIT_HOST;
	}
	code = set_up(options, plan, &hold);
	if (!code)
		code = run_held(plan, &hold, argc, argv, result);
	end = tear_down(&hold);
	if (code && interrupt_signal())
		code = DIAG_EXIT_UNTRUSTED;
	if (code)
		trace_result_free(result);
	else if (end)
		frame_reason(&result->frame, "not-restored", "not all that was changed could be put back");
	return code;
}

void trace_result_free(struct trace_result *result)
{
	measure_free(&result->measurement);
	timeline_free(&result->timeline);
	if (result->has_prediction)
		predict_free(&result->prediction);
	result->has_prediction = false;
}
