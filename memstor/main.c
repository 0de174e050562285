/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "memstor/commands.h"

int main(int argc, char **argv)
{
	return command_main(&memstor_program, argc, argv);
}
