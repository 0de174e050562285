/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads list: the mixes, and the method that each stands for. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <stdio.h>

#include "common/diag.h"
#include "common/units.h"
#include "ssd-workloads/mix.h"

static void print_shape(const struct mix_shape *shape)
{
	char size[UNITS_TEXT];

	if (shape->depth)
		printf(" %5u %-8s", shape->depth, units_format_size(shape->block_bytes, size, sizeof(size)));
	else
		printf(" %5s %-8s", "-", "-");
}

static int run(const struct command *command, int argc, char **argv)
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

static const struct opt options[] = {{0}};

const struct command command_list = {
	.program = &ssd_program,
	.name = "list",
	.summary = "list the mixes and the methods they stand for",
	.doc = "List the mixes: the outstanding writes of the log and of the checkpoint, and their size.",
	.examples = "  ssd-workloads list\n",
	.notes = "The options of run change a mix. See ssd-workloads(1).",
	.options = options,
	.run = run,
};
