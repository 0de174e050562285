/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/table.h"
#include "common/units.h"

static int set_metric(struct opt_value *in)
{
	struct compare_options *options = in->options;
	struct metric metric;
	size_t index;

	if (metric_parse(in->text, &metric, &in->why))
		return -EINVAL;
	return compare_want_metric(&options->request.wanted, &metric, &index) ? -ENOMEM : 0;
}

static int set_gate(struct opt_value *in)
{
	struct compare_request *request = &((struct compare_options *)in->options)->request;

	in->why = "at most 64 gates";
	if (request->gate_count == COMPARE_GATES_MAX)
		return -ERANGE;
	if (compare_gate_parse(in->text, &request->gates[request->gate_count], &in->why))
		return -EINVAL;
	request->gate_count++;
	return 0;
}

/* "2", "2%", "0.5%": a fraction. */
static int set_percent(struct opt_value *in)
{
	size_t length = strlen(in->text);
	char number[32];
	double percent;

	if (length && in->text[length - 1] == '%')
		length--;
	if (length >= sizeof(number))
		return -EINVAL;
	snprintf(number, sizeof(number), "%.*s", (int)length, in->text);
	if (units_parse_double(number, in->row->low, in->row->high, &percent))
		return -EINVAL;
	*(double *)opt_field(in) = percent / 100;
	return 0;
}

static int add_name(struct opt_value *in, const char *word, const char **names, size_t *count)
{
	struct compare_options *options = in->options;

	if (*count == COMPARE_NAMES_MAX) {
		in->why = "too many names";
		return -ERANGE;
	}
	names[*count] = arena_text(&options->arena, word, strlen(word));
	return names[(*count)++] ? 0 : -ENOMEM;
}

static int add_group(struct opt_value *in, const char *word)
{
	struct compare_pairing *pairing = &((struct compare_options *)in->options)->request.pairing;

	return add_name(in, word, pairing->group_by, &pairing->group_by_count);
}

static int set_groups(struct opt_value *in)
{
	return opt_each_word(in, add_group);
}

static int add_allowed(struct opt_value *in, const char *word)
{
	struct compare_pairing *pairing = &((struct compare_options *)in->options)->request.pairing;

	if (strcmp(word, "options") == 0)
		pairing->are_options_allowed = true;
	else if (strcmp(word, "machine") == 0)
		pairing->is_machine_allowed = true;
	else if (strcmp(word, "sets") == 0)
		pairing->are_sets_allowed = true;
	else
		return add_name(in, word, pairing->allowed, &pairing->allowed_count);
	return 0;
}

static int set_allowed(struct opt_value *in)
{
	return opt_each_word(in, add_allowed);
}

/* The histograms that a percentile of this type and class would be of. */
static int add_histogram(struct opt_value *in, const char *word)
{
	struct compare_options *options = in->options;
	size_t *count = &options->request.wanted.histogram_count;
	char name[METRIC_NAME];
	const char *why;
	int used = snprintf(name, sizeof(name), "%s.p50", word);

	if (*count == COMPARE_HISTOGRAMS_MAX) {
		in->why = "too many names";
		return -ERANGE;
	}
	if (used < 0 || (size_t)used >= sizeof(name))
		return -EINVAL;
	return metric_parse(name, &options->histograms[(*count)++], &why) ? -EINVAL : 0;
}

static int set_histograms(struct opt_value *in)
{
	return opt_each_word(in, add_histogram);
}

static int set_floor(struct opt_value *in)
{
	struct compare_options *options = in->options;

	if (options->floor_count == COMPARE_GATES_MAX)
		return -ERANGE;
	options->floor_count++;
	return inputs_add(&options->request.inputs[COMPARE_AA], in->text) ? -EALREADY : 0;
}

static int set_output(struct opt_value *in)
{
	*(const char **)opt_field(in) = in->text;
	return 0;
}

static int set_columns(struct opt_value *in)
{
	char why[TABLE_TEXT];

	if (compare_check_columns(in->text, why, sizeof(why))) {
		diag_error(0, "--%s %s: %s", in->row->name, in->text, why);
		return -EALREADY;
	}
	*(const char **)opt_field(in) = in->text;
	return 0;
}

#define AT(member) offsetof(struct compare_options, member)

static const char *const methods[] = {[COMPARE_BY_RANKS] = "ranks", [COMPARE_BY_BOOTSTRAP] = "bootstrap", NULL};
static const char *const colours[] = {[COMPARE_COLOUR_AUTO] = "auto", [COMPARE_COLOUR_ALWAYS] = "always",
	[COMPARE_COLOUR_NEVER] = "never", NULL};

