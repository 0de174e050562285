/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "with-pressure/options.h"

#include <stdlib.h>

#include "common/command.h"
#include "common/diag.h"

#define AT(field) offsetof(struct with_pressure_options, field)

static const struct opt rows[] = {
	PRESSURE_OPTIONS(offsetof(struct with_pressure_options, plan)),
	PRESSURE_RECOVER_OPTION(offsetof(struct with_pressure_options, recovery)),
	{"dry-run", 0, NULL, OPT_FLAG, 0, AT(is_dry_run), .help = "check everything, print what would be done, and exit"},
	{"quiet", 'q', NULL, OPT_FLAG, 0, AT(is_quiet), .help = "print no summary at the end"},
	{"verbose", 'v', NULL, OPT_FLAG, 0, AT(is_verbose),
		.help = "print where the command runs and how long set-up and restoring took"},
	{0},
};

static int check(void *values, struct opt_line *line)
{
	struct with_pressure_options *options = values;
	const char *why;

	(void)line;
	if (pressure_parse_finish(&options->plan, &why)) {
		diag_error(0, "%s", why);
		return DIAG_EXIT_USAGE;
	}
	if (options->recovery == PRESSURE_RECOVER_NOT && !*options->command) {
		diag_error(0, "no command: with-pressure [--ram SIZE] [--swap SPEC] -- COMMAND [ARGS], or --help");
		return DIAG_EXIT_USAGE;
	}
	if (options->recovery != PRESSURE_RECOVER_NOT &&
		(*options->command || options->is_dry_run || pressure_is_wanted(&options->plan))) {
		diag_error(0, "--recover stands alone: give it without a command and without other options than -v");
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

void with_pressure_options(int argc, char **argv, struct with_pressure_options *options)
{
	static const struct program program = {.name = "with-pressure"};
	static const struct command command = {
		.program = &program,
		.arguments = "-- COMMAND [ARGS...]",
		.doc = "Run a command with little memory and a swap area of its own, and restore everything at its end.",
		.examples = "  with-pressure --ram=1G --swap=zram:4G -- make -j4\n"
			    "  with-pressure --ram=512M --swap=none -- ./program\n",
		.notes = "The command's exit status is passed on (128 + N when signal N killed it); 125 means that with-pressure "
			 "itself failed, 126 that the command cannot be run, 127 that it was not found.",
		.options = rows,
		.flags = COMMAND_IN_ORDER,
		.check = check,
	};

	*options = (struct with_pressure_options){0};
	if (command_parse(&command, argc, argv, options, &options->line, &options->command))
		exit(WITH_PRESSURE_FAILED);
}
