/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace selfcheck: the evaluation of the runs, the table and the report. */
#include "config.h"
#include "memtrace/check/selfcheck.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/run/frame.h"
#include "common/stats/stats.h"
#include "memtrace/commands.h"
#include "memtrace/estimate/accuracy.h"
#include "memtrace/file/losses.h"

/* Bound of the error of a share (0 to 1) for the accuracy column, which also depends on LOSSES_DROPPED_MOST. */
#define ERROR_MOST 0.1

static const char *accuracy_of(const struct checked *checked, double dropped_percent, const struct stats_interval *error)
{
	if (!checked->error_count)
		return "blind";
	if (dropped_percent > LOSSES_DROPPED_MOST || error->low > ERROR_MOST || error->high < -ERROR_MOST)
		return "biased";
	return error->low >= -ERROR_MOST && error->high <= ERROR_MOST ? "good" : "unclear";
}

/* Returns 0 or -ENOMEM. */
static int summarize(const struct selfcheck *selfcheck, const struct checked *checked, struct mt_check_values *row)
{
	const enum trace_loss dropped[] = {TRACE_NO_ADDRESS, TRACE_CLOBBERED, TRACE_NO_CODE, TRACE_OUTSIDE};
	double accesses = losses_accesses(checked->losses, checked->recorded), share, found, recall, *drawn, error = NAN;
	struct stats_interval interval = {NAN, NAN}, slowdown;
	int err;

	*row = (struct mt_check_values){.id = checked->engine->name, .runs = checked->runs, .samples = checked->samples,
		.lost_samples = checked->losses[TRACE_LOST_BY_KERNEL] + checked->losses[TRACE_THROTTLED]};
	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		row->dropped_percent += losses_dropped_percent(checked->losses, checked->recorded, dropped[i]);
	row->recovered_percent = accesses > 0 ? 100 * (double)checked->recovered / accesses : 0;
	if (checked->error_count == 1)
		error = checked->errors[0];
	(void)stats_mean_student(checked->errors, checked->error_count, 0.95, &error, &interval);
	row->top_1_percent_error = 100 * error;
	row->top_1_percent_error_low = 100 * interval.low;
	row->top_1_percent_error_high = 100 * interval.high;
	row->accuracy = accuracy_of(checked, row->dropped_percent, &interval);
	slowdown.low = slowdown.high = checked->slowdowns[0];
	for (size_t i = 0; i < checked->runs; i++) {
		slowdown.low = fmin(slowdown.low, checked->slowdowns[i]);
		slowdown.high = fmax(slowdown.high, checked->slowdowns[i]);
	}
	(void)stats_median(checked->slowdowns, checked->runs, &row->slowdown);
	row->slowdown_least = slowdown.low;
	row->slowdown_most = slowdown.high;
	drawn = calloc(selfcheck->pages, sizeof(*drawn));
	err = drawn ? 0 : -ENOMEM;
	if (!err)
		err = accuracy_share(checked->known, checked->estimated, selfcheck->pages, selfcheck->top, &share, &found);
	if (!err) {
		row->top_1_percent_share = 100 * share;
		err = accuracy_recall(checked->known, checked->estimated, selfcheck->pages, selfcheck->top, &recall);
	}
	if (!err) {
		row->recall_percent = 100 * recall;
		err = accuracy_draw(checked->known, selfcheck->pages, checked->samples, selfcheck->options->seed, drawn);
	}
	if (!err)
		err = accuracy_recall(checked->known, drawn, selfcheck->pages, selfcheck->top, &recall);
	if (!err)
		row->ideal_recall_percent = 100 * recall;
	free(drawn);
	return err;
}

#define ROW(NAME) offsetof(struct mt_check_values, NAME)

