/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor COMMAND ...: finds the command and hands over. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/command.h"

static void print_help(void)
{
	puts("Usage: memstor COMMAND [OPTION...] [FILE...]\n"
	     "Runs suites of measurements, and compares, converts and shows their reports.\n");
	for (const struct command *const *row = command_table; *row; row++)
		printf("  %-10s %s\n", (*row)->name, (*row)->summary);
	puts("\nmemstor COMMAND --help says more of each; see memstor(1). memstor --version is the version.");
}

static const struct command *command_of(const char *name)
{
	for (const struct command *const *row = command_table; *row; row++) {
		if (!strcmp((*row)->name, name))
			return *row;
	}
	return NULL;
}

static int finish_output(int code)
{
	if (fflush(stdout) || ferror(stdout)) {
		diag_error(0, "cannot write to standard output");
		return DIAG_EXIT_HOST;
	}
	return code;
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
	command = command_of(argv[1]);
	if (!command) {
		diag_error(0, "'%s' is not a command of memstor: memstor --help lists them", argv[1]);
		return DIAG_EXIT_USAGE;
	}
	return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	diag_claim_descriptors();
	if (argc < 2) {
		diag_error(0, "no command given: memstor --help lists them");
		return DIAG_EXIT_USAGE;
	}
	return finish_output(dispatch(argc, argv));
}