static const struct opt rows[] = {
	{.type = OPT_TITLE, .help = "Metrics and sets"},
	{"metric", 0, "NAME", OPT_OWN, OPT_REPEATS, .set = set_metric,
		.help = "compare metric NAME instead of the tool's list, as throughput, p99 or write.major.p50; repeatable",
		.manual =
"Compare the metric NAME instead of the tool's own list; repeatable.\n"
"A metric of the tool's own list that some of the runs lack is left out with a note;\n"
"one that was asked for is compared between the runs that have it.\n"
"\n"
"Whole runs have `throughput` (accesses per second),\n"
"`latency` and `net` (mean time of an access with and without the draw of the page), `os-overhead`,\n"
"`time-over-100us` and `time-over-1ms` (percent of the run spent in accesses longer than this),\n"
"`swap-in` and `swap-out` (bytes per second of the whole machine).\n"
"Histograms have `mean`, `max` and percentiles such as `p99.9`, optionally after\n"
"`read.`, `write.` or `both.` and `all.`, `hit.`, `minor.` or `major.`, as in `write.major.p50`.\n"
"\n"
"In a report of iowrite-bench each cell and each scenario has its own metrics, named before a colon.\n"
"A cell has `throughput`, `bandwidth` (bytes per second), `flush` and `close` (at the end of a round), and\n"
"`mean`, `max` and percentiles after `write.` (the default) and `sync.`, as in\n"
"`pwrite.direct.none.append.write.4k:write.p99`.\n"
"A scenario has, in percent and as means over its repetitions, `floor` and, after the model\n"
"(`kernel.`, `cawl.` or `naive.`), `per-write-error`, `mean-write-error`, `total-error` (without its sign),\n"
"`curve-gap` and `coverage`, as in `c2:kernel.total-error`.\n"
"Without a cell, costs are those of the writes of all cells together;\n"
"without a scenario, errors are means over the scenarios.\n"
"\n"
"A stream of ssd-workloads is `log`, `checkpoint`, `log-alone` or `checkpoint-alone`.\n"
"It has `throughput`, `bandwidth`, `cpu` (CPU time per write) and the metrics of a histogram after\n"
"`response.`, `service.` or `commit.`, as in `log:response.p99`.\n"
"A run with --baselines has the ratio to the stream alone, too:\n"
"`log:interference-p99`, `-mean`, `-p50` and `-p99.9`, and of the commits of a durable log\n"
"`log:interference-commit-p99`."},
	{"gate", 0, "METRIC<LIMIT", OPT_OWN, OPT_REPEATS, .set = set_gate,
		.help = "require METRIC to stay below (or, with >, above) LIMIT, as 'p99<+5%', 'p99<3us', or in one set "
			"'zram:p99<3us'; repeatable",
		.manual =
"Require METRIC to stay within LIMIT in each set that has the metric; repeatable.\n"
"After the name of a set, or the step of its runs, and a colon the gate applies to this set alone, as in\n"
"`mem-uniform:p99<1us`.\n"
"`p99<+5%` and `throughput>-3%` limit the change, `p99<3us` and `throughput>1e6` the value of NEW.\n"
"The limit follows `<` where lower is better, and `>` where higher is better.\n"
"A latency has its unit: ns, us, ms or s.\n"
"For a metric in percent the limit of the change has a sign (`+5%`), and that of the value has no unit (`5`).\n"
"\n"
"A gate passes if the bad end of the interval does, fails if the good end does not, and is inconclusive\n"
"otherwise; the output has its value and interval.\n"
"The interval of the value of NEW is made from the order of 6 runs or more, by Student's t from 3 runs,\n"
"and from the floor below.\n"
"Each gate is decided alone: of a hundred gates that just hold two or three fail at 95 %."},
	{"quantiles", 0, "HISTOGRAM,...", OPT_OWN, OPT_REPEATS, .bare = "read,write", .set = set_histograms,
		.allowed = "must be histograms as read, write.major or all",
		.help = "also show the shift of each quantile of HISTOGRAM (without a value: read,write)",
		.manual =
"Also show the shift of each quantile from 1 % to 99.99 % of each HISTOGRAM, such as `all` or `write.major`;\n"
"--quantiles without a value means `read,write`.\n"
"The runs of a group are summed.\n"
"The band holds for all quantiles at once: from 2 runs a side by the bootstrap on runs, otherwise from the number of\n"
"samples, which says nothing about the next run and is marked so."},
	{"group-by", 0, "NAME,...", OPT_OWN, OPT_REPEATS, .set = set_groups,
		.allowed = "must be names of labels or options, with commas between",
		.help = "form sets from runs that are equal in these labels or options",
		.manual =
"Form a set from the runs that are equal in each label or option NAME.\n"
"Other options must then be equal within a set, or be allowed to differ (--allow-different)."},
	{.type = OPT_TITLE, .help = "Decision"},
	{"margin", 0, "PERCENT", OPT_OWN, .offset = AT(request.rule.margin), .low = 0, .high = 1000, .preset = "2",
		.set = set_percent, .allowed = "must be 0 to 1000 percent",
		.help = "treat changes up to PERCENT as no difference",
		.manual = "Treat changes up to PERCENT, 0 to 1000, as no difference."},
	{"confidence", 0, "PERCENT", OPT_OWN, .offset = AT(request.rule.level), .low = 50, .high = 99.99, .preset = "95",
		.set = set_percent, .allowed = "must be 50 to 99.99 percent",
		.help = "set the confidence of intervals",
		.manual = "Set the confidence of the intervals and of the overall verdict, 50 to 99.99."},
	{"floor", 0, "REPORT", OPT_OWN, OPT_REPEATS, .set = set_floor, .allowed = "at most 64 files or folders",
		.help = "take the noise from repeated runs without a change (a file or folder); repeatable",
		.manual =
"Take the noise from REPORT, a file or folder with at least 8 runs of one and the same thing (A/A) with the options\n"
"of a set; repeatable.\n"
"Groups drawn from them, as large as BASE and NEW or a quarter of all, show how far apart medians are when nothing\n"
"changed.\n"
"No interval is narrower than that around the change, and for groups too small for an interval it is the interval.\n"
"Record these runs over several boots and days, so that they include what differs from day to day."},
	{"method", 0, "ranks|bootstrap", OPT_CHOICE, .offset = AT(request.rule.method), .choices = methods, .preset = "ranks",
		.help = "make intervals by this method",
		.manual =
"Make the intervals from 5 runs a side by this method; `bootstrap` is the percentile bootstrap of the ratio of\n"
"medians, on runs."},
	{"within-run", 0, NULL, OPT_FLAG, .offset = AT(request.rule.is_within_run_enough),
		.help = "with one run a side, decide by their series",
		.manual =
"With one run a side, decide by their series: blocks of its intervals are resampled.\n"
"The verdict is then about these two runs and says nothing about the next."},
	{"seed", 0, "N", OPT_U64, .offset = AT(request.rule.seed), .preset = "1",
		.help = "seed the bootstraps and floors",
		.manual =
"Seed the draws of bootstraps and floors.\n"
"The same reports and options give the same output."},
	{.type = OPT_TITLE, .help = "Accepted differences"},
	{"allow-different", 0, "WHAT,...", OPT_OWN, OPT_REPEATS, .bare = "options,machine", .set = set_allowed,
		.allowed = "must be options, machine, sets, or names of options or facts, with commas between",
		.help = "compare runs that differ in options, machine, sets, or options or facts by name (without a value: "
			"options,machine)",
		.manual =
"Compare the runs although they differ in WHAT: `options`, `machine`, `sets` (those of BASE without runs in NEW),\n"
"or names of options and facts such as `release` or `ram`, which some report must have.\n"
"--allow-different without a value means `options,machine`.\n"
"\n"
"Runs with equal options are paired first; of the rest those that are equal but for what may differ, of the same step\n"
"before others: with --allow-different=ram a suite at one size is compared, step by step, with itself at\n"
"another.\n"
"`options` lets BASE differ from NEW; only options that are named may also differ within one of them."},
	{"force", 0, NULL, OPT_FLAG, .offset = AT(request.wanted.is_forced),
		.help = "compare interrupted and untrustworthy runs, too"},
	{"require-steady", 0, NULL, OPT_FLAG, .offset = AT(request.wanted.must_be_steady),
		.help = "leave out runs that were not steady",
		.manual = "Leave out runs whose throughput still changed at their end."},
	{.type = OPT_TITLE, .help = "Output (without FILE it replaces the text on standard output)"},
	{"columns", 'o', "COLUMN,...", OPT_OWN, .offset = AT(columns), .set = set_columns,
		.help = "print only the metrics, one per line, with these columns",
		.manual =
"Print the metrics only, one a line, with these columns: `set`, `tool`, `metric`, `base`, `new`, `change`, `interval`,\n"
"`p_value`, `verdict` and the other members of a metric in JSON."},
	{"noheadings", 0, NULL, OPT_FLAG, .offset = AT(has_no_headings),
		.help = "print no column headings with -o"},
	{"json", 0, "FILE", OPT_OWN, OPT_OUTPUT, .offset = AT(outputs[COMPARE_JSON]), .bare = "-", .set = set_output,
		.help = "write everything as JSON",
		.manual =
"Write everything as JSON to FILE, complete or not at all, or without FILE to standard output instead of the text."},
	{"csv", 0, "FILE", OPT_OWN, OPT_OUTPUT, .offset = AT(outputs[COMPARE_CSV]), .bare = "-", .set = set_output,
		.help = "write the metrics as comma-separated values",
		.manual =
"Write the metrics as comma-separated values, changes in percent, to FILE or standard output as --json does."},
	{"markdown", 0, "FILE", OPT_OWN, OPT_OUTPUT, .offset = AT(outputs[COMPARE_MARKDOWN]), .bare = "-", .set = set_output,
		.help = "write tables for GitHub",
		.manual = "Write tables for GitHub, to FILE or standard output as --json does."},
	{"color", 0, "auto|always|never", OPT_CHOICE, .offset = AT(colour), .choices = colours, .preset = "auto",
		.help = "colour the text; auto: on a terminal, unless NO_COLOR is set",
		.manual =
"Colour the verdicts in the text.\n"
"`auto` colours on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`."},
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct compare_options *options = data;

	return inputs_add(&options->request.inputs[is_behind ? COMPARE_NEW : COMPARE_BASE], text);
}

