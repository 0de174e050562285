/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WITH_PRESSURE_OPTIONS_H
#define WITH_PRESSURE_OPTIONS_H

#include <stdbool.h>

#include "common/opt.h"
#include "common/pressure_options.h"

/* Exit codes of our own, apart from the command's (docs/adr/0012), as env(1) and timeout(1) have them. */
enum with_pressure_exit {
	WITH_PRESSURE_FAILED = 125,    /* bad usage, refused, or not restored */
	WITH_PRESSURE_NOT_RUN = 126,   /* the command was found and cannot be run */
	WITH_PRESSURE_NOT_FOUND = 127, /* there is no such command */
};

struct with_pressure_options {
	struct pressure_plan plan;
	enum pressure_recovery recovery;
	bool is_dry_run, is_verbose, is_quiet;
	char **command;       /* points into argv, NULL-terminated; empty with --recover */
	struct opt_line line; /* owns the texts; opt_free */
};

/* Exits on --help, --version and bad usage (one line, WITH_PRESSURE_FAILED). */
void with_pressure_options(int argc, char **argv, struct with_pressure_options *options);

#endif
