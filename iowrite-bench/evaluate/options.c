/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"
#include "iowrite-bench/scenario.h"

#define REPETITIONS_MAX 100
#define LABEL_MAX 500
#define WARMUP_MAX (600 * UNITS_NS_PER_SEC)
#define WARMUP_DEFAULT (10 * UNITS_NS_PER_SEC)
#define SLOW_LEAST UNITS_MIB
#define SLOW_SIZE_LEAST (64 * UNITS_MIB)

enum {
	KEY_SYSTEM = 256,
	KEY_SCENARIOS,
	KEY_DIRECTORY,
	KEY_REPETITIONS,
	KEY_MEM,
	KEY_THRESHOLDS,
	KEY_SLOW_DEVICE,
	KEY_SLOW_SIZE,
	KEY_WARM_UP,
	KEY_GATE,
	KEY_JSON,
	KEY_LABEL,
	KEY_DRY_RUN,
};

const struct argp_option evaluate_option_table[] = {
	{NULL, 0, NULL, 0, "What is judged:", 1},
	{"system", KEY_SYSTEM, "FILE", 0, "the calibration that the models predict from (required)", 1},
	{"scenarios", KEY_SCENARIOS, "SCENARIO,...", 0,
		"quick, paper, all, or names that iowrite-bench scenarios lists (quick)", 1},
	{"repetitions", KEY_REPETITIONS, "N", 0, "of the whole list, one after another (1)", 1},
	{"gate", KEY_GATE, NULL, 0, "exit with 1 when a goal is missed", 1},
	{NULL, 0, NULL, 0, "Where and under what conditions:", 2},
	{"directory", KEY_DIRECTORY, "DIR", 0, "the file without a name is made here (.)", 2},
	{"mem", KEY_MEM, "warm|cold|as-is", 0, "the memory that the page cache gets (warm)", 2},
	{"thresholds", KEY_THRESHOLDS, "keep|small", 0,
		"the kernel's dirty thresholds: as they are, or each scenario's own, put back afterwards (small as "
		"root)",
		2},
	{"slow-device", KEY_SLOW_DEVICE, "RATE", 0,
		"build a loop device with so many bytes a second in the folder, and write there (root)", 2},
	{"slow-size", KEY_SLOW_SIZE, "SIZE", 0, "of this device (what the scenarios need)", 2},
	{"warm-up", KEY_WARM_UP, "TIME", 0,
		"of writing before buffered scenarios, until the kernel knows the device's speed, at most (10s)", 2},
	{"dry-run", KEY_DRY_RUN, NULL, 0, "print what would be measured, and why the rest would not", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"output", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no table", 3},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 3},
	{"label", KEY_LABEL, "NAME=VALUE", 0, "a word of yours for the report: repeatable", 3},
	{0},
};

static error_t set_word(const char *option, const char *text, const char *const *words, size_t count,
	const char *why, int *value)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(words[i], text)) {
			*value = (int)i;
			return 0;
		}
	}
	return command_refuse(option, text, why);
}

static bool is_wanted(const struct scenario *scenario, const char *words)
{
	size_t length;

	for (const char *at = words;; at += length + 1) {
		length = strcspn(at, ",");
		if ((length == strlen(scenario->id) && !strncmp(at, scenario->id, length)) ||
			(length == 3 && !strncmp(at, "all", 3)) ||
			(length == 5 && !strncmp(at, "quick", 5) && scenario->is_quick) ||
			(length == 5 && !strncmp(at, "paper", 5) && scenario->figure[0]))
			return true;
		if (!at[length])
			return false;
	}
}

static bool is_known(const char *word, size_t length)
{
	static const char *const groups[] = {"quick", "paper", "all"};

	for (size_t i = 0; i < 3; i++) {
		if (length == strlen(groups[i]) && !strncmp(word, groups[i], length))
			return true;
	}
	for (const struct scenario *row = scenarios; row->id; row++) {
		if (length == strlen(row->id) && !strncmp(word, row->id, length))
			return true;
	}
	return false;
}

static error_t set_scenarios(struct evaluate_options *options, const char *text)
{
	size_t length;

	for (const char *at = text;; at += length + 1) {
		length = strcspn(at, ",");
		if (!is_known(at, length))
			return command_refuse("--scenarios", text,
				"must be quick, paper, all, or names with commas between: iowrite-bench scenarios "
				"lists them");
		if (!at[length])
			break;
	}
	options->scenario_text = text;
	options->scenario_count = 0;
	for (const struct scenario *row = scenarios; row->id && options->scenario_count < EVALUATE_SCENARIOS; row++) {
		if (is_wanted(row, text))
			options->scenarios[options->scenario_count++] = row;
	}
	return 0;
}

static error_t set_size(const char *option, const char *text, uint64_t least, const char *why, uint64_t *bytes)
{
	uint64_t value;

	if (units_parse_size(text, 1, &value) || value < least)
		return command_refuse(option, text, why);
	*bytes = value;
	return 0;
}

