/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <signal.h>

#include "ssd-workloads/commands.h"

int main(int argc, char **argv)
{
	/* A file that may not grow is an error as any other: the writer reports it, and the rest goes to the report. */
	signal(SIGXFSZ, SIG_IGN);
	return command_main(&ssd_program, argc, argv);
}
