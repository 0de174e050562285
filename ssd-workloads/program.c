/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of ssd-workloads: its subcommands, and what the names in their help stand for. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>

#include "common/completion.h"
#include "ssd-workloads/analyze/figure.h"
#include "ssd-workloads/mix.h"

int ssd_set_path(struct opt_value *in)
{
	const char **path = opt_field(in);

	in->why = *path ? "was given already: once is allowed" : "must be the name of a file";
	if (*path || !*in->text)
		return -EINVAL;
	*path = in->text;
	return 0;
}

static const char *mix_name(size_t index)
{
	return mixes[index].name;
}

static const char *figure_name(size_t index)
{
	return figures[index].name;
}

static const struct completion_noun nouns[] = {
	{"MIX", COMPLETION_TEXT, mix_name},
	{"FIGURE", COMPLETION_TEXT, figure_name},
	{"TARGET", COMPLETION_FILE, NULL},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&command_list,
	&command_run,
	&command_verify,
	&command_analyze,
	NULL,
};

const struct program ssd_program = {
	.name = "ssd-workloads",
	.summary = "Shows how a database's log and checkpoint disturb each other on an SSD.",
	.examples = "  ssd-workloads list\n"
		    "  ssd-workloads run --mix=1-1 --target=/mnt/disk\n"
		    "  ssd-workloads run --mix=M-N --target=/mnt/disk --baselines -f mn.xml\n"
		    "  ssd-workloads analyze fig9 mn.rec\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};
