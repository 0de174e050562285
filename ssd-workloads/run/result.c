/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/result.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"

#define LATE_PART 0.1 /* of --ckpt-every: with a larger mean delay the interval is a different one */
#define LATE_NS (100 * UNITS_NS_PER_SEC / 1000) /* an open loop with a larger lag is none */

int ssd_run_result_init(struct ssd_run_result *result, const struct ssd_run_plan *plan, struct frame *frame)
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

void ssd_run_result_free(struct ssd_run_result *result)
{
	for (size_t i = 0; i < result->repetition_count; i++)
		engine_result_free(&result->repetitions[i].engine);
	free(result->repetitions);
	result->repetitions = NULL;
}

struct run_repetition *ssd_run_result_last_mix(struct ssd_run_result *result)
{
	for (size_t i = result->repetition_count; i-- > 0;) {
		if (!result->repetitions[i].cell)
			return &result->repetitions[i];
	}
	return NULL;
}

struct counts *ssd_run_result_counts(const struct ssd_run_result *result, size_t cell, enum mix_stream stream)
{
	struct counts *total = counts_new(0);

	for (size_t i = 0; i < result->repetition_count && total; i++) {
		if (result->repetitions[i].cell == cell)
			counts_merge(total, result->repetitions[i].engine.streams[stream].counts);
	}
	return total;
}

const struct durability *ssd_run_result_layers(const struct ssd_run_result *result, size_t place)
{
	return place ? &result->layers[place] : &result->frame->durability;
}

void ssd_run_result_drop_records(struct ssd_run_result *result)
{
	const struct run_repetition *last = ssd_run_result_last_mix(result);

	for (size_t i = 0; i < result->repetition_count; i++) {
		struct engine_result *engine = &result->repetitions[i].engine;

		for (size_t k = 0; k < engine->device_count && &result->repetitions[i] != last; k++) {
			sim_device_close(engine->device[k].device);
			engine->device[k].device = NULL;
		}
		for (size_t k = 0; k < engine->worker_count && &result->repetitions[i] != last; k++)
			ring_give_back(&engine->workers[k].ring);
	}
}

static void decide_contention(struct ssd_run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	const struct counters *first = engine->samples, *last = engine->sample_count ? first + engine->sample_count - 1 : NULL;
	const char *cell = result->plan->baselines.names[repetition->cell];
	struct contention_machine machine;
	char text[256];

	if (engine->is_disturbed)
		frame_decide_contention(result->frame, &engine->contention, cell);
	if (engine->sample_count < 2 || !first->has_pressure || !last->has_pressure || last->time_ns <= first->time_ns)
		return;
	machine = (struct contention_machine){1e3 * (double)(last->cpu_some_us - first->cpu_some_us),
		1e3 * (double)(last->others_us - first->others_us), (double)(last->time_ns - first->time_ns)};
	if (contention_is_machine_busy(&machine, engine->worker_count)) {
		contention_machine_text(&machine, text, sizeof(text));
		frame_reason(result->frame, "busy-machine", "%s: %s", cell, text);
	}
}

void ssd_run_result_name_place(const struct ssd_run_result *result, size_t cell, size_t place, char text[RUN_PLACE_NAME])
{
	snprintf(text, RUN_PLACE_NAME, "%s%s%s", result->plan->baselines.names[cell], place ? ", " : "",
		place ? result->plan->places[place].title : "");
}

/* Without preconditioning (known on simulated devices) results depend on the time of the measurement. */
static void decide_preconditioning(struct frame *frame, const struct engine_device *device, const char *cell)
{
	char value[96];
	int used = snprintf(value, sizeof(value), "%s:", cell), empty = used;

	for (int i = 0; i < MIX_STREAMS; i++) {
		if (device->has_few_passes[i])
			used += snprintf(value + used, sizeof(value) - (size_t)used, "%s %.2f passes of the %s",
				used == empty ? "" : ",", device->passes[i], mix_stream_name((enum mix_stream)i));
	}
	if (used == empty && device->written >= 1)
		return;
	if (used == empty)
		snprintf(value + used, sizeof(value) - (size_t)used, " %.2f capacities", device->written);
	frame_check(frame, FRAME_NOT_STEADY, value,
		"use --sim precondition=mix with fill=2; where 32 capacities are too few for it, reduce the area",
		"each stream's area was not written twice, or the device's capacity once, before the measurement");
}

