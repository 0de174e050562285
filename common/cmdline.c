/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cmdline.h"

#include <stddef.h>

struct parsing {
	argp_parser_t parser;
	void *input;
};

static error_t parse_quietly(int key, char *text, struct argp_state *state)
{
	const struct parsing *parsing = state->input;
	void *before = state->input;
	error_t err;

	/* getopt says in one line what is wrong; argp would add a second. */
	if (key == ARGP_KEY_INIT)
		state->err_stream = NULL;
	state->input = parsing->input;
	err = parsing->parser(key, text, state);
	state->input = before;
	return err;
}

error_t cmdline_parse(const struct argp *argp, const char *name, unsigned flags, int argc, char **argv, void *input)
{
	struct argp quiet = *argp;
	struct parsing parsing = {argp->parser, input};
	char *before = argv[0];
	error_t err;

	quiet.parser = parse_quietly;
	/* getopt begins its lines with this. */
	argv[0] = (char *)name;
	err = argp_parse(&quiet, argc, argv, flags, NULL, &parsing);
	argv[0] = before;
	return err;
}
