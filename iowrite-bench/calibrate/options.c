/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"
#include "iowrite-bench/calibrate/plan.h"

enum {
	KEY_DIRECTORY = 256,
	KEY_FILENAME,
	KEY_DESTROY,
	KEY_SIZE,
	KEY_MAX_BYTES,
	KEY_RUNTIME,
	KEY_SPREAD,
	KEY_MEM,
	KEY_CPUS,
	KEY_FIND_CACHE,
	KEY_STAGE,
	KEY_SLOW_DEVICE,
	KEY_COMPARE,
};

#define RUNTIME_NS (90 * UNITS_NS_PER_SEC)
#define RUNTIME_LEAST_NS UNITS_NS_PER_SEC
#define RUNTIME_MOST_NS (3600 * UNITS_NS_PER_SEC)
#define SPREAD_MOST_NS (24 * 3600 * UNITS_NS_PER_SEC)
#define MAX_BYTES (64 * UNITS_GIB)
#define BURST_LEAST UNITS_GIB
#define MOST_BYTES (1ull << 50)

const struct argp_option calibrate_option_table[] = {
	{NULL, 0, NULL, 0, "What is calibrated:", 1},
	{"directory", KEY_DIRECTORY, "DIR", 0, "write to a file without a name in DIR (.)", 1},
	{"filename", KEY_FILENAME, "FILE", 0, "or to this file or block device", 1},
	{"destroy-data", KEY_DESTROY, "FILE", 0, "its data may be lost: the same words again, or a device's serial", 1},
	{"mem", KEY_MEM, "warm|as-is", 0, "memory for the page cache: used a moment ago, or as it is (warm)", 1},
	{"cpus", KEY_CPUS, "LIST|none", 0,
		"pin the writer to the first of 0-3, core:0-3, numa:1, and leave the others to the flusher (the last there is)", 1},
	{"slow-device", KEY_SLOW_DEVICE, "RATE", 0,
		"as root, build a loop device with so many bytes a second in DIR, and calibrate it; with --stage", 1},
	{NULL, 0, NULL, 0, "How much:", 2},
	{"runtime", KEY_RUNTIME, "TIME", 0, "end after this time (90s)", 2},
	{"spread", KEY_SPREAD, "TIME", 0, "measure in 8 rounds that begin all over this time, and rest between (no)", 2},
	{"size", KEY_SIZE, "SIZE", 0, "of the file (up to 2g, by memory and room)", 2},
	{"max-bytes", KEY_MAX_BYTES, "SIZE", 0, "write no more than this (64g)", 2},
	{"find-cache", KEY_FIND_CACHE, "SIZE", 0,
		"at the end, write up to this without a pause until the device becomes slower (no)", 2},
	{"stage", KEY_STAGE, NULL, 0, "as root, small dirty thresholds for what needs them", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'o', "FILE", 0, "the calibration, for predict and evaluate", 3},
	{"compare", KEY_COMPARE, "FILE", 0, "say what differs from this older one (status 4)", 3},
	{"quiet", 'q', NULL, 0, "print no table", 3},
	{"dry-run", 'n', NULL, 0, "print the plan, touch nothing", 3},
	{0},
};

struct parsing {
	struct calibrate_options *options;
	const char *directory, *filename;
};

static error_t parse_rate(const char *text, struct calibrate_options *options)
{
	uint64_t rate;

	if (units_parse_size(text, 1, &rate) || rate < UNITS_MIB || rate > MOST_BYTES)
		return command_refuse("--slow-device", text, "must be a rate of 1M bytes a second or more, as 400M");
	options->slow_bytes_per_second = rate;
	options->is_staged = true;
	return 0;
}

static error_t parse_size(const char *option, const char *text, uint64_t least, uint64_t *bytes)
{
	char allowed[2][UNITS_TEXT];
	uint64_t size;

	if (units_parse_size(text, 1, &size) || size < least || size > MOST_BYTES) {
		diag_error(0, "%s '%s': a size from %s to %s, as 512m or 2g", option, text,
			units_format_size(least, allowed[0], UNITS_TEXT), units_format_size(MOST_BYTES, allowed[1], UNITS_TEXT));
		return EINVAL;
	}
	*bytes = size;
	return 0;
}

static error_t parse_time(const char *option, const char *text, uint64_t most, const char *allowed, uint64_t *time)
{
	uint64_t ns;

	if (units_parse_duration(text, &ns) || ns < RUNTIME_LEAST_NS || ns > most)
		return command_refuse(option, text, allowed);
	*time = ns;
	return 0;
}

