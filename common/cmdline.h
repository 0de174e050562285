/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argp(3) as every program of the suite has it: wrong words are one line on stderr that begins with the program's
 * name, without argp's "Try ..." behind it.
 */
#ifndef COMMON_CMDLINE_H
#define COMMON_CMDLINE_H

#include <argp.h>

/* As argp_parse; argp->parser gets input as state->input. name: what messages and --help begin with. 0, or an errno
 * value after the line; does not return from --help, --usage and --version. */
error_t cmdline_parse(const struct argp *argp, const char *name, unsigned flags, int argc, char **argv, void *input);

#endif
