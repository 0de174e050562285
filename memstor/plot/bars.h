/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Groups of runs side by side, one panel a metric: the median of each group with what it lies between, and every run as a
 * point.
 */
#ifndef MEMSTOR_PLOT_BARS_H
#define MEMSTOR_PLOT_BARS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/stats.h"
#include "memstor/metric.h"
#include "memstor/plot/plot.h"

#define PLOT_BARS_METRICS 12
#define PLOT_BARS_GROUPS 32
/* From so many runs on in every group, intervals are of the median (95 %, bootstrap); below they are the extremes. */
#define PLOT_BARS_RUNS 5

struct plot_bar { /* one group's of one metric */
	size_t count; /* runs that have the number; 0 = no bar */
	double *values;
	double median;
	double below; /* the median is known to be below this, as metric_below has it; 0 = it is known */
	struct stats_interval interval;
};

struct plot_bars {
	size_t metric_count;
	struct metric metrics[PLOT_BARS_METRICS];
	size_t run_count, room;
	struct metric_number (*runs)[PLOT_BARS_METRICS]; /* by report; NAN = it has no such number */
	size_t group_count;
	size_t *groups;                    /* by report */
	char **names;                      /* of the groups */
	struct arena arena;                /* of what names are made of */
	bool is_bootstrap;
	struct plot_bar bars[PLOT_BARS_METRICS][PLOT_BARS_GROUPS];
};

int plot_bars_take(struct plot *plot, const struct loaded *loaded);
int plot_bars_draw(struct plot *plot);
void plot_bars_free(struct plot *plot);

/* Groups, their names, medians and intervals. 0 or a diag_exit code after one line. */
int plot_bars_finish(struct plot *plot);

#endif
