/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/completion.h"

#include "common/completion.h"
#include "memstor/command.h"
#include "memstor/metric.h"
#include "memstor/plot/kind.h"
#include "memstor/suite/find.h"

static const char *word_of(const char *const *words, size_t index)
{
	for (size_t i = 0; i < index && *words; i++)
		words++;
	return *words;
}

static const char *metric(size_t index)
{
	static const char *const percentiles[] = {"p50", "p90", "p99", "p99.9", NULL};
	size_t rows = 0;

	while (metric_row_name(rows))
		rows++;
	return index < rows ? metric_row_name(index) : word_of(percentiles, index - rows);
}

static const char *histogram_type(size_t index)
{
	static const char *const words[] = {"read", "write", "both", NULL};

	return word_of(words, index);
}

static const char *histogram_class(size_t index)
{
	static const char *const words[] = {"all", "hit", "minor", "major", NULL};

	return word_of(words, index);
}

static const char *difference(size_t index)
{
	static const char *const words[] = {"options", "machine", "sets", NULL};

	return word_of(words, index);
}

static const struct completion_noun option_nouns[] = {
	{"--metric", COMPLETION_TEXT, metric},
	{"--type", COMPLETION_TEXT, histogram_type},
	{"--class", COMPLETION_TEXT, histogram_class},
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

void completion_print_memstor(const struct command *const *commands)
{
	static const struct completion_option options[] = {
		{.name = "help", .letter = '?'}, {.name = "version", .letter = 'V'}};

	for (; *commands; commands++)
		completion_print_command(stdout, (*commands)->name);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		completion_print_option(stdout, &options[i], NULL);
}

void completion_print_subcommand(const struct command *command)
{
	completion_print_argp(stdout, command->options, option_nouns);
	completion_print_arguments(stdout, command->arguments, argument_nouns);
}
