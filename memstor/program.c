/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of memstor: its subcommands, and the meaning of the names in their help. */
#include "config.h"
#include "memstor/commands.h"

#include "common/opt.h"
#include "memstor/metric.h"
#include "memstor/plot/plot.h"
#include "memstor/suite/find.h"

static const char *word_of(const char *const *words, size_t index)
{
	for (size_t i = 0; i < index && *words; i++)
		words++;
	return *words;
}

static const char *metric(size_t index)
{
	static const char *const percentiles[] = {"p50", "p90", "p99", "p99.9", "write.p99", "sync.p99",
		"kernel.per-write-error", "kernel.total-error", NULL};
	size_t rows = 0;

	while (metric_row_name(rows))
		rows++;
	return index < rows ? metric_row_name(index) : word_of(percentiles, index - rows);
}

static const char *difference(size_t index)
{
	static const char *const words[] = {"options", "machine", "sets", NULL};

	return word_of(words, index);
}

static const struct completion_noun option_nouns[] = {
	{"--metric", COMPLETION_TEXT, metric},
	{"--allow-different", COMPLETION_TEXT, difference},
	{NULL, COMPLETION_NONE, NULL},
};

/* Nouns of a command's arguments: what memstor reads is reports, what it writes (FILE of an option) any file. */
static const struct completion_noun argument_nouns[] = {
	{"FILE", COMPLETION_REPORT, NULL},
	{"BASE", COMPLETION_REPORT, NULL},
	{"NEW", COMPLETION_REPORT, NULL},
	{"SUITE", COMPLETION_FILE, suite_shipped},
	{"KIND", COMPLETION_TEXT, plot_kind_name},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&command_run,
	&command_validate,
	&command_convert,
	&command_merge,
	&command_compare,
	&command_plot,
	&command_html,
	&command_doctor,
	NULL,
};

const struct program memstor_program = {
	.name = "memstor",
	.summary = "Runs suites of measurements, and compares, converts and shows their reports.",
	.examples = "  memstor doctor\n"
		    "  memstor run smoke -o runs\n"
		    "  memstor compare before -- after\n"
		    "  memstor html runs -o runs.html\n",
	.commands = commands,
	.option_nouns = option_nouns,
	.argument_nouns = argument_nouns,
};
