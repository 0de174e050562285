/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/diag.h"
#include "iowrite-bench/memory.h"

/* --- cells --- */

static void write_words(struct report *report, const struct run_options *options, const struct run_cell *cell)
{
	report_attribute(report, "id", cell->id);
	report_text(report, "method", cell->method_name);
	report_text(report, "mode", op_mode_name(cell->mode));
	report_text(report, "sync", cell->sync->name);
	if (cell->sync_every > 1)
		report_u64(report, "sync_every", cell->sync_every);
	if (cell->way)
		report_text(report, "way", cell->way->name);
	report_text(report, "regime", op_regime_name(cell->regime));
	report_text(report, "rw", run_order_name(cell->order));
	report_text(report, "memory", memory_name(options->memory));
	if (cell->size.low == cell->size.high)
		report_u64(report, "size_bytes", cell->size.low);
	report_u64(report, "threads", options->threads);
	report_u64(report, "delay_ns", options->delay_ns);
}

static double mean_of(const struct tally *tally, enum tally_of of)
{
	const struct tally_latency *latency = tally->of[of];

	return latency && latency->moments.count ? latency->moments.sum_ns / (double)latency->moments.count : NAN;
}

static void write_amounts(struct report *report, const struct run_measured *measured)
{
	const struct tally *tally = &measured->tally;

	report_u64(report, "operations", tally->operations);
	report_u64(report, "bytes", tally->bytes);
	report_double(report, "run_s", measured->run_s);
	report_double(report, "operations_per_second", run_result_rate(measured, tally->operations));
	report_double(report, "bytes_per_second", run_result_rate(measured, tally->bytes));
	report_double(report, "write_mean_ns", mean_of(tally, TALLY_WRITE));
	report_double(report, "sync_mean_ns", mean_of(tally, TALLY_SYNC));
	if (tally->of[TALLY_SYNC] && measured->cell->sync_every > 1)
		report_u64(report, "syncs", tally->of[TALLY_SYNC]->moments.count);
	if (tally->operations)
		report_double(report, "fill_mean_ns", (double)measured->fill_ns / (double)tally->operations);
	if (measured->rounds) {
		if (measured->has_flush)
			report_u64(report, "flush_ns", measured->flush_ns);
		report_u64(report, "close_ns", measured->close_ns);
	}
	report_u64(report, "short_writes", tally->short_writes);
	report_u64(report, "page_faults", measured->faults);
	if (measured->has_dirty) {
		report_u64(report, "dirty_before_bytes", measured->dirty_before_bytes);
		report_u64(report, "dirty_after_bytes", measured->dirty_after_bytes);
	}
}

static void write_slos(struct report *report, const struct run_options *options, const struct run_measured *measured)
{
	for (size_t i = 0; i < options->slo_count; i++) {
		const struct slo *slo = &options->slos[i];
		double reached = run_result_reached_ns(measured, slo);

		if (!run_result_concerns(measured, slo))
			continue;
		report_begin(report, "objective");
		report_attribute(report, "text", slo->text);
		report_double(report, "limit_ns", slo->limit_ns);
		report_double(report, "reached_ns", reached);
		report_bool(report, "is_met", slo_is_met(slo, reached));
		report_end(report);
	}
}

static void write_cell(struct report *report, const struct run_options *options, const struct durability *durability,
	const struct run_measured *measured)
{
	report_begin(report, "cell");
	write_words(report, options, measured->cell);
	write_amounts(report, measured);
	if (measured->failure[0])
		report_text(report, "failure", measured->failure);
	durability_write_check(report, durability, &measured->durability, NULL, NULL);
	if (measured->has_split)
		split_write(report, &measured->split);
	validity_write(report, &measured->validity);
	write_slos(report, options, measured);
	report_end(report);
}

