/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "memtrace/commands.h"

int main(int argc, char **argv)
{
	return command_main(&memtrace_program, argc, argv);
}
