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

const struct command command_compare = {
	.name = "compare",
	.arguments = "BASE... -- NEW...",
	.summary = "say whether new runs are faster or slower",
	.run = run,
};
