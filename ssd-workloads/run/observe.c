/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/observe.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "ssd-workloads/analyze/device_figures.h"
#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/dump/trace.h"

struct observation {
	const struct ssd_run_plan *plan;
	struct trace *trace;             /* NULL = none */
	const char *why_not;
	size_t step;                     /* the next step */
	struct split_event *events;      /* of the mix's last repetition */
	size_t event_count;
	uint64_t lost;
	struct split *splits[DUMP_SEGMENTS]; /* of its workers */
};

/* --- the trace --- */

static int open_trace(const struct ssd_run_plan *plan, const struct place *place, struct undo *undo,
	struct observation *observation)
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
		observation->why_not = layout_stripes(&plan->layout) > 1
					       ? "kernel events cover one target, and there are several (--log-target)"
					       : "kernel events cover one target, and there are two (--ckpt-target)";
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

int observation_open(const struct ssd_run_plan *plan, const struct place *place, struct undo *undo,
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

void observation_stop(struct observation *observation)
{
	const struct ssd_run_plan *plan = observation->plan;
	bool is_of_mix = !baseline_order(&plan->baselines, plan->options->seed, observation->step++);
	const struct split_event *events;
	size_t count;
	int rc;

	if (!observation->trace)
		return;
	rc = trace_stop(observation->trace);
	/* The trace continues with the next run; its events are copied. */
	if (!rc && is_of_mix) {
		trace_events(observation->trace, &events, &count, &observation->lost);
		free(observation->events);
		observation->event_count = count;
		observation->events = reallocarray(NULL, count + 1, sizeof(*events));
		if (observation->events)
			memcpy(observation->events, events, count * sizeof(*events));
		else
			rc = -ENOMEM;
	}
	if (rc) {
		trace_close(observation->trace);
		observation->trace = NULL;
		observation->why_not = "the kernel's trace could not be read";
	}
}

void observation_abandon(struct observation *observation)
{
	if (observation->trace)
		(void)trace_stop(observation->trace);
}

/* --- results --- */

static int join(struct observation *observation, struct run_repetition *repetition, struct ssd_run_result *result)
{
	struct split_sums sums[MIX_STREAMS] = {{0}}, syncs[MIX_STREAMS] = {{0}};
	bool is_durable = observation->plan->options->durability == BACKEND_DSYNC;
	const struct split_extent *extents;
	size_t extent_count;
	int rc = 0;

	trace_extents(observation->trace, &extents, &extent_count);
	for (size_t i = 0; i < repetition->engine.worker_count && i < DUMP_SEGMENTS && !rc; i++) {
		struct engine_worker *worker = &repetition->engine.workers[i];
		const struct record *records = ring_sort(&worker->ring);
		size_t count = (size_t)ring_count(&worker->ring);
		struct split *splits;

		if (!count)
			continue;
		observation->splits[i] = splits = reallocarray(NULL, count, sizeof(*splits));
		rc = !splits ? -ENOMEM
			     : split_join(observation->events, observation->event_count, extents, extent_count, records, count,
				       is_durable && worker->stream == MIX_LOG, splits, &result->split.counts);
		if (rc)
			break;
		split_sum(records, splits, count, false, &sums[worker->stream]);
		split_sum(records, splits, count, true, &syncs[worker->stream]);
	}
	for (int which = 0; which < MIX_STREAMS; which++) {
		for (int part = 0; part < SPLIT_PARTS; part++) {
			result->split.mean_ns[which][part] = sums[which].ns[part] / (double)sums[which].count;
			result->split.sync_ns[which][part] = syncs[which].ns[part] / (double)syncs[which].count;
		}
	}
	result->split.counts.lost_events = observation->lost;
	return rc;
}

/* Divides the mix's writes into the time before their submission and the rest. */
static void split_in_two(struct ssd_run_result *result, enum mix_stream which)
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

/* Computes the part of a mean write's time that is attributed to the cause. Returns 0 or -errno; -ENODATA if it is unknown. */
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

static double mean_of(const struct latency *latency)
{
	return latency->count ? latency->sum_ns / (double)latency->count : NAN;
}

/* Compares the mix's last repetition, to which the dump belongs, with the one of the same seed without the cause. Returns 0 or
 * -errno. */
static int compare_without(const struct observation *observation, const struct run_repetition *repetition, const struct dump *dump,
	struct ssd_run_result *result)
{
	struct device_table table;
	int rc = dump->section ? device_table_make(dump, &table) : -ENODATA;

	if (rc)
		return rc;
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct run_counterfactual *found = &result->counterfactuals[stream];
		const struct latency *response = &repetition->engine.streams[stream].counts->latencies[COUNTS_RESPONSE];
		size_t cell = baseline_cell_of(&observation->plan->baselines, (enum mix_stream)stream);

		*found = (struct run_counterfactual){.mean_ns = mean_of(response), .without_ns = NAN, .attributed_ns = NAN,
			.writes = response->count};
		for (size_t i = 0; i < result->repetition_count; i++) {
			const struct run_repetition *other = &result->repetitions[i];

			if (other->cell == cell && other->run == repetition->run)
				found->without_ns = mean_of(&other->engine.streams[stream].counts->latencies[COUNTS_RESPONSE]);
		}
		found->is_known = isfinite(found->mean_ns) && isfinite(found->without_ns);
		if (found->is_known)
			rc = find_attributed(&table, (enum mix_stream)stream, observation->plan->options->without, found);
		rc = rc == -ENODATA ? 0 : rc;
	}
	device_table_free(&table);
	return rc;
}

