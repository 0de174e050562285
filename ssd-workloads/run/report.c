/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/report_series.h"

/* --- what was to be done --- */

static void write_stream_plan(struct report *report, const struct run_result *result, enum mix_stream which)
{
	const struct run_plan *plan = result->plan;
	const struct workload_stream *stream = &plan->workload.streams[which];

	if (!stream->depth)
		return;
	report_begin(report, "stream_plan");
	report_attribute(report, "stream", mix_stream_name(which));
	report_u64(report, "depth", stream->depth);
	report_u64(report, "workers", stream->workers);
	report_u64(report, "block_bytes", stream->block_bytes);
	report_u64(report, "begin_bytes", plan->layout.areas[which].begin);
	report_u64(report, "area_bytes", plan->layout.areas[which].bytes);
	report_u64(report, "pause_ns", stream->pause_ns);
	if (stream->every_ns) {
		report_u64(report, "every_ns", stream->every_ns);
		report_double(report, "completion_target", stream->completion);
	}
	if (plan->place_count > 1) {
		report_text(report, "path", which == MIX_LOG ? plan->options->target : plan->options->checkpoint_target);
		durability_write_layers(report, which == MIX_LOG ? &result->frame->durability : &result->checkpoint_layers);
	}
	report_end(report);
}

static void write_workload(struct report *report, const struct run_result *result)
{
	const struct run_plan *plan = result->plan;
	const struct run_options *options = plan->options;
	char name[64];

	workload_name(&plan->workload, name, sizeof(name));
	report_begin(report, "workload");
	report_text(report, "mix", name);
	report_text(report, "method", plan->workload.mix->method);
	report_text(report, "durability", run_durability_name(options->durability));
	if (plan->workload.streams[MIX_CHECKPOINT].depth)
		report_text(report, "checkpoint_sync", plan->has_pass_syncs ? "pass" : "none");
	if (options->is_random)
		report_text(report, "checkpoint_order", "random");
	if (options->is_buffered) {
		report_text(report, "checkpoint_io", "buffered");
		report_u64(report, "flush_after_bytes", options->hint_bytes);
	}
	report_u64(report, "group_commit", options->group_commit);
	if (options->rate)
		report_u64(report, "rate_per_second", options->rate);
	report_u64(report, "warmup_ns", options->warmup_ns);
	report_u64(report, "runtime_ns", options->runtime_ns);
	for (int i = 0; i < MIX_STREAMS; i++)
		write_stream_plan(report, result, (enum mix_stream)i);
	report_end(report);
}

static void write_engine(struct report *report, const struct backend_choice *choice)
{
	char text[192];

	report_begin(report, "engine");
	report_text(report, "used", choice->ops->name);
	report_text(report, "features", choice->features);
	for (size_t i = 0; i < choice->count; i++) {
		const struct backend_attempt *attempt = &choice->tries[i];

		report_begin(report, "rung");
		report_attribute(report, "name", attempt->name);
		if (attempt->error) {
			snprintf(text, sizeof(text), "%s: %s", attempt->why, strerror(-attempt->error));
			report_text(report, "failure", text);
		}
		report_end(report);
	}
	report_end(report);
}

/* --- what was measured --- */

static void write_summary(struct report *report, const char *element, const struct latency *latency)
{
	struct histogram_summary summary;

	latency_summarize(latency, &summary);
	report_write_summary_as(report, element, &summary);
}

const char *run_error_name(int error, char text[RUN_ERROR_TEXT])
{
	const char *name = strerrorname_np(error);

	if (name)
		return name;
	snprintf(text, RUN_ERROR_TEXT, "%d", error);
	return text;
}

static void write_errors(struct report *report, const struct counts_error errors[COUNTS_ERRORS], const char *place)
{
	char text[RUN_ERROR_TEXT];

	for (int i = 0; i < COUNTS_ERRORS; i++) {
		if (!errors[i].count)
			continue;
		report_begin(report, "io_error");
		report_attribute(report, "error", run_error_name(errors[i].error, text));
		report_attribute_u64(report, "count", errors[i].count);
		if (place)
			report_attribute(report, "place", place);
		report_end(report);
	}
}

static void write_steady(struct report *report, const struct latency_steady *steady)
{
	report_begin(report, "steady");
	if (steady->verdict != LATENCY_UNKNOWN)
		report_bool(report, "is_steady", steady->verdict == LATENCY_STEADY);
	report_double(report, "mean_per_second", steady->mean);
	report_double(report, "range_percent", steady->range_percent);
	report_double(report, "slope_percent", steady->slope_percent);
	report_end(report);
}

