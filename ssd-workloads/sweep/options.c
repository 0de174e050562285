/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sweep/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/base/diag.h"
#include "ssd-workloads/run/option_rows.h"

static void set_every(struct workload_override *override, uint64_t value)
{
	override->streams[MIX_CHECKPOINT].every_ns = value;
}

static void set_pause(struct workload_override *override, uint64_t value)
{
	override->streams[MIX_CHECKPOINT].pause_ns = value;
}

static void set_depth(struct workload_override *override, enum mix_stream stream, uint64_t value)
{
	override->streams[stream].has_depth = true;
	override->streams[stream].depth = (unsigned)value;
}

static void set_log_depth(struct workload_override *override, uint64_t value)
{
	set_depth(override, MIX_LOG, value);
}

static void set_checkpoint_depth(struct workload_override *override, uint64_t value)
{
	set_depth(override, MIX_CHECKPOINT, value);
}

static const struct sweep_parameter parameters[] = {
	{"ckpt-every", true, "checkpoint-late", set_every},
	{"ckpt-pause", true, NULL, set_pause},
	{"log-depth", false, NULL, set_log_depth},
	{"ckpt-depth", false, NULL, set_checkpoint_depth},
	{"rate", false, "late", NULL},
};

void sweep_set(const struct sweep_options *options, uint64_t value, struct ssd_run_options *run)
{
	if (options->parameter->set)
		options->parameter->set(&run->override, value);
	else
		run->rate = value;
}

void sweep_format(const struct sweep_options *options, uint64_t value, char text[OPT_WHOLE])
{
	opt_format(opt_row(sweep_option_rows, options->parameter->name), value, text);
}

/* Parses a bound of the range from the first `length` characters. Returns 0, -EINVAL or -ERANGE. */
static int parse_bound(const struct opt *row, const char *text, size_t length, uint64_t *value)
{
	char word[OPT_WHOLE];
	int rc;

	if (length >= sizeof(word))
		return -EINVAL;
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	rc = row->type == OPT_TIME ? units_parse_duration(word, value) : units_parse_u64(word, 0, UINT64_MAX, value);
	return rc ? rc : !*value || *value < row->min || *value > row->max ? -ERANGE : 0;
}

/* Parses a range such as "rate=100..10000". */
static int set_over(struct opt_value *in)
{
	struct sweep_options *options = in->options;
	const char *range = strchr(in->text, '='), *dots = range ? strstr(range, "..") : NULL;
	char low[OPT_WHOLE], high[OPT_WHOLE];
	const struct opt *row;
	int rc;

	options->parameter = NULL;
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]) && dots; i++) {
		size_t length = strlen(parameters[i].name);

		if (length == (size_t)(range - in->text) && !strncmp(in->text, parameters[i].name, length))
			options->parameter = &parameters[i];
	}
	if (!options->parameter)
		return -EINVAL;
	row = opt_row(sweep_option_rows, options->parameter->name);
	rc = parse_bound(row, range + 1, (size_t)(dots - range - 1), &options->low);
	if (!rc)
		rc = parse_bound(row, dots + 2, strlen(dots + 2), &options->high);
	if (!rc && options->low < options->high)
		return 0;
	opt_format(row, row->min ? row->min : 1, low);
	opt_format(row, row->max, high);
	snprintf(in->allowed, sizeof(in->allowed), "must be LOW..HIGH, two values of --%s from %s to %s, the smaller one first",
		row->name, low, high);
	in->why = in->allowed;
	return -ERANGE;
}

const struct opt sweep_option_rows[] = {
	{.type = OPT_TITLE, .help = "Search"},
	{"over", 0, "PARAM=LOW..HIGH", OPT_OWN, .set = set_over,
		.choices = (const char *const[]){"ckpt-every=", "ckpt-pause=", "log-depth=", "ckpt-depth=", "rate=", NULL},
		.allowed = "must be PARAM=LOW..HIGH, as rate=100..10000, of ckpt-every, ckpt-pause, log-depth, ckpt-depth or rate",
		.help = "search this range of ckpt-every, ckpt-pause, log-depth, ckpt-depth or rate (required)",
		.manual = "Search this range of an option of `run`: `rate`, `log-depth` and `ckpt-depth`, of which the largest "
			  "value is searched for, or `ckpt-every` and `ckpt-pause`, of which the smallest one is. LOW and HIGH are "
			  "values of that option above 0. Required."},
	{"slo", 0, "OBJECTIVE", OPT_OWN, OPT_REPEATS, .set = run_add_slo, .allowed = RUN_SLO_ALLOWED,
		.help = "find what meets 'p99<10ms', 'commit:p99.9<20ms', ...; repeatable (required)",
		.manual = "Find the highest load that meets this OBJECTIVE, in the form of `run`; with several of them, up to 16, "
			  "the highest load that meets all. At least one is required."},

	RUN_WRITE_OPTIONS,

	RUN_TARGET_OPTIONS,

	{.type = OPT_TITLE, .help = "Output"},
	RUN_REPORT_OPTIONS,
	{0},
};

const struct opt_relation sweep_option_relations[] = {
	{OPT_NEEDS, "log-destroy-data", "log-target", NULL},
	{OPT_NEEDS, "ckpt-destroy-data", "ckpt-target", NULL},
	{0},
};

int sweep_options_check(void *data, struct opt_line *line)
{
	struct sweep_options *options = data;
	const struct sweep_parameter *parameter = options->parameter;

	if (!parameter)
		return opt_refuse(line, "over", "is required, as rate=100..10000");
	if (!options->run.slo_count)
		return opt_refuse(line, "slo", "is required, as 'p99<10ms'");
	if (opt_is_typed(line, parameter->name))
		return opt_refuse(line, parameter->name, "is what --over changes; omit it");
	options->run.trace = RUN_TRACE_OFF;
	return ssd_run_options_check(&options->run, line);
}
