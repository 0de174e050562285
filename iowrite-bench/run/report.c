/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <math.h>

#include "iowrite-bench/write/memory.h"

/* --- cells --- */

static double mean_of(const struct tally *tally, enum tally_of of)
{
	const struct latency *latency = tally->of[of];

	return latency && latency->count ? latency->sum_ns / (double)latency->count : NAN;
}

static void write_cells(struct report *report, const struct field *field, const void *from)
{
	const struct iow_run_result *result = from;
	const struct iow_run_options *options = result->plan->options;

	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];
		const struct run_cell *cell = measured->cell;
		const struct tally *tally = &measured->tally;
		const struct durability_checked durability = {&result->frame->durability, &measured->durability, NULL, NULL};
		bool has_own_syncs = tally->of[TALLY_SYNC] && cell->sync_every > 1;

		FIELD_ROW(report, field, iow_cell,
			.id = cell->id,
			.method = cell->method_name,
			.mode = op_mode_name(cell->mode),
			.sync = cell->sync->name,
			.sync_every = cell->sync_every > 1 ? cell->sync_every : FIELD_NO_COUNT,
			.way = cell->way ? cell->way->name : NULL,
			.regime = op_regime_name(cell->regime),
			.rw = run_order_name(cell->order),
			.memory = memory_name(options->memory),
			.size_bytes = cell->size.low == cell->size.high ? cell->size.low : FIELD_NO_COUNT,
			.threads = options->threads,
			.delay_ns = options->delay_ns,
			.operations = tally->operations,
			.bytes = tally->bytes,
			.run_s = measured->run_s,
			.operations_per_second = iow_run_result_rate(measured, tally->operations),
			.bytes_per_second = iow_run_result_rate(measured, tally->bytes),
			.write_mean_ns = mean_of(tally, TALLY_WRITE),
			.sync_mean_ns = mean_of(tally, TALLY_SYNC),
			.syncs = has_own_syncs ? tally->of[TALLY_SYNC]->count : FIELD_NO_COUNT,
			.fill_mean_ns = tally->operations ? (double)measured->fill_ns / (double)tally->operations : NAN,
			.flush_ns = measured->rounds && cell->method->flush ? measured->flush_ns : FIELD_NO_COUNT,
			.close_ns = measured->rounds ? measured->close_ns : FIELD_NO_COUNT,
			.short_writes = tally->short_writes,
			.page_faults = measured->faults,
			.dirty_before_bytes = measured->has_dirty ? measured->dirty_before_bytes : FIELD_NO_COUNT,
			.dirty_after_bytes = measured->has_dirty ? measured->dirty_after_bytes : FIELD_NO_COUNT,
			.failure = FIELD_UNLESS_EMPTY(measured->failure),
			.durability_check = FIELD_BY(durability_checked, &durability),
			.cost_split = FIELD_MANY(&measured->split, measured->has_split ? 1 : 0),
			.outside_model = FIELD_BY(validity_write, &measured->validity),
			.objective = FIELD_MANY(measured->objectives, measured->objective_count));
	}
}

static void write_skipped(struct report *report, const struct field *field, const void *from)
{
	const struct iow_run_plan *plan = from;

	for (size_t i = 0; i < plan->cell_count; i++) {
		if (plan->cells[i].skipped[0])
			FIELD_ROW(report, field, named_text, plan->cells[i].id, plan->cells[i].skipped);
	}
}

/* --- statistics --- */

static void write_histograms(struct report *report, const struct field *field, const void *from)
{
	static const struct {
		const char *type;
		enum tally_of of;
	} rows[] = {{"write", TALLY_WRITE}, {"sync", TALLY_SYNC}};
	const struct iow_run_result *result = from;

	for (size_t i = 0; i < result->cell_count; i++) {
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			const struct latency *latency = result->cells[i].tally.of[rows[k].of];
			struct histogram_moments moments;

			if (!latency || !latency->count)
				continue;
			latency_moments(latency, &moments);
			report_histogram(report, field, rows[k].type, result->cells[i].cell->id, &histogram_hdr, latency->counts,
				&moments);
		}
	}
}

/* --- series --- */

static void write_counters(struct report *report, const struct field *field, const void *from)
{
	report_counters(report, field, from, REPORT_COUNTERS_CHANGED);
}

static void write_intervals(struct report *report, const struct field *field, const void *from)
{
	const struct iow_run_result *result = from;
	const struct write_series *series = &result->series;
	/* The counters are no longer read: their buffer holds an interval's differences. */
	struct vmcounters *differences = series->snapshot;

	for (size_t i = 0; i < series->count; i++) {
		const struct series_interval *interval = &series->intervals[i];
		struct iow_interval_values row = interval->row;

		row.index = i;
		row.cell_id = result->cells[interval->cell].cell->id;
		if (interval->has_counters) {
			differences->count = series->name_count;
			differences->left_out = 0;
			for (size_t k = 0; k < series->name_count; k++) {
				snprintf(differences->values[k].name, sizeof(differences->values[k].name), "%s", series->names[k]);
				differences->values[k].value = interval->deltas[k];
			}
			row.counters = FIELD_BY(write_counters, differences);
		}
		field_row(report, field, iow_interval_record(), &row);
	}
}

int iow_run_report(const struct iow_run_result *result)
{
	const struct iow_run_options *options = result->plan->options;
	const struct iow_cells_values cells = {FIELD_BY(write_cells, result), FIELD_BY(write_skipped, result->plan)};
	const struct iow_result_values inner = {.clock = FIELD_BY(frame_clock, result->frame), .cells = FIELD_ONE(&cells)};
	const struct iow_statistics_values statistics = {FIELD_BY(write_histograms, result)};
	const struct iow_series_values series = {result->series.interval_ns, FIELD_BY(write_intervals, result)};
	const struct iow_report_values values = {
		FRAME_MEMBERS(result->frame),
		.result = FIELD_ONE(&inner),
		.statistics = FIELD_ONE(&statistics),
		.series = FIELD_MANY(&series, series.interval_ns ? 1 : 0),
	};

	return frame_publish(result->frame, "iowritebench", &(struct iow_document_values){FIELD_ONE(&values)}, options->xml_path,
		options->json_path);
}
