/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/execute.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "ssd-workloads/run/observe.h"
#include "ssd-workloads/run/rings.h"
#include "ssd-workloads/workload/header.h"

/* --- preparation --- */

/* Returns the run's header with the layout of one target. */
static struct header header_of(const struct execution *execution, size_t place)
{
	struct header header = execution->header;

	header.layout = execution->plan->places[place].layout;
	return header;
}

static int write_header(struct execution *execution)
{
	for (size_t i = 0; i < execution->plan->place_count; i++) {
		const struct target *target = &execution->places[i].target;
		struct header header = header_of(execution, i);
		int rc = execution->is_overwritten[i] ? 0 : header_write(target->fd, &header);

		if (!rc)
			continue;
		diag_error(rc, "cannot write to %s", target->path);
		return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

void execute_set_up(struct execution *execution, const struct ssd_run_plan *plan, struct place *places,
	struct ssd_run_result *result)
{
	const struct ssd_run_options *options = plan->options;

	execution->plan = plan;
	execution->places = places;
	execution->result = result;
	execution->header = (struct header){.run = plan->run, .layout = plan->layout,
		.durability = (enum header_durability)options->durability, .is_prepared = true, .is_random = options->is_random};
	for (size_t i = 0; i < plan->place_count; i++)
		execution->header.is_prepared = execution->header.is_prepared && places[i].is_prewritten;
	execution->setup = (struct engine_setup){
		.places = places,
		.place_count = plan->target_count,
		.layout = &plan->layout,
		.workload = &plan->workload,
		.durability = options->durability,
		.is_random = options->is_random,
		.pattern = options->has_pattern ? &plan->pattern : NULL,
		.is_buffered = options->is_buffered,
		.hint_bytes = options->is_buffered ? options->hint_bytes : 0,
		.has_pass_syncs = plan->has_pass_syncs,
		.group_commit = options->group_commit,
		.rate = options->rate,
		.is_sqpoll = options->is_sqpoll,
		.is_iopoll = options->is_iopoll,
		.warmup_ns = options->warmup_ns,
		.runtime_ns = options->runtime_ns,
		.interval_ns = options->interval_ns,
		.run = plan->run,
		.seed = options->seed,
		.position = &execution->position,
		.freeze = options->freeze,
		.post = options->post,
		.script = &options->script,
		.storage = &result->frame->storage,
		.second_storage = layout_stripes(&plan->layout) > 1 ? &result->second_storage : NULL,
		.marks = execution->marks,
		.device = options->device.preset ? &options->device.params : NULL,
		.has_device_records = options->record_ns,
		.policies = options->device.policy_count ? &options->device.policies : NULL,
		.stop = interrupt_flag(),
	};
}

int execute_rehearse(struct execution *execution)
{
	const struct ssd_run_options *options = execution->plan->options;
	struct engine_setup rehearsed = execution->setup;
	int code;

	snprintf(execution->header.uuid, sizeof(execution->header.uuid), "%s", execution->result->frame->signature.uuid);
	for (int i = 0; i < MIX_STREAMS && options->record_ns; i++)
		rehearsed.record_capacity[i] = rings_wanted_again(0, 0, 0);
	code = engine_rehearse(&rehearsed);
	if (!code && !execution->header.is_prepared && !options->is_unprepared)
		code = prepare_open(&execution->setup, &execution->memory);
	return code;
}

void execute_close(struct execution *execution)
{
	prepare_close(execution->memory);
}

static int prepare_places(struct execution *execution)
{
	struct ssd_run_result *result = execution->result;
	struct progress progress;
	int code;

	if (execution->header.is_prepared)
		return DIAG_EXIT_OK;
	result->is_unprepared = execution->plan->options->is_unprepared;
	if (result->is_unprepared)
		return DIAG_EXIT_OK;
	progress_init(&progress, false);
	code = prepare(&execution->setup, execution->memory, &progress, &result->prepare);
	/* The rings need this memory. */
	prepare_close(execution->memory);
	execution->memory = NULL;
	/* A partly prepared target is not kept. */
	for (size_t i = 0; i < execution->plan->place_count && (code || result->prepare.failure.error); i++)
		execution->places[i].is_kept = false;
	if (code)
		return code;
	result->is_prepared = true;
	if (result->prepare.failure.error)
		return DIAG_EXIT_OK;
	result->is_interrupted = !result->prepare.is_done;
	execution->header.is_prepared = result->prepare.is_done;
	return write_header(execution);
}

int execute_open_ack_log(const struct ssd_run_plan *plan, struct ack_log **ack_log)
{
	const struct layout_area *areas = plan->layout.areas;
	int rc;

	*ack_log = NULL;
	if (plan->options->device.preset || (plan->options->durability == BACKEND_NONE && !plan->options->has_verify))
		return DIAG_EXIT_OK;
	rc = ack_log_open(plan->run, areas[MIX_LOG].workers + areas[MIX_CHECKPOINT].workers, ack_log);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot make the acknowledgement log in /dev/shm");
	return DIAG_EXIT_HOST;
}

/* Sizes the rings by a short trial of the mix; no ring need hold more than a run. */
static int size_rings(struct execution *execution)
{
	const struct ssd_run_options *options = execution->plan->options;
	struct ssd_run_result *result = execution->result;
	struct engine_rate rates[MIX_STREAMS];
	int code;

	if (!options->record_ns || interrupt_signal())
		return DIAG_EXIT_OK;
	if (options->device.preset) {
		rings_of_device(execution->plan, execution->setup.record_capacity);
		return DIAG_EXIT_OK;
	}
	code = engine_trial(&execution->setup, rings_trial_ns(options), rates, &result->trial);
	if (result->trial.error)
		diag_error(result->trial.error, "%s: the trial before the run ended early", execution->places[0].target.path);
	if (code)
		return code;
	/* Each sync of a log write has a record as well. */
	if (options->durability == BACKEND_FDATASYNC) {
		rates[MIX_LOG].peak *= 2;
		rates[MIX_LOG].ceiling *= 2;
	}
	for (int i = 0; i < MIX_STREAMS; i++)
		execution->setup.record_capacity[i] = rings_wanted(&rates[i], execution->plan->workload.streams[i].workers,
			rings_held_ns(options));
	rings_shorten(execution->plan, rings_memory(""), execution->setup.record_capacity, &result->has_short_rings);
	return DIAG_EXIT_OK;
}

/* --- changes by other processes --- */

static int mark_all(const struct execution *execution, struct target_mark *marks)
{
	int rc = 0;

	for (size_t i = 0; i < execution->plan->place_count && !rc; i++)
		rc = target_mark(&execution->places[i].target, &marks[i]);
	return rc;
}

/* From here on a file must keep its size: that of the layout, or its earlier size if that was larger. */
static int mark_targets(struct execution *execution)
{
	int rc = mark_all(execution, execution->marks);

	for (size_t i = 0; i < execution->plan->place_count; i++) {
		uint64_t bytes = execution->plan->places[i].layout.bytes, size = execution->places[i].target.size_bytes;

		execution->marks[i].bytes = size > bytes ? size : bytes;
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot examine %s", execution->places[0].target.path);
	return DIAG_EXIT_HOST;
}

static void say_changed(struct execution *execution, size_t place, const char *how)
{
	struct ssd_run_result *result = execution->result;
	struct target *target = &execution->places[place].target;

	if (result->changed[place][0] || !how[0])
		return;
	snprintf(result->changed[place], sizeof(result->changed[place]), "%s", how);
	diag_error(0, "%s: %s; end that process and run again", target->path, how);
	/* The target may belong to another process now, so it is not removed. */
	target->is_created = false;
}

/* Called after all own writes. */
static void check_targets(struct execution *execution)
{
	for (size_t i = 0; i < execution->plan->place_count; i++) {
		const struct target *target = &execution->places[i].target;
		char how[TARGET_CHANGE];
		struct header found;
		int rc;

		if (execution->marks[i].bytes && target_is_changed(target, &execution->marks[i], false, how))
			say_changed(execution, i, how);
		rc = header_read(target->fd, &found);
		execution->is_overwritten[i] = rc == -EBADMSG || (!rc && found.run != execution->header.run);
		if (execution->is_overwritten[i])
			say_changed(execution, i, "another process overwrote the header of the target");
	}
}

/* --- repetitions --- */

/* The next repetition may be as fast; only the records of the mix's last one are used again. */
static void resize_rings(struct execution *execution)
{
	const struct ssd_run_plan *plan = execution->plan;
	struct ssd_run_result *result = execution->result;

	ssd_run_result_drop_records(result);
	if (!plan->options->record_ns || plan->options->device.preset ||
		result->repetition_count == plan->baselines.cell_count * plan->baselines.runs)
		return;
	if (rings_raise(&result->repetitions[result->repetition_count - 1].engine, rings_held_ns(plan->options),
		    execution->setup.record_capacity))
		rings_shorten(plan, rings_memory(""), execution->setup.record_capacity, &result->has_short_rings);
}

/* Returns the stream whose syncs are checked in this place: the log, or the checkpoint if the log is not durable or in another
 * target; -1 = none. */
static int synced_stream(const struct ssd_run_plan *plan, size_t place)
{
	if (plan->options->durability != BACKEND_NONE && place < layout_stripes(&plan->layout))
		return MIX_LOG;
	if (plan->has_pass_syncs && place == layout_target(&plan->layout, plan->place_count, MIX_CHECKPOINT))
		return MIX_CHECKPOINT;
	return -1;
}

/* Returns the number of the log's acknowledged syncs in this place: with fdatasync each write has one in each target, else only in
 * that of its block. Each worker's part consists of whole stripes. */
static uint64_t count_syncs(const struct execution *execution, size_t place)
{
	const struct ssd_run_plan *plan = execution->plan;
	unsigned stripes = layout_stripes(&plan->layout);
	uint64_t count = 0;

	for (unsigned i = 0; i < plan->workload.streams[MIX_LOG].workers; i++) {
		uint64_t acknowledged = execution->position.acknowledged[MIX_LOG][i];

		if (plan->options->durability == BACKEND_FDATASYNC)
			count += acknowledged;
		else
			count += (acknowledged + stripes - 1 - place) / stripes;
	}
	return count;
}

/* counts of syncs and flushes in a place before a step */
struct sync_counts {
	uint64_t syncs;
	struct durability_flushes flushes;
};

static void read_syncs(const struct execution *execution, struct sync_counts counts[LAYOUT_TARGETS])
{
	for (size_t i = 0; i < execution->plan->place_count; i++) {
		if (i < layout_stripes(&execution->plan->layout))
			counts[i].syncs = count_syncs(execution, i);
		durability_flushes("", ssd_run_result_layers(execution->result, i), &counts[i].flushes);
	}
}

static void add_examined(const struct execution *execution, const struct run_repetition *repetition, size_t place,
	struct durability_check *check)
{
	const struct engine_result *engine = &repetition->engine;
	int stream = synced_stream(execution->plan, place);
	size_t which = stream == MIX_LOG ? place : 0;

	for (size_t i = 0; i < engine->worker_count; i++) {
		if (engine->workers[i].stream != stream)
			continue;
		check->examined += engine->workers[i].examined[which];
		check->unflushed += engine->workers[i].unflushed[which];
	}
	check->layer = execution->flushes[place].layer;
}

static void open_flushes(struct execution *execution)
{
	const struct ssd_run_plan *plan = execution->plan;

	memset(execution->setup.flushes, 0, sizeof(execution->setup.flushes));
	for (size_t i = 0; i < plan->place_count; i++) {
		int stream = synced_stream(plan, i);
		struct durability_counter *counter = &execution->flushes[i];

		counter->fd = -1;
		if (stream < 0)
			continue;
		durability_counter_open("", ssd_run_result_layers(execution->result, i), counter);
		if (counter->fd >= 0)
			execution->setup.flushes[stream][stream == MIX_LOG ? i : 0] = counter;
	}
}

static void close_flushes(struct execution *execution)
{
	for (size_t i = 0; i < execution->plan->place_count; i++)
		durability_counter_close(&execution->flushes[i]);
}

static void check_durability(struct execution *execution, const struct run_repetition *repetition,
	const struct sync_counts before[LAYOUT_TARGETS])
{
	const struct ssd_run_plan *plan = execution->plan;
	const struct workload_stream *streams = execution->setup.workload->streams;
	struct sync_counts after[LAYOUT_TARGETS];

	read_syncs(execution, after);
	for (size_t i = 0; i < plan->place_count; i++) {
		struct durability_check *check = &execution->result->durability[i][repetition->cell];
		int stream = synced_stream(plan, i);

		durability_add(&before[i].flushes, &after[i].flushes, check);
		if (stream < 0)
			continue;
		add_examined(execution, repetition, i, check);
		if (stream == MIX_LOG) {
			check->syncs += after[i].syncs - before[i].syncs;
			check->outstanding = streams[MIX_LOG].depth;
			check->is_fua_possible = plan->options->durability == BACKEND_DSYNC;
		} else {
			check->syncs += repetition->engine.streams[MIX_CHECKPOINT].counts->latencies[COUNTS_SYNC].count;
			check->outstanding = streams[MIX_CHECKPOINT].workers;
		}
	}
}

/* Returns the most metadata that file systems write for syncs of the log and of checkpoint passes. */
static uint64_t count_metadata(const struct execution *execution, const struct run_repetition *repetition,
	const struct sync_counts before[LAYOUT_TARGETS])
{
	const struct ssd_run_plan *plan = execution->plan;
	size_t checkpoint = layout_target(&plan->layout, plan->place_count, MIX_CHECKPOINT);
	bool is_data_only = execution->header.is_prepared;
	uint64_t bytes = 0;

	for (size_t i = 0; i < layout_stripes(&plan->layout) && plan->options->durability != BACKEND_NONE; i++)
		bytes += (count_syncs(execution, i) - before[i].syncs) *
			 traffic_metadata(&execution->places[i].target, is_data_only);
	if (plan->has_pass_syncs)
		bytes += repetition->engine.streams[MIX_CHECKPOINT].counts->latencies[COUNTS_SYNC].count *
			 traffic_metadata(&execution->places[checkpoint].target, is_data_only);
	return bytes;
}

/* Writes back earlier dirty pages. The kernel reports a writeback error once per descriptor. */
static int flush_pages(const struct execution *execution)
{
	const struct ssd_run_plan *plan = execution->plan;
	const struct target *target = &execution->places[layout_target(&plan->layout, plan->place_count, MIX_CHECKPOINT)].target;
	int error;

	if (!execution->setup.is_buffered || !fdatasync(target->fd))
		return DIAG_EXIT_OK;
	error = errno;
	diag_error(error, "%s: cannot write back the checkpoint's dirty pages", target->path);
	frame_reason(execution->result->frame, "io-error", "writing back the checkpoint's dirty pages failed: %s",
		strerror(error));
	return DIAG_EXIT_HOST;
}

static int run_step(struct execution *execution, size_t step)
{
	const struct baseline_plan *baselines = &execution->plan->baselines;
	struct ssd_run_result *result = execution->result;
	struct run_repetition *repetition = &result->repetitions[result->repetition_count];
	struct sync_counts before[LAYOUT_TARGETS] = { 0 };
	uint64_t ready_ns;
	int code;

	repetition->cell = baseline_order(baselines, execution->plan->options->seed, step);
	repetition->run = (unsigned)(step / baselines->cell_count);
	execution->setup.workload = &baselines->cells[repetition->cell];
	if (execution->setup.device)
		execution->setup.device = repetition->cell ? &execution->plan->without : &execution->plan->options->device.params;
	execution->setup.seed = execution->plan->options->seed + repetition->run;
	code = flush_pages(execution);
	if (!code && !step && frame_wait(result->frame, &execution->plan->options->start, interrupt_fd(), -1)) {
		result->is_interrupted = true;
		return DIAG_EXIT_OK;
	}
	ready_ns = report_monotonic_ns();
	if (!code)
		code = observation_start(execution->observation);
	if (code)
		return code;
	open_flushes(execution);
	read_syncs(execution, before);
	if (!execution->setup.device)
		frame_window_begin(result->frame);
	code = engine_run(&execution->setup, &repetition->engine);
	close_flushes(execution);
	if (code) {
		observation_abandon(execution->observation);
		return code;
	}
	/* A simulated device has a clock of its own. */
	if (!step && result->frame->signature.start.at_ns && !execution->setup.device) {
		const uint64_t began_ns = repetition->engine.begin_ns - execution->setup.warmup_ns;

		result->frame->signature.start.late_ns += (int64_t)(began_ns - ready_ns);
		frame_check_start(result->frame);
	}
	result->repetition_count++;
	if (!execution->setup.device)
		frame_window_end(result->frame, execution->plan->baselines.names[repetition->cell],
			count_metadata(execution, repetition, before));
	check_durability(execution, repetition, before);
	observation_stop(execution->observation);
	result->is_interrupted = repetition->engine.is_interrupted;
	for (size_t i = 0; i < execution->plan->place_count; i++)
		say_changed(execution, i, repetition->engine.changed[i]);
	if (repetition->engine.error)
		diag_error(repetition->engine.error, "%s: the run ended early", execution->places[0].target.path);
	resize_rings(execution);
	return DIAG_EXIT_OK;
}

/* --- results --- */

static int compare(struct execution *execution)
{
	static const double percents[] = {[BASELINE_P50] = 50, [BASELINE_P99] = 99, [BASELINE_P999] = 99.9};
	static const enum counts_latency latencies[] = {COUNTS_RESPONSE, COUNTS_COMMIT};
	const struct baseline_plan *plan = &execution->plan->baselines;
	struct ssd_run_result *result = execution->result;
	struct baseline_sample(*samples)[MIX_STREAMS];
	size_t count = plan->cell_count * plan->runs;
	int rc;

	if (plan->cell_count != BASELINE_CELLS)
		return DIAG_EXIT_OK;
	samples = malloc(count * sizeof(*samples));
	for (size_t i = 0; i < count * MIX_STREAMS * BASELINE_STATISTICS && samples; i++)
		((double *)samples)[i] = NAN;
	for (size_t i = 0; i < result->repetition_count * MIX_STREAMS && samples; i++) {
		const struct run_repetition *repetition = &result->repetitions[i / MIX_STREAMS];
		const struct engine_stream *stream = &repetition->engine.streams[i % MIX_STREAMS];
		double *values = samples[repetition->cell * plan->runs + repetition->run][i % MIX_STREAMS].values;

		for (int k = 0; k < 2; k++) {
			const struct latency *latency = &stream->counts->latencies[latencies[k]];
			double *ns = values + k * BASELINE_COMMIT;

			if (!latency->count)
				continue;
			ns[BASELINE_MEAN] = latency->sum_ns / (double)latency->count;
			for (int p = BASELINE_P50; p <= BASELINE_P999; p++)
				ns[p] = latency_percentile(latency, percents[p]);
		}
		if (stream->is_run && stream->seconds > 0)
			values[BASELINE_THROUGHPUT] = (double)stream->counts->operations / stream->seconds;
	}
	rc = samples ? baseline_compare(plan, (const struct baseline_sample(*)[MIX_STREAMS])samples,
			       execution->plan->options->seed, &result->baselines)
		     : -ENOMEM;
	free(samples);
	if (rc) {
		diag_error(rc, "cannot compare the repetitions");
		frame_reason(result->frame, "incomplete", "the repetitions could not be compared");
		return DIAG_EXIT_HOST;
	}
	result->has_baselines = true;
	return DIAG_EXIT_OK;
}

/* Verifies before the header ends the run: the acknowledgement log also has writes that were acknowledged after a failed one. */
static int check_data(struct execution *execution)
{
	struct ssd_run_result *result = execution->result;
	size_t count = execution->plan->place_count;
	struct target_mark marks[LAYOUT_TARGETS];
	char how[TARGET_CHANGE];
	int rc;

	if (!execution->plan->options->has_verify)
		return DIAG_EXIT_OK;
	if (result->prepare.failure.error) {
		frame_reason(result->frame, "not-verified", "not verified: nothing was acknowledged");
		return DIAG_EXIT_OK;
	}
	rc = result->is_interrupted ? -EINTR : mark_all(execution, marks);
	for (size_t i = 0; i < count && !rc; i++) {
		const struct place *place = &execution->places[i];
		const struct header header = header_of(execution, i);
		struct verify_result part;

		rc = verify_target(place->direct_fd, place->memory_align, &header, execution->ack_log, interrupt_flag(), &part);
		if (!rc && i)
			verify_add(&part, &result->verify);
		else if (!rc)
			result->verify = part;
	}
	result->has_verify = !rc;
	for (size_t i = 0; i < count && !rc; i++) {
		if (target_is_changed(&execution->places[i].target, &marks[i], true, how))
			say_changed(execution, i, how);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	if (rc == -EINTR) {
		result->is_interrupted = true;
		frame_reason(result->frame, "not-verified", "not verified: interrupted");
		return DIAG_EXIT_OK;
	}
	frame_reason(result->frame, "not-verified", "not verified: %s", strerror(-rc));
	diag_error(rc, "cannot read %s back", execution->places[0].target.path);
	return DIAG_EXIT_HOST;
}

static void note(struct ssd_run_result *result, int code)
{
	result->code = code > result->code ? code : result->code;
}

/* Writes the acknowledged sequences into the headers of all targets. */
static int end_header(struct execution *execution)
{
	struct header *header = &execution->header;
	int code;

	_Static_assert(sizeof(header->acknowledged) == sizeof(execution->position.acknowledged), "of each worker");
	memcpy(header->acknowledged, execution->position.acknowledged, sizeof(header->acknowledged));
	header->is_ended = true;
	code = write_header(execution);
	execution->is_final = !code;
	for (size_t i = 0; i < execution->plan->place_count; i++)
		execution->is_final = execution->is_final && !execution->is_overwritten[i];
	return code;
}

/* Removes the acknowledgement log of a killed run whose data this run overwrites. If that run had several targets, only the streams
 * in this one are removed: another target may still be verified. */
static void drop_left(const struct place *place)
{
	const struct layout_area *log = &place->left_layout.areas[MIX_LOG], *checkpoint = &place->left_layout.areas[MIX_CHECKPOINT];
	unsigned workers = log->workers + checkpoint->workers;

	if (!place->left_run)
		return;
	if (!log->bytes && log->workers)
		ack_log_remove_part(place->left_run, workers, log->workers, checkpoint->workers);
	else if (!checkpoint->bytes && checkpoint->workers)
		ack_log_remove_part(place->left_run, workers, 0, log->workers);
	else
		ack_log_remove(place->left_run);
}

static int begin(struct execution *execution, struct undo *undo)
{
	const struct ssd_run_plan *plan = execution->plan;
	const struct ssd_run_result *result = execution->result;
	int code = write_header(execution);

	for (size_t i = 0; i < plan->place_count && !code; i++)
		drop_left(&execution->places[i]);
	if (!code)
		code = prepare_places(execution);
	if (!code && !result->is_interrupted && !result->prepare.failure.error) {
		bool has_name = false;

		code = mark_targets(execution);
		/* The acknowledgement log exists before the first write, also of the trial: if the run is killed, it states all
		 * that was acknowledged. */
		if (!code)
			code = execute_open_ack_log(plan, &execution->ack_log);
		execution->setup.ack_log = execution->ack_log;
		/* A target without a name cannot be verified after the run. */
		for (size_t i = 0; i < plan->place_count; i++)
			has_name = has_name || execution->places[i].target.kind != TARGET_NAMELESS;
		if (execution->ack_log && !has_name)
			ack_log_hide(execution->ack_log);
		if (!code)
			code = size_rings(execution);
	}
	if (!code)
		code = observation_open(plan, &execution->places[0], undo, &execution->observation);
	return code;
}

int execute(struct execution *execution, struct undo *undo)
{
	const struct baseline_plan *baselines = &execution->plan->baselines;
	struct ssd_run_result *result = execution->result;
	size_t steps = baselines->cell_count * baselines->runs;
	bool is_any_kept = false, has_begun;
	int code = begin(execution, undo);

	has_begun = !code;
	for (size_t step = 0; step < steps && !code && !result->is_interrupted && !ssd_run_result_has_failed(result); step++)
		code = run_step(execution, step);
	if (has_begun && code)
		frame_reason(result->frame, "incomplete", "only %zu of %zu repetitions could be made", result->repetition_count,
			steps);
	if (!code || result->repetition_count) {
		/* From here on there is a result, whatever fails. */
		note(result, code);
		note(result, compare(execution));
		check_targets(execution);
		note(result, check_data(execution));
		note(result, end_header(execution));
		note(result, observation_take(execution->observation, result));
		if (!execution->is_final)
			frame_reason(result->frame, "header-not-written", "the header of %s lacks the acknowledged writes",
				execution->places[0].target.path);
		code = DIAG_EXIT_OK;
	} else if (execution->ack_log) {
		check_targets(execution);
		(void)end_header(execution);
	}
	observation_close(execution->observation);
	for (size_t i = 0; i < execution->plan->place_count; i++) {
		const struct place *place = &execution->places[i];

		is_any_kept = is_any_kept || (!execution->is_overwritten[i] &&
			(place->is_kept || (!place->target.is_created && place->target.kind != TARGET_NAMELESS)));
	}
	/* If a header could not be written, `verify` and the next run use the acknowledgement log. */
	ack_log_close(execution->ack_log, execution->is_final || !is_any_kept);
	return code;
}
