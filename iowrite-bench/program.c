/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of iowrite-bench: its subcommands, and what the names in their help stand for. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include "common/completion.h"
#include "iowrite-bench/scenario.h"

static const char *scenario_name(size_t index)
{
	return scenarios[index].id;
}

static const struct completion_noun nouns[] = {
	{"SCENARIO", COMPLETION_TEXT, scenario_name},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&command_calibrate,
	&command_scenarios,
	NULL,
};

const struct program iowrite_program = {
	.name = "iowrite-bench",
	.summary = "Measures what a write costs by every path, and predicts it from a calibration.",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};
