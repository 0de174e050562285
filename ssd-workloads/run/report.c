/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "ssd-workloads/engine/threads.h"

/* --- plan --- */

static void write_stream_plans(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	const struct ssd_run_plan *plan = result->plan;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &plan->workload.streams[i];
		size_t place = layout_target(&plan->layout, plan->target_count, (enum mix_stream)i);
		bool has_many_targets = plan->target_count > 1, is_striped = i == MIX_LOG && layout_stripes(&plan->layout) > 1;

		if (!stream->depth)
			continue;
		FIELD_ROW(report, field, ssd_stream_plan,
			.stream = mix_stream_name((enum mix_stream)i),
			.depth = stream->depth,
			.workers = stream->workers,
			.block_bytes = stream->block_bytes,
			.begin_bytes = plan->layout.areas[i].begin,
			.area_bytes = plan->layout.areas[i].bytes,
			.pause_ns = stream->pause_ns,
			.every_ns = stream->every_ns ? stream->every_ns : FIELD_NO_COUNT,
			.completion_target = stream->every_ns ? stream->completion : NAN,
			.path = has_many_targets ? plan->places[place].path : NULL,
			.second_path = is_striped ? plan->places[1].path : NULL,
			.layer = has_many_targets ? FIELD_BY(durability_layers, ssd_run_result_layers(result, place)) : FIELD_NONE,
			.second_layer = is_striped ? FIELD_BY(durability_layers, ssd_run_result_layers(result, 1)) : FIELD_NONE);
	}
}

static void write_workload(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	const struct ssd_run_plan *plan = result->plan;
	const struct ssd_run_options *options = plan->options;
	bool has_checkpoint = plan->workload.streams[MIX_CHECKPOINT].depth;
	char name[64];

	workload_name(&plan->workload, name, sizeof(name));
	FIELD_ROW(report, field, ssd_workload,
		.mix = name,
		.method = plan->workload.mix->method,
		.durability = run_durability_name(options->durability),
		.checkpoint_sync = !has_checkpoint ? NULL : plan->has_pass_syncs ? "pass" : "none",
		.checkpoint_order = options->is_random || options->has_pattern ? opt_text(&options->line, "ckpt-order") : NULL,
		.checkpoint_io = options->is_buffered ? "buffered" : NULL,
		.flush_after_bytes = options->is_buffered ? options->hint_bytes : FIELD_NO_COUNT,
		.group_commit = options->group_commit,
		.rate_per_second = options->rate ? options->rate : FIELD_NO_COUNT,
		.warmup_ns = options->warmup_ns,
		.runtime_ns = options->runtime_ns,
		.stream_plan = FIELD_BY(write_stream_plans, result));
}

static void write_attempts(struct report *report, const struct field *field, const void *from)
{
	const struct backend_choice *choice = from;
	char text[192];

	for (size_t i = 0; i < choice->count; i++) {
		const struct backend_attempt *attempt = &choice->tries[i];

		if (attempt->error)
			snprintf(text, sizeof(text), "%s: %s", attempt->why, strerror(-attempt->error));
		FIELD_ROW(report, field, ssd_attempt, attempt->name, attempt->error ? text : NULL);
	}
}

static void write_parameters(struct report *report, const struct field *field, const void *from)
{
	const struct run_device *device = from;
	const char *key = NULL, *value;
	char text[64];

	for (size_t i = 0; (value = sim_params_value(&device->params, i, &key, text)); i++)
		FIELD_ROW(report, field, ssd_parameter, key, value);
}

/* --- measurement --- */

const char *run_error_name(int error, char text[RUN_ERROR_TEXT])
{
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(text, RUN_ERROR_TEXT, "%d", error);
	return text;
}

static void write_errors(struct report *report, const struct field *field, const struct counts_error errors[COUNTS_ERRORS],
	const char *place)
{
	char text[RUN_ERROR_TEXT];

	for (int i = 0; i < COUNTS_ERRORS; i++) {
		if (errors[i].count)
			FIELD_ROW(report, field, ssd_io_error, run_error_name(errors[i].error, text), errors[i].count, place);
	}
}

