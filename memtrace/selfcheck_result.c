/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace selfcheck: medians, the table and the report. */
#include "config.h"
#include "memtrace/selfcheck.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/frame.h"
#include "common/interrupt.h"
#include "common/stats.h"
#include "memtrace/commands.h"

#define GOAL_ERROR 0.05
#define GOAL_SLOWDOWN 1.03

/* Of the runs that have a value. */
static double median_of(const struct checked *checked, size_t offset, double *least, double *most)
{
	double values[SELFCHECK_ROUNDS], median = NAN;
	size_t count = 0;

	*least = *most = NAN;
	for (size_t i = 0; i < checked->count; i++) {
		memcpy(&values[count], (const char *)&checked->runs[i] + offset, sizeof(values[count]));
		if (isnan(values[count]))
			continue;
		*least = fmin(*least, values[count]);
		*most = fmax(*most, values[count]);
		count++;
	}
	if (count)
		(void)stats_median(values, count, &median);
	return median;
}

static uint64_t whole_median(const struct checked *checked, size_t offset)
{
	double values[SELFCHECK_ROUNDS], median = 0;

	for (size_t i = 0; i < checked->count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)&checked->runs[i] + offset, sizeof(value));
		values[i] = (double)value;
	}
	(void)stats_median(values, checked->count, &median);
	return (uint64_t)median;
}

#define VALUE(index) median_of(checked, offsetof(struct outcome, values) + (index) * sizeof(double), &least, &most)
#define IDEAL(index) median_of(checked, offsetof(struct outcome, ideal) + (index) * sizeof(double), &least, &most)

static struct mt_check_values summarize(const struct selfcheck *selfcheck, struct checked *checked)
{
	struct mt_check_values row = {.id = checked->id, .pattern = checked->pattern, .sampling_engine = checked->engine,
		.runs = checked->count, .accesses = checked->accesses,
		.pages_met = whole_median(checked, offsetof(struct outcome, met)),
		.samples = whole_median(checked, offsetof(struct outcome, samples)),
		.lost_samples = whole_median(checked, offsetof(struct outcome, lost))};
	size_t ends[QUALITY_GROUPS], groups = quality_groups(selfcheck->pages, ends);
	double least, most;

	row.slowdown = median_of(checked, offsetof(struct outcome, slowdown), &row.slowdown_least, &row.slowdown_most);
	row.recall_top_1 = VALUE(QUALITY_RECALL_1);
	row.recall_top_10 = VALUE(QUALITY_RECALL_10);
	row.ideal_recall_top_1 = IDEAL(QUALITY_RECALL_1);
	row.ideal_recall_top_10 = IDEAL(QUALITY_RECALL_10);
	row.rank_correlation = VALUE(QUALITY_CORRELATION);
	row.ideal_rank_correlation = IDEAL(QUALITY_CORRELATION);
	row.met_rank_correlation = VALUE(QUALITY_MET_CORRELATION);
	row.ideal_met_rank_correlation = IDEAL(QUALITY_MET_CORRELATION);
	row.miss_ratio_error = VALUE(QUALITY_CURVE);
	row.ideal_miss_ratio_error = IDEAL(QUALITY_CURVE);
	row.meets_goal = row.miss_ratio_error <= GOAL_ERROR && row.slowdown <= GOAL_SLOWDOWN;
	if (!strcmp(checked->engine, SELFCHECK_LACKEY))
		row.meets_goal = FIELD_NO_COUNT;
	row.bias_top_1 = VALUE(QUALITY_BIAS_1);
	row.bias_top_10 = VALUE(QUALITY_BIAS_10);
	row.bias_rest = VALUE(QUALITY_BIAS_REST);
	for (size_t i = 0; i < groups; i++)
		checked->groups[i] = (struct mt_rank_group_values){i ? ends[i - 1] + 1 : 1, ends[i],
			VALUE(QUALITY_BIAS_GROUPS + i)};
	row.rank_group = FIELD_MANY(checked->groups, groups);
	return row;
}

