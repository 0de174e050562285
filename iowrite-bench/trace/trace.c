/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench trace: the kernel's own view of a scenario's writes. */
#include "config.h"
#include "iowrite-bench/trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/grid.h"
#include "common/interrupt.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/pin.h"

#define EVENTS ((size_t)1 << 20)  /* that are kept, the latest */
#define SAMPLE_EVERY_NS 10000000  /* of /proc/vmstat, which takes as long as a small write */

/* A run of trace and, in the order in which it is made, what it holds while it lasts; too large for a stack. */
struct tracing {
	struct trace_options options;
	struct trace_plan plan;
	struct trace_result result;
	struct test_setup *setup;
	struct undo *undo;
	struct target target;
	struct dirty dirty;
	struct trace_instance instance;
	struct event_watch watch;
	struct trace_drain *drain;
};

/* --- setting up --- */

/* Afterwards the instance records events whenever it is turned on. */
static int open_trace(struct tracing *all)
{
	struct trace_instance *instance = &all->instance;
	const char *missing = "";
	int code = trace_instance_open(all->undo, TRACE_PREFIX, TRACE_BUFFER_KIB, instance), rc = 0;

	if (code)
		return code;
	for (int kind = 0; kind < EVENT_FORMATS; kind++) {
		const char *name = event_name((enum event_kind)kind);

		rc = event_find(instance, (enum event_kind)kind, &all->watch, &missing);
		if (rc == -ENODATA)
			return diag_host(0, "this kernel's writeback:%s has no %s: it cannot be traced", name, missing);
		if (rc)
			return diag_host(rc, "cannot read the format of this kernel's writeback:%s", name);
	}
	for (int kind = 0; kind < EVENT_FORMATS && !rc; kind++)
		rc = event_enable(instance, (enum event_kind)kind, &all->watch);
	if (rc)
		return diag_host(rc, "cannot set up the trace instance %s", instance->name);
	rc = trace_drain_open(instance, EVENTS, sizeof(struct event), event_make, &all->watch, &all->drain);
	return rc ? diag_host(rc, "cannot read the trace instance %s", instance->name) : DIAG_EXIT_OK;
}

static int set_up(struct tracing *all)
{
	const struct trace_plan *plan = &all->plan;
	struct target_request request = {
		.path = all->options.shared.directory,
		.bytes = plan->file_bytes,
		.needs_direct = plan->needs_direct,
	};
	int rc, code = plan->needs_setup ? test_setup_open(&plan->setup, &all->setup) : DIAG_EXIT_OK;

	if (!code && undo_open("iowrite-bench", &all->undo))
		code = DIAG_EXIT_HOST;
	if (!code && all->setup && test_setup_folder(all->setup))
		request.path = test_setup_folder(all->setup);
	if (!code)
		code = target_open(&request, &all->target);
	if (code)
		return code;
	if (bdi_of("", all->target.device, all->watch.bdi, sizeof(all->watch.bdi)))
		return diag_host(0, "%s: its device has no name by which events could be distinguished", request.path);
	rc = dirty_open("", &all->dirty);
	return rc ? diag_host(rc, "cannot read /proc/vmstat") : open_trace(all);
}

