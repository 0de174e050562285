/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/label.h"
#include "common/units.h"

enum { KEY_LABEL = 0x1000, KEY_RESUME, KEY_STEP, KEY_SET, KEY_LIST, KEY_BASE_BIN, KEY_NEW_BIN, KEY_REQUIRE_ALL };

const struct argp_option run_option_table[] = {
	{"runs", 'r', "N", 0, "how often each step is measured, whatever the suite says", 0},
	{"warmup", 'w', "N", 0, "runs of each step before, which are not kept", 0},
	{"output", 'o', "DIR", 0, "the folder of the results (SUITE-DATE)", 0},
	{"label", KEY_LABEL, "NAME=VALUE", 0, "a label in every report; repeatable", 0},
	{"set", KEY_SET, "NAME=VALUE", 0, "another value for a variable of the suite; repeatable", 0},
	{"step", KEY_STEP, "NAME", 0, "only this step, or those that match as in 'zram-*'; repeatable", 0},
	{"base-bin", KEY_BASE_BIN, "DIR", 0, "with --new-bin: run each step in turn with the programs of both folders", 0},
	{"new-bin", KEY_NEW_BIN, "DIR", 0, "with --base-bin: the other folder; results are in DIR/base and DIR/new", 0},
	{"require-all", KEY_REQUIRE_ALL, NULL, 0, "fail if this host cannot do a step (default: skip it)", 0},
	{"resume", KEY_RESUME, NULL, 0, "go on in DIR with what is not done", 0},
	{"dry-run", 'n', NULL, 0, "check everything, say what would be run, and end", 0},
	{"list", KEY_LIST, NULL, 0, "the suites that memstor comes with", 0},
	{0},
};

static bool is_own_label(const char *text)
{
	static const char *const own[RUN_OWN_LABELS] = {"suite=", "step=", "run="};

	for (size_t i = 0; i < RUN_OWN_LABELS; i++) {
		if (!strncmp(own[i], text, strlen(own[i])))
			return true;
	}
	return false;
}

static error_t take_label(struct run_options *options, const char *text)
{
	const char *why;

	if (label_check(text, &why))
		return command_refuse("--label", text, why);
	if (is_own_label(text))
		return command_refuse("--label", text, "suite, step and run are given by memstor run itself");
	if (options->label_count == RUN_LABELS_MAX)
		return command_refuse("--label", text, "at most 29 labels");
	options->labels[options->label_count++] = text;
	return 0;
}

static error_t take_set(struct run_options *options, const char *text)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (!equals || !suite_is_variable(text, (size_t)(equals - text)))
		return command_refuse("--set", text, "must be NAME=VALUE, a variable of the suite and its value");
	for (const char *c = equals; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return command_refuse("--set", text, "a value is one line of text");
	}
	if (options->set_count == SUITE_VARIABLES_MAX)
		return command_refuse("--set", text, "at most 64 variables");
	name = strndup(text, (size_t)(equals - text));
	if (!name)
		return command_refuse("--set", text, "out of memory");
	options->sets[options->set_count++] = (struct suite_variable){name, equals + 1};
	return 0;
}

static error_t take_count(const char *option, const char *text, unsigned min, unsigned *count)
{
	uint64_t value;

	if (units_parse_u64(text, min, SUITE_RUNS_MAX, &value))
		return command_refuse(option, text, min ? "must be 1 to 1000" : "must be 0 to 1000");
	*count = (unsigned)value;
	return 0;
}

static error_t take_only(struct run_options *options, const char *text)
{
	if (options->only_count == RUN_ONLY_MAX)
		return command_refuse("--step", text, "at most 64 of them; a pattern as 'zram-*' stands for many");
	options->only[options->only_count++] = text;
	return 0;
}

static error_t take_suite(struct run_options *options, const char *text)
{
	if (options->suite)
		return command_refuse("argument", text, "one suite at a time");
	options->suite = text;
	return 0;
}

static error_t take_folder(struct run_options *options, const char *text)
{
	if (!*text)
		return command_refuse("-o", text, "must be the name of a folder");
	options->folder = text;
	return 0;
}

static error_t take_end(const struct run_options *options)
{
	if (options->is_list)
		return 0;
	if (!options->suite) {
		diag_error(0, "no suite given: memstor run SUITE, where SUITE is a name of memstor run --list or a file");
		return EINVAL;
	}
	if (!options->bins[0] != !options->bins[1]) {
		diag_error(0, "--base-bin, --new-bin: one of them is missing (both or none); give the other one as well");
		return EINVAL;
	}
	if (options->is_resume && !options->folder) {
		diag_error(0, "--resume: goes on in the folder of an earlier run: give it with -o DIR");
		return EINVAL;
	}
	return 0;
}

static error_t take_key(int key, char *text, struct argp_state *state)
{
	struct run_options *options = state->input;

	switch (key) {
	case 'r':
		return take_count("--runs", text, 1, &options->runs);
	case 'w':
		options->has_warmup = true;
		return take_count("--warmup", text, 0, &options->warmup);
	case 'o':
		return take_folder(options, text);
	case KEY_LABEL:
		return take_label(options, text);
	case KEY_SET:
		return take_set(options, text);
	case KEY_STEP:
		return take_only(options, text);
	case KEY_BASE_BIN:
	case KEY_NEW_BIN:
		if (!*text)
			return command_refuse(key == KEY_BASE_BIN ? "--base-bin" : "--new-bin", text,
				"must be the name of a folder");
		options->bins[key == KEY_NEW_BIN] = text;
		return 0;
	case KEY_REQUIRE_ALL:
		options->is_all_required = true;
		return 0;
	case KEY_RESUME:
		options->is_resume = true;
		return 0;
	case 'n':
		options->is_dry_run = true;
		return 0;
	case KEY_LIST:
		options->is_list = true;
		return 0;
	case ARGP_KEY_ARG:
		return take_suite(options, text);
	case ARGP_KEY_END:
		return take_end(options);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options)
{
	int code;

	memset(options, 0, sizeof(*options));
	options->argc = argc;
	/* argp sorts the words in place. */
	options->argv = calloc((size_t)argc + 1, sizeof(*options->argv));
	if (!options->argv) {
		diag_error(ENOMEM, "cannot read the command line");
		return DIAG_EXIT_USAGE;
	}
	memcpy(options->argv, argv, (size_t)argc * sizeof(*argv));
	code = command_parse_argp(command, take_key, argc, argv, options);
	if (code)
		run_options_free(options);
	return code;
}

void run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->set_count; i++)
		free((char *)options->sets[i].name);
	free(options->argv);
	memset(options, 0, sizeof(*options));
}