#define NUMBER_COLUMN(NAME, digits) \
	static void show_##NAME(const void *row, char *text, size_t length) \
	{ \
		double value = ((const struct mt_check_values *)row)->NAME; \
\
		snprintf(text, length, isnan(value) ? "-" : "%." #digits "f", value); \
	}
NUMBER_COLUMN(dropped_percent, 1)
NUMBER_COLUMN(recovered_percent, 1)
NUMBER_COLUMN(top_1_percent_share, 1)
NUMBER_COLUMN(top_1_percent_error, 1)
NUMBER_COLUMN(top_1_percent_error_low, 1)
NUMBER_COLUMN(top_1_percent_error_high, 1)
NUMBER_COLUMN(recall_percent, 1)
NUMBER_COLUMN(ideal_recall_percent, 1)
NUMBER_COLUMN(slowdown, 2)
NUMBER_COLUMN(slowdown_least, 2)
NUMBER_COLUMN(slowdown_most, 2)

#define HIDDEN (TABLE_JSON | TABLE_RIGHT)
#define SEEN (TABLE_SHOWN | HIDDEN)
#define NUMBER(NAME) .offset = ROW(NAME), .show = show_##NAME
static const struct table_column columns[] = {
	{"engine", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, .offset = ROW(id)},
	{"runs", TABLE_WHOLE, HIDDEN, .offset = ROW(runs)},
	{"samples", TABLE_WHOLE, SEEN, .offset = ROW(samples)},
	{"lost", TABLE_WHOLE, HIDDEN, .offset = ROW(lost_samples)},
	{"dropped", TABLE_NUMBER, SEEN, NUMBER(dropped_percent), .heading = "dropped %"},
	{"recovered", TABLE_NUMBER, SEEN, NUMBER(recovered_percent), .heading = "recovered %"},
	{"share", TABLE_NUMBER, HIDDEN, NUMBER(top_1_percent_share), .heading = "share %"},
	{"error", TABLE_NUMBER, SEEN, NUMBER(top_1_percent_error), .heading = "error %"},
	{"low", TABLE_NUMBER, SEEN, NUMBER(top_1_percent_error_low)},
	{"high", TABLE_NUMBER, SEEN, NUMBER(top_1_percent_error_high)},
	{"recall", TABLE_NUMBER, SEEN, NUMBER(recall_percent), .heading = "recall %"},
	{"ideal_recall", TABLE_NUMBER, SEEN, NUMBER(ideal_recall_percent), .heading = "ideal"},
	{"slowdown", TABLE_NUMBER, SEEN, NUMBER(slowdown)},
	{"least", TABLE_NUMBER, HIDDEN, NUMBER(slowdown_least)},
	{"most", TABLE_NUMBER, HIDDEN, NUMBER(slowdown_most)},
	{"accuracy", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, .offset = ROW(accuracy)},
	{0},
};

static bool is_trusted(const struct checked *checked)
{
	return !checked->is_cut_off &&
		checked->losses[TRACE_LOST_BY_KERNEL] + checked->losses[TRACE_THROTTLED] <= checked->recorded / 100;
}

static int write_report(const struct selfcheck *selfcheck, const struct mt_check_values *list, size_t count,
	struct opt_line *line, int argc, char **argv)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	const struct mt_selfcheck_values values = {.pattern = selfcheck->options->pattern,
		.size_bytes = selfcheck->options->size_bytes, .bucket_bytes = GENERATOR_PAGE,
		.seed = selfcheck->options->seed, .check = FIELD_MANY(list, count),
		.unavailable_engine = FIELD_MANY(selfcheck->missing, selfcheck->missing_count)};
	const struct mt_result_values result = {.self_check = FIELD_ONE(&values)};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	int code = frame ? frame_start(frame, "memtrace", argc, argv, &target) : DIAG_EXIT_HOST;

	if (!code) {
		frame->signature.is_interrupted = interrupt_signal() != 0;
		for (size_t i = 0; i < count; i++) {
			if (!is_trusted(&selfcheck->checked[i]))
				frame_reason(frame, "samples-lost", "%s: recordings lack more than 1 %% of their samples",
					list[i].id);
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

int selfcheck_show(struct selfcheck *selfcheck, struct opt_line *line, int argc, char **argv)
{
	struct table table = {.columns = columns};
	struct mt_check_values list[SELFCHECK_ENGINES];
	bool is_trustworthy = true;
	size_t count = 0;
	int err = 0, code = DIAG_EXIT_OK;

	for (; count < selfcheck->count && selfcheck->checked[count].runs && !err; count++) {
		err = summarize(selfcheck, &selfcheck->checked[count], &list[count]);
		if (!err)
			err = table_add(&table, &list[count], NULL);
		is_trustworthy = is_trustworthy && is_trusted(&selfcheck->checked[count]);
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
		code = write_report(selfcheck, list, count, line, argc, argv);
	if (!code && !is_trustworthy) {
		diag_warn("recordings lack more than 1 %% of their samples");
		code = DIAG_EXIT_UNTRUSTED;
	}
	return code;
}