/* Metrics that gates are about follow those that were asked for. */
static int want_gates(struct compare_request *request)
{
	request->asked_count = request->wanted.metric_count;
	for (size_t i = 0; i < request->gate_count; i++) {
		struct compare_gate *gate = &request->gates[i];

		for (size_t k = 0; k < gate->way_count; k++) {
			if (compare_want_metric(&request->wanted, &gate->ways[k].metric, &gate->ways[k].index))
				return diag_host(ENOMEM, "--gate %s", gate->text);
		}
	}
	return DIAG_EXIT_OK;
}

static int check(void *data, struct opt_line *line)
{
	struct compare_options *options = data;
	struct compare_request *request = &options->request;
	const struct inputs *inputs = request->inputs;
	unsigned on_stdout = 0;

	for (size_t i = 0; i < COMPARE_FORMATS; i++)
		on_stdout += opt_is_stdout(options->outputs[i]);
	if (on_stdout > 1)
		return diag_usage(
			"only one of --json, --csv and --markdown can go to standard output: name a file for the others");
	if (!inputs[COMPARE_BASE].count || !inputs[COMPARE_NEW].count)
		return diag_usage("no %s given: memstor compare BASE... -- NEW... (files, or folders of reports)",
			inputs[COMPARE_BASE].count ? "NEW" : "BASE");
	request->rule.is_margin_given = opt_is_typed(line, "margin");
	request->wanted.is_default = request->wanted.metric_count == 0;
	request->wanted.histograms = options->histograms;
	return want_gates(request);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct compare_options *options = calloc(1, sizeof(*options)); /* large for a stack */
	struct opt_line line;
	int code;

	if (!options)
		return diag_host(ENOMEM, "cannot compare");
	code = command_parse(command, argc, argv, options, &line, NULL);
	if (!code)
		code = compare_groups(options);
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		inputs_free(&options->request.inputs[i]);
	free(options->request.wanted.metrics);
	arena_free(&options->arena);
	free(options);
	opt_free(&line);
	return code;
}

const struct command command_compare = {
	.program = &memstor_program,
	.name = "compare",
	.arguments = "BASE... -- NEW...",
	.summary = "test whether new runs are faster or slower",
	.doc = "Groups repeated runs by tool and options, and prints for each metric the change, its confidence interval, and "
	       "the verdict: faster, slower, no difference or inconclusive.",
	.examples = "  memstor compare monday/ -- tuesday/\n"
		    "  memstor compare a*.xml -- b*.xml --gate 'p99<+5%'\n",
	.notes = "Status: 0 not slower or gates passed, 1 slower or a gate failed, 4 inconclusive, 5 not compared: the runs "
		 "differ in more than the measured values.",
	.options = rows,
	.flags = COMMAND_OPTIONS_BEHIND,
	.take = take,
	.check = check,
	.run = run,
};
