/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals of a run's report: how a repetition ends. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/report.h"

#define SECOND 1000000000ull
#define ROWS 5 /* of four seconds, and what comes behind */

struct bench {
	struct ssd_run_options options;
	struct ssd_run_plan plan;
	struct run_repetition repetition;
	struct ssd_run_result result;
};

/* A log that has 1, 10, 100, ... writes in its rows, and ended when it did. */
static struct bench *set_up(double seconds)
{
	struct bench *bench = calloc(1, sizeof(*bench));
	struct engine_result *engine = &bench->repetition.engine;
	uint64_t writes = 1;

	bench->options.interval_ns = SECOND;
	bench->plan.options = &bench->options;
	bench->result.plan = &bench->plan;
	bench->result.repetition_count = 1;
	bench->result.repetitions = &bench->repetition;
	engine->begin_ns = 7 * SECOND;
	engine->end_ns = 7 * SECOND + (uint64_t)(seconds * (double)SECOND);
	engine->interval_ns = SECOND;
	engine->streams[MIX_LOG].is_run = true;
	for (int i = 0; i < MIX_STREAMS; i++)
		engine->streams[i].counts = counts_new(i == MIX_LOG ? ROWS : 0);
	for (int i = 0; i < ROWS; i++, writes *= 10)
		engine->streams[MIX_LOG].counts->rows[i] = (struct counts_row){.operations = writes, .bytes = writes * 4096,
			.sum_ns = writes * 1000, .max_ns = 1000 + (uint64_t)i, .sum_inflight = writes, .counts = {[100] = writes}};
	return bench;
}

static void tear_down(struct bench *bench)
{
	for (int i = 0; i < MIX_STREAMS; i++)
		counts_free(bench->repetition.engine.streams[i].counts);
	free(bench);
}

/* The last interval's end, length and writes; how many there are. */
static size_t read_last(struct bench *bench, double *time_s, double *seconds, unsigned long *operations)
{
	struct report *report;
	const char *text, *at;
	size_t size, count = 0;

	assert_int_equal(report_new("root", &report), 0);
	ssd_run_report_series(report, field_find(ssd_report_record(), "series"), &bench->result);
	report_end(report);
	assert_int_equal(report_document(report, &text, &size), 0);
	for (at = strstr(text, "<interval "); at; at = strstr(at + 1, "<interval ")) {
		const char *time = strstr(at, "<time_s>"), *length = strstr(at, "<seconds>"), *writes = strstr(at, "<operations>");

		assert_true(time && length && writes);
		*time_s = strtod(time + strlen("<time_s>"), NULL);
		*seconds = strtod(length + strlen("<seconds>"), NULL);
		*operations = strtoul(writes + strlen("<operations>"), NULL, 10);
		count++;
	}
	report_free(report);
	return count;
}

TEST("each way to end")
{
	static const struct {
		double total;
		size_t count;
		double seconds;
		unsigned long operations;
	} cases[] = {
		{4, 4, 1, 11000},      /* the last row has what comes behind */
		{4.002, 4, 1.002, 11000},
		{4.49, 4, 1.49, 11000},
		{4.6, 5, 0.6, 10000},
		{9.5, 5, 5.5, 10000},  /* writes that were waited for: no row was left for them */
		{2.3, 2, 1.3, 11110},  /* ended early */
		{2.75, 3, 0.75, 11100},
		{0.2, 1, 0.2, 11111},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench *bench = set_up(cases[i].total);
		double time_s = 0, seconds = 0;
		unsigned long operations = 0;

		assert_int_equal(read_last(bench, &time_s, &seconds, &operations), cases[i].count);
		assert_true(time_s > cases[i].total - 1e-6 && time_s < cases[i].total + 1e-6);
		assert_true(seconds > cases[i].seconds - 1e-6 && seconds < cases[i].seconds + 1e-6);
		assert_int_equal(operations, cases[i].operations);
		tear_down(bench);
	}
}

TEST("without an interval there is none")
{
	struct bench *bench = set_up(4);
	double time_s, seconds;
	unsigned long operations;

	bench->options.interval_ns = 0;
	assert_int_equal(read_last(bench, &time_s, &seconds, &operations), 0);
	tear_down(bench);
}
