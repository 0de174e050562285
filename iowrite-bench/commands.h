/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subcommands of iowrite-bench; each is defined in the folder or file of its name. */
#ifndef IOWRITE_BENCH_COMMANDS_H
#define IOWRITE_BENCH_COMMANDS_H

#include "common/cli/command.h"

extern const struct program iowrite_program;
extern const struct command iow_command_run;
extern const struct command command_calibrate;
extern const struct command command_predict;
extern const struct command command_evaluate;
extern const struct command command_scenarios;
extern const struct command command_recover;

#endif
