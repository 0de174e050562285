/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --from and --to: which intervals of a series are looked at. */
#ifndef MEMSTOR_PLOT_WINDOW_H
#define MEMSTOR_PLOT_WINDOW_H

#include <stdbool.h>

#include "memstor/plot/plot.h"

/* Whether its middle lies inside: intervals end a little late, and --from 10 means the one that begins at 9.999. */
bool plot_window_has(const struct plot_options *options, const struct loaded_interval *interval);
/* 0, or DIAG_EXIT_USAGE after one line: the report has no series, or nothing of it lies inside. */
int plot_window_check(const struct plot *plot, const struct loaded *loaded);
/* The note that says so; none without a window. */
void plot_window_note(struct plot *plot);

#endif
