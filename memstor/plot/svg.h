/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What gnuplot leaves out of an SVG: who made it, of what, and what a screen reader says. */
#ifndef MEMSTOR_PLOT_SVG_H
#define MEMSTOR_PLOT_SVG_H

#include <stddef.h>

#include "memstor/plot/plot.h"

/* The picture with <title> and <desc> of ours in place of gnuplot's, role="img", and the facts of each report. Takes
 * bytes over, also on failure. 0 or a diag_exit code after one line. */
int plot_svg_describe(const struct plot *plot, const char *title, char **bytes, size_t *size);

#endif
