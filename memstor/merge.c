/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/commands.h"

#include "common/diag.h"

static int run(const struct command *command, int argc, char **argv)
{
	(void)argc, (void)argv;
	diag_error(0, "%s is not there yet", command->name);
	return DIAG_EXIT_USAGE;
}

const struct command command_merge = {
	.name = "merge",
	.arguments = "FILE...",
	.summary = "add up the histograms of several reports",
	.run = run,
};
