/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency distributions that are drawn over one another: one curve a report, type and class. */
#ifndef MEMSTOR_PLOT_CURVE_H
#define MEMSTOR_PLOT_CURVE_H

#include <stddef.h>

#include "memstor/metric.h"
#include "memstor/plot/plot.h"
#include "memstor/plot/bucket.h"

struct plot_curve {
	size_t report;
	char type[24], class[METRIC_SUBJECT];
	struct plot_buckets buckets; /* as in the report */
	double granularity_ns;       /* of the clock; NAN = not known */
	char *name;                  /* in the legend */
	char data[32];               /* the data block: "$curve0" */
	size_t colour, dash;         /* of style.h */
	double marks[PLOT_LIST_MAX]; /* percentiles of the whole, by mark_percents */
};

struct plot_curves { /* zeroed: empty */
	size_t count, room;
	struct plot_curve *items;
	size_t mark_count;
	double mark_percents[PLOT_LIST_MAX];
};

/* The histograms that the options want of one report; with --from or --to the sums of its intervals'. 0 or a diag_exit
 * code after one line. */
int plot_curves_take(struct plot *plot, const struct loaded *loaded, struct plot_curves *curves);
/* Names, colours, notes: after the last report. */
int plot_curves_finish(struct plot *plot, struct plot_curves *curves);
void plot_curves_free(struct plot_curves *curves);

#endif