static void write_stream_errors(struct report *report, const struct field *field, const void *from)
{
	const struct counts *counts = from;

	write_errors(report, field, counts->errors, NULL);
}

/* A stream has the same number of passes in each of its devices. */
static double passes_before(const struct engine_result *engine, enum mix_stream stream)
{
	double least = engine->device_count ? INFINITY : NAN;

	for (size_t i = 0; i < engine->device_count; i++)
		least = fmin(least, engine->device[i].passes[stream]);
	return least;
}

static void write_streams(struct report *report, const struct field *field, const void *from)
{
	const struct engine_result *engine = from;

	for (int which = 0; which < MIX_STREAMS; which++) {
		const struct engine_stream *stream = &engine->streams[which];
		const struct counts *counts = stream->counts;
		const struct latency *latencies = counts->latencies;
		const struct latency_steady *steady = &stream->steady;
		double count = (double)counts->operations, seconds = stream->seconds > 0 ? stream->seconds : NAN;
		double commits = (double)latencies[COUNTS_COMMIT].count;
		struct summary_values summaries[COUNTS_LATENCIES];
		const struct ssd_steady_values steady_values = {
			.is_steady = steady->verdict == LATENCY_UNKNOWN ? FIELD_NO_TRUTH : steady->verdict == LATENCY_STEADY,
			.mean_per_second = steady->mean,
			.range_percent = steady->range_percent,
			.slope_percent = steady->slope_percent,
		};

		if (!stream->is_run)
			continue;
		for (int i = 0; i < COUNTS_LATENCIES; i++) {
			struct histogram_summary summary;

			latency_summarize(&latencies[i], &summary);
			summaries[i] = report_summary(&summary);
		}
		FIELD_ROW(report, field, ssd_stream_result,
			.stream = mix_stream_name((enum mix_stream)which),
			.operations = counts->operations,
			.bytes = counts->bytes,
			.operations_per_second = count / seconds,
			.bytes_per_second = (double)counts->bytes / seconds,
			.commits_per_second = commits > 0 ? commits / seconds : NAN,
			.cpu_ns_per_operation = count > 0 ? stream->cpu_ns / count : NAN,
			.depth_achieved = count > 0 ? (double)counts->sum_inflight / count : NAN,
			.operations_per_batch = counts->batches ? count / (double)counts->batches : NAN,
			.passes = counts->passes,
			.passes_before = passes_before(engine, (enum mix_stream)which),
			.short_writes = counts->short_writes,
			.failed = counts->failed,
			.io_error = FIELD_BY(write_stream_errors, counts),
			.response = FIELD_ONE(&summaries[COUNTS_RESPONSE]),
			.service = FIELD_ONE(&summaries[COUNTS_SERVICE]),
			.commit = FIELD_MANY(&summaries[COUNTS_COMMIT], latencies[COUNTS_COMMIT].count ? 1 : 0),
			.pass_sync = FIELD_MANY(&summaries[COUNTS_SYNC], latencies[COUNTS_SYNC].count ? 1 : 0),
			.pass_late = FIELD_MANY(&summaries[COUNTS_LATE], latencies[COUNTS_LATE].count ? 1 : 0),
			.steady = FIELD_ONE(&steady_values));
	}
}

struct span { const struct counters *from, *to; };

static void write_span(struct report *report, const struct field *field, const void *from)
{
	const struct span *span = from;
	struct vmcounters *difference = malloc(sizeof(*difference));

	if (!difference)
		return;
	counters_difference(span->from, span->to, difference);
	if (difference->count)
		report_counters(report, field, difference, REPORT_COUNTERS_CHANGED);
	free(difference);
}

static void write_policies(struct report *report, const struct field *field, const void *from)
{
	const struct engine_device *device = from;

	for (int i = 0; i < SIM_POLICY_KINDS && device->policies; i++) {
		const struct sim_policy *policy = &device->policies->list[i];
		char text[SIM_POLICY_TEXT];

		if (!policy->row)
			continue;
		FIELD_ROW(report, field, ssd_policy,
			.name = sim_policy_text(policy, text, sizeof(text)),
			.activated = device->totals.policy_fired[i],
			.active_s = (double)device->totals.policy_active_ns[i] / (double)UNITS_NS_PER_SEC);
	}
}