static void write_stream(struct report *report, const struct engine_stream *stream, enum mix_stream which)
{
	const struct counts *counts = stream->counts;
	double count = (double)counts->operations, seconds = stream->seconds;

	report_begin(report, "stream_result");
	report_attribute(report, "stream", mix_stream_name(which));
	report_u64(report, "operations", counts->operations);
	report_u64(report, "bytes", counts->bytes);
	report_double(report, "operations_per_second", seconds > 0 ? count / seconds : NAN);
	report_double(report, "bytes_per_second", seconds > 0 ? (double)counts->bytes / seconds : NAN);
	if (counts->latencies[COUNTS_COMMIT].count && seconds > 0)
		report_double(report, "commits_per_second", (double)counts->latencies[COUNTS_COMMIT].count / seconds);
	report_double(report, "cpu_ns_per_operation", count > 0 ? stream->cpu_ns / count : NAN);
	report_double(report, "depth_achieved", count > 0 ? (double)counts->sum_inflight / count : NAN);
	report_double(report, "operations_per_batch", counts->batches ? count / (double)counts->batches : NAN);
	report_u64(report, "passes", counts->passes);
	report_u64(report, "short_writes", counts->short_writes);
	report_u64(report, "failed", counts->failed);
	write_errors(report, counts->errors, NULL);
	write_summary(report, "response", &counts->latencies[COUNTS_RESPONSE]);
	write_summary(report, "service", &counts->latencies[COUNTS_SERVICE]);
	if (counts->latencies[COUNTS_COMMIT].count)
		write_summary(report, "commit", &counts->latencies[COUNTS_COMMIT]);
	if (counts->latencies[COUNTS_SYNC].count)
		write_summary(report, "pass_sync", &counts->latencies[COUNTS_SYNC]);
	write_steady(report, &stream->steady);
	report_end(report);
}

static void write_repetition(struct report *report, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;

	report_begin(report, "repetition");
	report_attribute_u64(report, "index", repetition->run);
	report_attribute(report, "cell_id", run_cell_name(repetition->cell));
	report_double(report, "seconds", (double)(engine->end_ns - engine->begin_ns) / (double)UNITS_NS_PER_SEC);
	report_double(report, "process_cpu_ns", isnan(engine->process_cpu_ns) ? 0 : engine->process_cpu_ns);
	report_double(report, "other_cpu_ns", engine->other_cpu_ns);
	if (engine->error)
		report_text(report, "failure", strerror(-engine->error));
	for (int i = 0; i < MIX_STREAMS; i++) {
		if (engine->streams[i].is_run)
			write_stream(report, &engine->streams[i], (enum mix_stream)i);
	}
	if (engine->sample_count > 1)
		report_write_samples(report, &engine->samples[0], &engine->samples[engine->sample_count - 1]);
	report_end(report);
}

static void write_result(struct report *report, const struct run_result *result)
{
	write_workload(report, result);
	write_engine(report, &result->backend);
	if (result->is_prepared) {
		report_begin(report, "prepared");
		report_u64(report, "bytes", result->prepare.bytes);
		report_double(report, "seconds", result->prepare.seconds);
		report_end(report);
	}
	write_errors(report, result->prepare.failure.errors, "preparing");
	write_errors(report, result->trial.errors, "trial");
	for (size_t i = 0; i < result->repetition_count; i++)
		write_repetition(report, &result->repetitions[i]);
	for (size_t i = 0; i < result->plan->baselines.cell_count; i++)
		durability_write_check(report, &result->frame->durability, &result->durability[i], run_cell_name(i), NULL);
	for (size_t i = 0; i < result->plan->baselines.cell_count; i++)
		durability_write_check(report, &result->checkpoint_layers, &result->checkpoint_durability[i], run_cell_name(i),
			mix_stream_name(MIX_CHECKPOINT));
	if (result->has_baselines)
		report_write_baselines(report, &result->baselines);
	report_write_split(report, &result->split);
	report_write_records(report, result);
	if (result->has_verify)
		report_write_verification(report, &result->verify);
}

/* --- statistics --- */

static void write_latencies(struct report *report, const struct counts *total, size_t cell, enum mix_stream which)
{
	static const char *const types[] = {
		[COUNTS_RESPONSE] = "response", [COUNTS_SERVICE] = "service", [COUNTS_COMMIT] = "commit", [COUNTS_SYNC] = "sync"};
	/* A cell that is one stream alone is named by it. */
	const char *name = cell ? run_cell_name(cell) : mix_stream_name(which);

	for (int i = 0; i < COUNTS_LATENCIES; i++) {
		const struct latency *latency = &total->latencies[i];
		struct histogram_moments moments;

		latency_moments(latency, &moments);
		if (moments.count)
			report_write_histogram(report, types[i], name, &histogram_hdr, latency->counts, &moments);
	}
}

static int write_statistics(struct report *report, const struct run_result *result)
{
	report_begin(report, "statistics");
	for (size_t cell = 0; cell < result->plan->baselines.cell_count; cell++) {
		for (int which = 0; which < MIX_STREAMS; which++) {
			struct counts *total = counts_new(0);

			if (!total)
				return -1;
			for (size_t i = 0; i < result->repetition_count; i++) {
				if (result->repetitions[i].cell == cell)
					counts_merge(total, result->repetitions[i].engine.streams[which].counts);
			}
			write_latencies(report, total, cell, (enum mix_stream)which);
			counts_free(total);
		}
	}
	report_end(report);
	return 0;
}

int run_report(const struct run_result *result)
{
	const struct run_options *options = result->plan->options;
	struct report *report;
	int rc;

	if (!options->xml_path && !options->json_path)
		return DIAG_EXIT_OK;
	rc = frame_begin(result->frame, "ssdworkloads", &report);
	if (rc) {
		diag_error(rc, "the report could not be made");
		return DIAG_EXIT_HOST;
	}
	write_result(report, result);
	frame_end_result(report);
	if (write_statistics(report, result))
		report_fail(report, -ENOMEM);
	report_write_series(report, result);
	frame_end(result->frame, report);
	return frame_publish(report, options->xml_path, options->json_path);
}
