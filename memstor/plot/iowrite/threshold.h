/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's thresholds of dirty pages as lines across a panel, with their names at its right side. */
#ifndef MEMSTOR_PLOT_IOWRITE_THRESHOLD_H
#define MEMSTOR_PLOT_IOWRITE_THRESHOLD_H

#include "common/report_read.h"
#include "memstor/plot/axis.h"
#include "memstor/plot/frame.h"

struct plot_thresholds { /* bytes, NAN = not known */
	double background, freerun, limit;
};

/* Of a scenario or a trace. */
struct plot_thresholds plot_thresholds_of(const struct report_node *node);
/* With room for the name above the highest. */
void plot_thresholds_extend(const struct plot_thresholds *thresholds, struct plot_extent *extent);
void plot_thresholds_put(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis,
	const struct plot_thresholds *thresholds);

#endif