static void write_handles(struct report *report, const struct field *field, const void *from)
{
	const struct sim_totals *totals = from;

	for (unsigned i = 0; i < FTL_HANDLES; i++) {
		double programs = (double)totals->handle_programs[i];

		if (!totals->handle_programs[i] && !totals->handle_copies[i])
			continue;
		FIELD_ROW(report, field, ssd_handle,
			.data = i == FTL_REST ? "rest" : mix_stream_name((enum mix_stream)i),
			.host_programs = totals->handle_programs[i],
			.copies = totals->handle_copies[i],
			.write_amplification = programs > 0 ? 1 + (double)totals->handle_copies[i] / programs : NAN);
	}
}

struct measured_devices { const struct ssd_run_plan *plan; const struct engine_result *engine; };

static void write_devices(struct report *report, const struct field *field, const void *from)
{
	const struct measured_devices *measured = from;
	const struct engine_result *engine = measured->engine;
	double ns = (double)(engine->end_ns - engine->begin_ns);

	for (size_t i = 0; i < engine->device_count; i++) {
		const struct engine_device *device = &engine->device[i];
		const struct sim_totals *totals = &device->totals;
		double programs = (double)totals->host_programs;

		if (!device->is_used)
			continue;
		FIELD_ROW(report, field, ssd_device,
			.target = measured->plan->places[i].stream,
			.fill_pages = device->fill_pages,
			.fill_amplification = device->fill_amplification,
			.fill_is_steady = device->fill_steady.verdict == LATENCY_UNKNOWN
						  ? FIELD_NO_TRUTH
						  : device->fill_steady.verdict == LATENCY_STEADY,
			.slices = totals->slices,
			.hits = totals->hits,
			.partial_pages = totals->partial,
			.host_programs = totals->host_programs,
			.copies = totals->copies,
			.collections = totals->gcs,
			.write_amplification = programs > 0 ? 1 + (double)totals->copies / programs : NAN,
			.bus_busy_percent = 100 * (double)device->bus_busy_ns / ns / device->buses,
			.ways_busy_percent = 100 * (double)device->way_busy_ns / ns / device->ways,
			.policy = FIELD_BY(write_policies, device),
			.handle = FIELD_BY(write_handles, totals));
	}
}

static double seconds_between(uint64_t from_ns, uint64_t to_ns)
{
	return (double)(to_ns - from_ns) / (double)UNITS_NS_PER_SEC;
}

/* Streams alone are reported under the names of their cells; the cell without a cause (--without) has its own element. */
static bool is_reported(const struct ssd_run_result *result, size_t cell)
{
	return !cell || result->plan->baselines.cell_count == BASELINE_CELLS;
}

static void write_repetitions(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct run_repetition *repetition = &result->repetitions[i];
		const struct engine_result *engine = &repetition->engine;
		const struct measured_devices measured = {result->plan, engine};
		struct span span, second = {&engine->second_samples[0], &engine->second_samples[1]};

		if (!is_reported(result, repetition->cell))
			continue;
		if (engine->sample_count > 1)
			span = (struct span){&engine->samples[0], &engine->samples[engine->sample_count - 1]};
		FIELD_ROW(report, field, ssd_repetition,
			.index = repetition->run,
			.cell_id = result->plan->baselines.names[repetition->cell],
			.seconds = seconds_between(engine->begin_ns, engine->end_ns),
			.process_cpu_ns = isnan(engine->process_cpu_ns) && !engine->device ? 0 : engine->process_cpu_ns,
			.other_cpu_ns = engine->other_cpu_ns,
			.failure = engine->error ? strerror(-engine->error) : NULL,
			.stream_result = FIELD_BY(write_streams, engine),
			.counters = engine->sample_count > 1 ? FIELD_BY(write_span, &span) : FIELD_NONE,
			.second_counters = second.to->has_disk ? FIELD_BY(write_span, &second) : FIELD_NONE,
			.device = engine->device ? FIELD_BY(write_devices, &measured) : FIELD_NONE);
	}
}

