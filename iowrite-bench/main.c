/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <signal.h>

#include "iowrite-bench/commands.h"

int main(int argc, char **argv)
{
	/* A file that may not grow is an error as any other: the failing write is reported. */
	signal(SIGXFSZ, SIG_IGN);
	return command_main(&iowrite_program, argc, argv);
}
