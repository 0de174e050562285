/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/observe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "ssd-workloads/analyze/device_figures.h"
#include "ssd-workloads/record/dump.h"
#include "ssd-workloads/trace/trace.h"

struct observation {
	const struct run_plan *plan;
	struct trace *trace;             /* NULL = none */
	const char *why_not;
	size_t step;                     /* that is begun next */
	struct split_event *events;      /* of the mix's last repetition */
	size_t event_count;
	uint64_t lost;
	struct split *splits[DUMP_SEGMENTS]; /* of its workers */
};

/* --- the trace --- */

static int open_trace(const struct run_plan *plan, const struct place *place, struct undo *undo, struct observation *observation)
{
	const struct target *target = &place->target;

	if (plan->options->device.preset) {
		observation->why_not = "the device is simulated";
		return 0;
	}
	if (plan->options->trace == RUN_TRACE_OFF) {
		observation->why_not = "--trace=off";
		return 0;
	}
	if (plan->options->is_buffered) {
		observation->why_not = "the kernel writes pages back later than the writes (--ckpt-io=buffered)";
		return -EOPNOTSUPP;
	}
	if (plan->place_count > 1) {
		observation->why_not = "kernel events cover one target, and there are two (--ckpt-target)";
		return -EOPNOTSUPP;
	}
	if (!plan->options->record_ns) {
		observation->why_not = "without records (--records=0) there is nothing to join the kernel's events with";
		return -EINVAL;
	}
	if (!undo) {
		if (!trace_check(target, &observation->why_not))
			observation->why_not = "the journal of changes to restore could not be made";
		return -EPERM;
	}
	return trace_open(undo, target, plan->layout.bytes, &observation->trace, &observation->why_not);
}

int observation_open(const struct run_plan *plan, const struct place *place, struct undo *undo,
	struct observation **opened)
{
	struct observation *observation = calloc(1, sizeof(*observation));
	int rc;

