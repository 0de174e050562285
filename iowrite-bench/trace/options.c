/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"

#define LABEL_MAX 500
#define SLOW_LEAST UNITS_MIB
#define SLOW_SIZE_LEAST (64 * UNITS_MIB)
#define THRESHOLD_LEAST UNITS_MIB

enum {
	KEY_TRACE = 256,
	KEY_SYSTEM,
	KEY_DIRECTORY,
	KEY_MEM,
	KEY_THRESHOLDS,
	KEY_SLOW_DEVICE,
	KEY_SLOW_SIZE,
	KEY_DRY_RUN,
	KEY_JSON,
	KEY_LABEL,
};

const struct argp_option trace_option_table[] = {
	{NULL, 0, NULL, 0, "What is written, and laid beside:", 1},
	{"trace", KEY_TRACE, "FILE", 0, "the writes of this table (ops.csv) instead of a scenario's, buffered", 1},
	{"system", KEY_SYSTEM, "FILE", 0, "a calibration: the kernel model's state is shown beside the kernel's", 1},
	{NULL, 0, NULL, 0, "Where and under what conditions:", 2},
	{"directory", KEY_DIRECTORY, "DIR", 0, "the file without a name is made here (.)", 2},
	{"mem", KEY_MEM, "warm|cold|as-is", 0, "the memory that the page cache gets (warm)", 2},
	{"thresholds", KEY_THRESHOLDS, "keep|small|BACKGROUND,LIMIT", 0,
		"the kernel's dirty thresholds: as they are, the scenario's own, or these sizes; put back afterwards "
		"(small)",
		2},
	{"slow-device", KEY_SLOW_DEVICE, "RATE", 0,
		"build a loop device with so many bytes a second in the folder, and write there", 2},
	{"slow-size", KEY_SLOW_SIZE, "SIZE", 0, "of this device (what the writes need)", 2},
	{"dry-run", KEY_DRY_RUN, NULL, 0, "print what would be written and traced, and change nothing", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no text", 3},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 3},
	{"label", KEY_LABEL, "NAME=VALUE", 0, "a word of yours for the report: repeatable", 3},
	{0},
};

static error_t set_size(const char *option, const char *text, uint64_t least, const char *why, uint64_t *bytes)
{
	uint64_t value;

	if (units_parse_size(text, 1, &value) || value < least)
		return command_refuse(option, text, why);
	*bytes = value;
	return 0;
}

static error_t set_memory(struct trace_options *options, const char *text)
{
	static const char *const words[] = {[MODEL_WARM] = "warm", [MODEL_COLD] = "cold", [MODEL_AS_IS] = "as-is"};

	for (int i = 0; i < 3; i++) {
		if (strcmp(words[i], text) != 0)
			continue;
		options->memory = (enum model_memory)i;
		options->memory_text = text;
		return 0;
	}
	return command_refuse("--mem", text, "must be warm, cold or as-is");
}

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

static error_t add_label(struct trace_options *options, const char *text)
{
	const char *equals = strchr(text, '=');
	char *copy;

	if (options->label_count == TRACE_LABELS)
		return command_refuse("--label", text, "at most 32 labels");
	if (!equals || equals == text || strlen(text) > LABEL_MAX)
		return command_refuse("--label", text, "must be NAME=VALUE, up to 500 bytes");
	copy = strdup(text);
	if (!copy) {
		diag_error(ENOMEM, "--label '%s'", text);
		return ENOMEM;
	}
	copy[equals - text] = '\0';
	options->labels[options->label_count] = (struct report_option){copy, copy + (equals - text) + 1};
	options->label_copies[options->label_count++] = copy;
	return 0;
}

static error_t parse_conditions(int key, const char *text, struct trace_options *options)
{
	switch (key) {
	case KEY_MEM:
		return set_memory(options, text);
	case KEY_THRESHOLDS:
		return set_thresholds(options, text);
	case KEY_SLOW_DEVICE:
		options->slow_text = text;
		return set_size("--slow-device", text, SLOW_LEAST, "must be a rate of 1M bytes a second or more, as 400M",
			&options->slow_bytes_per_second);
	case KEY_SLOW_SIZE:
		options->slow_size_text = text;
		return set_size("--slow-size", text, SLOW_SIZE_LEAST, "must be a size of 64M or more",
			&options->slow_size_bytes);
	default:
		return ARGP_ERR_UNKNOWN;
	}
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
	case KEY_SYSTEM:
		options->system_path = text;
		return 0;
	case KEY_DIRECTORY:
		options->directory = text;
		return 0;
	case KEY_DRY_RUN:
		options->is_dry_run = true;
		return 0;
	case 'f':
		options->xml_path = text;
		return 0;
	case KEY_JSON:
		options->json_path = text ? text : "-";
		return 0;
	case KEY_LABEL:
		return add_label(options, text);
	default:
		return parse_conditions(key, text, options);
	}
}

static int refuse(const char *line)
{
	diag_error(0, "%s", line);
	return DIAG_EXIT_USAGE;
}

static int check_output(const char *option, const char *path)
{
	int err = path && strcmp(path, "-") != 0 ? report_check_path(path) : 0;

	if (!err)
		return DIAG_EXIT_OK;
	diag_error(err, "%s %s: cannot be written", option, path);
	return DIAG_EXIT_USAGE;
}

static int check(const struct trace_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;
	int code;

	if (!options->scenario && !options->writes_path)
		return refuse("what is to be written? Name a scenario (iowrite-bench scenarios lists them), or --trace FILE");
	if (options->scenario && options->writes_path)
		return refuse("--trace: not together with a scenario");
	if (options->slow_size_bytes && !options->slow_bytes_per_second)
		return refuse("--slow-size: only with --slow-device RATE");
	if (xml && json && !strcmp(xml, json)) {
		diag_error(0, "-f and --json: both would write %s; give them two names",
			strcmp(xml, "-") ? xml : "stdout");
		return DIAG_EXIT_USAGE;
	}
	code = check_output("-f", xml);
	return code ? code : check_output("--json", json);
}

static void show(struct trace_options *options, const char *name, const char *value)
{
	if (value)
		options->shown[options->shown_count++] = (struct report_option){name, value};
}

int trace_options_parse(const struct command *command, int argc, char **argv, struct trace_options *options)
{
	int code;

	*options = (struct trace_options){
		.directory = ".", .memory = MODEL_WARM, .memory_text = "warm", .thresholds_text = "small"};
	code = command_parse(command, parse, argc, argv, options);
	if (!code)
		code = check(options);
	show(options, "scenario", options->scenario ? options->scenario->id : NULL);
	show(options, "trace", options->writes_path);
	show(options, "system", options->system_path);
	show(options, "directory", options->directory);
	show(options, "mem", options->memory_text);
	show(options, "thresholds", options->thresholds_text);
	show(options, "slow-device", options->slow_text);
	show(options, "slow-size", options->slow_size_text);
	return code;
}

void trace_options_free(struct trace_options *options)
{
	for (size_t i = 0; i < options->label_count; i++)
		free(options->label_copies[i]);
}

bool trace_options_take_stdout(const struct trace_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;

	return (xml && !strcmp(xml, "-")) || (json && !strcmp(json, "-"));
}
