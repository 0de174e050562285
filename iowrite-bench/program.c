/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of iowrite-bench: its subcommands, and what the names in their help stand for. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include "common/completion.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/run/presets.h"
#include "iowrite-bench/scenario.h"

static const char *scenario_name(size_t index)
{
	return scenarios[index].id;
}

static const char *model_name(size_t index)
{
	return model_kinds[index].name;
}

static const char *preset_name(size_t index)
{
	return presets[index].name;
}

static const struct completion_noun nouns[] = {
	{"--model", COMPLETION_LIST, model_name},
	{"SCENARIO", COMPLETION_TEXT, scenario_name},
	{"PRESET", COMPLETION_TEXT, preset_name},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&command_run,
	&command_calibrate,
	&command_predict,
	&command_evaluate,
	&command_trace,
	&command_scenarios,
	&command_recover,
	NULL,
};

const struct program iowrite_program = {
	.name = "iowrite-bench",
	.summary = "Measures what a write costs by every path, and predicts it from a calibration.",
	.examples = "  iowrite-bench run --bs=4k,64k --mode=buffered,direct,sync\n"
		    "  iowrite-bench calibrate -o system.xml\n"
		    "  iowrite-bench predict --system system.xml c2\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};