	if (!observation) {
		diag_error(ENOMEM, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	observation->plan = plan;
	rc = open_trace(plan, place, undo, observation);
	if (rc && plan->options->trace == RUN_TRACE_ON) {
		diag_error(rc, "--trace=on: %s", observation->why_not);
		observation_close(observation);
		return DIAG_EXIT_HOST;
	}
	*opened = observation;
	return DIAG_EXIT_OK;
}

int observation_start(struct observation *observation)
{
	if (!observation->trace || !trace_start(observation->trace))
		return DIAG_EXIT_OK;
	return DIAG_EXIT_HOST;
}

static bool is_of_mix(const struct observation *observation)
{
	return !baseline_order(&observation->plan->baselines, observation->plan->options->seed, observation->step);
}

/* The trace continues with the next run; what it has is copied. */
static int keep_events(struct observation *observation)
{
	const struct split_event *events;
	size_t count;
	int rc = trace_events(observation->trace, &events, &count, &observation->lost);

	if (rc)
		return rc;
	free(observation->events);
	observation->event_count = 0;
	observation->events = reallocarray(NULL, count ? count : 1, sizeof(*events));
	if (!observation->events)
		return -ENOMEM;
	memcpy(observation->events, events, count * sizeof(*events));
	observation->event_count = count;
	return 0;
}

void observation_stop(struct observation *observation)
{
	int rc = 0;

	if (observation->trace) {
		rc = trace_stop(observation->trace);
		if (!rc && is_of_mix(observation))
			rc = keep_events(observation);
	}
	if (rc) {
		trace_close(observation->trace);
		observation->trace = NULL;
		observation->why_not = "the kernel's trace could not be read";
	}
	observation->step++;
}

void observation_abandon(struct observation *observation)
{
	if (observation->trace)
		(void)trace_stop(observation->trace);
}

/* --- what came of it --- */

static int join_worker(struct observation *observation, struct engine_worker *worker, struct split **splits,
	struct split_counts *counts)
{
	const struct split_extent *extents;
	const struct record *records = ring_sort(&worker->ring);
	size_t extent_count, count = (size_t)ring_count(&worker->ring);

	if (!count)
		return 0;
	*splits = reallocarray(NULL, count, sizeof(**splits));
	if (!*splits)
		return -ENOMEM;
	trace_extents(observation->trace, &extents, &extent_count);
	return split_join(observation->events, observation->event_count, extents, extent_count, records, count, *splits, counts);
}

static int join(struct observation *observation, struct run_repetition *repetition, struct run_result *result)
{
	struct split_sums sums[MIX_STREAMS] = {{0}};
	int rc = 0;

	for (size_t i = 0; i < repetition->engine.worker_count && i < DUMP_SEGMENTS && !rc; i++) {
		struct engine_worker *worker = &repetition->engine.workers[i];

		rc = join_worker(observation, worker, &observation->splits[i], &result->split.counts);
		if (!rc && observation->splits[i])
			split_sum(ring_sort(&worker->ring), observation->splits[i], (size_t)ring_count(&worker->ring),
				&sums[worker->stream]);
	}
	for (int which = 0; which < MIX_STREAMS; which++) {
		for (int part = 0; part < SPLIT_PARTS; part++)
			result->split.mean_ns[which][part] = sums[which].ns[part] / (double)sums[which].count;
	}
	result->split.counts.lost_events = observation->lost;
	return rc;
}

/* Of all writes of the mix: what lies before its submitting, and all the rest. */
static void split_in_two(struct run_result *result, enum mix_stream which)
{
	double response = 0, service = 0, count = 0;

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct counts *counts = result->repetitions[i].engine.streams[which].counts;

		if (result->repetitions[i].cell)
			continue;
		response += counts->latencies[COUNTS_RESPONSE].sum_ns;
		service += counts->latencies[COUNTS_SERVICE].sum_ns;
		count += (double)counts->latencies[COUNTS_RESPONSE].count;
	}
	result->split.mean_ns[which][SPLIT_QUEUE] = count > 0 ? (response - service) / count : NAN;
	result->split.mean_ns[which][SPLIT_DEVICE] = count > 0 ? service / count : NAN;
}

static void fill_dump(const struct observation *observation, struct run_repetition *repetition,
	const struct run_result *result, struct sim_section *section, struct dump *dump)
{
	const struct run_options *options = observation->plan->options;
	const struct engine_result *engine = &repetition->engine;
	struct dump_header *head = &dump->head;

	dump_describe(dump, &observation->plan->workload, &observation->plan->layout);
	/* The same options and seed give the same bytes. */
	if (!engine->device)
		snprintf(head->uuid, sizeof(head->uuid), "%s", result->frame->signature.uuid);
	snprintf(head->backend, sizeof(head->backend), "%s", result->backend.ops->name);
	snprintf(head->freeze, sizeof(head->freeze), "%s", engine->control.freeze.text);
	head->begin_ns = engine->begin_ns;
	head->end_ns = engine->end_ns;
	head->seed = options->seed + (engine->device ? repetition->run : 0);
	if (engine->device && engine->device->device && sim_device_cache(engine->device->device)->units) {
		sim_device_section(engine->device->device, section);
		dump->section = section;
		dump->units = sim_device_cache(engine->device->device)->units;
	}
	head->post = engine->control.post;
	head->fired_ns = engine->control.fired_ns;
	head->fired_stream = engine->control.fired_stream;
	head->fired_worker = engine->control.fired_worker;
	head->fired_sequence = engine->control.fired_sequence;
	for (size_t i = 0; i < engine->worker_count && i < DUMP_SEGMENTS; i++) {
		struct engine_worker *worker = &engine->workers[i];

		dump->segments[head->segment_count++] = (struct dump_segment){
			.part = {.stream = worker->stream, .worker = worker->worker, .count = ring_count(&worker->ring),
				.emitted = worker->ring.emitted, .overwritten = ring_overwritten(&worker->ring),
				.dropped = worker->ring.dropped, .first_due_ns = worker->first_due_ns,
				.first_due_sequence = worker->first_sequence, .period_num = worker->period_num,
				.period_den = worker->period_den},
			.records = ring_sort(&worker->ring), .splits = observation->splits[i]};
	}
}

/* The time of a mean write that the records give to the cause. 0 or -errno; -ENODATA: they do not say. */
static int find_attributed(const struct device_table *table, enum mix_stream stream, enum run_without cause,
	struct run_counterfactual *found)
{
	struct device_matrix matrix;
	uint64_t sum_ns = 0;
	int rc = table->is_sampled ? -ENODATA : device_matrix_make(table, stream, &matrix);

