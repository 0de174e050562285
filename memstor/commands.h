/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of memstor; each is defined in the source file of its name. */
#ifndef MEMSTOR_COMMANDS_H
#define MEMSTOR_COMMANDS_H

#include "common/command.h"

extern const struct program memstor_program;
extern const struct command command_run, command_validate, command_convert, command_merge, command_compare,
	command_plot, command_html, command_doctor;

#endif
