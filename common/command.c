/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cmdline.h"
#include "common/completion.h"
#include "common/diag.h"

#define DOC_BYTES 4096 /* of a command's help */

/* Of an empty table glibc's help would lose what it allocates for it. */
static const struct argp_option *options_of(const struct command *command)
{
	const struct argp_option *first = command->options;

	return first && (first->name || first->key || first->doc) ? first : NULL;
}

/* What to type is looked for first: examples (lines that begin with two spaces) of the end's first paragraph go before
 * the options, what else is there stays behind them. */
static void put_examples_first(const char *doc, char *ordered, size_t length)
{
	const char *end = strchr(doc, '\v'), *rest = end ? end + 1 : NULL;
	size_t title = sizeof("Examples:\n") - 1;

	if (!rest || strncmp(rest, "Examples:\n", title) != 0) {
		snprintf(ordered, length, "%s", doc);
		return;
	}
	rest += title;
	while (!strncmp(rest, "  ", 2))
		rest += strcspn(rest, "\n") + (rest[strcspn(rest, "\n")] == '\n');
	snprintf(ordered, length, "%.*s\n\n%.*s\v%s", (int)(end - doc), doc, (int)(rest - end - 1), end + 1, rest);
}

int command_parse(const struct command *command, argp_parser_t parser, int argc, char **argv, void *input)
{
	char doc[DOC_BYTES];
	struct argp argp = {options_of(command), parser, command->arguments, doc, NULL, NULL, NULL};
	static char version[96]; /* argp keeps the pointer */
	char name[64];

	snprintf(version, sizeof(version), "%s (" PACKAGE_NAME ") " PACKAGE_VERSION, command->program->name);
	argp_program_version = version;
	snprintf(name, sizeof(name), "%s %s", command->program->name, command->name);
	put_examples_first(command->doc ? command->doc : "", doc, sizeof(doc));
	return cmdline_parse(&argp, name, command->flags, argc, argv, input) ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

error_t command_refuse(const char *option, const char *value, const char *why)
{
	diag_error(0, "%s '%s': %s", option, value, why);
	return EINVAL;
}

static int print_help(const struct program *program)
{
	printf("Usage: %s COMMAND [OPTION...] [ARGUMENT...]\n%s\n\n", program->name, program->summary);
	if (program->examples)
		printf("Examples:\n%s\n", program->examples);
	for (const struct command *const *row = program->commands; *row; row++)
		printf("  %-10s %s\n", (*row)->name, (*row)->summary);
	printf("\n%s COMMAND --help says more of each, %s --version the\nversion; see %s(1).\n", program->name,
		program->name, program->name);
	return DIAG_EXIT_OK;
}

static int print_version(const struct program *program)
{
	printf("%s (" PACKAGE_NAME ") " PACKAGE_VERSION "\n", program->name);
	return DIAG_EXIT_OK;
}

static int print_rows(const struct program *program)
{
	static const struct completion_option options[] = {
		{.name = "help", .letter = '?'}, {.name = "version", .letter = 'V'}};

	for (const struct command *const *row = program->commands; *row; row++)
		completion_print_command(stdout, (*row)->name);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		completion_print_option(stdout, &options[i], NULL);
	return DIAG_EXIT_OK;
}

static int print_command_rows(const struct program *program, const struct command *command)
{
	completion_print_argp(stdout, command->options, program->option_nouns);
	completion_print_arguments(stdout, command->arguments, program->argument_nouns);
	return DIAG_EXIT_OK;
}

static const struct command *command_of(const struct program *program, const char *name)
{
	for (const struct command *const *row = program->commands; *row; row++) {
		if (!strcmp((*row)->name, name))
			return *row;
	}
	return NULL;
}

static int dispatch(const struct program *program, int argc, char **argv)
{
	const struct command *command = command_of(program, argv[1]);

	if (!command) {
		diag_error(0, "'%s' is not a command of %s: %s --help lists them", argv[1], program->name,
			program->name);
		return DIAG_EXIT_USAGE;
	}
	if (completion_is_wanted(argc - 1, argv + 1))
		return print_command_rows(program, command);
	return command->run(command, argc - 1, argv + 1);
}

int command_main(const struct program *program, int argc, char **argv)
{
	diag_claim_descriptors();
	diag_watch_stdout();
	if (argc < 2) {
		diag_error(0, "no command given: %s --help lists them", program->name);
		return DIAG_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))
		return print_help(program);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return print_version(program);
	if (completion_is_wanted(argc, argv))
		return print_rows(program);
	return dispatch(program, argc, argv);
}