static int tear_down(struct tracing *all)
{
	int undone, closed;

	trace_drain_close(all->drain);
	trace_instance_close(&all->instance);
	dirty_close(&all->dirty);
	target_close(&all->target);
	undone = undo_close(all->undo);
	closed = test_setup_close(all->setup);
	return undone || closed ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

/* --- measuring --- */

static int measure_traced(struct tracing *all)
{
	const struct trace_plan *plan = &all->plan;
	struct measure_job job = {
		.target = &all->target,
		.method = plan->method,
		.sync = method_sync_of("none"),
		.mode = plan->asked.mode,
		.regime = plan->asked.regime,
		.ops = plan->ops,
		.count = plan->count,
		.memory = plan->memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = scenario_is_uncached(&plan->asked),
		.dirty = &all->dirty,
		.sample_every_ns = SAMPLE_EVERY_NS,
		.stop = interrupt_flag(),
	};
	/* On the calibration's CPU: elsewhere write-back takes another share of it. */
	const struct pin_request request =
		plan->has_system ? pin_again(plan->system.writer, plan->system.writer_cpu) : (struct pin_request){0};
	int code, drained, rc = trace_instance_write(&all->instance, "tracing_on", "1");
	struct pin pin;

	/* By this mark the trace has the number of this thread in any PID namespace. */
	if (!rc)
		rc = trace_instance_write(&all->instance, "trace_marker", EVENT_MARK_TEXT "\n");
	if (!rc)
		rc = trace_drain_start(all->drain, true);
	if (rc)
		return diag_host(rc, "cannot start the trace instance %s", all->instance.name);
	pin_begin(&request, &pin);
	snprintf(all->result.writer, sizeof(all->result.writer), "%s", pin.text);
	job.others = pin_others(&pin);
	code = measure(&job, &all->result.measurement);
	pin_end(&pin);
	if (code)
		return code;
	rc = trace_instance_write(&all->instance, "tracing_on", "0");
	drained = trace_drain_stop(all->drain);
	if (rc || drained)
		return diag_host(rc ? rc : drained, "cannot read the trace instance %s", all->instance.name);
	return DIAG_EXIT_OK;
}

/* *pid: of the writer as events have it; 0 = not found. */
static int read_trace(struct tracing *all, int *pid)
{
	struct trace_result *result = &all->result;
	const struct measurement *found = &result->measurement;
	struct timeline_window window = {0, found->begin_ns, found->end_ns, all->dirty.page_bytes,
		bdi_cgroup("", all->target.file_system)};
	const struct event *events;
	const void *kept;
	size_t count;
	int rc;

	trace_drain_kept(all->drain, &kept, &count);
	events = kept;
	for (size_t i = 0; i < count && !window.pid; i++) {
		if (events[i].kind == EVENT_MARK)
			window.pid = events[i].pid;
	}
	rc = timeline_read(events, count, &window, &result->timeline);
	if (!rc)
		rc = timeline_summarize(&result->timeline, &found->before, found->end_ns - found->begin_ns,
			&result->summary);
	if (rc)
		return diag_host(rc, "cannot read the trace");
	*pid = window.pid;
	result->lost_events = trace_instance_lost(&all->instance) + (all->watch.taken - count);
	result->limit_bytes = result->timeline.state_count ? result->timeline.states[0].limit : found->before.threshold;
	return DIAG_EXIT_OK;
}

static void decide(int pid, struct trace_result *result)
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
			"%" PRIu64 " events did not fit into the buffers of %d KiB for each CPU: the sums lack their pauses, "
			"and the curves have gaps", result->lost_events, TRACE_BUFFER_KIB);
	frame_decide_stops(frame, &found->stops, result->plan->name);
	validity_distrust(frame, result->plan->name, result->plan->bytes, found->unbacked_bytes);
	if (!pid)
		frame_reason(frame, "no-mark", "the writer was not found in the trace: its pauses are missing");
}

/* --- comparison with the model --- */

/* Predicts the writes with their actual delays, under the thresholds in force. The kernel's control is that of its first event:
 * before, it had nothing to balance and had not changed. Ticks and steps of pauses are constant. */
static int predict_same(const struct trace_plan *plan, struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	const struct timeline *timeline = &result->timeline;
	struct model_control control = {.tick_s = throttle_state_tick_s(), .step_bytes = timeline_step(timeline)};
	struct op *ops = measured_ops(found);
	int code;

	if (!ops)
		return diag_host(ENOMEM, "cannot predict");
	if (timeline->state_count)
		control.limit = (double)timeline->states[0].limit;
	if (timeline->ratelimit_count) {
		control.ratelimit = (double)timeline->ratelimits[0].dirty;
		control.write_rate = (double)timeline->ratelimits[0].write;
	}
	code = trace_plan_predict(plan, &found->before, &control, ops, found->count, &result->prediction);
	free(ops);
	result->has_prediction = !code;
	return code;
}

static int compare_states(struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	struct model_point *points = calloc(found->count + 1, sizeof(*points));

	if (!points)
		return diag_host(ENOMEM, "cannot compare the trace");
	points[0].bytes = (double)found->before.dirty + (double)found->before.writeback;
	for (size_t i = 0; i < found->count; i++) {
		const struct record *record = &found->records[i];
		const struct model_cost *cost = &result->prediction.costs[i];

		points[i + 1].time_ns = record->start_ns + record->write_ns - found->begin_ns;
		points[i + 1].bytes = cost->dirty_bytes + cost->writeback_bytes;
	}
	result->has_gap = !model_largest_gap(points, found->count + 1, &result->timeline, &result->gap);
	free(points);
	return DIAG_EXIT_OK;
}

