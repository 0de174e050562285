/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/command.h"

#include <errno.h>
#include <stdio.h>

#include "common/cmdline.h"
#include "common/diag.h"

int command_parse(const struct command *command, argp_parser_t parser, int argc, char **argv, void *input)
{
	struct argp argp = {command->options, parser, command->arguments, command->doc, NULL, NULL, NULL};
	char name[64];

	argp_program_version = "memstor (" PACKAGE_NAME ") " PACKAGE_VERSION;
	snprintf(name, sizeof(name), "memstor %s", command->name);
	return cmdline_parse(&argp, name, command->flags, argc, argv, input) ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

error_t command_refuse(const char *option, const char *value, const char *why)
{
	diag_error(0, "%s '%s': %s", option, value, why);
	return EINVAL;
}