static void write_early_errors(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;

	write_errors(report, field, result->prepare.failure.errors, "preparing");
	write_errors(report, field, result->trial.errors, "trial");
}

static void write_durability(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	size_t count = result->plan->baselines.cell_count;

	for (size_t i = 0; i < result->plan->place_count * count; i++) {
		size_t place = i / count, cell = i % count;

		durability_checked(report, field, &(struct durability_checked){ssd_run_result_layers(result, place),
			&result->durability[place][cell], result->plan->baselines.names[cell], result->plan->places[place].stream});
	}
}

/* --- mutual cost of the streams --- */

static void write_ratios(struct report *report, const struct field *field, const void *from)
{
	const struct baseline_result *baselines = from;

	for (int i = 0; i < MIX_STREAMS * BASELINE_STATISTICS; i++) {
		enum mix_stream stream = (enum mix_stream)(i / BASELINE_STATISTICS);
		enum baseline_statistic statistic = (enum baseline_statistic)(i % BASELINE_STATISTICS);
		const struct baseline_ratio *ratio = &baselines->ratios[stream][statistic];
		bool is_rate = statistic == BASELINE_THROUGHPUT;

		if (!ratio->is_known)
			continue;
		FIELD_ROW(report, field, ssd_interference,
			.stream = mix_stream_name(stream),
			.statistic = baseline_statistic_name(statistic),
			.value = ratio->ratio,
			.low = ratio->low,
			.high = ratio->high,
			.alone_ns = is_rate ? NAN : ratio->alone,
			.mix_ns = is_rate ? NAN : ratio->mix,
			.alone_per_second = is_rate ? ratio->alone : NAN,
			.mix_per_second = is_rate ? ratio->mix : NAN);
	}
}

void ssd_run_report_baselines(struct report *report, const struct field *field, const void *from)
{
	const struct baseline_result *baselines = from;

	FIELD_ROW(report, field, ssd_baselines, baselines->runs, FIELD_BY(write_ratios, baselines));
}

static void write_counterfactuals(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct run_counterfactual *found = &result->counterfactuals[i];

		if (found->is_known)
			FIELD_ROW(report, field, ssd_counterfactual,
				.stream = mix_stream_name((enum mix_stream)i),
				.cause = run_without_names[result->plan->options->without],
				.mean_ns = found->mean_ns,
				.without_ns = found->without_ns,
				.difference_ns = found->mean_ns - found->without_ns,
				.attributed_ns = found->attributed_ns,
				.writes = found->writes,
				.attributed_writes = found->attributed_writes);
	}
}

/* --- parts of the time of a write --- */

static void write_stream_splits(struct report *report, const struct field *field, const void *from)
{
	const struct run_split *split = from;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const double *means = split->mean_ns[i];

		if (isnan(means[SPLIT_QUEUE]) || isnan(means[SPLIT_DEVICE]))
			continue;
		FIELD_ROW(report, field, ssd_stream_split,
			.stream = mix_stream_name((enum mix_stream)i),
			.batching_ns = split->why_not ? NAN : means[SPLIT_BATCHING],
			.submit_ns = split->why_not ? NAN : means[SPLIT_SUBMIT],
			.queue_ns = means[SPLIT_QUEUE],
			.device_ns = means[SPLIT_DEVICE],
			.flush_ns = split->why_not ? NAN : means[SPLIT_FLUSH],
			.reap_ns = split->why_not ? NAN : means[SPLIT_REAP]);
	}
}

static void write_sync_splits(struct report *report, const struct field *field, const void *from)
{
	const struct run_split *split = from;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const double *means = split->sync_ns[i];

		if (!isnan(means[SPLIT_FLUSH]))
			FIELD_ROW(report, field, ssd_sync_split,
				.stream = mix_stream_name((enum mix_stream)i),
				.submit_ns = means[SPLIT_SUBMIT],
				.queue_ns = means[SPLIT_QUEUE],
				.flush_ns = means[SPLIT_FLUSH],
				.reap_ns = means[SPLIT_REAP]);
	}
}

