/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"

enum {
	KEY_METRIC = 256,
	KEY_GATE,
	KEY_FLOOR,
	KEY_MARGIN,
	KEY_CONFIDENCE,
	KEY_METHOD,
	KEY_SEED,
	KEY_QUANTILES,
	KEY_WITHIN_RUN,
	KEY_GROUP_BY,
	KEY_ALLOW_DIFFERENT,
	KEY_FORCE,
	KEY_REQUIRE_STEADY,
	KEY_JSON,
	KEY_CSV,
	KEY_MARKDOWN,
	KEY_COLOUR,
};

const struct argp_option compare_option_table[] = {
	{NULL, 0, NULL, 0, "What is compared:", 1},
	{"metric", KEY_METRIC, "NAME", 0,
		"throughput, p99, write.major.p50, ...: repeatable (those of the tool)", 1},
	{"gate", KEY_GATE, "METRIC<LIMIT", 0,
		"what must hold, as 'p99<+5%', 'p99<3us', of one set 'zram:p99<3us': repeatable", 1},
	{"quantiles", KEY_QUANTILES, "HISTOGRAM,...", OPTION_ARG_OPTIONAL,
		"also the shift of each quantile (read,write)", 1},
	{"group-by", KEY_GROUP_BY, "NAME,...", 0, "a set of runs is what is equal in these labels or options",
		1},
	{NULL, 0, NULL, 0, "How it is decided:", 2},
	{"margin", KEY_MARGIN, "PERCENT", 0, "changes within it are no difference (2)", 2},
	{"confidence", KEY_CONFIDENCE, "PERCENT", 0, "of intervals (95)", 2},
	{"floor", KEY_FLOOR, "REPORT", 0,
		"runs of one and the same thing, as noisy as these (a file or folder): repeatable", 2},
	{"method", KEY_METHOD, "ranks|bootstrap", 0, "of intervals (ranks)", 2},
	{"within-run", KEY_WITHIN_RUN, NULL, 0, "of one run a side, let their series decide", 2},
	{"seed", KEY_SEED, "N", 0, "of what is drawn (1)", 2},
	{NULL, 0, NULL, 0, "What is let through:", 3},
	{"allow-different", KEY_ALLOW_DIFFERENT, "WHAT,...", OPTION_ARG_OPTIONAL,
		"options, machine, sets, or names of options or facts (options,machine)", 3},
	{"force", KEY_FORCE, NULL, 0, "compare interrupted and untrustworthy runs, too", 3},
	{"require-steady", KEY_REQUIRE_STEADY, NULL, 0, "leave out runs that were not steady", 3},
	{NULL, 0, NULL, 0, "Output (FILE: stdout when left out, and then no text):", 4},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "all of it as JSON", 4},
	{"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL, "the metrics as comma-separated values", 4},
	{"markdown", KEY_MARKDOWN, "FILE", OPTION_ARG_OPTIONAL, "tables for GitHub", 4},
	{"color", KEY_COLOUR, "auto|always|never", 0,
		"of the text (auto: on a terminal, unless NO_COLOR is set)", 4},
	{0},
};

static error_t add_metric(struct compare_options *options, const char *text)
{
	struct compare_wanted *wanted = &options->request.wanted;
	struct metric metric;
	const char *why;
	size_t index;

	if (metric_parse(text, &metric, &why))
		return command_refuse("--metric", text, why);
	wanted->is_default = false;
	if (compare_want_metric(wanted, &metric, &index)) {
		diag_error(ENOMEM, "--metric '%s'", text);
		return ENOMEM;
	}
	return 0;
}

static error_t add_gate(struct compare_options *options, const char *text)
{
	struct compare_request *request = &options->request;
	const char *why;

	if (request->gate_count == COMPARE_GATES_MAX)
		return command_refuse("--gate", text, "at most 64 gates");
	if (compare_gate_parse(text, &request->gates[request->gate_count], &why))
		return command_refuse("--gate", text, why);
	request->gate_count++;
	return 0;
}

/* "2", "2%", "0.5%": a fraction. */
static error_t parse_percent(
	const char *option, const char *text, double min, double max, const char *why, double *fraction)
{
	size_t length = strlen(text);
	char number[32];
	double percent;

	if (length && text[length - 1] == '%')
		length--;
	if (length >= sizeof(number))
		return command_refuse(option, text, why);
	snprintf(number, sizeof(number), "%.*s", (int)length, text);
	if (units_parse_double(number, min, max, &percent))
		return command_refuse(option, text, why);
	*fraction = percent / 100;
	return 0;
}

