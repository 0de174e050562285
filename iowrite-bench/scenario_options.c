/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/scenario_options.h"

#include <string.h>

#include "common/command.h"
#include "common/diag.h"
#include "common/frame.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"

#define SLOW_LEAST UNITS_MIB
#define SLOW_SIZE_LEAST (64 * UNITS_MIB)

void scenario_options_init(struct scenario_options *options)
{
	*options = (struct scenario_options){.directory = ".", .memory = MODEL_WARM};
}

void scenario_options_free(struct scenario_options *options)
{
	label_free(&options->labels);
}

/* --- values --- */

static error_t set_size(const char *option, const char *text, uint64_t least, const char *why, uint64_t *bytes)
{
	uint64_t value;

	if (units_parse_size(text, 1, &value) || value < least)
		return command_refuse(option, text, why);
	*bytes = value;
	return 0;
}

static error_t set_memory(struct scenario_options *options, const char *text)
{
	if (!memory_of(text, &options->memory))
		return 0;
	return command_refuse("--mem", text, "must be warm, cold or as-is");
}

static error_t add_label(struct scenario_options *options, const char *text)
{
	const char *why;

	return label_add(&options->labels, text, &why) ? command_refuse("--label", text, why) : 0;
}

static error_t parse_output(int key, char *text, struct scenario_options *options)
{
	switch (key) {
	case 'f':
	case SCENARIO_KEY_OUTPUT:
		options->xml_path = text;
		return 0;
	case SCENARIO_KEY_JSON:
		options->json_path = text ? text : "-";
		return 0;
	case SCENARIO_KEY_LABEL:
		return add_label(options, text);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

error_t scenario_options_parse(int key, char *text, struct scenario_options *options)
{
	switch (key) {
	case SCENARIO_KEY_SYSTEM:
		options->system_path = text;
		return 0;
	case SCENARIO_KEY_DIRECTORY:
		options->directory = text;
		return 0;
	case SCENARIO_KEY_MEM:
		return set_memory(options, text);
	case SCENARIO_KEY_SLOW_DEVICE:
		options->slow_text = text;
		return set_size("--slow-device", text, SLOW_LEAST, "must be a rate of 1M bytes a second or more, as 400M",
			&options->slow_bytes_per_second);
	case SCENARIO_KEY_SLOW_SIZE:
		options->slow_size_text = text;
		return set_size("--slow-size", text, SLOW_SIZE_LEAST, "must be a size of 64M or more",
			&options->slow_size_bytes);
	case 'n':
		options->is_dry_run = true;
		return 0;
	default:
		return parse_output(key, text, options);
	}
}

int scenario_options_check(const struct scenario_options *options)
{
	if (options->slow_size_bytes && !options->slow_bytes_per_second) {
		diag_error(0, "--slow-size: only with --slow-device RATE");
		return DIAG_EXIT_USAGE;
	}
	return frame_check_outputs(options->xml_path, options->json_path);
}

/* --- what the report says of them --- */

void scenario_options_show(struct scenario_options *options, const char *name, const char *value)
{
	if (value && options->shown_count < SCENARIO_SHOWN)
		options->shown[options->shown_count++] = (struct report_option){name, value};
}

void scenario_options_show_all(struct scenario_options *options)
{
	scenario_options_show(options, "system", options->system_path);
	scenario_options_show(options, "directory", options->directory);
	scenario_options_show(options, "mem", memory_name(options->memory));
	scenario_options_show(options, "slow-device", options->slow_text);
	scenario_options_show(options, "slow-size", options->slow_size_text);
}

void scenario_options_sign(const struct scenario_options *options, struct report_signature *signature)
{
	signature->options = options->shown;
	signature->option_count = options->shown_count;
	signature->labels = options->labels.list;
	signature->label_count = options->labels.count;
}

bool scenario_options_take_stdout(const struct scenario_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;

	return (xml && !strcmp(xml, "-")) || (json && !strcmp(json, "-"));
}
