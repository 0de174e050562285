/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of with-pressure. */
#ifndef WITH_PRESSURE_OPTIONS_H
#define WITH_PRESSURE_OPTIONS_H

#include <stdbool.h>

#include "common/cli/command.h"
#include "common/cli/label.h"
#include "common/pressure/pressure_options.h"
#include "common/report/start.h"

struct wp_options { /* starts zeroed; wp_options_free */
	struct pressure_plan plan;
	enum pressure_recovery recovery;
	bool is_dry_run, is_verbose, is_quiet;
	const char *xml_path; /* -f; NULL = no report */
	struct label_list labels;
	struct start start;   /* --start-at */
	char **command;       /* points into argv, NULL-terminated; empty with --recover */
	struct opt_line line; /* owns the texts */
};

/* Returns 0, or a diag_exit code after one line. Exits by itself on --help and --version. */
int wp_options_parse(int argc, char **argv, struct wp_options *options);
void wp_options_free(struct wp_options *options);
/* Prints what would be done. */
void wp_options_print(const struct wp_options *options);
/* Returns the word before the colon in --swap, or "none"; NULL = the system's swap. */
const char *wp_swap_kind(const struct pressure_swap *swap);

#endif
