/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/report_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "ssd-workloads/engine/threads.h"

void report_write_samples(struct report *report, const struct counters *from, const struct counters *to)
{
	struct vmcounters *difference = malloc(sizeof(*difference));

	if (!difference)
		return;
	counters_difference(from, to, difference);
	if (difference->count)
		report_write_counters(report, "counters", difference, REPORT_COUNTERS_CHANGED);
	free(difference);
}

static void write_latencies(struct report *report, const struct counts_row *row)
{
	/* The least is not kept by interval; its bucket bounds it. */
	const struct histogram_moments moments = {row->operations, (double)row->sum_ns, NAN, 0, (double)row->max_ns};
	double count = (double)row->operations;

	if (!row->operations)
		return;
	report_double(report, "mean_ns", (double)row->sum_ns / count);
	report_double(report, "p50_ns", histogram_percentile(&histogram_log16, row->counts, &moments, 50));
	report_double(report, "p99_ns", histogram_percentile(&histogram_log16, row->counts, &moments, 99));
	report_u64(report, "max_ns", row->max_ns);
	report_double(report, "inflight", (double)row->sum_inflight / count);
}

struct place_in_time {
	const struct run_repetition *repetition;
	enum mix_stream stream;
	uint64_t row;
	bool is_last;
	double end_s, seconds;
};

static void write_counters(struct report *report, const struct place_in_time *at)
{
	const struct engine_result *engine = &at->repetition->engine;
	uint64_t end = at->is_last ? engine->sample_count - 1 : at->row + 1;

	if (at->row < end && end < engine->sample_count)
		report_write_samples(report, &engine->samples[at->row], &engine->samples[end]);
}

static void write_interval(struct report *report, const struct place_in_time *at, const struct counts_row *row,
	uint64_t index, bool has_counters)
{
	report_begin(report, "interval");
	report_attribute_u64(report, "index", index);
	report_attribute_u64(report, "repetition", at->repetition->run);
	report_attribute(report, "cell_id", run_cell_name(at->repetition->cell));
	report_attribute(report, "stream", mix_stream_name(at->stream));
	report_double(report, "time_s", at->end_s);
	report_double(report, "seconds", at->seconds);
	report_u64(report, "operations", row->operations);
	report_double(report, "operations_per_second", (double)row->operations / at->seconds);
	report_double(report, "bytes_per_second", (double)row->bytes / at->seconds);
	write_latencies(report, row);
	if (has_counters)
		write_counters(report, at);
	report_end(report);
}

/* The last one has all that was completed from its beginning on. */
static int sum_row(const struct place_in_time *at, struct counts_row *sum)
{
	const struct engine_stream *stream = &at->repetition->engine.streams[at->stream];
	uint64_t end = at->is_last ? stream->counts->row_count : at->row + 1;

	if (!stream->is_run || at->row >= stream->counts->row_count || at->seconds <= 0)
		return -ENODATA;
	memset(sum, 0, sizeof(*sum));
	for (uint64_t row = at->row; row < end; row++)
		counts_row_merge(sum, &stream->counts->rows[row]);
	return 0;
}

/* What is left at the end: writes under way are waited for, and a signal comes when it comes. Less than half an interval
 * would be drawn as a spike; it belongs to the one before. All that is late is in the last row there is. */
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

/* Rows of a repetition, each with both streams, in a time that goes on from the first repetition's beginning. */
static void write_rows(struct report *report, const struct run_repetition *repetition, uint64_t first_ns,
	struct counts_row *sum, uint64_t *index)
{
	const struct engine_result *engine = &repetition->engine;
	double interval = (double)engine->interval_ns / (double)UNITS_NS_PER_SEC;
	double total = (double)(engine->end_ns - engine->begin_ns) / (double)UNITS_NS_PER_SEC;
	double before = (double)(engine->begin_ns - first_ns) / (double)UNITS_NS_PER_SEC;
	uint64_t count = count_rows(engine, total, interval);

	for (uint64_t row = 0; row < count; row++) {
		double begin = (double)row * interval, end = row + 1 == count ? total : begin + interval;
		bool is_first = true;

		for (int which = 0; which < MIX_STREAMS; which++) {
			const struct place_in_time at = {repetition, (enum mix_stream)which, row, row + 1 == count, before + end,
				end - begin};

			if (sum_row(&at, sum))
				continue;
			write_interval(report, &at, sum, (*index)++, is_first);
			is_first = false;
		}
	}
}

void report_write_series(struct report *report, const struct run_result *result)
{
	struct counts_row *sum;
	uint64_t index = 0;

	if (!result->plan->options->interval_ns)
		return;
	sum = malloc(sizeof(*sum));
	if (!sum)
		report_fail(report, -ENOMEM);
	report_begin(report, "series");
	report_u64(report, "interval_ns", result->plan->options->interval_ns);
	for (size_t i = 0; i < result->repetition_count && sum; i++)
		write_rows(report, &result->repetitions[i], result->repetitions[0].engine.begin_ns, sum, &index);
	report_end(report);
	free(sum);
}
