/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text and report of a trace, from results made by hand. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/trace/trace.h"

#define MIB (1ull << 20)

static struct trace_plan plan = {.name = "c1", .meaning = "buffered"};

static struct trace_result *make(size_t states, size_t pauses, size_t writes)
{
	struct trace_result *result = calloc(1, sizeof(*result));

	assert_non_null(result);
	result->plan = &plan;
	result->measurement.before = (struct dirty_state){0, 0, 64 * MIB, 128 * MIB};
	result->limit_bytes = 128 * MIB;
	result->measurement.begin_ns = 1000;
	result->measurement.end_ns = 1000 + 2000000000;
	result->measurement.count = writes;
	result->measurement.records = calloc(writes, sizeof(struct record));
	result->timeline = (struct timeline){.state_count = states,
		.pause_count = pauses,
		.states = calloc(states, sizeof(struct timeline_state)),
		.pauses = calloc(pauses, sizeof(struct timeline_pause))};
	assert_true(result->measurement.records && result->timeline.states && result->timeline.pauses);
	for (size_t i = 0; i < writes; i++)
		result->measurement.records[i] = (struct record){.offset = i * MIB, .size = MIB, .start_ns = 1000 + i * 100,
			.write_ns = 1000000, .dirty_bytes = i % 2 ? i : WRITER_NOT_SAMPLED};
	return result;
}

static void drop(struct trace_result *result)
{
	trace_result_free(result);
	free(result);
}

static char *printed(const struct trace_result *result)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	trace_text(out, result);
	assert_int_equal(fclose(out), 0);
	return text;
}

TEST("the text of a trace with all parts equals the expected text")
{
	struct trace_result *result = make(3, 2, 4);
	char *found;

	result->summary = (struct timeline_summary){5e8, 1e9, 5e8, 2, 12e6, 16e6, 28e6, 100 * MIB, 400 * MIB};
	result->timeline.ratelimit_count = 7;
	result->has_prediction = result->has_gap = true;
	result->prediction.total_ns = 3e6;
	result->gap = (struct model_gap){250000000, (double)(30 * MIB), (double)(70 * MIB)};
	found = printed(result);
	assert_string_equal(found, "c1: buffered\n"
				   "writes       4 of 4 MiB in 2 s\n"
				   "events       3 of the state, 2 of pauses, 7 of the ratelimit, 0 lost\n"
				   "thresholds   background 64 MiB, free run 96 MiB, limit 128 MiB\n"
				   "state         time   share\n"
				   "free run    500 ms  25.0 %\n"
				   "background  1.00 s  50.0 %\n"
				   "throttled   500 ms  25.0 %\n"
				   "pauses       2: p50 12 ms, p99 16 ms, 28 ms in all\n"
				   "ratelimit    100 MiB/s at the start, 400 MiB/s at the end\n"
				   "model        writes take 3 ms as predicted, 4 ms as measured\n"
				   "largest gap  40 MiB at 0.250 s: model 30 MiB, kernel 70 MiB dirty or "
				   "under write-back\n");
	free(found);
	drop(result);
}

TEST("the text of a trace names what is missing")
{
	struct trace_result *result = make(0, 0, 0);
	char *found;

	result->measurement.end_ns = result->measurement.begin_ns = 0;
	result->summary.pause_p50_ns = result->summary.pause_p99_ns = NAN;
	result->limit_bytes = 512 * MIB;
	result->lost_events = 9;
	result->timeline.foreign_pauses = 3;
	frame_reason(&result->frame, "lost-events", "9 events are missing");
	found = printed(result);
	assert_string_equal(found, "c1: buffered\n"
				   "writes       0 of 0 B in 0 ns\n"
				   "events       0 of the state, 0 of pauses, 0 of the ratelimit, 9 lost\n"
				   "thresholds   background 64 MiB, free run 96 MiB, limit 512 MiB\n"
				   "             the threshold is 128 MiB: the kernel lowers its limit to it step by step, and "
				   "throttles less until then\n"
				   "state       time  share\n"
				   "free run    0 ns    0 %\n"
				   "background  0 ns    0 %\n"
				   "throttled   0 ns    0 %\n"
				   "pauses       none\n"
				   "ratelimit    no event: no throttling observed\n"
				   "others       3 events of other writers to this device: it was not idle\n"
				   "not ok       9 events are missing\n");
	free(found);
	drop(result);
}

static size_t count_in(const char *text, const char *what)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
		count++;
	return count;
}

/* Every n-th of what is too much; no real pause is left out. */
TEST("long series are thinned, real pauses are kept")
{
	struct trace_result *result = make(25000, 30000, 4001);
	struct report *report;
	const char *document;
	size_t size;

	for (size_t i = 0; i < 30000; i++)
		result->timeline.pauses[i].pause_ns = i % 100 ? -1 : 4000000;
	result->summary.pause_count = 300;
	assert_int_equal(report_new("iowritebench", &report), 0);
	trace_report(report, field_find(iow_result_record(), "kernel_trace"), result);
	assert_int_equal(report_document(report, &document, &size), 0);
	assert_int_equal(count_in(document, "<kernel_state "), 8334);
	assert_int_equal(count_in(document, "pause_ns=\"4000000\""), 300);
	assert_int_equal(count_in(document, "pause_ns=\"-1\""), 9900);
	assert_int_equal(count_in(document, "<write "), 1334);
	/* Writes that were not sampled have no value: of 0, 3, 6 ... every other one was sampled. */
	assert_int_equal(count_in(document, " writeback_bytes=\"0\"") - 8334, 667);
	assert_int_equal(count_in(document, "<freerun_bytes>100663296<"), 1);
	report_free(report);
	drop(result);
}