static void write_split(struct report *report, const struct field *field, const void *from)
{
	const struct run_split *split = from;
	const struct split_counts *counts = &split->counts;
	bool is_traced = !split->why_not;

	FIELD_ROW(report, field, ssd_split,
		.not_available = split->why_not,
		.joined = is_traced ? counts->joined : FIELD_NO_COUNT,
		.merged = is_traced ? counts->merged : FIELD_NO_COUNT,
		.unjoined = is_traced ? counts->unjoined : FIELD_NO_COUNT,
		.syncs = is_traced ? counts->syncs : FIELD_NO_COUNT,
		.unflushed = is_traced ? counts->unflushed : FIELD_NO_COUNT,
		.lost_events = is_traced ? counts->lost_events : FIELD_NO_COUNT,
		.stream_split = FIELD_BY(write_stream_splits, split),
		.sync_split = is_traced ? FIELD_BY(write_sync_splits, split) : FIELD_NONE);
}

/* --- records and verification --- */

double run_records_held(const struct ssd_run_result *result)
{
	const struct ssd_run_options *options = result->plan->options;
	double least = NAN;

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct engine_result *engine = &result->repetitions[i].engine;
		uint64_t last = engine->control.fired_ns ? engine->control.fired_ns : engine->end_ns;

		for (size_t k = 0; k < engine->worker_count && !result->repetitions[i].cell; k++) {
			const struct ring *ring = &engine->workers[k].ring;
			uint64_t first = ring_overwritten(ring) ? ring_first_ns(ring) : last;

			if (first < last && last - first < options->record_ns)
				least = fmin(isnan(least) ? INFINITY : least, (double)(last - first) / 1e9);
		}
	}
	return least;
}

/* Returns the first repetition that was frozen, or the last one. */
static const struct engine_result *find_frozen(const struct ssd_run_result *result)
{
	for (size_t i = 0; i + 1 < result->repetition_count; i++) {
		if (result->repetitions[i].engine.control.fired_ns)
			return &result->repetitions[i].engine;
	}
	return &result->repetitions[result->repetition_count - 1].engine;
}

static void write_freeze(struct report *report, const struct field *field, const void *from)
{
	const struct engine_result *engine = find_frozen(from);
	const struct ring_control *control = &engine->control;
	bool is_within = control->fired_ns > engine->begin_ns;
	bool is_of_write = control->fired_ns && control->fired_sequence != RING_NO_WRITE;

	FIELD_ROW(report, field, ssd_freeze,
		.condition = control->freeze.count ? control->freeze.text : NULL,
		.post = control->post,
		.fired_s = !control->fired_ns ? NAN : is_within ? (double)(control->fired_ns - engine->begin_ns) / 1e9 : 0,
		.fired_stream = is_of_write ? mix_stream_name((enum mix_stream)control->fired_stream) : NULL,
		.fired_sequence = is_of_write ? control->fired_sequence : FIELD_NO_COUNT);
}

static void write_records(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	struct ssd_records_kept_values values = {.held_s = run_records_held(result),
		.dump_uuid = FIELD_UNLESS_EMPTY(result->dump_uuid),
		.checkpoint_dump_uuid = FIELD_UNLESS_EMPTY(result->checkpoint_dump_uuid)};

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct engine_result *engine = &result->repetitions[i].engine;

		for (size_t k = 0; k < engine->worker_count; k++) {
			const struct ring *ring = &engine->workers[k].ring;

			values.emitted += ring->emitted;
			values.kept += ring_count(ring);
			values.overwritten += ring_overwritten(ring);
			values.dropped += ring->dropped;
		}
	}
	if (result->repetition_count &&
		(find_frozen(result)->control.freeze.count || find_frozen(result)->control.fired_ns))
		values.freeze = FIELD_BY(write_freeze, result);
	field_row(report, field, ssd_records_kept_record(), &values);
}

static void write_losses(struct report *report, const struct field *field, const void *from)
{
	const struct verify_result *verify = from;

	for (int i = 0; i < VERIFY_LOSSES; i++) {
		if (verify->lost[i])
			FIELD_ROW(report, field, ssd_loss, verify_loss_name((enum verify_loss)i), verify->lost[i]);
	}
}

