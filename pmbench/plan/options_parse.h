/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rows of the options, and the command line that they parse. */
#ifndef PMBENCH_PLAN_OPTIONS_PARSE_H
#define PMBENCH_PLAN_OPTIONS_PARSE_H

#include "pmbench/plan/options.h"

extern const struct opt pm_options[];

/* Parses the options of the report of --replay, if given, and then argv (--help and similar options print and exit with
 * 0). Returns 0, or a diag_exit code after one line. */
int options_parse(int argc, char **argv, struct pmbench_options *options);
void options_free(struct pmbench_options *options);

#endif