/* Checkpoints that take longer than their interval are fewer than requested. */
static void decide_checkpoints(struct ssd_run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	const struct latency *late = &engine->streams[MIX_CHECKPOINT].counts->latencies[COUNTS_LATE];
	uint64_t every_ns = result->plan->workload.streams[MIX_CHECKPOINT].every_ns, count = late->count;
	double sum_ns = late->sum_ns, most_ns = count ? (double)late->max_ns : 0;
	char mean[UNITS_TEXT], most[UNITS_TEXT], every[UNITS_TEXT];

	/* Each worker's next checkpoint is late by at least this; values below the mean would change nothing. */
	for (size_t i = 0; i < engine->worker_count; i++) {
		const struct engine_worker *worker = &engine->workers[i];

		if (worker->stream != MIX_CHECKPOINT || (double)worker->late_ns * (double)count <= sum_ns)
			continue;
		sum_ns += (double)worker->late_ns;
		most_ns = fmax(most_ns, (double)worker->late_ns);
		count++;
	}
	if (!every_ns || !count || sum_ns / (double)count <= LATE_PART * (double)every_ns)
		return;
	frame_reason(result->frame, "checkpoint-late",
		"%s: checkpoints were late by %s on average and %s at most, and not every %s: they take longer; use a longer "
		"--ckpt-every or a smaller --ckpt-size", result->plan->baselines.names[repetition->cell],
		units_format_duration(sum_ns / (double)count, mean, sizeof(mean)),
		units_format_duration(most_ns, most, sizeof(most)),
		units_format_duration((double)every_ns, every, sizeof(every)));
}

static void decide_repetition(struct ssd_run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	const char *cell = result->plan->baselines.names[repetition->cell];
	struct frame *frame = result->frame;
	char value[64];

	for (size_t i = 0; i < engine->device_count; i++) {
		char name[RUN_PLACE_NAME];

		ssd_run_result_name_place(result, repetition->cell, i, name);
		if (engine->device[i].broken)
			frame_reason(frame, "model", "%s: the model violates one of its laws: %s", name, engine->device[i].broken);
		if (engine->device[i].is_used)
			decide_preconditioning(frame, &engine->device[i], name);
	}
	if (!engine->device)
		decide_contention(result, repetition);
	frame_decide_stops(frame, &engine->stops, cell);
	if (engine->error)
		frame_reason(frame, "io-error", "%s: the run ended early: %s", cell, strerror(-engine->error));
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct engine_stream *stream = &engine->streams[i];
		const char *name = mix_stream_name((enum mix_stream)i);

		if (!stream->is_run)
			continue;
		if (!stream->counts->operations && !result->is_interrupted)
			frame_reason(frame, "no-samples", "%s: no write of the %s was measured", cell, name);
		if (stream->steady.verdict != LATENCY_NOT_STEADY)
			continue;
		snprintf(value, sizeof(value), "%s %s: range %.0f %%, slope %.0f %%", cell, name, stream->steady.range_percent,
			stream->steady.slope_percent);
		frame_check(frame, FRAME_NOT_STEADY, value, "run longer, or use the series", "throughput still changed at the end");
	}
	if (engine->streams[MIX_CHECKPOINT].is_run)
		decide_checkpoints(result, repetition);
	for (size_t i = 0; i < engine->worker_count; i++) {
		if (engine->workers[i].stream == MIX_LOG && engine->workers[i].late_ns > LATE_NS)
			frame_reason(frame, "late", "the target did not keep up with --rate: %.1f s behind at the end",
				(double)engine->workers[i].late_ns / (double)UNITS_NS_PER_SEC);
	}
}

bool ssd_run_result_has_failed(const struct ssd_run_result *result)
{
	for (size_t i = 0; i < result->repetition_count; i++) {
		if (result->repetitions[i].engine.error)
			return true;
	}
	for (size_t i = 0; i < LAYOUT_TARGETS; i++) {
		if (result->changed[i][0])
			return true;
	}
	return result->prepare.failure.error || result->trial.error;
}

/* Unreadable blocks do not count as lost if the device has failed or no block can be read. */
static bool is_lost(const struct ssd_run_result *result)
{
	const struct verify_result *verify = &result->verify;
	bool is_dead = ssd_run_result_has_failed(result) || !verify->blocks;

	return verify->total_lost && !(is_dead && verify->lost[VERIFY_UNREADABLE] == verify->total_lost);
}

/* Returns why the syncs in this latency may not have been durable; NULL = they were, or it contains none. */
static const char *doubt_of(const struct ssd_run_result *result, enum run_slo_of of)
{
	const struct ssd_run_plan *plan = result->plan;
	size_t first = of == RUN_SLO_SYNC ? layout_target(&plan->layout, plan->place_count, MIX_CHECKPOINT) : 0;
	size_t count = of == RUN_SLO_SYNC ? 1 : layout_stripes(&plan->layout);
	const char *doubt = NULL;

	if (of == RUN_SLO_CHECKPOINT || (of == RUN_SLO_LOG && plan->options->durability != BACKEND_DSYNC))
		return NULL;
	for (size_t i = first; i < first + count && !doubt; i++)
		doubt = frame_durability_doubt(result->frame, ssd_run_result_layers(result, i), &result->durability[i][0]);
	return doubt;
}

struct counts *ssd_run_result_slo_counts(const struct ssd_run_result *result, const struct slo *slo, const struct latency **latency)
{
	static const struct { enum mix_stream stream; enum counts_latency latency; } sources[] = {
		[RUN_SLO_LOG] = {MIX_LOG, COUNTS_RESPONSE}, [RUN_SLO_CHECKPOINT] = {MIX_CHECKPOINT, COUNTS_RESPONSE},
		[RUN_SLO_COMMIT] = {MIX_LOG, COUNTS_COMMIT}, [RUN_SLO_SYNC] = {MIX_CHECKPOINT, COUNTS_SYNC},
	};
	struct counts *counts = ssd_run_result_counts(result, 0, sources[slo->of].stream);

