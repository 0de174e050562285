/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports in time. Two panels over one another share the time axis: rates with the kernel's counters on a second axis,
 * and latencies; the one for which there is nothing is left out.
 */
#ifndef MEMSTOR_PLOT_SERIES_H
#define MEMSTOR_PLOT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/metric.h"
#include "memstor/plot/plot.h"
#include "memstor/plot/counter.h"

enum plot_series_place { PLOT_SERIES_RATE, PLOT_SERIES_LATENCY, PLOT_SERIES_COUNTER };

struct plot_series_line {
	size_t report;
	enum plot_series_place place;
	size_t index;        /* among the report's own of this place */
	bool is_level;       /* a value at a time; otherwise the mean of the interval up to it */
	char what[64];       /* "accesses per second", "p99", "vmstat.pswpin" */
	char cell[METRIC_SUBJECT]; /* of which; "" = there is but one */
	char stretch[METRIC_SUBJECT + 24]; /* repetition and cell of the last point */
	char *name;          /* in the legend */
	size_t count;
	double *times, *values; /* of count; ends of intervals. times[-1] does not exist: see begin */
	double begin, begin_value; /* where the first interval begins; of a level its value there */
};

struct plot_series_mark { /* of the report: a phase, ... */
	double time;
	char text[64];
};

#define PLOT_SERIES_MARKS_MAX 32

struct plot_series {
	size_t line_count, room;
	struct plot_series_line *lines;
	size_t mark_count;
	struct plot_series_mark marks[PLOT_SERIES_MARKS_MAX]; /* of the first report */
	bool has_counter;
	enum plot_counter_kind counter_kind; /* of all counters */
	double begin, end;                   /* of all lines */
};

int plot_series_take(struct plot *plot, const struct loaded *loaded);
int plot_series_draw(struct plot *plot);
void plot_series_free(struct plot *plot);

/* What happened when, of one report: the one table of it is in series_marks.c. */
void plot_series_take_marks(struct plot_series *series, const struct loaded *loaded);

#endif