	if (rc)
		return rc;
	for (int part = 0; part < ATTRIBUTION_KINDS_COUNT * ATTRIBUTION_ORIGINS; part++) {
		int kind = part / ATTRIBUTION_ORIGINS, origin = part % ATTRIBUTION_ORIGINS;
		bool is_gc = kind == ATTRIBUTION_GC_READ || kind == ATTRIBUTION_GC_COPY || kind == ATTRIBUTION_ERASE;
		bool is_erase = kind == ATTRIBUTION_ERASE, is_other = origin == ATTRIBUTION_OTHER;

		if (cause == RUN_WITHOUT_OTHER ? is_other : cause == RUN_WITHOUT_GC ? is_gc : is_erase)
			sum_ns += matrix.all.ns[kind][origin];
	}
	found->attributed_ns = (double)sum_ns / (double)matrix.writes;
	found->attributed_writes = matrix.writes;
	return matrix.writes ? 0 : -ENODATA;
}

static double mean_of(const struct run_repetition *repetition, enum mix_stream stream)
{
	const struct latency *latency = &repetition->engine.streams[stream].counts->latencies[COUNTS_RESPONSE];

	return latency->count ? latency->sum_ns / (double)latency->count : NAN;
}

/* The mix's last repetition and that of the same seed in which the cause was taken out. */
static int compare_without(const struct observation *observation, struct run_repetition *repetition, struct run_result *result)
{
	enum run_without cause = observation->plan->options->without;
	struct dump *dump = calloc(1, sizeof(*dump)); /* large for a stack */
	struct device_table table;
	struct sim_section section;
	int rc = dump ? 0 : -ENOMEM;
	bool is_made;

	if (!rc) {
		fill_dump(observation, repetition, result, &section, dump);
		rc = dump->section ? device_table_make(dump, &table) : -ENODATA;
	}
	is_made = !rc;
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct run_counterfactual *found = &result->counterfactuals[stream];
		size_t cell = baseline_cell_of(&observation->plan->baselines, (enum mix_stream)stream);

		*found = (struct run_counterfactual){.mean_ns = mean_of(repetition, (enum mix_stream)stream), .without_ns = NAN,
			.attributed_ns = NAN,
			.writes = repetition->engine.streams[stream].counts->latencies[COUNTS_RESPONSE].count};
		for (size_t i = 0; i < result->repetition_count; i++) {
			if (result->repetitions[i].cell == cell && result->repetitions[i].run == repetition->run)
				found->without_ns = mean_of(&result->repetitions[i], (enum mix_stream)stream);
		}
		found->is_known = isfinite(found->mean_ns) && isfinite(found->without_ns);
		rc = found->is_known ? find_attributed(&table, (enum mix_stream)stream, cause, found) : 0;
		rc = rc == -ENODATA ? 0 : rc;
	}
	if (is_made)
		device_table_free(&table);
	free(dump);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot compare with --without %s", run_without_names[cause]);
	return DIAG_EXIT_HOST;
}

static int write_dump(const struct observation *observation, struct run_repetition *repetition, const struct run_result *result)
{
	const char *path = observation->plan->options->dump_path;
	struct sim_section section;
	struct dump *dump;
	int rc;

	if (!path)
		return DIAG_EXIT_OK;
	dump = calloc(1, sizeof(*dump)); /* large for a stack */
	if (dump)
		fill_dump(observation, repetition, result, &section, dump);
	rc = dump ? dump_write(path, dump) : -ENOMEM;
	free(dump);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "--dump %s: the records could not be written", path);
	return DIAG_EXIT_HOST;
}

static void drop_splits(struct observation *observation)
{
	for (size_t i = 0; i < DUMP_SEGMENTS; i++) {
		free(observation->splits[i]);
		observation->splits[i] = NULL;
	}
}

static const char *why_not_split(const struct observation *observation, const struct run_repetition *repetition, int joined)
{
	if (!observation->trace)
		return observation->why_not;
	if (joined)
		return "the kernel's events could not be joined with the records";
	return repetition ? NULL : "nothing was measured";
}

int observation_take(struct observation *observation, struct run_result *result)
{
	struct run_repetition *repetition = run_result_last_mix(result);
	int rc = 0, code;

	if (repetition && observation->trace)
		rc = join(observation, repetition, result);
	if (rc) {
		diag_error(rc, "cannot join the kernel's events with the records");
		drop_splits(observation);
	}
	result->split.why_not = why_not_split(observation, repetition, rc);
	for (int i = 0; i < MIX_STREAMS && result->split.why_not; i++)
		split_in_two(result, (enum mix_stream)i);
	code = repetition ? write_dump(observation, repetition, result) : DIAG_EXIT_OK;
	if (repetition && !code && observation->plan->options->without)
		code = compare_without(observation, repetition, result);
	return rc ? DIAG_EXIT_HOST : code;
}

void observation_close(struct observation *observation)
{
	if (!observation)
		return;
	trace_close(observation->trace);
	drop_splits(observation);
	free(observation->events);
	free(observation);
}
