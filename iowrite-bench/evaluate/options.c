/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/options.h"

#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/scenario.h"

#define REPETITIONS_MAX 100
#define WARMUP_MAX (600 * UNITS_NS_PER_SEC)
#define WARMUP_DEFAULT (10 * UNITS_NS_PER_SEC)

enum {
	KEY_SCENARIOS = 256,
	KEY_REPETITIONS,
	KEY_THRESHOLDS,
	KEY_WARM_UP,
	KEY_GATE,
};

const struct argp_option evaluate_option_table[] = {
	{NULL, 0, NULL, 0, "What is judged:", 1},
	{"system", SCENARIO_KEY_SYSTEM, "FILE", 0, "the calibration that the models predict from (required)", 1},
	{"scenarios", KEY_SCENARIOS, "SCENARIO,...", 0,
		"quick, paper, all, or names that iowrite-bench scenarios lists (quick)", 1},
	{"repetitions", KEY_REPETITIONS, "N", 0, "of the whole list, one after another (1)", 1},
	{"gate", KEY_GATE, NULL, 0, "exit with 1 when a goal is missed", 1},
	{NULL, 0, NULL, 0, "Where and under what conditions:", 2},
	{"directory", SCENARIO_KEY_DIRECTORY, "DIR", 0, "the file without a name is made here (.)", 2},
	{"mem", SCENARIO_KEY_MEM, MEMORY_NAMES, 0, "the memory that the page cache gets (warm)", 2},
	{"thresholds", KEY_THRESHOLDS, "keep|small", 0,
		"the kernel's dirty thresholds: as they are, or each scenario's own, put back afterwards (small as "
		"root)",
		2},
	{"slow-device", SCENARIO_KEY_SLOW_DEVICE, "RATE", 0,
		"build a loop device with so many bytes a second in the folder, and write there (root)", 2},
	{"slow-size", SCENARIO_KEY_SLOW_SIZE, "SIZE", 0, "of this device (what the scenarios need, with room)", 2},
	{"warm-up", KEY_WARM_UP, "TIME", 0,
		"of writing before buffered scenarios, until the kernel knows the device's speed, at most (10s)", 2},
	{"dry-run", 'n', NULL, 0, "print what would be measured, and why the rest would not", 2},
	{NULL, 0, NULL, 0, "Output:", 3},
	{"file", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no table", 3},
	{"json", SCENARIO_KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 3},
	{"label", SCENARIO_KEY_LABEL, "NAME=VALUE", 0, "a label in the report; repeatable", 3},
	{"output", SCENARIO_KEY_OUTPUT, "FILE", OPTION_HIDDEN, NULL, 3}, /* the older word for --file */
	{0},
};

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

static error_t set_repetitions(struct evaluate_options *options, const char *text)
{
	uint64_t value;

	if (units_parse_u64(text, 1, REPETITIONS_MAX, &value))
		return command_refuse("--repetitions", text, "must be 1 to 100");
	options->repetitions = (unsigned)value;
	options->repetitions_text = text;
	return 0;
}

static error_t set_thresholds(struct evaluate_options *options, const char *text)
{
	options->thresholds = !strcmp(text, "small") ? EVALUATE_SMALL : EVALUATE_KEEP;
	options->thresholds_text = text;
	if (options->thresholds == EVALUATE_SMALL || !strcmp(text, "keep"))
		return 0;
	return command_refuse("--thresholds", text, "must be keep or small");
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

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct evaluate_options *options = state->input;

	switch (key) {
	case KEY_SCENARIOS:
		return set_scenarios(options, text);
	case KEY_REPETITIONS:
		return set_repetitions(options, text);
	case KEY_THRESHOLDS:
		return set_thresholds(options, text);
	case KEY_WARM_UP:
		return set_warmup(options, text);
	case KEY_GATE:
		options->is_gate = true;
		return 0;
	case ARGP_KEY_ARG:
		return command_refuse("argument", text, "evaluate takes none: --scenarios names what is measured");
	default:
		return scenario_options_parse(key, text, &options->shared);
	}
}

static int check(const struct evaluate_options *options)
{
	if (options->shared.system_path)
		return scenario_options_check(&options->shared);
	diag_error(0, "--system is missing: a calibration of this device, which iowrite-bench calibrate -o FILE makes");
	return DIAG_EXIT_USAGE;
}

static void show_all(struct evaluate_options *options)
{
	struct scenario_options *shared = &options->shared;

	scenario_options_show_all(shared);
	scenario_options_show(shared, "scenarios", options->scenario_text);
	scenario_options_show(shared, "thresholds", options->thresholds_text);
	scenario_options_show(shared, "warm-up", options->warmup_text);
	scenario_options_show(shared, "repetitions", options->repetitions_text);
	scenario_options_show(shared, "gate", options->is_gate ? "true" : NULL);
}

int evaluate_options_parse(const struct command *command, int argc, char **argv, struct evaluate_options *options)
{
	int code;

	*options = (struct evaluate_options){.repetitions = 1, .repetitions_text = "1", .warmup_ns = WARMUP_DEFAULT,
		.warmup_text = "10s"};
	scenario_options_init(&options->shared);
	set_scenarios(options, "quick");
	set_thresholds(options, geteuid() == 0 ? "small" : "keep");
	code = command_parse_argp(command, parse, argc, argv, options);
	if (!code)
		code = check(options);
	show_all(options);
	return code;
}

void evaluate_options_free(struct evaluate_options *options)
{
	scenario_options_free(&options->shared);
}