#define ROW(NAME) offsetof(struct mt_check_values, NAME)

#define NUMBER_COLUMN(NAME, digits) \
	static void show_##NAME(const void *row, char *text, size_t length) \
	{ \
		double value = ((const struct mt_check_values *)row)->NAME; \
\
		snprintf(text, length, isnan(value) ? "-" : "%." #digits "f", value); \
	}
NUMBER_COLUMN(slowdown, 3)
NUMBER_COLUMN(slowdown_least, 3)
NUMBER_COLUMN(slowdown_most, 3)
NUMBER_COLUMN(recall_top_1, 2)
NUMBER_COLUMN(recall_top_10, 2)
NUMBER_COLUMN(ideal_recall_top_1, 2)
NUMBER_COLUMN(ideal_recall_top_10, 2)
NUMBER_COLUMN(rank_correlation, 2)
NUMBER_COLUMN(ideal_rank_correlation, 2)
NUMBER_COLUMN(met_rank_correlation, 2)
NUMBER_COLUMN(ideal_met_rank_correlation, 2)
NUMBER_COLUMN(miss_ratio_error, 3)
NUMBER_COLUMN(ideal_miss_ratio_error, 3)
NUMBER_COLUMN(bias_top_1, 2)
NUMBER_COLUMN(bias_top_10, 2)
NUMBER_COLUMN(bias_rest, 2)

static void get_goal(const void *row, struct table_cell *cell)
{
	uint64_t goal = ((const struct mt_check_values *)row)->meets_goal;

	cell->truth = goal == 1;
	cell->is_absent = goal == FIELD_NO_COUNT;
}

static void show_goal(const void *row, char *text, size_t length)
{
	uint64_t goal = ((const struct mt_check_values *)row)->meets_goal;

	snprintf(text, length, "%s", goal == FIELD_NO_COUNT ? "-" : goal ? "met" : "missed");
}

#define HIDDEN (TABLE_JSON | TABLE_RIGHT)
#define SEEN (TABLE_SHOWN | HIDDEN)
#define NUMBER(NAME) .offset = ROW(NAME), .show = show_##NAME
static const struct table_column columns[] = {
	{"id", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, .offset = ROW(id), .heading = "pattern, engine"},
	{"pattern", TABLE_STRING, TABLE_JSON, .offset = ROW(pattern)},
	{"engine", TABLE_STRING, TABLE_JSON, .offset = ROW(sampling_engine)},
	{"runs", TABLE_WHOLE, HIDDEN, .offset = ROW(runs)},
	{"accesses", TABLE_WHOLE, HIDDEN, .offset = ROW(accesses)},
	{"samples", TABLE_WHOLE, SEEN, .offset = ROW(samples)},
	{"lost", TABLE_WHOLE, HIDDEN, .offset = ROW(lost_samples)},
	{"slowdown", TABLE_NUMBER, SEEN, NUMBER(slowdown)},
	{"least", TABLE_NUMBER, HIDDEN, NUMBER(slowdown_least)},
	{"most", TABLE_NUMBER, HIDDEN, NUMBER(slowdown_most)},
	{"recall1", TABLE_NUMBER, SEEN, NUMBER(recall_top_1), .heading = "top 1 %"},
	{"ideal_recall1", TABLE_NUMBER, SEEN, NUMBER(ideal_recall_top_1), .heading = "ideal"},
	{"recall10", TABLE_NUMBER, HIDDEN, NUMBER(recall_top_10), .heading = "top 10 %"},
	{"ideal_recall10", TABLE_NUMBER, HIDDEN, NUMBER(ideal_recall_top_10), .heading = "ideal"},
	{"correlation", TABLE_NUMBER, SEEN, NUMBER(rank_correlation), .heading = "ranks"},
	{"ideal_correlation", TABLE_NUMBER, SEEN, NUMBER(ideal_rank_correlation), .heading = "ideal"},
	{"met", TABLE_WHOLE, HIDDEN, .offset = ROW(pages_met)},
	{"met_correlation", TABLE_NUMBER, SEEN, NUMBER(met_rank_correlation), .heading = "of met"},
	{"ideal_met_correlation", TABLE_NUMBER, SEEN, NUMBER(ideal_met_rank_correlation), .heading = "ideal"},
	{"error", TABLE_NUMBER, SEEN, NUMBER(miss_ratio_error), .heading = "misses"},
	{"ideal_error", TABLE_NUMBER, SEEN, NUMBER(ideal_miss_ratio_error), .heading = "ideal"},
	{"goal", TABLE_TRUTH, TABLE_SHOWN | TABLE_JSON, .get = get_goal, .show = show_goal},
	{"bias1", TABLE_NUMBER, SEEN, NUMBER(bias_top_1), .heading = "bias 1 %"},
	{"bias10", TABLE_NUMBER, SEEN, NUMBER(bias_top_10), .heading = "to 10 %"},
	{"bias_rest", TABLE_NUMBER, SEEN, NUMBER(bias_rest), .heading = "rest"},
	{0},
};

/* Of runs that cannot be trusted. */
static bool is_trusted(const struct checked *checked)
{
	for (size_t i = 0; i < checked->count; i++) {
		if (!checked->runs[i].is_complete || checked->runs[i].lost > checked->runs[i].samples / 100)
			return false;
	}
	return true;
}

static int write_report(const struct selfcheck *selfcheck, struct opt_line *line, int argc, char **argv)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	const struct mt_selfcheck_values values = {.size_bytes = selfcheck->options->size_bytes, .bucket_bytes = GENERATOR_PAGE,
		.seed = selfcheck->options->seed, .check = FIELD_MANY(selfcheck->rows, selfcheck->count),
		.unavailable_engine = FIELD_MANY(selfcheck->missing, selfcheck->missing_count)};
	const struct mt_result_values result = {.self_check = FIELD_ONE(&values)};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	int code = frame ? frame_start(frame, "memtrace", argc, argv, &target) : DIAG_EXIT_HOST;

	if (!code) {
		frame->signature.is_interrupted = interrupt_signal() != 0;
		for (size_t i = 0; i < selfcheck->count; i++) {
			if (!is_trusted(&selfcheck->checked[i]))
				frame_reason(frame, "samples-lost", "%s: a recording lacks more than 1 %% of its samples",
					selfcheck->checked[i].id);
		}
		code = memtrace_publish(frame, selfcheck->options->xml_path, selfcheck->options, line, &result, NULL);
	}
	free(frame);
	return code;
}