void ssd_run_report_verification(struct report *report, const struct field *field, const void *from)
{
	const struct verify_result *verify = from;

	FIELD_ROW(report, field, ssd_verification,
		.blocks = verify->blocks,
		.bytes = verify->bytes,
		.acknowledged = verify->acknowledged,
		.later = verify->later,
		.is_complete = verify->is_complete,
		.loss = FIELD_BY(write_losses, verify),
		.first_loss = FIELD_UNLESS_EMPTY(verify->first));
}

static void write_result(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	const struct ssd_run_options *options = result->plan->options;
	const struct run_device *device = &options->device;
	const struct backend_choice *backend = &result->backend;
	const struct ssd_prepared_values prepared = {result->prepare.bytes, result->prepare.seconds};
	const struct ssd_engine_values engine = {backend->ops->name, backend->features, FIELD_BY(write_attempts, backend)};
	struct ssd_simulation_values simulation = {.parameter = FIELD_BY(write_parameters, device)};

	if (device->preset) {
		simulation.preset = device->preset->name;
		simulation.exported_bytes = sim_exported_pages(&device->params) * device->params.page_bytes;
	}
	FIELD_ROW(report, field, ssd_result,
		.clock = FIELD_BY(frame_clock, result->frame),
		.workload = FIELD_BY(write_workload, result),
		.engine = FIELD_ONE(&engine),
		.simulation = FIELD_MANY(&simulation, device->preset ? 1 : 0),
		.prepared = FIELD_MANY(&prepared, result->is_prepared ? 1 : 0),
		.io_error = FIELD_BY(write_early_errors, result),
		.repetition = FIELD_BY(write_repetitions, result),
		.durability_check = FIELD_BY(write_durability, result),
		.objective = FIELD_MANY(result->objectives, options->slo_count),
		.baselines = result->has_baselines ? FIELD_BY(ssd_run_report_baselines, &result->baselines) : FIELD_NONE,
		.counterfactual = options->without ? FIELD_BY(write_counterfactuals, result) : FIELD_NONE,
		.split = FIELD_BY(write_split, &result->split),
		.records = options->record_ns ? FIELD_BY(write_records, result) : FIELD_NONE,
		.verification = result->has_verify ? FIELD_BY(ssd_run_report_verification, &result->verify) : FIELD_NONE);
}

/* --- statistics --- */

static void write_histograms(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	const struct baseline_plan *plan = &result->plan->baselines;

	for (size_t i = 0; i < plan->cell_count * MIX_STREAMS && is_reported(result, i / MIX_STREAMS); i++) {
		size_t cell = i / MIX_STREAMS;
		enum mix_stream stream = (enum mix_stream)(i % MIX_STREAMS);
		struct counts *total = ssd_run_result_counts(result, cell, stream);

		if (!total) {
			report_fail(report, -ENOMEM);
			return;
		}
		for (int k = 0; k < COUNTS_LATENCIES; k++) {
			struct histogram_moments moments;

			latency_moments(&total->latencies[k], &moments);
			if (moments.count)
				report_histogram(report, field, counts_latency_name((enum counts_latency)k),
					cell ? plan->names[cell] : mix_stream_name(stream), &histogram_hdr,
					total->latencies[k].counts, &moments);
		}
		counts_free(total);
	}
}

/* --- series --- */

/* The end is not on an interval: writes in flight are awaited, and a signal may come at any time. A remainder of less than half an
 * interval would look like a spike and is added to the row before. Late completions are in the last row. */
static uint64_t count_rows(const struct engine_result *engine, double total, double interval)
{
	uint64_t count = total < interval ? 1 : (uint64_t)(total / interval + 0.5), most = 0;

	for (int which = 0; which < MIX_STREAMS; which++) {
		const struct engine_stream *stream = &engine->streams[which];

		if (stream->is_run && stream->counts->row_count > most)
			most = stream->counts->row_count;
	}
	return count < most ? count : most;
}

/* Writes the rows of a repetition, each with both streams, timed from the begin of the first repetition. The last row contains all
 * later completions. */
