/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of ssd-workloads: its subcommands, the list of mixes, and what the names in their help stand for. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <stdio.h>

#include "common/opt.h"
#include "common/diag.h"
#include "common/units.h"
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

/* --- list --- */

static void print_shape(const struct mix_shape *shape)
{
	char size[UNITS_TEXT];

	if (shape->depth)
		printf(" %5u %-8s", shape->depth, units_format_size(shape->block_bytes, size, sizeof(size)));
	else
		printf(" %5s %-8s", "-", "-");
}

static int list(const struct command *command, int argc, char **argv)
{
	struct opt_line line;
	int code = command_parse(command, argc, argv, NULL, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	printf("%-7s %-26s %5s %-8s %5s %-8s %s\n", "mix", "method", "log", "block", "ckpt", "block", "what");
	for (const struct mix *mix = mixes; mix->name; mix++) {
		printf("%-7s %-26s", mix->name, mix->method);
		print_shape(&mix->streams[MIX_LOG]);
		print_shape(&mix->streams[MIX_CHECKPOINT]);
		printf(" %s\n", mix->meaning);
	}
	return DIAG_EXIT_OK;
}

static const struct opt list_options[] = {{0}};

const struct command command_list = {
	.program = &ssd_program,
	.name = "list",
	.summary = "list the mixes and the methods they stand for",
	.doc = "List the mixes: the outstanding writes of the log and of the checkpoint, and their size.",
	.examples = "  ssd-workloads list\n",
	.notes = "The options of run change a mix. See ssd-workloads(1).",
	.options = list_options,
	.run = list,
};

/* --- the program --- */

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