/* Carries out the plan and restores everything. 0, or a diag_exit code after one line; then there is no result. */
static int measure_plan(struct tracing *all, int argc, char **argv)
{
	struct frame *frame = &all->result.frame;
	int pid = 0, end, code = set_up(all);

	if (!code)
		code = frame_start(frame, "iowrite-bench", argc, argv, &all->target);
	if (!code)
		code = measure_traced(all);
	if (!code)
		code = read_trace(all, &pid);
	if (!code)
		decide(pid, &all->result);
	if (!code && all->plan.has_system) {
		calibrated_decide(&all->plan.system, frame);
		code = predict_same(&all->plan, &all->result);
		if (!code)
			code = compare_states(&all->result);
	}
	end = tear_down(all);
	if (code)
		return interrupt_signal() ? DIAG_EXIT_UNTRUSTED : code;
	if (end)
		frame_reason(frame, "not-restored", "some changed settings could not be restored");
	return DIAG_EXIT_OK;
}

static int trace(struct tracing *all, int argc, char **argv)
{
	const struct scenario_options *options = &all->options.shared;
	struct trace_result *result = &all->result;
	struct frame *frame = &result->frame;
	const struct iow_result_values values = {
		.clock = FIELD_BY(frame_clock, frame), .kernel_trace = FIELD_BY(trace_report, result)};
	int code, rc = interrupt_install();

	contention_expect_stops();
	if (rc)
		return diag_host(rc, "cannot catch signals");
	result->plan = &all->plan;
	code = measure_plan(all, argc, argv);
	if (code)
		return code;
	if (!scenario_options_take_stdout(options))
		trace_text(stdout, result);
	code = scenario_options_publish(options, frame, &values);
	if (code || result->has_failed)
		return code ? code : DIAG_EXIT_HOST;
	return strcmp(frame_status(frame), "ok") ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct tracing *all = calloc(1, sizeof(*all));
	int code;

	if (!all)
		return diag_host(ENOMEM, "cannot trace");
	all->target.fd = all->dirty.fd = all->instance.tracefs = all->instance.fd = -1;
	code = command_parse(command, argc, argv, &all->options, &all->options.shared.line, NULL);
	if (!code)
		code = trace_plan_make(&all->options, &all->plan);
	if (!code && all->plan.has_system)
		calibrated_warn(&all->plan.system, all->plan.system_path);
	if (!code && all->options.shared.is_dry_run)
		trace_plan_print(stdout, &all->options, &all->plan);
	else if (!code)
		code = trace(all, argc, argv);
	trace_result_free(&all->result);
	trace_plan_free(&all->plan);
	scenario_options_free(&all->options.shared);
	free(all);
	return code;
}

const struct command command_trace = {
	.program = &iowrite_program,
	.name = "trace",
	.arguments = "[SCENARIO]",
	.summary = "record the kernel's write-back and compare it with the model",
	.doc = "Make a scenario's writes and record, in a private trace instance, what the kernel reports: how much is dirty, "
	       "how long the writer is put to sleep, and what rate it is allowed. Needs root. The trace instance, the "
	       "thresholds and the slow device are removed or restored at the end, also when the program is killed.",
	.examples = "  sudo iowrite-bench trace c1 --directory /mnt/disk\n"
		    "  sudo iowrite-bench trace c2 --slow-device 400M --system s.xml -f t.xml\n"
		    "  memstor plot kernel-trace t.xml -o t.svg\n",
	.options = trace_option_rows,
	.relations = trace_option_relations,
	.check = trace_options_check,
	.run = run,
};

void trace_result_free(struct trace_result *result)
{
	measure_free(&result->measurement);
	timeline_free(&result->timeline);
	if (result->has_prediction)
		predict_free(&result->prediction);
	result->has_prediction = false;
}

/* --- text --- */

static const char *size_text(double bytes, char *text)
{
	return units_format_size((uint64_t)(bytes < 0 ? 0 : bytes), text, UNITS_TEXT);
}

