/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `ssd-workloads run`, each value parsed and in range; the host is not checked yet. */
#ifndef SSD_WORKLOADS_RUN_OPTIONS_H
#define SSD_WORKLOADS_RUN_OPTIONS_H

#include <stdbool.h>

#include "ssd-workloads/run/option_values.h"

extern const struct opt ssd_run_option_rows[];
extern const struct opt_relation ssd_run_option_relations[];
/* callbacks of struct command: add the options of a report, check dependencies between options */
int ssd_run_options_add(void *data, struct opt_line *line);
int ssd_run_options_check(void *data, struct opt_line *line);

/* Parses the command line. Texts live until ssd_run_options_free; argv is kept by reference. Returns 0, or a diag_exit
 * code after an error message. */
int ssd_run_options_parse(const struct command *command, int argc, char **argv, struct ssd_run_options *options);
void ssd_run_options_free(struct ssd_run_options *options);
/* Returns false if -f or --json write to stdout. */
bool ssd_run_options_print_text(const struct ssd_run_options *options);

#endif