static void write_cells(struct report *report, const struct run_result *result)
{
	const struct run_plan *plan = result->plan;

	report_begin(report, "cells");
	for (size_t i = 0; i < result->cell_count; i++)
		write_cell(report, plan->options, &result->frame->durability, &result->cells[i]);
	for (size_t i = 0; i < plan->cell_count; i++) {
		if (!plan->cells[i].skipped[0])
			continue;
		report_begin(report, "skipped");
		report_attribute(report, "name", plan->cells[i].id);
		report_content(report, plan->cells[i].skipped);
		report_end(report);
	}
	report_end(report);
}

/* --- statistics --- */

static void write_histogram(struct report *report, const char *type, const char *id,
	const struct tally_latency *latency)
{
	if (latency && latency->moments.count)
		report_write_histogram(report, type, id, &histogram_hdr, latency->counts, &latency->moments);
}

static void write_statistics(struct report *report, const struct run_result *result)
{
	report_begin(report, "statistics");
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		write_histogram(report, "write", measured->cell->id, measured->tally.of[TALLY_WRITE]);
		write_histogram(report, "sync", measured->cell->id, measured->tally.of[TALLY_SYNC]);
	}
	report_end(report);
}

/* --- series --- */

static void write_rates(struct report *report, const struct series_interval *interval)
{
	double count = (double)interval->moments.count, seconds = interval->seconds;

	report_double(report, "time_s", interval->time_s);
	report_double(report, "seconds", seconds);
	report_u64(report, "operations", interval->moments.count);
	report_double(report, "operations_per_second", seconds > 0 ? count / seconds : 0);
	report_double(report, "bytes_per_second", seconds > 0 ? (double)interval->bytes / seconds : 0);
	report_double(report, "mean_ns", count > 0 ? interval->moments.sum_ns / count : NAN);
	report_double(report, "p50_ns", interval->p50_ns);
	report_double(report, "p99_ns", interval->p99_ns);
}

static void write_counters(struct report *report, const struct series *series, const struct series_interval *interval,
	struct vmcounters *room)
{
	if (!interval->has_counters)
		return;
	room->count = series->name_count;
	room->left_out = 0;
	for (size_t i = 0; i < series->name_count; i++) {
		snprintf(room->values[i].name, sizeof(room->values[i].name), "%s", series->names[i]);
		room->values[i].value = (uint64_t)interval->deltas[i];
	}
	report_write_counters(report, "counters", room, REPORT_COUNTERS_CHANGED);
}

static void write_interval(struct report *report, const struct run_result *result, size_t index, struct vmcounters *room)
{
	const struct series_interval *interval = &result->series.intervals[index];

	report_begin(report, "interval");
	report_attribute_u64(report, "index", index);
	report_attribute(report, "cell_id", result->cells[interval->cell].cell->id);
	write_rates(report, interval);
	if (interval->has_dirty) {
		report_u64(report, "nr_dirty_bytes", interval->dirty.dirty);
		report_u64(report, "nr_writeback_bytes", interval->dirty.writeback);
		report_u64(report, "background_threshold_bytes", interval->dirty.background_threshold);
		report_u64(report, "threshold_bytes", interval->dirty.threshold);
	}
	write_counters(report, &result->series, interval, room);
	report_end(report);
}

static void write_series(struct report *report, const struct run_result *result)
{
	const struct series *series = &result->series;

	if (!series->interval_ns)
		return;
	report_begin(report, "series");
	report_u64(report, "interval_ns", series->interval_ns);
	/* The snapshot's room serves once more: nobody reads the kernel's counters any longer. */
	for (size_t i = 0; i < series->count; i++)
		write_interval(report, result, i, series->snapshot);
	report_end(report);
}

int run_report(const struct run_result *result)
{
	const struct run_options *options = result->plan->options;
	struct report *report;
	int rc;

	if (!options->xml_path && !options->json_path)
		return DIAG_EXIT_OK;
	rc = frame_begin(result->frame, "iowritebench", &report);
	if (rc) {
		diag_error(rc, "the report could not be made");
		return DIAG_EXIT_HOST;
	}
	write_cells(report, result);
	frame_end_result(report);
	write_statistics(report, result);
	write_series(report, result);
	frame_end(result->frame, report);
	return frame_publish(report, options->xml_path, options->json_path);
}