static void write_rows(struct report *report, const struct field *field, const struct ssd_run_result *result,
	const struct run_repetition *repetition, struct counts_row *sum, uint64_t *index)
{
	const struct engine_result *engine = &repetition->engine;
	double interval = (double)engine->interval_ns / (double)UNITS_NS_PER_SEC;
	double total = seconds_between(engine->begin_ns, engine->end_ns);
	double before = seconds_between(result->repetitions[0].engine.begin_ns, engine->begin_ns);
	uint64_t count = count_rows(engine, total, interval);

	for (uint64_t row = 0; row < count; row++) {
		bool is_last = row + 1 == count, has_counters;
		double begin = (double)row * interval, end = is_last ? total : begin + interval, seconds = end - begin;
		uint64_t sample = is_last ? engine->sample_count - 1 : row + 1;
		struct span span;

		has_counters = row < sample && sample < engine->sample_count;
		if (has_counters)
			span = (struct span){&engine->samples[row], &engine->samples[sample]};
		for (int which = 0; which < MIX_STREAMS; which++) {
			const struct engine_stream *stream = &engine->streams[which];
			const struct counts *counts = stream->counts;
			struct histogram_moments moments;
			double operations;

			if (!stream->is_run || row >= counts->row_count || seconds <= 0)
				continue;
			memset(sum, 0, sizeof(*sum));
			for (uint64_t i = row; i < (is_last ? counts->row_count : row + 1); i++)
				counts_row_merge(sum, &counts->rows[i]);
			operations = sum->operations ? (double)sum->operations : NAN;
			/* The minimum is not counted per interval; its bucket bounds it. */
			moments = (struct histogram_moments){sum->operations, (double)sum->sum_ns, NAN, 0, (double)sum->max_ns};
			FIELD_ROW(report, field, ssd_interval,
				.index = (*index)++,
				.repetition = repetition->run,
				.cell_id = result->plan->baselines.names[repetition->cell],
				.stream = mix_stream_name((enum mix_stream)which),
				.time_s = before + end,
				.seconds = seconds,
				.operations = sum->operations,
				.operations_per_second = (double)sum->operations / seconds,
				.bytes_per_second = (double)sum->bytes / seconds,
				.mean_ns = (double)sum->sum_ns / operations,
				.p50_ns = sum->operations ? histogram_percentile(&histogram_log16, sum->counts, &moments, 50) : NAN,
				.p99_ns = sum->operations ? histogram_percentile(&histogram_log16, sum->counts, &moments, 99) : NAN,
				.max_ns = sum->operations ? (double)sum->max_ns : NAN,
				.inflight = (double)sum->sum_inflight / operations,
				.counters = has_counters ? FIELD_BY(write_span, &span) : FIELD_NONE);
			has_counters = false;
		}
	}
}

static void write_intervals(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;
	struct counts_row *sum = malloc(sizeof(*sum));
	uint64_t index = 0;

	if (!sum)
		report_fail(report, -ENOMEM);
	for (size_t i = 0; i < result->repetition_count && sum; i++) {
		if (is_reported(result, result->repetitions[i].cell))
			write_rows(report, field, result, &result->repetitions[i], sum, &index);
	}
	free(sum);
}

void ssd_run_report_series(struct report *report, const struct field *field, const void *from)
{
	const struct ssd_run_result *result = from;

	if (result->plan->options->interval_ns)
		FIELD_ROW(report, field, ssd_series, result->plan->options->interval_ns, FIELD_BY(write_intervals, result));
}

int ssd_run_report(const struct ssd_run_result *result)
{
	const struct ssd_run_options *options = result->plan->options;
	const struct ssd_statistics_values statistics = {FIELD_BY(write_histograms, result)};
	const struct ssd_report_values values = {
		FRAME_MEMBERS(result->frame),
		.result = FIELD_BY(write_result, result),
		.statistics = FIELD_ONE(&statistics),
		.series = FIELD_BY(ssd_run_report_series, result),
	};

	return frame_publish(result->frame, "ssdworkloads", &(struct ssd_document_values){FIELD_ONE(&values)}, options->xml_path,
		options->json_path);
}