/* What is between the commas goes to add, which keeps it. Empty words are refused. */
static error_t each_word(struct compare_options *options, const char *option, const char *text, const char *why,
	error_t (*add)(struct compare_options *options, const char *word))
{
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");
		const char *word = arena_text(&options->arena, at, length);
		error_t err;

		if (!word) {
			diag_error(ENOMEM, "%s '%s'", option, text);
			return ENOMEM;
		}
		if (length == 0)
			return command_refuse(option, text, why);
		err = add(options, word);
		if (err == ERANGE)
			return command_refuse(option, text, "too many names");
		if (err)
			return command_refuse(option, text, why);
		at += length;
		if (!*at)
			return 0;
	}
}

static error_t add_group(struct compare_options *options, const char *word)
{
	struct compare_pairing *pairing = &options->request.pairing;

	if (pairing->group_by_count == COMPARE_NAMES_MAX)
		return ERANGE;
	pairing->group_by[pairing->group_by_count++] = word;
	return 0;
}

static error_t add_allowed(struct compare_options *options, const char *word)
{
	struct compare_pairing *pairing = &options->request.pairing;

	if (strcmp(word, "options") == 0)
		pairing->are_options_allowed = true;
	else if (strcmp(word, "machine") == 0)
		pairing->is_machine_allowed = true;
	else if (strcmp(word, "sets") == 0)
		pairing->are_sets_allowed = true;
	else if (pairing->allowed_count == COMPARE_NAMES_MAX)
		return ERANGE;
	else
		pairing->allowed[pairing->allowed_count++] = word;
	return 0;
}

/* The histograms that a percentile of this type and class would be of. */
static error_t add_histogram(struct compare_options *options, const char *word)
{
	struct compare_wanted *wanted = &options->request.wanted;
	char name[METRIC_NAME];
	const char *why;
	int used = snprintf(name, sizeof(name), "%s.p50", word);

	if (wanted->histogram_count == COMPARE_HISTOGRAMS_MAX)
		return ERANGE;
	if (used < 0 || (size_t)used >= sizeof(name))
		return EINVAL;
	return metric_parse(name, &options->histograms[wanted->histogram_count++], &why) ? EINVAL : 0;
}

static error_t set_output(struct compare_options *options, enum compare_format format, const char *path)
{
	static const char *const names[] = {"--json", "--csv", "--markdown"};
	int err = path ? report_check_path(path) : 0;

	options->outputs[format] = path ? path : "-";
	if (err) {
		diag_error(err, "%s=%s: cannot be written", names[format], path);
		return EINVAL;
	}
	return 0;
}

static error_t set_colour(struct compare_options *options, const char *text)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (size_t i = 0; i < 3; i++) {
		if (strcmp(names[i], text) == 0) {
			options->colour = (enum compare_colour)i;
			return 0;
		}
	}
	return command_refuse("--color", text, "must be auto, always or never");
}

static error_t set_method(struct compare_options *options, const char *text)
{
	if (strcmp(text, "ranks") && strcmp(text, "bootstrap"))
		return command_refuse("--method", text, "must be ranks or bootstrap");
	options->request.rule.method = text[0] == 'r' ? COMPARE_BY_RANKS : COMPARE_BY_BOOTSTRAP;
	return 0;
}

static error_t add_floor(struct compare_options *options, const char *text)
{
	if (options->floor_count == COMPARE_GATES_MAX)
		return command_refuse("--floor", text, "at most 64 files or folders");
	options->floors[options->floor_count++] = text;
	return 0;
}

/* The first word behind "--" ends the parsing of BASE: from there on it is NEW, in which options may stand, too. */
static error_t add_report(struct compare_options *options, struct argp_state *state, const char *text)
{
	if (!options->is_behind && state->quoted && state->next > state->quoted) {
		options->behind = state->next - 1;
		state->next = state->argc;
		return 0;
	}
	return inputs_add(&options->request.inputs[options->is_behind ? COMPARE_NEW : COMPARE_BASE], text) ? EINVAL : 0;
}

