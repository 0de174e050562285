/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/options.h"

#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"

#define THRESHOLD_LEAST UNITS_MIB

enum {
	KEY_TRACE = 256,
	KEY_THRESHOLDS,
};

const struct argp_option trace_option_table[] = {
	{NULL, 0, NULL, 0, "What is written, and laid beside:", 1},
	{"trace", KEY_TRACE, "FILE", 0, "the writes of this table (ops.csv) instead of a scenario's, buffered", 1},
	{"system", SCENARIO_KEY_SYSTEM, "FILE", 0, "a calibration: the kernel model's state is shown beside the kernel's", 1},
	{NULL, 0, NULL, 0, "Where and under what conditions:", 2},
	{"directory", SCENARIO_KEY_DIRECTORY, "DIR", 0, "the file without a name is made here (.)", 2},
	{"mem", SCENARIO_KEY_MEM, MEMORY_NAMES, 0, "the memory that the page cache gets (warm)", 2},
	{"thresholds", KEY_THRESHOLDS, "keep|small|BACKGROUND,LIMIT", 0,
		"the kernel's dirty thresholds: as they are, the scenario's own, or these sizes; put back afterwards "
		"(small)",
		2},
	{"slow-device", SCENARIO_KEY_SLOW_DEVICE, "RATE", 0,
		"build a loop device with so many bytes a second in the folder, and write there", 2},
	{"slow-size", SCENARIO_KEY_SLOW_SIZE, "SIZE", 0, "of this device (what the writes need, with room)", 2},
	{"dry-run", 'n', NULL, 0, "print what would be written and traced, and change nothing", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"file", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no text", 3},
	{"json", SCENARIO_KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 3},
	{"label", SCENARIO_KEY_LABEL, "NAME=VALUE", 0, "a label in the report; repeatable", 3},
	{"output", SCENARIO_KEY_OUTPUT, "FILE", OPTION_HIDDEN, NULL, 3}, /* the older word for --file */
	{0},
};

static error_t set_thresholds(struct trace_options *options, const char *text)
{
	static const char why[] = "must be keep, small, or two sizes of 1M or more, the first below the second, as 256M,512M";
	char first[32];
	size_t length = strcspn(text, ",");

	options->thresholds_text = text;
	options->thresholds = !strcmp(text, "keep") ? TRACE_KEEP : !strcmp(text, "small") ? TRACE_SMALL : TRACE_OWN;
	if (options->thresholds != TRACE_OWN)
		return 0;
	if (!text[length] || length >= sizeof(first))
		return command_refuse("--thresholds", text, why);
	memcpy(first, text, length);
	first[length] = '\0';
	if (units_parse_size(first, 1, &options->background_bytes) ||
		units_parse_size(text + length + 1, 1, &options->dirty_bytes) ||
		options->background_bytes < THRESHOLD_LEAST || options->background_bytes >= options->dirty_bytes)
		return command_refuse("--thresholds", text, why);
	return 0;
}

static error_t set_scenario(struct trace_options *options, const char *text)
{
	const struct scenario *scenario = scenario_of(text);

	if (options->scenario)
		return command_refuse("SCENARIO", text, "one at a time");
	if (!scenario)
		return command_refuse("SCENARIO", text, "there is none of this name: iowrite-bench scenarios lists them");
	options->scenario = scenario;
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct trace_options *options = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		return set_scenario(options, text);
	case KEY_TRACE:
		options->writes_path = text;
		return 0;
	case KEY_THRESHOLDS:
		return set_thresholds(options, text);
	default:
		return scenario_options_parse(key, text, &options->shared);
	}
}

static int refuse(const char *line)
{
	diag_error(0, "%s", line);
	return DIAG_EXIT_USAGE;
}

static int check(const struct trace_options *options)
{
	if (!options->scenario && !options->writes_path)
		return refuse("what is to be written? Name a scenario (iowrite-bench scenarios lists them), or --trace FILE");
	if (options->scenario && options->writes_path)
		return refuse("--trace: not together with a scenario");
	return scenario_options_check(&options->shared);
}

int trace_options_parse(const struct command *command, int argc, char **argv, struct trace_options *options)
{
	struct scenario_options *shared = &options->shared;
	int code;

	*options = (struct trace_options){.thresholds_text = "small"};
	scenario_options_init(shared);
	code = command_parse_argp(command, parse, argc, argv, options);
	if (!code)
		code = check(options);
	scenario_options_show_all(shared);
	scenario_options_show(shared, "scenario", options->scenario ? options->scenario->id : NULL);
	scenario_options_show(shared, "trace", options->writes_path);
	scenario_options_show(shared, "thresholds", options->thresholds_text);
	return code;
}

void trace_options_free(struct trace_options *options)
{
	scenario_options_free(&options->shared);
}
