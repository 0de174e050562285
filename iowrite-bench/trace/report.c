/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/trace.h"

/* Every so many-th of count, so that no more than limit are left; at least 1. */
static size_t stride_of(size_t count, size_t limit)
{
	return count ? (count + limit - 1) / limit : 1;
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static void write_states(struct report *report, const struct timeline *timeline)
{
	size_t stride = stride_of(timeline->state_count, TRACE_REPORT_STATES);

	for (size_t i = 0; i < timeline->state_count; i += stride) {
		const struct timeline_state *state = &timeline->states[i];

		report_begin(report, "kernel_state");
		report_attribute_double(report, "time_s", seconds(state->time_ns));
		report_attribute_u64(report, "dirty_bytes", state->dirty);
		report_attribute_u64(report, "writeback_bytes", state->writeback);
		report_attribute_u64(report, "background_bytes", state->background);
		report_attribute_u64(report, "limit_bytes", state->limit);
		report_end(report);
	}
}

static void write_pauses(struct report *report, const struct timeline *timeline, size_t real_ones)
{
	size_t stride = stride_of(timeline->pause_count - real_ones, TRACE_REPORT_NO_PAUSES), none = 0;

	for (size_t i = 0; i < timeline->pause_count; i++) {
		const struct timeline_pause *pause = &timeline->pauses[i];

		if (pause->pause_ns <= 0 && none++ % stride)
			continue;
		report_begin(report, "pause");
		report_attribute_double(report, "time_s", seconds(pause->time_ns));
		report_attribute_i64(report, "pause_ns", pause->pause_ns);
		report_attribute_u64(report, "dirtied_bytes", pause->dirtied_bytes);
		report_attribute_u64(report, "task_bytes_per_second", pause->task_rate);
		report_end(report);
	}
}

static void write_ratelimits(struct report *report, const struct timeline *timeline)
{
	for (size_t i = 0; i < timeline->ratelimit_count; i++) {
		const struct timeline_ratelimit *limit = &timeline->ratelimits[i];

		report_begin(report, "ratelimit");
		report_attribute_double(report, "time_s", seconds(limit->time_ns));
		report_attribute_u64(report, "dirty_bytes_per_second", limit->dirty);
		report_attribute_u64(report, "balanced_bytes_per_second", limit->balanced);
		report_attribute_u64(report, "write_bytes_per_second", limit->write);
		report_end(report);
	}
}

static void write_predicted(struct report *report, const struct model_cost *cost)
{
	report_attribute_double(report, "kernel_ns", cost->ns);
	report_attribute_double(report, "typical_ns", cost->typical_ns);
	if (cost->low_ns < cost->high_ns) {
		report_attribute_double(report, "low_ns", cost->low_ns);
		report_attribute_double(report, "high_ns", cost->high_ns);
	}
	report_attribute_double(report, "predicted_dirty_bytes", cost->dirty_bytes);
	report_attribute_double(report, "predicted_writeback_bytes", cost->writeback_bytes);
}

static void write_writes(struct report *report, const struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	size_t stride = stride_of(found->count, TRACE_REPORT_WRITES);

	for (size_t i = 0; i < found->count; i += stride) {
		const struct record *record = &found->records[i];

		report_begin(report, "write");
		report_attribute_u64(report, "index", i);
		report_attribute_double(report, "time_s", seconds(record->start_ns - found->begin_ns));
		report_attribute_u64(report, "offset", record->offset);
		report_attribute_u64(report, "size", record->size);
		report_attribute_u64(report, "measured_ns", record->write_ns);
		if (record->dirty_bytes != WRITER_NOT_SAMPLED) {
			report_attribute_u64(report, "dirty_bytes", record->dirty_bytes);
			report_attribute_u64(report, "writeback_bytes", record->writeback_bytes);
		}
		if (result->has_prediction)
			write_predicted(report, &result->prediction.costs[i]);
		report_end(report);
	}
}

void trace_report_write(struct report *report, const struct trace_result *result)
{
	const struct dirty_state *before = &result->measurement.before;
	const struct timeline *timeline = &result->timeline;

	report_begin(report, "kernel_trace");
	if (result->writer[0])
		report_text(report, "writer", result->writer);
	report_u64(report, "background_bytes", before->background_threshold);
	report_u64(report, "freerun_bytes", timeline_freerun(before->background_threshold, before->threshold));
	report_u64(report, "limit_bytes", result->limit_bytes);
	report_u64(report, "lost_events", result->lost_events);
	write_states(report, timeline);
	write_pauses(report, timeline, result->summary.pause_count);
	write_ratelimits(report, timeline);
	write_writes(report, result);
	report_end(report);
}
