/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define LATE_NS (100 * UNITS_NS_PER_SEC / 1000) /* an open loop that is further behind is none */

int run_result_init(struct run_result *result, const struct run_plan *plan, struct frame *frame)
{
	size_t steps = plan->baselines.cell_count * plan->baselines.runs;

	memset(result, 0, sizeof(*result));
	result->plan = plan;
	result->frame = frame;
	result->repetitions = calloc(steps, sizeof(*result->repetitions));
	if (result->repetitions)
		return DIAG_EXIT_OK;
	diag_error(ENOMEM, "cannot start measuring");
	return DIAG_EXIT_HOST;
}

void run_result_free(struct run_result *result)
{
	for (size_t i = 0; i < result->repetition_count; i++)
		engine_result_free(&result->repetitions[i].engine);
	free(result->repetitions);
	result->repetitions = NULL;
}

struct run_repetition *run_result_last_mix(struct run_result *result)
{
	for (size_t i = result->repetition_count; i-- > 0;) {
		if (!result->repetitions[i].cell)
			return &result->repetitions[i];
	}
	return NULL;
}

struct counts *run_result_counts(const struct run_result *result, size_t cell, enum mix_stream stream)
{
	struct counts *total = counts_new(0);

	for (size_t i = 0; i < result->repetition_count && total; i++) {
		if (result->repetitions[i].cell == cell)
			counts_merge(total, result->repetitions[i].engine.streams[stream].counts);
	}
	return total;
}

void run_result_drop_records(struct run_result *result)
{
	const struct run_repetition *last = run_result_last_mix(result);

	for (size_t i = 0; i < result->repetition_count; i++) {
		struct engine_result *engine = &result->repetitions[i].engine;

		if (engine->device && &result->repetitions[i] != last) {
			sim_device_close(engine->device->device);
			engine->device->device = NULL;
		}
		for (size_t k = 0; k < engine->worker_count && &result->repetitions[i] != last; k++)
			ring_give_back(&engine->workers[k].ring);
	}
}

static void decide_stream(struct run_result *result, const struct run_repetition *repetition, enum mix_stream which)
{
	const struct engine_stream *stream = &repetition->engine.streams[which];
	const char *cell = result->plan->baselines.names[repetition->cell], *name = mix_stream_name(which);
	char value[64];

	if (!stream->is_run)
		return;
	if (!stream->counts->operations && !result->is_interrupted)
		frame_reason(result->frame, "no-samples", "%s: no write of the %s was measured", cell, name);
	if (stream->steady.verdict == LATENCY_NOT_STEADY) {
		snprintf(value, sizeof(value), "%s %s: range %.0f %%, slope %.0f %%", cell, name, stream->steady.range_percent,
			stream->steady.slope_percent);
		frame_check(result->frame, FRAME_NOT_STEADY, value, "run longer, or use the series",
			"throughput still changed at the end");
	}
}

static void decide_contention(struct run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	const struct counters *first = engine->samples, *last = engine->sample_count ? first + engine->sample_count - 1 : NULL;
	const char *cell = result->plan->baselines.names[repetition->cell];
	struct contention_machine machine;
	char text[256];

	if (engine->is_disturbed) {
		contention_text(&engine->contention, text, sizeof(text));
		frame_reason(result->frame, "contention", "%s: %s", cell, text);
	}
	if (engine->sample_count < 2 || !first->has_pressure || !last->has_pressure || last->time_ns <= first->time_ns)
		return;
	machine = (struct contention_machine){1e3 * (double)(last->cpu_some_us - first->cpu_some_us),
		1e3 * (double)(last->others_us - first->others_us), (double)(last->time_ns - first->time_ns)};
	if (contention_is_machine_busy(&machine, engine->worker_count)) {
		contention_machine_text(&machine, text, sizeof(text));
		frame_reason(result->frame, "busy-machine", "%s: %s", cell, text);
	}
}

static void decide_repetition(struct run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	const char *cell = result->plan->baselines.names[repetition->cell];

	if (engine->device && engine->device->broken)
		frame_reason(result->frame, "model", "%s: the model violates one of its laws: %s", cell, engine->device->broken);
	if (!engine->device)
		decide_contention(result, repetition);
	frame_decide_stops(result->frame, &engine->stops, cell);
	if (engine->error)
		frame_reason(result->frame, "io-error", "%s: the run ended early: %s", cell, strerror(-engine->error));
	for (int i = 0; i < MIX_STREAMS; i++)
		decide_stream(result, repetition, (enum mix_stream)i);
	for (size_t i = 0; i < engine->worker_count; i++) {
		if (engine->workers[i].late_ns > LATE_NS)
			frame_reason(result->frame, "late", "the target did not keep up with --rate: %.1f s behind at the end",
				(double)engine->workers[i].late_ns / (double)UNITS_NS_PER_SEC);
	}
}

