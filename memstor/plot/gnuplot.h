/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gnuplot as a child: a script goes in, a picture comes out, by pipes and memory alone. No shell, no files; none of
 * the user's or the site's settings are read. The child ends with this process, however that ends.
 */
#ifndef MEMSTOR_PLOT_GNUPLOT_H
#define MEMSTOR_PLOT_GNUPLOT_H

#include <stddef.h>

/* What a script ends gnuplot with after it has said why by itself. */
#define PLOT_GNUPLOT_REFUSED 8     /* for the user to change */
#define PLOT_GNUPLOT_NO_TERMINAL 9 /* of this gnuplot */

#define PLOT_GNUPLOT_REMARK "remark: "       /* begin of a line that a script prints for the user */

struct plot_gnuplot_limits {
	int timeout_ms;
	size_t bytes_max; /* of the picture */
};

/* Runs the gnuplot of PATH. 0 and the picture (freed by the caller), with the script's remark as a warning; or a diag_exit
 * code after one line: gnuplot is not installed, failed (with its own first reason), wrote too much or nothing, or was
 * not done in time. */
int plot_gnuplot_run(const char *script, size_t size, const struct plot_gnuplot_limits *limits, char **picture,
	size_t *picture_size);

#endif