static void print_states(FILE *out, const struct timeline_summary *summary, double all_ns)
{
	static const struct grid_column columns[] = {{"state", NULL}, {"time", "ns"}, {"share", "%"}, {NULL, NULL}};
	const double ns[] = {summary->free_ns, summary->background_ns, summary->throttled_ns};
	static const char *const names[] = {"free run", "background", "throttled"};
	struct grid grid = {.columns = columns};

	for (int i = 0; i < 3; i++) {
		grid_text(&grid, "%s", names[i]);
		GRID_VALUES(&grid, ns[i], all_ns > 0 ? 100 * ns[i] / all_ns : 0);
	}
	grid_print(&grid, out);
}

static void print_model(FILE *out, const struct trace_result *result, double measured_ns)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
	const struct model_gap *gap = &result->gap;

	fprintf(out, "%-12s writes take %s as predicted, %s as measured\n", "model",
		units_format_duration(result->prediction.total_ns, a, sizeof(a)),
		units_format_duration(measured_ns, b, sizeof(b)));
	if (!result->has_gap)
		return;
	fprintf(out, "%-12s %s at %.3f s: model %s, kernel %s dirty or under write-back\n", "largest gap",
		size_text(fabs(gap->model_bytes - gap->kernel_bytes), a), (double)gap->time_ns / 1e9,
		size_text(gap->model_bytes, b), size_text(gap->kernel_bytes, c));
}

void trace_text(FILE *out, const struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	const struct timeline *timeline = &result->timeline;
	const struct timeline_summary *summary = &result->summary;
	const struct dirty_state *before = &found->before;
	double all_ns = (double)(found->end_ns - found->begin_ns), writes_ns = 0, bytes = 0;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];

	for (size_t i = 0; i < found->count; i++) {
		writes_ns += (double)found->records[i].write_ns;
		bytes += (double)found->records[i].size;
	}
	fprintf(out, "%s%s%s\n", result->plan->name, result->plan->meaning[0] ? ": " : "", result->plan->meaning);
	fprintf(out, "%-12s %zu of %s in %s\n", "writes", found->count, size_text(bytes, a),
		units_format_duration(all_ns, b, sizeof(b)));
	if (result->writer[0])
		fprintf(out, "%-12s %s\n", "writer", result->writer);
	fprintf(out, "%-12s %zu of the state, %zu of pauses, %zu of the ratelimit, %" PRIu64 " lost\n", "events",
		timeline->state_count, timeline->pause_count, timeline->ratelimit_count, result->lost_events);
	fprintf(out, "%-12s background %s, free run %s, limit %s\n", "thresholds",
		size_text((double)before->background_threshold, a),
		size_text((double)timeline_freerun(before->background_threshold, before->threshold), b),
		size_text((double)result->limit_bytes, c));
	if (result->limit_bytes > before->threshold + before->threshold / 16)
		fprintf(out, "%-12s the threshold is %s: the kernel lowers its limit to it step by step, and throttles "
			     "less until then\n", "", size_text((double)before->threshold, a));
	print_states(out, summary, all_ns);
	if (summary->pause_count)
		fprintf(out, "%-12s %zu: p50 %s, p99 %s, %s in all\n", "pauses", summary->pause_count,
			units_format_duration(summary->pause_p50_ns, a, sizeof(a)),
			units_format_duration(summary->pause_p99_ns, b, sizeof(b)),
			units_format_duration(summary->pause_total_ns, c, sizeof(c)));
	else
		fprintf(out, "%-12s none\n", "pauses");
	if (summary->first_ratelimit || summary->last_ratelimit)
		fprintf(out, "%-12s %s/s at the start, %s/s at the end\n", "ratelimit",
			size_text((double)summary->first_ratelimit, a), size_text((double)summary->last_ratelimit, b));
	else
		fprintf(out, "%-12s no event: no throttling observed\n", "ratelimit");
	if (timeline->foreign_pauses)
		fprintf(out, "%-12s %zu events of other writers to this device: it was not idle\n", "others",
			timeline->foreign_pauses);
	if (result->has_prediction)
		print_model(out, result, writes_ns);
	if (result->has_prediction && result->plan->memory == MODEL_COLD)
		fprintf(out, "%-12s not proven: free memory was unused for %d s, what the host had not reclaimed by then was "
			     "warm\n", "cold", MEMORY_COLD_S);
	for (size_t i = 0; i < result->frame.reason_count; i++)
		fprintf(out, "%-12s %s\n", "not ok", result->frame.reasons[i].text);
}
