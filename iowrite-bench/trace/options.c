/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"

#define AT(member) offsetof(struct trace_options, member)

static int set_thresholds(struct opt_value *in)
{
	struct trace_options *options = in->options;
	const char *comma = strchr(in->text, ',');
	char first[32];

	options->thresholds = !strcmp(in->text, "keep")  ? TRACE_KEEP
			      : !strcmp(in->text, "small") ? TRACE_SMALL
							   : TRACE_OWN;
	if (options->thresholds != TRACE_OWN)
		return 0;
	if (!comma || snprintf(first, sizeof(first), "%.*s", (int)(comma - in->text), in->text) >= (int)sizeof(first) ||
		units_parse_size(first, 1, &options->background_bytes) ||
		units_parse_size(comma + 1, 1, &options->dirty_bytes))
		return -EINVAL;
	return options->background_bytes < UNITS_MIB || options->background_bytes >= options->dirty_bytes ? -ERANGE : 0;
}

const struct opt trace_option_rows[] = {
	{.type = OPT_TITLE, .help = "What is written, and compared"},
	SCENARIO_ARGUMENT_ROW(AT(scenario)),
	{.name = "trace", .value = "FILE", .type = OPT_STRING, .offset = AT(writes_path),
		.help = "make the writes of this table (ops.csv), buffered, instead of a scenario's",
		.manual = "Make the writes of the table FILE, see FILES below, buffered and to a new file, instead "
			  "of a scenario's."},
	SCENARIO_SYSTEM_ROW(AT(shared.system_path),
		"compare with the kernel model's state, predicted from the calibration FILE",
		"Predict the writes from the calibration FILE of the same device, and show where the state of the "
		"kernel model differs most from the kernel's."),
	{.type = OPT_TITLE, .help = "Where and under what conditions"},
	SCENARIO_PLACE_ROWS(trace_options),
	{.name = "thresholds", .value = "keep|small|BACKGROUND,LIMIT", .type = OPT_OWN,
		.set = set_thresholds, .preset = "small",
		.allowed = "must be keep, small, or two sizes of 1M or more, the first below the second, as 256M,512M",
		.help = "keep the kernel's dirty thresholds, or set the scenario's own or these sizes, and restore "
			"them",
		.manual = "Keep the kernel's dirty thresholds (`keep`), set those of the scenario (`small`; a table "
			  "has none), or set the sizes BACKGROUND and LIMIT, of which the first is at least 1M and "
			  "below the second. They are those of the whole machine and are restored at the end."},
	{.type = OPT_TITLE, .help = "Output"},
	SCENARIO_OUTPUT_ROWS(trace_options),
	{0},
};

const struct opt_relation trace_option_relations[] = {
	{OPT_EXCLUDES, "scenario", "trace", "both say what is written; keep one"},
	SCENARIO_RELATIONS,
	{0},
};

int trace_options_check(void *whole, struct opt_line *line)
{
	struct trace_options *options = whole;

	(void)line;
	if (options->scenario || options->writes_path)
		return scenario_options_check(options, &options->shared);
	diag_error(0, "nothing to write: name a scenario (iowrite-bench scenarios lists them), or give --trace FILE");
	return DIAG_EXIT_USAGE;
}
