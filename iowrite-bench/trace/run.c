/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/undo.h"
#include "iowrite-bench/bdi.h"
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
	struct session *session;
};

/* --- setting up --- */

static int open_target(const struct trace_options *options, const struct trace_plan *plan, struct hold *hold)
{
	const char *folder = hold->stage ? stage_folder(hold->stage) : NULL;
	struct target_request request = {
		.path = folder ? folder : options->directory,
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
		.mode = plan->mode,
		.regime = plan->regime,
		.ops = plan->ops,
		.count = plan->count,
		.memory = plan->memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = plan->is_uncached,
		.dirty = &hold->dirty,
		.look_every_ns = LOOK_EVERY_NS,
		.stop = interrupt_flag(),
	};
	int code = session_start(hold->session);

	if (!code)
		code = measure(&job, &result->measurement);
	return code ? code : session_stop(hold->session, trace);
}

static int read_trace(const struct session_trace *trace, struct hold *hold, struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	const struct timeline_window window = {trace->pid, hold->bdi, found->begin_ns, found->end_ns,
		hold->dirty.page_bytes};
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

	frame->signature.is_interrupted = interrupt_signal() != 0;
	if (found->error && !(frame->signature.is_interrupted && found->error == EINTR)) {
		frame_reason(frame, "write-failed", "write %zu of %zu: %s", found->count, result->plan->count,
			strerror(found->error));
		diag_error(found->error, "%s: write %zu of %zu", frame->target.path, found->count, result->plan->count);
	}
	if (result->lost_events)
		frame_reason(frame, "lost-events",
			"%" PRIu64 " events are missing: the buffers of %d KiB for each CPU were too small",
			result->lost_events, SESSION_BUFFER_KIB);
	if (!trace->pid)
		frame_reason(frame, "no-mark", "the writer was not found in the trace: its pauses are missing");
}

/* --- beside --- */

static void set_threshold(struct system *system, enum system_parameter parameter, uint64_t bytes)
{
	if (bytes)
		system->parameters[parameter] = (struct system_value){.value = (double)bytes, .low = (double)bytes,
			.high = (double)bytes, .method = "/proc/vmstat"};
}

/* The same writes with the delays that they really had, under the thresholds that were in force. */
static int predict_same(const struct trace_plan *plan, struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	struct system system = plan->system; /* its curves stay the calibration's */
	struct predict_setup setup = {
		.kind = model_kind("kernel"),
		.model = {.mode = plan->mode, .regime = plan->regime, .memory = plan->memory, .is_stdio = plan->is_stdio,
			.dirty_bytes = found->before.dirty, .writeback_bytes = found->before.writeback},
		.policy = plan->is_stdio ? stdio_policy_here() : NULL,
	};
	struct op *ops = calloc(found->count ? found->count : 1, sizeof(*ops));
	const char *missing = "";
	int rc = ops ? 0 : -ENOMEM;

	set_threshold(&system, SYSTEM_LIMIT_BG, found->before.background_threshold);
	set_threshold(&system, SYSTEM_LIMIT_HARD, found->before.threshold);
	for (size_t i = 0; i < found->count && !rc; i++)
		ops[i] = (struct op){found->records[i].delay_ns, found->records[i].offset, found->records[i].size};
	if (!rc)
		rc = predict(&system, &setup, ops, found->count, &result->prediction, &missing);
	if (rc == -ENODATA)
		diag_error(0, "--system: the calibration lacks %s, which the kernel model needs", missing);
	else if (rc)
		diag_error(rc, "cannot predict");
	free(ops);
	result->has_prediction = !rc;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
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
	int code = frame_start(&result->frame, argc, argv, &hold->target);

	if (!code)
		code = measure_traced(plan, hold, result, &trace);
	if (!code)
		code = read_trace(&trace, hold, result);
	if (code)
		return code;
	judge(&trace, result);
	if (plan->has_system)
		code = predict_same(plan, result);
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