bool run_result_has_failed(const struct run_result *result)
{
	for (size_t i = 0; i < result->repetition_count; i++) {
		if (result->repetitions[i].engine.error)
			return true;
	}
	for (int i = 0; i < MIX_STREAMS; i++) {
		if (result->changed[i][0])
			return true;
	}
	return result->prepare.failure.error || result->trial.error;
}

/* What cannot be read on a device that has failed, or of which nothing can be read, is not known to be lost. */
static bool is_lost(const struct run_result *result)
{
	const struct verify_result *verify = &result->verify;
	bool is_dead = run_result_has_failed(result) || !verify->blocks;

	return verify->total_lost && !(is_dead && verify->lost[VERIFY_UNREADABLE] == verify->total_lost);
}

/* Every number of the writes is right without them; of a split that was asked for a part is missing. */
static void decide_lost_events(struct run_result *result)
{
	uint64_t lost = result->split.counts.lost_events;
	char value[64];

	if (result->plan->options->trace == RUN_TRACE_ON) {
		frame_reason(result->frame, "lost-events", "%" PRIu64 " events of the kernel's trace were lost", lost);
		return;
	}
	snprintf(value, sizeof(value), "%" PRIu64 " events", lost);
	frame_check(result->frame, FRAME_LOST_EVENTS, value, "use fewer writes, or slower ones",
		"some kernel events were lost, and the split covers the other writes");
}

static void decide_changed(struct run_result *result)
{
	const char *log = result->changed[MIX_LOG], *checkpoint = result->changed[MIX_CHECKPOINT];

	if (!log[0] && !checkpoint[0])
		return;
	frame_reason(result->frame, "target-changed", "%s%s%s%s; end that process and run again", log,
		log[0] && checkpoint[0] ? "; and " : "", checkpoint[0] ? "of the checkpoint's target: " : "", checkpoint);
}

void run_result_decide(struct run_result *result)
{
	struct frame *frame = result->frame;

	frame->signature.is_interrupted = result->is_interrupted;
	for (size_t i = 0; i < result->repetition_count; i++)
		decide_repetition(result, &result->repetitions[i]);
	for (size_t i = 0; i < result->plan->baselines.cell_count; i++)
		frame_decide_durability(frame, &frame->durability, result->plan->baselines.names[i], &result->durability[i]);
	for (size_t i = 0; i < result->plan->baselines.cell_count; i++) {
		char where[64];

		snprintf(where, sizeof(where), "%s, checkpoint target", result->plan->baselines.names[i]);
		frame_decide_durability(frame, &result->checkpoint_layers, where, &result->checkpoint_durability[i]);
	}
	if (result->prepare.failure.error)
		frame_reason(frame, "io-error", "preparing ended early: %s", strerror(-result->prepare.failure.error));
	if (result->trial.error)
		frame_reason(frame, "io-error", "the trial before the run ended early: %s", strerror(-result->trial.error));
	decide_changed(result);
	if (!result->repetition_count && !result->is_interrupted)
		frame_reason(frame, "no-samples", "nothing was measured");
	if (result->is_unprepared)
		frame_reason(frame, "unprepared", "--no-prepare: writes may have been the first to their blocks, which cost more");
	if (result->split.counts.lost_events)
		decide_lost_events(result);
	if (result->has_verify && is_lost(result))
		frame_reason(frame, "lost-data", "%llu blocks do not hold what was acknowledged",
			(unsigned long long)result->verify.total_lost);
	else if (result->has_verify && result->verify.total_lost)
		frame_reason(frame, "not-verified", "not verified: the device has failed, and %llu blocks cannot be read",
			(unsigned long long)result->verify.total_lost);
	if (result->has_verify && !result->verify.is_complete)
		frame_reason(frame, "unknown-acknowledged", "part of the acknowledged writes is unknown");
}

int run_result_code(const struct run_result *result)
{
	if (result->has_verify && is_lost(result))
		return DIAG_EXIT_NEGATIVE;
	if (result->is_interrupted || run_result_has_failed(result))
		return DIAG_EXIT_UNTRUSTED;
	if (result->code)
		return result->code;
	return strcmp(frame_status(result->frame), "ok") ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}
