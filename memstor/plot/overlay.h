/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One panel with several curves: what histogram, cdf and percentile plots have in common. Their data blocks are named
 * $curve0, $curve1, ... with x and y in the first two columns. */
#ifndef MEMSTOR_PLOT_OVERLAY_H
#define MEMSTOR_PLOT_OVERLAY_H

#include <stdbool.h>

#include "memstor/plot/axis.h"
#include "memstor/plot/curve.h"

/* An x axis of latencies that holds all buckets, or what --x-range says. */
void plot_overlay_latencies(const struct plot *plot, const struct plot_curves *curves, struct plot_axis *x);
/* Frame, legend, axes; and percentiles marked on x. */
void plot_overlay_panel(struct plot *plot, const struct plot_curves *curves, const struct plot_axis *x,
	const struct plot_axis *y, bool has_marks);
/* The curves as lines, behind `glue` ("plot ", or ", " when something is plotted already), and the end of the command. */
void plot_overlay_lines(struct plot *plot, const struct plot_curves *curves, const char *glue);

#endif
