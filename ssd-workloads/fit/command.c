/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads fit: estimates over-provisioning and garbage collection of a drive from measured points. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/cli/table.h"
#include "ssd-workloads/fit/fit.h"

struct fit_row {
	char gc[24];
	const char *verdict;
	double op, error, amplification, rate; /* op, error: percent */
};

struct fitting {
	struct table_output output;
	struct fit_point points[FIT_POINTS];
	size_t count;
	unsigned pages;
	double predict, tolerance;
	struct fit_candidate candidates[FIT_CANDIDATES];
	struct fit_row rows[FIT_CANDIDATES];
};

/* Parses "FILL:VALUE". */
static int add_point(struct opt_value *in, bool is_rate)
{
	struct fitting *fitting = in->options;
	struct fit_point point = {.is_rate = is_rate};
	size_t colon = strcspn(in->text, ":");
	char fill[32];

	in->why = "up to 16 points are allowed";
	if (fitting->count == FIT_POINTS)
		return -ERANGE;
	in->why = is_rate ? "must be FILL:IOPS, a share of the drive from 0.01 to 1 and writes per second, as 1:120600"
			  : "must be FILL:WAF, a share of the drive from 0.01 to 1 and a write amplification above 1, as 0.9:2.6";
	if (!in->text[colon] || colon >= sizeof(fill))
		return -EINVAL;
	snprintf(fill, sizeof(fill), "%.*s", (int)colon, in->text);
	if (units_parse_double(fill, .01, 1, &point.fill) ||
		units_parse_double(in->text + colon + 1, is_rate ? 1e-3 : 1.001, is_rate ? 1e12 : 50, &point.value))
		return -EINVAL;
	fitting->points[fitting->count++] = point;
	return 0;
}

static int add_amplification(struct opt_value *in)
{
	return add_point(in, false);
}

static int add_rate(struct opt_value *in)
{
	return add_point(in, true);
}

static int check_points(void *data, struct opt_line *line)
{
	const struct fitting *fitting = data;

	(void)line;
	if (fitting->count >= 2)
		return DIAG_EXIT_OK;
	diag_error(0, "--waf, --iops: at least two points are needed");
	return DIAG_EXIT_USAGE;
}

/* The best candidate is the first of equally good ones: it needs the least space. */
static void fill_rows(struct fitting *fitting, size_t *best)
{
	const struct fit_candidate *candidates = fitting->candidates;

	*best = 0;
	for (size_t i = 1; i < FIT_CANDIDATES; i++) {
		if (candidates[i].error < candidates[*best].error - 1e-4)
			*best = i;
	}
	for (size_t i = 0; i < FIT_CANDIDATES; i++) {
		struct fit_row *row = &fitting->rows[i];
		bool is_near = 100 * candidates[i].error <= fitting->tolerance;

		*row = (struct fit_row){.op = 100 * candidates[i].op, .error = 100 * candidates[i].error,
			.amplification = candidates[i].amplification, .rate = candidates[i].rate,
			.verdict = !is_near ? "no" : i == *best ? "best" : "fits"};
		if (candidates[i].choices)
			snprintf(row->gc, sizeof(row->gc), "best-of:%u", candidates[i].choices);
		else
			snprintf(row->gc, sizeof(row->gc), "greedy");
	}
}

#define SHOW(NAME, FORMAT)                                                                                  \
	static void show_##NAME(const void *from, char *text, size_t length)                                \
	{                                                                                                   \
		snprintf(text, length, FORMAT, ((const struct fit_row *)from)->NAME);                           \
	}
SHOW(op, "%.2f")
SHOW(error, "%.2f")
SHOW(amplification, "%.3f")

static void show_rate(const void *from, char *text, size_t length)
{
	double rate = ((const struct fit_row *)from)->rate;

	snprintf(text, length, isnan(rate) ? "-" : "%.0f", rate);
}

#define AT(member) .offset = offsetof(struct fit_row, member)
#define BOTH (TABLE_SHOWN | TABLE_JSON)
static const struct table_column columns[] = {
	{"gc", TABLE_CHARS, BOTH, AT(gc)},
	{"op_percent", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(op), .show = show_op, .heading = "OP %"},
	{"error_percent", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(error), .show = show_error, .heading = "off %"},
	{"predicted_waf", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(amplification), .show = show_amplification,
		.heading = "predicted WAF"},
	{"predicted_iops", TABLE_NUMBER, BOTH | TABLE_RIGHT, AT(rate), .show = show_rate, .heading = "predicted IOPS"},
	{"verdict", TABLE_STRING, BOTH, AT(verdict)},
	{0},
};

