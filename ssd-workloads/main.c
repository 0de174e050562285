/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <signal.h>

#include "ssd-workloads/commands.h"

int main(int argc, char **argv)
{
	/* A write beyond the limit of file sizes fails as any other, and the rest is written. */
	signal(SIGXFSZ, SIG_IGN);
	return command_main(&ssd_program, argc, argv);
}
