/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/completion.h"

#include "common/completion.h"
#include "memstor/command.h"

/* Nouns of a command's arguments: what memstor reads is reports, what it writes (FILE of an option) any file. */
static const struct completion_noun argument_nouns[] = {
	{"FILE", COMPLETION_REPORT, NULL},
	{"BASE", COMPLETION_REPORT, NULL},
	{"NEW", COMPLETION_REPORT, NULL},
	{"SUITE", COMPLETION_FILE, NULL},
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
	completion_print_argp(stdout, command->options, NULL);
	completion_print_arguments(stdout, command->arguments, argument_nouns);
}
