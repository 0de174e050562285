/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench recover: what killed runs have left changed on this machine. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <stdbool.h>

#include "common/diag.h"
#include "common/undo.h"

enum { KEY_SET_ASIDE = 256 };

static error_t parse(int key, char *word, struct argp_state *state)
{
	bool *sets_aside = state->input;

	switch (key) {
	case KEY_SET_ASIDE:
		*sets_aside = true;
		return 0;
	case ARGP_KEY_ARG:
		return command_refuse("argument", word, "recover takes none");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int run(const struct command *command, int argc, char **argv)
{
	unsigned journals = 0, aside = 0;
	bool sets_aside = false;
	int code = command_parse_argp(command, parse, argc, argv, &sets_aside);

	if (code)
		return code;
	if (sets_aside && undo_set_aside(iowrite_program.name, &aside))
		return DIAG_EXIT_HOST;
	if (undo_recover(iowrite_program.name, &journals))
		return DIAG_EXIT_HOST;
	if (!journals && !aside)
		diag_info("nothing to put back");
	return DIAG_EXIT_OK;
}

static const struct argp_option options[] = {
	{"set-aside", KEY_SET_ASIDE, NULL, 0,
		"rename journals that cannot be read to NAME.bad, without putting back what they list", 0},
	{0},
};

const struct command command_recover = {
	.program = &iowrite_program,
	.name = "recover",
	.arguments = "",
	.summary = "put back what killed runs have left changed on this machine",
	.doc = "Puts back what runs have changed on this machine that were killed together with their guardian: dirty "
	       "thresholds, throttles, loop devices, trace instances. It says what it does. The next run does it, too.",
	.argp_options = options,
	.run = run,
};
