/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <signal.h>

#include "ssd-workloads/commands.h"

int main(int argc, char **argv)
{
	/* A file that may not grow is an error as any other: whoever writes says which, and the rest is reported. */
	signal(SIGXFSZ, SIG_IGN);
	return command_main(&ssd_program, argc, argv);
}
