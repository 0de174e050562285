/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads list: the mixes, and the method that each stands for. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <stdio.h>

#include "common/diag.h"
#include "common/units.h"
#include "ssd-workloads/mix.h"

static error_t parse(int key, char *word, struct argp_state *state)
{
	(void)state;
	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	return command_refuse("argument", word, "list takes none");
}

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
	int code = command_parse_argp(command, parse, argc, argv, NULL);

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

static const struct argp_option options[] = {{0}};

const struct command command_list = {
	.program = &ssd_program,
	.name = "list",
	.arguments = "",
	.summary = "list the mixes and the methods they stand for",
	.doc = "Lists the mixes: of the log and of the checkpoint how many writes are outstanding, and their size.\v"
	       "Examples:\n"
	       "  ssd-workloads list\n"
	       "What run is to write otherwise than a mix has it, its options say. See ssd-workloads(1).",
	.argp_options = options,
	.run = run,
};
