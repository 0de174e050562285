/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of ssd-workloads; each is defined in the folder or file of its name. */
#ifndef SSD_WORKLOADS_COMMANDS_H
#define SSD_WORKLOADS_COMMANDS_H

#include "common/cli/command.h"

extern const struct program ssd_program;
extern const struct command command_list;
extern const struct command ssd_command_run;
extern const struct command command_sweep;
extern const struct command command_verify;
extern const struct command command_analyze;
extern const struct command command_fit;

/* Sets an OPT_OWN that is a path and may be given once. */
int ssd_set_path(struct opt_value *in);

#endif