static error_t add_label(struct evaluate_options *options, const char *text)
{
	struct report_option *label = &options->labels[options->label_count];
	const char *equals = strchr(text, '=');
	char *copy;

	if (options->label_count == EVALUATE_LABELS)
		return command_refuse("--label", text, "at most 32 labels");
	if (!equals || equals == text || strlen(text) > LABEL_MAX)
		return command_refuse("--label", text, "must be NAME=VALUE, up to 500 bytes");
	copy = strdup(text);
	if (!copy) {
		diag_error(ENOMEM, "--label '%s'", text);
		return ENOMEM;
	}
	copy[equals - text] = '\0';
	*label = (struct report_option){copy, copy + (equals - text) + 1};
	options->label_copies[options->label_count++] = copy;
	return 0;
}

static error_t set_repetitions(struct evaluate_options *options, const char *text)
{
	uint64_t value;

	if (units_parse_u64(text, 1, REPETITIONS_MAX, &value))
		return command_refuse("--repetitions", text, "must be 1 to 100");
	options->repetitions = (unsigned)value;
	options->repetitions_text = text;
	return 0;
}

static error_t set_memory(struct evaluate_options *options, const char *text)
{
	static const char *const words[] = {"warm", "cold", "as-is"};
	int value = 0;
	error_t err = set_word("--mem", text, words, 3, "must be warm, cold or as-is", &value);

	options->memory = (enum model_memory)value;
	options->memory_text = text;
	return err;
}

static error_t set_thresholds(struct evaluate_options *options, const char *text)
{
	static const char *const words[] = {"keep", "small"};
	int value = 0;
	error_t err = set_word("--thresholds", text, words, 2, "must be keep or small", &value);

	options->thresholds = (enum evaluate_thresholds)value;
	options->thresholds_text = text;
	return err;
}

static error_t set_warmup(struct evaluate_options *options, const char *text)
{
	uint64_t ns;

	if (units_parse_duration(text, &ns) || ns > WARMUP_MAX)
		return command_refuse("--warm-up", text, "must be a time of up to 10m, as 10s; 0 is none");
	options->warmup_ns = ns;
	options->warmup_text = text;
	return 0;
}

static error_t parse_conditions(int key, const char *text, struct evaluate_options *options)
{
	switch (key) {
	case KEY_DIRECTORY:
		options->directory = text;
		return 0;
	case KEY_MEM:
		return set_memory(options, text);
	case KEY_THRESHOLDS:
		return set_thresholds(options, text);
	case KEY_WARM_UP:
		return set_warmup(options, text);
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
	struct evaluate_options *options = state->input;

	switch (key) {
	case KEY_SYSTEM:
		options->system_path = text;
		return 0;
	case KEY_SCENARIOS:
		return set_scenarios(options, text);
	case KEY_REPETITIONS:
		return set_repetitions(options, text);
	case KEY_GATE:
		options->is_gate = true;
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
	case ARGP_KEY_ARG:
		return command_refuse("argument", text, "evaluate takes none: --scenarios names what is measured");
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

static int check(const struct evaluate_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;
	int code;

	if (!options->system_path)
		return refuse("--system is missing: a calibration of this device, which iowrite-bench calibrate -o "
			      "FILE makes");
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

static void show(struct evaluate_options *options, const char *name, const char *value)
{
	if (value)
		options->shown[options->shown_count++] = (struct report_option){name, value};
}

static void show_all(struct evaluate_options *options)
{
	show(options, "system", options->system_path);
	show(options, "scenarios", options->scenario_text);
	show(options, "directory", options->directory);
	show(options, "mem", options->memory_text);
	show(options, "thresholds", options->thresholds_text);
	show(options, "slow-device", options->slow_text);
	show(options, "slow-size", options->slow_size_text);
	show(options, "warm-up", options->warmup_text);
	show(options, "repetitions", options->repetitions_text);
	show(options, "gate", options->is_gate ? "true" : NULL);
}

int evaluate_options_parse(const struct command *command, int argc, char **argv, struct evaluate_options *options)
{
	int code;

	*options = (struct evaluate_options){.directory = ".", .repetitions = 1, .repetitions_text = "1",
		.memory_text = "warm", .warmup_ns = WARMUP_DEFAULT, .warmup_text = "10s"};
	set_scenarios(options, "quick");
	options->thresholds = geteuid() == 0 ? EVALUATE_SMALL : EVALUATE_KEEP;
	options->thresholds_text = geteuid() == 0 ? "small" : "keep";
	code = command_parse(command, parse, argc, argv, options);
	if (!code)
		code = check(options);
	show_all(options);
	return code;
}

void evaluate_options_free(struct evaluate_options *options)
{
	for (size_t i = 0; i < options->label_count; i++)
		free(options->label_copies[i]);
}

bool evaluate_options_takes_stdout(const struct evaluate_options *options)
{
	const char *xml = options->xml_path, *json = options->json_path;

	return (xml && !strcmp(xml, "-")) || (json && !strcmp(json, "-"));
}