static int check(const struct compare_options *options)
{
	const struct inputs *inputs = options->request.inputs;
	unsigned on_stdout = 0;

	for (size_t i = 0; i < COMPARE_FORMATS; i++)
		on_stdout += options->outputs[i] && strcmp(options->outputs[i], "-") == 0;
	if (on_stdout > 1) {
		diag_error(0, "only one of --json, --csv and --markdown can go to standard output: name a "
			      "file for the others");
		return DIAG_EXIT_USAGE;
	}
	if (inputs[COMPARE_BASE].count && inputs[COMPARE_NEW].count)
		return DIAG_EXIT_OK;
	diag_error(0, "no %s given: memstor compare BASE... -- NEW... (files, or folders of reports)",
		inputs[COMPARE_BASE].count ? "NEW" : "BASE");
	return DIAG_EXIT_USAGE;
}

static error_t parse_deciding(int key, char *text, struct compare_options *options)
{
	struct compare_rule *rule = &options->request.rule;

	switch (key) {
	case KEY_MARGIN:
		rule->is_margin_given = true;
		return parse_percent("--margin", text, 0, 1000, "must be 0 to 1000 percent", &rule->margin);
	case KEY_CONFIDENCE:
		return parse_percent("--confidence", text, 50, 99.99, "must be 50 to 99.99 percent", &rule->level);
	case KEY_METHOD:
		return set_method(options, text);
	case KEY_SEED:
		if (units_parse_u64(text, 0, UINT64_MAX, &rule->seed))
			return command_refuse("--seed", text, "must be 0 to 18446744073709551615");
		return 0;
	case KEY_FLOOR:
		return add_floor(options, text);
	case KEY_WITHIN_RUN:
		rule->is_within_run_enough = true;
		return 0;
	case KEY_FORCE:
		options->request.wanted.is_forced = true;
		return 0;
	case KEY_REQUIRE_STEADY:
		options->request.wanted.must_be_steady = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct compare_options *options = state->input;

	switch (key) {
	case KEY_METRIC:
		return add_metric(options, text);
	case KEY_GATE:
		return add_gate(options, text);
	case KEY_QUANTILES:
		return each_word(options, "--quantiles", text ? text : "read,write",
			"must be histograms as read, write.major or all", add_histogram);
	case KEY_GROUP_BY:
		return each_word(options, "--group-by", text,
			"must be names of labels or options, with commas between", add_group);
	case KEY_ALLOW_DIFFERENT:
		return each_word(options, "--allow-different", text ? text : "options,machine",
			"must be options, machine, sets, or names of options or facts, with commas between",
			add_allowed);
	case KEY_JSON:
	case KEY_CSV:
	case KEY_MARKDOWN:
		return set_output(options, COMPARE_JSON + (unsigned)(key - KEY_JSON), text);
	case KEY_COLOUR:
		return set_colour(options, text);
	case ARGP_KEY_ARG:
		return add_report(options, state, text);
	default:
		return parse_deciding(key, text, options);
	}
}

int compare_options_parse(const struct command *command, int argc, char **argv, struct compare_options *options)
{
	struct compare_request *request = &options->request;
	int code;

	memset(options, 0, sizeof(*options));
	request->rule = (struct compare_rule){.level = 0.95, .margin = 0.02, .seed = 1};
	request->wanted.is_default = true;
	request->wanted.histograms = options->histograms;
	code = command_parse_argp(command, parse, argc, argv, options);
	if (!code && options->behind) {
		options->is_behind = true;
		code = command_parse_argp(command, parse, argc - options->behind + 1, argv + options->behind - 1, options);
	}
	if (!code)
		code = check(options);
	request->asked_count = request->wanted.metric_count;
	for (size_t i = 0; i < request->gate_count; i++) {
		struct compare_gate *gate = &request->gates[i];

		for (size_t k = 0; k < gate->way_count && !code; k++) {
			if (compare_want_metric(&request->wanted, &gate->ways[k].metric, &gate->ways[k].index)) {
				diag_error(ENOMEM, "--gate '%s'", gate->text);
				code = DIAG_EXIT_HOST;
			}
		}
	}
	for (size_t i = 0; i < options->floor_count && !code; i++)
		code = inputs_add(&request->inputs[COMPARE_AA], options->floors[i]);
	return code;
}

void compare_options_free(struct compare_options *options)
{
	for (size_t i = 0; i < COMPARE_SIDES; i++)
		inputs_free(&options->request.inputs[i]);
	free(options->request.wanted.metrics);
	arena_free(&options->arena);
}
