/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/command.h"

#include <errno.h>
#include <stdio.h>

#include "common/diag.h"

struct parsing {
	argp_parser_t parser;
	void *input;
};

static error_t parse_quietly(int key, char *text, struct argp_state *state)
{
	const struct parsing *parsing = state->input;
	void *input = state->input;
	error_t err;

	if (key == ARGP_KEY_INIT) {
		/* getopt says in one line what is wrong; argp's own "Try ..." would be a second. */
		state->err_stream = NULL;
		return 0;
	}
	state->input = parsing->input;
	err = parsing->parser(key, text, state);
	state->input = input;
	return err;
}

int command_parse(const struct command *command, argp_parser_t parser, int argc, char **argv, void *input)
{
	struct argp argp = {command->options, parse_quietly, command->arguments, command->doc, NULL, NULL, NULL};
	struct parsing parsing = {parser, input};
	char name[64];

	snprintf(name, sizeof(name), "memstor %s", command->name);
	argv[0] = name;
	return argp_parse(&argp, argc, argv, 0, NULL, &parsing) ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

error_t command_refuse(const char *option, const char *value, const char *why)
{
	diag_error(0, "%s '%s': %s", option, value, why);
	return EINVAL;
}