static error_t parse_memory(const char *text, struct calibrate_options *options)
{
	if (!strcmp(text, "cold"))
		return command_refuse("--mem", text,
			"cold memory is measured beside the other in any case; allowed are warm and as-is");
	if (strcmp(text, "warm") && strcmp(text, "as-is"))
		return command_refuse("--mem", text, "allowed are warm and as-is");
	options->is_fed = !strcmp(text, "warm");
	return 0;
}

static error_t parse_cpus(const char *text, struct calibrate_options *options)
{
	const char *why;

	return pin_parse(text, &options->cpus, &why) ? command_refuse("--cpus", text, why) : 0;
}

static error_t parse_target(int key, char *text, struct parsing *parsing)
{
	switch (key) {
	case KEY_DIRECTORY:
		parsing->directory = text;
		return 0;
	case KEY_FILENAME:
		parsing->filename = text;
		return 0;
	case KEY_DESTROY:
		parsing->options->destroy_data = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t finish(struct parsing *parsing)
{
	struct calibrate_options *options = parsing->options;

	if (parsing->directory && parsing->filename) {
		diag_error(0, "--directory and --filename: one of them says where to write");
		return EINVAL;
	}
	options->is_folder = !parsing->filename;
	options->path = parsing->filename ? parsing->filename : parsing->directory ? parsing->directory : ".";
	if (options->slow_bytes_per_second && parsing->filename) {
		diag_error(0, "--slow-device is built in a folder: --directory and not --filename says where");
		return EINVAL;
	}
	if (options->destroy_data && !parsing->filename) {
		diag_error(0, "--destroy-data is of a file or device: --filename names it");
		return EINVAL;
	}
	if (!options->output && !options->is_dry_run) {
		diag_error(0, "no -o FILE given: where the calibration is written, as -o system.xml");
		return EINVAL;
	}
	if (options->size_bytes && options->max_bytes < 2 * options->size_bytes) {
		diag_error(0, "--max-bytes must be at least twice --size: the file is written more than once");
		return EINVAL;
	}
	if (options->spread_ns && options->spread_ns < options->runtime_ns) {
		diag_error(0, "--spread must be --runtime or more, of which it is the time with rests: give a longer one");
		return EINVAL;
	}
	if (options->burst_bytes > options->max_bytes / 2) {
		diag_error(0, "--find-cache must be at most half of --max-bytes: the other half is for the rest");
		return EINVAL;
	}
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct parsing *parsing = state->input;
	struct calibrate_options *options = parsing->options;

	switch (key) {
	case KEY_SIZE:
		return parse_size("--size", text, PLAN_LEAST_BYTES, &options->size_bytes);
	case KEY_MAX_BYTES:
		return parse_size("--max-bytes", text, 2 * PLAN_LEAST_BYTES, &options->max_bytes);
	case KEY_SLOW_DEVICE:
		return parse_rate(text, options);
	case KEY_RUNTIME:
		return parse_time("--runtime", text, RUNTIME_MOST_NS, "a time from 1s to 1h, as 20s or 5m", &options->runtime_ns);
	case KEY_SPREAD:
		return parse_time("--spread", text, SPREAD_MOST_NS, "a time from 1s to 24h, as 20m", &options->spread_ns);
	case KEY_MEM:
		return parse_memory(text, options);
	case KEY_FIND_CACHE:
		return parse_size("--find-cache", text, BURST_LEAST, &options->burst_bytes);
	case KEY_CPUS:
		return parse_cpus(text, options);
	case KEY_STAGE:
		options->is_staged = true;
		return 0;
	case 'o':
		options->output = text;
		return 0;
	case KEY_COMPARE:
		options->compare = text;
		return 0;
	case 'q':
		options->is_quiet = true;
		return 0;
	case 'n':
		options->is_dry_run = true;
		return 0;
	case ARGP_KEY_ARG:
		return command_refuse("argument", text, "calibrate takes none; -o FILE names its output");
	case ARGP_KEY_END:
		return finish(parsing);
	default:
		return parse_target(key, text, parsing);
	}
}

int calibrate_options_parse(const struct command *command, int argc, char **argv, struct calibrate_options *options)
{
	struct parsing parsing = {.options = options};

	*options = (struct calibrate_options){.runtime_ns = RUNTIME_NS, .max_bytes = MAX_BYTES, .is_fed = true};
	return command_parse_argp(command, parse, argc, argv, &parsing);
}
