/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/text.h"

#include <inttypes.h>
#include <math.h>

#include "common/units.h"

static const char *size_text(double bytes, char *text)
{
	return units_format_size((uint64_t)(bytes < 0 ? 0 : bytes), text, UNITS_TEXT);
}

static void print_state(FILE *out, const char *name, double ns, double all_ns)
{
	char text[UNITS_TEXT];

	fprintf(out, "%-12s %-10s %3.0f %%\n", name, units_format_duration(ns, text, sizeof(text)),
		all_ns > 0 ? 100 * ns / all_ns : 0);
}

static void print_pauses(FILE *out, const struct timeline_summary *summary)
{
	char p50[UNITS_TEXT], p99[UNITS_TEXT], total[UNITS_TEXT];

	if (!summary->pause_count) {
		fprintf(out, "%-12s none\n", "pauses");
		return;
	}
	fprintf(out, "%-12s %zu: p50 %s, p99 %s, %s in all\n", "pauses", summary->pause_count,
		units_format_duration(summary->pause_p50_ns, p50, sizeof(p50)),
		units_format_duration(summary->pause_p99_ns, p99, sizeof(p99)),
		units_format_duration(summary->pause_total_ns, total, sizeof(total)));
}

static void print_ratelimit(FILE *out, const struct timeline_summary *summary)
{
	char first[UNITS_TEXT], last[UNITS_TEXT];

	if (summary->first_ratelimit || summary->last_ratelimit)
		fprintf(out, "%-12s %s/s at the begin, %s/s at the end\n", "ratelimit",
			size_text((double)summary->first_ratelimit, first),
			size_text((double)summary->last_ratelimit, last));
	else
		fprintf(out, "%-12s no event: the kernel had nothing to balance\n", "ratelimit");
}

static void print_beside(FILE *out, const struct trace_result *result, double measured_ns)
{
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];
	const struct beside_gap *gap = &result->gap;
	double difference = gap->model_bytes - gap->kernel_bytes;

	fprintf(out, "%-12s %s predicted, %s measured, of the writes\n", "model",
		units_format_duration(result->prediction.total_ns, a, sizeof(a)),
		units_format_duration(measured_ns, b, sizeof(b)));
	if (!result->has_gap)
		return;
	fprintf(out, "%-12s at most %s %s at %.3f s: %s instead of %s dirty and being written back\n", "apart",
		size_text(fabs(difference), a), difference < 0 ? "too little" : "too much", (double)gap->time_ns / 1e9,
		size_text(gap->model_bytes, b), size_text(gap->kernel_bytes, c));
}

void trace_text(FILE *out, const struct trace_result *result)
{
	const struct measurement *found = &result->measurement;
	const struct timeline *timeline = &result->timeline;
	const struct dirty_state *before = &found->before;
	double all_ns = (double)(found->end_ns - found->begin_ns), writes_ns = 0, bytes = 0;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];

	for (size_t i = 0; i < found->count; i++) {
		writes_ns += (double)found->records[i].write_ns;
		bytes += (double)found->records[i].size;
	}
	fprintf(out, "%s%s%s\n", result->plan->name, result->plan->meaning[0] ? ": " : "", result->plan->meaning);
	fprintf(out, "%-12s %zu of %s in %s\n", "writes", found->count, size_text(bytes, a),
		units_format_duration(all_ns, b, sizeof(b)));
	if (result->writer[0])
		fprintf(out, "%-12s %s\n", "writer", result->writer);
	fprintf(out, "%-12s %zu of the state, %zu of pauses, %zu of the ratelimit, %" PRIu64 " lost\n", "events",
		timeline->state_count, timeline->pause_count, timeline->ratelimit_count, result->lost_events);
	fprintf(out, "%-12s background %s, free run %s, limit %s\n", "thresholds",
		size_text((double)before->background_threshold, a),
		size_text((double)timeline_freerun(before->background_threshold, before->threshold), b),
		size_text((double)result->limit_bytes, c));
	if (result->limit_bytes > before->threshold + before->threshold / 16)
		fprintf(out, "%-12s the threshold is %s: the kernel's limit comes down to it bit by bit, and throttles "
			     "less until then\n", "", size_text((double)before->threshold, a));
	print_state(out, "free run", result->summary.free_ns, all_ns);
	print_state(out, "background", result->summary.background_ns, all_ns);
	print_state(out, "throttled", result->summary.throttled_ns, all_ns);
	print_pauses(out, &result->summary);
	print_ratelimit(out, &result->summary);
	if (timeline->foreign_pauses)
		fprintf(out, "%-12s %zu looks at pauses of other writers to this device: it was not alone\n", "others",
			timeline->foreign_pauses);
	if (result->has_prediction)
		print_beside(out, result, writes_ns);
	if (result->has_prediction && result->plan->memory == MODEL_COLD)
		fprintf(out, "%-12s not proven: free memory was left alone for %d s, what of it the host had not taken by then was "
			     "warm\n", "cold", MEASURE_COOL_S);
	for (size_t i = 0; i < result->frame.reason_count; i++)
		fprintf(out, "%-12s %s\n", "not ok", result->frame.reasons[i].text);
}
