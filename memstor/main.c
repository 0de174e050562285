/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor COMMAND ...: finds the command and hands over. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/completion.h"
#include "common/diag.h"
#include "memstor/command.h"
#include "memstor/completion.h"

static void print_help(void)
{
	puts("Usage: memstor COMMAND [OPTION...] [FILE...]\n"
	     "Runs suites of measurements, and compares, converts and shows their reports.\n");
	for (const struct command *const *row = command_table; *row; row++)
		printf("  %-10s %s\n", (*row)->name, (*row)->summary);
	puts("\nmemstor COMMAND --help says more of each, memstor --version the version; see\nmemstor(1).");
}

static const struct command *command_of(const char *name)
{
	for (const struct command *const *row = command_table; *row; row++) {
		if (!strcmp((*row)->name, name))
			return *row;
	}
	return NULL;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;

	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?")) {
		print_help();
		return DIAG_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts("memstor (" PACKAGE_NAME ") " PACKAGE_VERSION);
		return DIAG_EXIT_OK;
	}
	if (completion_is_wanted(argc, argv)) {
		completion_print_memstor(command_table);
		return DIAG_EXIT_OK;
	}
	command = command_of(argv[1]);
	if (!command) {
		diag_error(0, "'%s' is not a command of memstor: memstor --help lists them", argv[1]);
		return DIAG_EXIT_USAGE;
	}
	if (completion_is_wanted(argc - 1, argv + 1)) {
		completion_print_subcommand(command);
		return DIAG_EXIT_OK;
	}
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	diag_claim_descriptors();
	diag_watch_stdout();
	if (argc < 2) {
		diag_error(0, "no command given: memstor --help lists them");
		return DIAG_EXIT_USAGE;
	}
	return dispatch(argc, argv);
}