	*latency = counts ? &counts->latencies[sources[slo->of].latency] : NULL;
	return counts;
}

static void decide_objectives(struct ssd_run_result *result)
{
	const struct ssd_run_options *options = result->plan->options;

	result->missed = 0;
	for (size_t i = 0; i < options->slo_count; i++) {
		const struct slo *slo = &options->slos[i];
		const struct latency *latency;
		struct counts *counts = ssd_run_result_slo_counts(result, slo, &latency);
		const char *doubt = counts ? doubt_of(result, (enum run_slo_of)slo->of) : "no memory";

		/* For example, no checkpoint was finished. */
		if (latency && !latency->count)
			doubt = "nothing was measured";
		if (latency)
			slo_decide(slo, latency, doubt, &result->objectives[i]);
		else
			result->objectives[i] = (struct objective_values){.text = slo->text, .limit_ns = slo->limit_ns,
				.reached_ns = NAN, .undecided = doubt};
		if (doubt)
			frame_reason(result->frame, "objective-undecided", "%s is undecided: %s", slo->text, doubt);
		result->missed += !doubt && !result->objectives[i].is_met;
		counts_free(counts);
	}
}

/* A reason is kept only once, so it names all targets. */
static void decide_changed(const struct ssd_run_result *result)
{
	char text[LAYOUT_TARGETS * (TARGET_CHANGE + 32)] = "";
	size_t used = 0;

	for (size_t i = 0; i < LAYOUT_TARGETS; i++) {
		if (!result->changed[i][0])
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s%s%s", used ? "; and " : "",
			i ? result->plan->places[i].title : "", i ? ": " : "", result->changed[i]);
	}
	if (used)
		frame_reason(result->frame, "target-changed", "%s; end that process and run again", text);
}

void ssd_run_result_decide(struct ssd_run_result *result)
{
	struct frame *frame = result->frame;
	const struct baseline_plan *baselines = &result->plan->baselines;
	const struct verify_result *verify = &result->verify;
	uint64_t lost_events = result->split.counts.lost_events;
	char text[RUN_PLACE_NAME];

	frame->signature.is_interrupted = result->is_interrupted;
	for (size_t i = 0; i < result->repetition_count; i++)
		decide_repetition(result, &result->repetitions[i]);
	if (!result->plan->options->device.preset)
		frame_decide_limits(frame);
	for (size_t i = 0; i < result->plan->place_count * baselines->cell_count; i++) {
		size_t place = i / baselines->cell_count, cell = i % baselines->cell_count;

		ssd_run_result_name_place(result, cell, place, text);
		frame_decide_durability(frame, ssd_run_result_layers(result, place), text, &result->durability[place][cell]);
	}
	decide_objectives(result);
	if (result->prepare.failure.error)
		frame_reason(frame, "io-error", "preparing ended early: %s", strerror(-result->prepare.failure.error));
	if (result->trial.error)
		frame_reason(frame, "io-error", "the trial before the run ended early: %s", strerror(-result->trial.error));
	decide_changed(result);
	if (!result->repetition_count && !result->is_interrupted)
		frame_reason(frame, "no-samples", "nothing was measured");
	if (result->is_unprepared)
		frame_reason(frame, "unprepared", "--no-prepare: writes may have been the first to their blocks, which cost more");
	/* Without these events all other numbers are still right, but a required split (--trace=on) is incomplete. */
	if (lost_events && result->plan->options->trace == RUN_TRACE_ON) {
		frame_reason(frame, "lost-events", "%" PRIu64 " events of the kernel's trace were lost", lost_events);
	} else if (lost_events) {
		snprintf(text, sizeof(text), "%" PRIu64 " events", lost_events);
		frame_check(frame, FRAME_LOST_EVENTS, text, "use fewer writes, or slower ones",
			"some kernel events were lost, and the split covers the other writes");
	}
	if (result->has_verify && is_lost(result))
		frame_reason(frame, "lost-data", "%" PRIu64 " blocks do not hold what was acknowledged", verify->total_lost);
	else if (result->has_verify && verify->total_lost)
		frame_reason(frame, "not-verified", "not verified: the device has failed, and %" PRIu64 " blocks cannot be read",
			verify->total_lost);
	if (result->has_verify && !verify->is_complete)
		frame_reason(frame, "unknown-acknowledged", "part of the acknowledged writes is unknown");
}

int ssd_run_result_code(const struct ssd_run_result *result)
{
	if (result->has_verify && is_lost(result))
		return DIAG_EXIT_NEGATIVE;
	if (result->is_interrupted || ssd_run_result_has_failed(result))
		return DIAG_EXIT_UNTRUSTED;
	if (result->code)
		return result->code;
	if (strcmp(frame_status(result->frame), "ok"))
		return DIAG_EXIT_UNTRUSTED;
	return result->missed ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}
