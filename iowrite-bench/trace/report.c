/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/trace.h"

/* Every n-th of count, so that at most limit remain; at least 1. */
static size_t stride_of(size_t count, size_t limit)
{
	return count ? (count + limit - 1) / limit : 1;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void write_states(struct report *report, const struct field *field, const void *from)
{
	const struct timeline *timeline = from;
	size_t stride = stride_of(timeline->state_count, TRACE_REPORT_STATES);

	for (size_t i = 0; i < timeline->state_count; i += stride) {
		const struct timeline_state *state = &timeline->states[i];

		FIELD_ROW(report, field, iow_kernel_state,
			.time_s = seconds(state->time_ns),
			.dirty_bytes = state->dirty,
			.writeback_bytes = state->writeback,
			.background_bytes = state->background,
			.limit_bytes = state->limit);
	}
}

static void write_pauses(struct report *report, const struct field *field, const void *from)
{
	const struct trace_result *result = from;
	const struct timeline *timeline = &result->timeline;
	size_t stride = stride_of(timeline->pause_count - result->summary.pause_count, TRACE_REPORT_NO_PAUSES), none = 0;

	for (size_t i = 0; i < timeline->pause_count; i++) {
		const struct timeline_pause *pause = &timeline->pauses[i];

		if (pause->pause_ns <= 0 && none++ % stride)
			continue;
		FIELD_ROW(report, field, iow_kernel_pause,
			.time_s = seconds(pause->time_ns),
			.pause_ns = pause->pause_ns,
			.dirtied_bytes = pause->dirtied_bytes,
			.task_bytes_per_second = pause->task_rate);
	}
}

static void write_ratelimits(struct report *report, const struct field *field, const void *from)
{
	const struct timeline *timeline = from;

	for (size_t i = 0; i < timeline->ratelimit_count; i++) {
		const struct timeline_ratelimit *limit = &timeline->ratelimits[i];

		FIELD_ROW(report, field, iow_kernel_ratelimit,
			.time_s = seconds(limit->time_ns),
			.dirty_bytes_per_second = limit->dirty,
			.balanced_bytes_per_second = limit->balanced,
			.write_bytes_per_second = limit->write);
	}
}

static void write_writes(struct report *report, const struct field *field, const void *from)
{
	const struct trace_result *result = from;
	const struct measurement *found = &result->measurement;
	size_t stride = stride_of(found->count, TRACE_REPORT_WRITES);

	for (size_t i = 0; i < found->count; i += stride) {
		const struct iow_write_values write =
			measured_write(found, i, result->has_prediction ? &result->prediction.costs[i] : NULL);

		field_row(report, field, iow_write_record(), &write);
	}
}

void trace_report(struct report *report, const struct field *field, const void *from)
{
	const struct trace_result *result = from;
	const struct dirty_state *before = &result->measurement.before;

	FIELD_ROW(report, field, iow_kernel_trace,
		.writer = FIELD_UNLESS_EMPTY(result->writer),
		.background_bytes = before->background_threshold,
		.freerun_bytes = timeline_freerun(before->background_threshold, before->threshold),
		.limit_bytes = result->limit_bytes,
		.lost_events = result->lost_events,
		.kernel_state = FIELD_BY(write_states, &result->timeline),
		.pause = FIELD_BY(write_pauses, result),
		.ratelimit = FIELD_BY(write_ratelimits, &result->timeline),
		.write = FIELD_BY(write_writes, result));
}
