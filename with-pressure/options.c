/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "with-pressure/options.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cmdline.h"
#include "common/completion.h"
#include "common/diag.h"
#include "common/pressure_check.h"
#include "common/units.h"

enum key {
	KEY_RAM = 256,
	KEY_HIGH,
	KEY_SWAP,
	KEY_DESTROY,
	KEY_PAGE_CLUSTER,
	KEY_SWAPPINESS,
	KEY_EATER,
	KEY_RECOVER,
	KEY_DRY_RUN,
};

static const struct argp_option table[] = {
	{"ram", KEY_RAM, "SIZE", 0, "Let the command and all it starts use SIZE of memory", 0},
	{"high", KEY_HIGH, "SIZE", 0, "Slow the command down above SIZE (memory.high of cgroup version 2)", 0},
	{"swap", KEY_SWAP, "SPEC", 0,
		"Swap for the run: zram:SIZE[,ALGO], file:PATH,SIZE, loop:PATH,SIZE, dev:PATH, or none (it may not "
		"swap)",
		0},
	{"destroy-data", KEY_DESTROY, "PATH", 0, "Confirm overwriting the device of --swap dev:PATH", 0},
	{"page-cluster", KEY_PAGE_CLUSTER, "N|keep", 0, "Read 2^N pages of swap in one fault, 0 to 31 (default: 0)", 0},
	{"swappiness", KEY_SWAPPINESS, "N", 0, "Set swappiness for the run, 0 to 200 (default: the system's)", 0},
	{"eater", KEY_EATER, "NODE=SIZE@T0-T1", 0,
		"Hold SIZE of memory of a NUMA node (or any) from T0 to T1 after the start; repeatable", 0},
	{"recover", KEY_RECOVER, "set-aside", OPTION_ARG_OPTIONAL,
		"Restore what killed runs left behind, and exit; set-aside: rename journals that cannot be read", 0},
	{"dry-run", KEY_DRY_RUN, NULL, 0, "Check, print what would be done, and exit", 0},
	{"quiet", 'q', NULL, 0, "Print no summary at the end", 0},
	{"verbose", 'v', NULL, 0, "Say what is set up and restored", 0},
	{0},
};

static _Noreturn void fail(const char *option, const char *value, const char *why)
{
	diag_error(0, "%s '%s': %s", option, value, why);
	exit(WITH_PRESSURE_FAILED);
}

static void parse_ram(const char *text, struct pressure_plan *plan)
{
	uint64_t bytes;
	int ret = units_parse_size(text, 1, &bytes);

	if (ret == -EINVAL)
		fail("--ram", text, "not a size; allowed: a number with k, M or G, for example 512M or 2G");
	if (ret || bytes < PRESSURE_MIN_RAM)
		fail("--ram", text, "out of range; allowed: 4M and more");
	plan->ram_bytes = bytes;
}

static void parse_by(int (*parse)(const char *text, struct pressure_plan *plan, const char **why), const char *option,
	const char *text, struct pressure_plan *plan)
{
	const char *why;

	if (parse(text, plan, &why))
		fail(option, text, why);
}

static void parse_swap(const char *text, struct pressure_plan *plan)
{
	const char *why;

	if (pressure_parse_swap(text, &plan->swap, &why))
		fail("--swap", text, why);
}

static void parse_eater(const char *text, struct pressure_plan *plan)
{
	const char *why;

	if (plan->eater_count == PRESSURE_EATERS)
		fail("--eater", text, "too many; allowed: up to 8");
	if (pressure_parse_eater(text, &plan->eaters[plan->eater_count], &why))
		fail("--eater", text, why);
	plan->eater_count++;
}

static void parse_recover(const char *text, struct with_pressure_options *options)
{
	if (text && strcmp(text, "set-aside"))
		fail("--recover", text, "allowed: nothing, or set-aside");
	options->is_recover = true;
	options->sets_aside = text != NULL;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct with_pressure_options *options = state->input;

	switch (key) {
	case KEY_RAM:
		parse_ram(text, &options->plan);
		break;
	case KEY_HIGH:
		parse_by(pressure_parse_high, "--high", text, &options->plan);
		break;
	case KEY_DESTROY:
		options->plan.destroy_data = text;
		break;
	case KEY_PAGE_CLUSTER:
		parse_by(pressure_parse_page_cluster, "--page-cluster", text, &options->plan);
		break;
	case KEY_SWAPPINESS:
		parse_by(pressure_parse_swappiness, "--swappiness", text, &options->plan);
		break;
	case KEY_SWAP:
		parse_swap(text, &options->plan);
		break;
	case KEY_EATER:
		parse_eater(text, &options->plan);
		break;
	case KEY_RECOVER:
		parse_recover(text, options);
		break;
	case KEY_DRY_RUN:
		options->is_dry_run = true;
		break;
	case 'q':
		options->is_quiet = true;
		break;
	case 'v':
		options->is_verbose = true;
		break;
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void check(const struct with_pressure_options *options)
{
	const char *why;

	if (pressure_parse_finish(&options->plan, &why)) {
		diag_error(0, "%s", why);
		exit(WITH_PRESSURE_FAILED);
	}
	if (options->is_recover &&
		(options->command || options->is_dry_run || pressure_is_wanted(&options->plan))) {
		diag_error(0, "--recover stands alone: give it without a command and without other options "
			      "than -v");
		exit(WITH_PRESSURE_FAILED);
	}
	if (!options->is_recover && !options->command) {
		diag_error(0,
			"no command: with-pressure [--ram SIZE] [--swap SPEC] -- COMMAND [ARGS], or --help");
		exit(WITH_PRESSURE_FAILED);
	}
}

static void print_version(FILE *stream, struct argp_state *state)
{
	(void)state;
	fprintf(stream, "with-pressure (%s) %s\n", PACKAGE_NAME, PACKAGE_VERSION);
}

static const char *swap_word(size_t index)
{
	static const char *const words[] = {"zram:", "file:", "loop:", "dev:", "none"};

	return index < sizeof(words) / sizeof(words[0]) ? words[index] : NULL;
}

static void print_completion(const struct argp *argp)
{
	static const struct completion_noun nouns[] = {
		{"SPEC", COMPLETION_TEXT, swap_word}, {NULL, COMPLETION_NONE, NULL}};

	completion_print_argp(stdout, argp->options, nouns);
	completion_print_arguments(stdout, argp->args_doc, nouns);
}

void with_pressure_options(int argc, char **argv, struct with_pressure_options *options)
{
	static const struct argp argp = {
		.options = table,
		.parser = parse,
		.args_doc = "-- COMMAND [ARGS...]",
		.doc = "Run a command with little memory and a swap area of its own, and put everything "
		       "back.\n\n"
		       "Examples:\n"
		       "  with-pressure --ram=1G --swap=zram:4G -- make -j4\n"
		       "  with-pressure --ram=512M --swap=none -- ./program\n"
		       "\v"
		       "The command's exit code is passed on (128 + N when signal N killed it); 125 means "
		       "that "
		       "with-pressure itself failed, 126 that the command cannot be run, 127 that it was not "
		       "found.",
	};

	if (completion_is_wanted(argc, argv)) {
		print_completion(&argp);
		exit(EXIT_SUCCESS);
	}
	argp_program_version_hook = print_version;
	*options = (struct with_pressure_options){0};
	/* In order: what follows the command's name is the command's. */
	if (cmdline_parse(&argp, program_invocation_short_name, ARGP_IN_ORDER, argc, argv, options))
		exit(WITH_PRESSURE_FAILED);
	check(options);
}
