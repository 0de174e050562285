/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WITH_PRESSURE_RUN_H
#define WITH_PRESSURE_RUN_H

#include "with-pressure/options.h"

/* Runs the command under the plan and returns the exit code for the shell. */
int with_pressure_run(const struct with_pressure_options *options);

#endif