static int run_fit(const struct command *command, int argc, char **argv)
{
	struct fitting *fitting = calloc(1, sizeof(*fitting));
	struct table table = {.columns = columns};
	struct opt_line line = {.count = 0};
	int code = DIAG_EXIT_HOST, rc = fitting ? 0 : -ENOMEM;
	size_t best = 0;

	if (!rc)
		code = command_parse(command, argc, argv, fitting, &line, NULL);
	if (!rc && !code)
		rc = fit(fitting->points, fitting->count, fitting->pages, fitting->predict, fitting->candidates);
	if (!rc && !code)
		fill_rows(fitting, &best);
	for (size_t i = 0; i < FIT_CANDIDATES && !rc && !code; i++)
		rc = table_add(&table, &fitting->rows[i], "");
	if (rc) {
		diag_error(rc, "cannot fit the points");
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = table_show(&table, &fitting->output);
	if (!code && !strcmp(fitting->rows[best].verdict, "no"))
		code = DIAG_EXIT_NEGATIVE;
	table_free(&table);
	opt_free(&line);
	free(fitting);
	return code;
}

#define FIELD(NAME) offsetof(struct fitting, NAME)
static const struct opt fit_options[] = {
	{"waf", 0, "FILL:WAF", OPT_OWN, OPT_REPEATS, .set = add_amplification,
		.help = "use this measured write amplification; repeatable",
		.manual = "A measured point: with uniform random writes to the share FILL of the exported capacity, 0.01 to 1, "
			  "the write amplification was WAF, 1.001 to 50. With --iops at least two points are needed, at most 16 "
			  "are taken."},
	{"iops", 0, "FILL:IOPS", OPT_OWN, OPT_REPEATS, .set = add_rate,
		.help = "use this measured rate of writes; repeatable",
		.manual = "A measured point: the drive took IOPS writes per second. A rate alone is not enough: with one other "
			  "rate every choice of victims fits, each with a space of its own. A --waf point at one of the fills "
			  "decides."},
	{"predict", 0, "FILL", OPT_DOUBLE, .offset = FIELD(predict), .low = .01, .high = 1, .preset = "1",
		.help = "predict write amplification and rate at FILL",
		.manual = "Predict write amplification at FILL, 0.01 to 1, and with --iops the rate."},
	{"pages", 0, "N", OPT_UNSIGNED, .offset = FIELD(pages), .min = 2, .max = 4096, .preset = "128",
		.help = "assume blocks of N pages",
		.manual = "Assume erase blocks of N pages, 2 to 4096."},
	{"tolerance", 0, "PERCENT", OPT_DOUBLE, .offset = FIELD(tolerance), .low = .01, .high = 100, .preset = "2",
		.help = "accept candidates within PERCENT of the points",
		.manual = "Accept a candidate when its root mean square error over the points is at most PERCENT, 0.01 to 100: "
			  "the accuracy of the points."},
	TABLE_OPTIONS("`gc`, `op_percent`, `error_percent`,\n`predicted_waf`, `predicted_iops`, `verdict`"),
	{0},
};

const struct command command_fit = {
	.program = &ssd_program,
	.name = "fit",
	.summary = "fit over-provisioning and garbage collection of a drive",
	.doc = "Find for each victim selection, greedy and the best of several drawn blocks, the over-provisioning that fits "
	       "measured "
	       "write amplification or rates of uniform random writes, and predict another point. The exit status is 1 when no "
	       "candidate fits.",
	.examples = "  ssd-workloads fit --waf 1:5.5 --waf 0.92:3.1 --predict 0.8\n"
		    "  ssd-workloads fit --waf 1:3.5 --iops 1:120600 --predict 0.9\n",
	.notes = "OP is a share of the exported capacity. Nothing is measured or written. See ssd-workloads(1).",
	.options = fit_options,
	.check = check_points,
	.run = run_fit,
};