int selfcheck_check_output(const struct selfcheck_options *options)
{
	return table_check(columns, &options->output);
}

/* A diag_exit code. */
int selfcheck_show(struct selfcheck *selfcheck, struct opt_line *line, int argc, char **argv)
{
	struct table table = {.columns = columns};
	bool is_trustworthy = true;
	int err = 0, code = DIAG_EXIT_OK;

	for (size_t i = 0; i < selfcheck->count && !err; i++) {
		selfcheck->rows[i] = summarize(selfcheck, &selfcheck->checked[i]);
		err = table_add(&table, &selfcheck->rows[i], NULL);
		is_trustworthy = is_trustworthy && is_trusted(&selfcheck->checked[i]);
	}
	if (err) {
		diag_error(err, "cannot print");
		code = DIAG_EXIT_HOST;
	} else if (!opt_is_stdout(selfcheck->options->xml_path)) {
		code = table_show(&table, &selfcheck->options->output);
	}
	table_free(&table);
	for (size_t i = 0; i < selfcheck->missing_count && !code; i++)
		diag_info("not checked: %s: %s", selfcheck->missing[i].name, selfcheck->missing[i].value);
	if (!code && selfcheck->options->xml_path)
		code = write_report(selfcheck, line, argc, argv);
	if (!code && !is_trustworthy) {
		diag_warn("recordings lack more than 1 %% of their samples");
		code = DIAG_EXIT_UNTRUSTED;
	}
	return code;
}