/* device: which one of several simulated ones */
static void describe(const struct observation *observation, struct run_repetition *repetition, size_t device,
	const struct ssd_run_result *result, struct sim_section *section, struct dump *dump)
{
	const struct ssd_run_plan *plan = observation->plan;
	struct engine_result *engine = &repetition->engine;

	engine_fill_dump(&plan->workload, engine->device ? &plan->places[device].layout : &plan->layout, engine, device,
		observation->splits, section, dump);
	/* On a simulated device equal options and seeds give equal bytes, so dump_write computes the UUID from them. */
	if (!engine->device)
		snprintf(dump->head.uuid, sizeof(dump->head.uuid), "%s", result->frame->signature.uuid);
	snprintf(dump->head.backend, sizeof(dump->head.backend), "%s", result->backend.ops->name);
	dump->head.seed = plan->options->seed + (engine->device ? repetition->run : 0);
}

/* Returns 0 or -errno after an error message. */
static int write_dump(const char *option, const char *path, struct dump *dump, char uuid[40])
{
	int rc = path ? dump_write(path, dump) : 0;

	if (rc)
		diag_error(rc, "%s %s: the records could not be written", option, path);
	else if (path)
		snprintf(uuid, 40, "%s", dump->head.uuid);
	return rc;
}

/* Writes the dumps of the mix's last repetition, and compares it for --without. Returns 0, or DIAG_EXIT_HOST after an error
 * message. */
static int use_records(const struct observation *observation, struct run_repetition *repetition, struct ssd_run_result *result)
{
	const struct ssd_run_plan *plan = observation->plan;
	const struct ssd_run_options *options = plan->options;
	struct dump *dump = calloc(1, sizeof(*dump)); /* large for a stack */
	struct sim_section section;
	int rc;

	if (!dump) {
		diag_error(ENOMEM, "cannot write or compare the records");
		return DIAG_EXIT_HOST;
	}
	describe(observation, repetition, 0, result, &section, dump);
	rc = write_dump("--dump", options->dump_path, dump, result->dump_uuid);
	if (!rc && options->without) {
		rc = compare_without(observation, repetition, dump, result);
		if (rc)
			diag_error(rc, "cannot compare with --without %s", run_without_names[options->without]);
	}
	if (!rc && options->checkpoint_dump) {
		size_t device = layout_target(&plan->layout, plan->target_count, MIX_CHECKPOINT);

		memset(dump, 0, sizeof(*dump));
		describe(observation, repetition, device, result, &section, dump);
		rc = write_dump("--ckpt-dump", options->checkpoint_dump, dump, result->checkpoint_dump_uuid);
	}
	free(dump);
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static void drop_splits(struct observation *observation)
{
	for (size_t i = 0; i < DUMP_SEGMENTS; i++) {
		free(observation->splits[i]);
		observation->splits[i] = NULL;
	}
}

int observation_take(struct observation *observation, struct ssd_run_result *result)
{
	const struct ssd_run_options *options = observation->plan->options;
	struct run_repetition *repetition = ssd_run_result_last_mix(result);
	int rc = repetition && observation->trace ? join(observation, repetition, result) : 0, code = DIAG_EXIT_OK;

	if (rc) {
		diag_error(rc, "cannot join the kernel's events with the records");
		drop_splits(observation);
	}
	result->split.why_not = !observation->trace ? observation->why_not
			      : rc ? "the kernel's events could not be joined with the records"
			      : repetition ? NULL : "nothing was measured";
	for (int i = 0; i < MIX_STREAMS && result->split.why_not; i++)
		split_in_two(result, (enum mix_stream)i);
	if (repetition && (options->dump_path || options->checkpoint_dump || options->without))
		code = use_records(observation, repetition, result);
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
