/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of memtrace: its subcommands, and the descriptions of placeholders in their help. */
#include "config.h"
#include "memtrace/analysis.h"
#include "memtrace/commands.h"


static const struct completion_noun nouns[] = {
	{"ANALYSIS", COMPLETION_TEXT, analysis_name},
	{"FILE", COMPLETION_FILE, NULL},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&memtrace_record,
	&memtrace_control,
	&memtrace_mark,
	&memtrace_report,
	&memtrace_analyze,
	&memtrace_export,
	&memtrace_import,
	&memtrace_overhead,
	&memtrace_columns,
	&memtrace_selfcheck,
	NULL,
};

const struct program memtrace_program = {
	.name = "memtrace",
	.summary = "Records which addresses a program touches, and how often.",
	.examples = "  memtrace record -o sort.mtr -- sort big.txt\n"
		    "  memtrace report sort.mtr\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};
