/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Defines the subcommands of ssd-workloads, the list of mixes, and the descriptions of placeholders in the help. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>

#include "common/base/diag.h"
#include "common/cli/opt.h"
#include "common/cli/table.h"
#include "ssd-workloads/analyze/figure.h"
#include "ssd-workloads/workload/mix.h"

int ssd_set_path(struct opt_value *in)
{
	const char **path = opt_field(in);

	in->why = *path ? "is given twice: once is allowed" : "must be a file name";
	if (*path || !*in->text)
		return -EINVAL;
	*path = in->text;
	return 0;
}

/* --- list --- */

#define LIST_MAX 32

struct list_row {
	const char *name, *method, *meaning;
	uint64_t depths[MIX_STREAMS], blocks[MIX_STREAMS]; /* 0 if the stream does not run */
};

#define BOTH (TABLE_SHOWN | TABLE_JSON)
#define NUMBER (BOTH | TABLE_RIGHT | TABLE_OMIT)
#define AT(member) .offset = offsetof(struct list_row, member)
static const struct table_column list_columns[] = {
	{"mix", TABLE_STRING, BOTH, AT(name)},
	{"method", TABLE_STRING, BOTH, AT(method)},
	{"log", TABLE_WHOLE, NUMBER, AT(depths[MIX_LOG])},
	{"log_block_bytes", TABLE_SIZE, NUMBER, AT(blocks[MIX_LOG]), .heading = "block"},
	{"ckpt", TABLE_WHOLE, NUMBER, AT(depths[MIX_CHECKPOINT])},
	{"ckpt_block_bytes", TABLE_SIZE, NUMBER, AT(blocks[MIX_CHECKPOINT]), .heading = "block"},
	{"what", TABLE_STRING, BOTH, AT(meaning)},
	{0},
};

static int list(const struct command *command, int argc, char **argv)
{
	struct table table = {.columns = list_columns};
	struct table_output output = {0};
	struct list_row rows[LIST_MAX];
	struct opt_line line;
	int code = command_parse(command, argc, argv, &output, &line, NULL);

	for (size_t i = 0; i < LIST_MAX && mixes[i].name && !code; i++) {
		rows[i] = (struct list_row){.name = mixes[i].name, .method = mixes[i].method, .meaning = mixes[i].meaning};
		for (size_t k = 0; k < MIX_STREAMS; k++) {
			rows[i].depths[k] = mixes[i].streams[k].depth;
			rows[i].blocks[k] = rows[i].depths[k] ? mixes[i].streams[k].block_bytes : 0;
		}
		if (table_add(&table, &rows[i], "")) {
			diag_error(ENOMEM, "cannot list the mixes");
			code = DIAG_EXIT_HOST;
		}
	}
	if (!code)
		code = table_show(&table, &output);
	table_free(&table);
	opt_free(&line);
	return code;
}

static const struct opt list_options[] = {
	TABLE_OPTIONS("`mix`, `method`, `log`,\n`log_block_bytes`, `ckpt`, `ckpt_block_bytes`, `what`"),
	{0},
};

const struct command command_list = {
	.program = &ssd_program,
	.name = "list",
	.summary = "list the mixes and the database methods that they imitate",
	.doc = "List the mixes: the outstanding writes of the log and of the checkpoint, and their size.",
	.examples = "  ssd-workloads list\n",
	.notes = "Options of run change the parameters of a mix. See ssd-workloads(1).",
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
	&ssd_command_run,
	&command_sweep,
	&command_verify,
	&command_analyze,
	&command_fit,
	NULL,
};

const struct program ssd_program = {
	.name = "ssd-workloads",
	.summary = "Shows how a database's log and checkpoint disturb each other on an SSD.",
	.examples = "  ssd-workloads list\n"
		    "  ssd-workloads run --mix=1-1 --target=/mnt/disk\n"
		    "  ssd-workloads run --mix=M-N --target=/mnt/disk --baselines -f mn.xml\n"
		    "  ssd-workloads run --mix=1-1 --target=sim:small --dump=11.rec\n"
		    "  ssd-workloads analyze fig9 mn.rec\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};
