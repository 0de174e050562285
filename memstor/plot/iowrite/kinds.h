/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of plot/kind.c for iowrite-bench are made of; each is in the files of its name. */
#ifndef MEMSTOR_PLOT_IOWRITE_KINDS_H
#define MEMSTOR_PLOT_IOWRITE_KINDS_H

#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"
#include "memstor/plot/iowrite/begins.h"
#include "memstor/plot/iowrite/rows.h"
#include "memstor/plot/iowrite/threshold.h"
#include "memstor/plot/iowrite/write.h"
#include "memstor/plot/plot.h"

/* One scenario of an evaluation: each write as it was and as the models said, over what is dirty. */
struct plot_prediction {
	struct plot_writes writes;
	bool is_by_size;  /* writes of several sizes: by these, otherwise in time */
	bool is_buffered; /* the page cache matters */
	struct plot_thresholds thresholds;
	struct plot_begins begins;
};
int plot_prediction_take(struct plot *plot, const struct loaded *loaded);
int plot_prediction_draw(struct plot *plot);
void plot_prediction_free(struct plot *plot);

/* prediction_size.c: the picture when sizes differ. */
int plot_prediction_draw_sizes(struct plot *plot);

/* The kernel's view of one scenario beside the model's. */
struct plot_trace {
	struct plot_rows states, pauses, rates, writes;
	struct plot_thresholds thresholds;
};
int plot_trace_take(struct plot *plot, const struct loaded *loaded);
int plot_trace_draw(struct plot *plot);
void plot_trace_free(struct plot *plot);

/* Errors of the models, scenario by scenario; several reports are repetitions of one another. */
#define PLOT_ERRORS_SCENARIOS 64
#define PLOT_ERRORS_PANELS 3
struct plot_errors_values { /* one model's of one scenario */
	size_t count, room;
	double *values;
};
struct plot_errors_scenario {
	char id[48];
	double floor; /* the least of the repetitions, NAN = not known */
	struct plot_errors_values of[PLOT_ERRORS_PANELS][PLOT_MODELS];
};
struct plot_errors {
	size_t panel_count, panels[PLOT_ERRORS_PANELS]; /* rows of the table in errors.c */
	size_t scenario_count;
	struct plot_errors_scenario scenarios[PLOT_ERRORS_SCENARIOS];
};
int plot_errors_take(struct plot *plot, const struct loaded *loaded);
int plot_errors_draw(struct plot *plot); /* errors_draw.c */
void plot_errors_free(struct plot *plot);
/* Of a panel, in words: "error per write". */
const char *plot_errors_title(size_t row);
/* Whether the floor is of this error. */
bool plot_errors_has_floor(size_t row);

/* What a write costs by size, or by cell where there are no sizes. */
#define PLOT_COST_METRICS 4
struct plot_cost_point {
	size_t report;
	char id[METRIC_SUBJECT];
	char parts[6][24];  /* method, mode, sync, regime, rw, memory */
	double size;        /* NAN = several */
	double values[PLOT_COST_METRICS]; /* NAN = it has none */
};
struct plot_cost {
	size_t metric_count;
	struct metric metrics[PLOT_COST_METRICS];
	bool is_asked; /* --metric */
	size_t count, room;
	struct plot_cost_point *points;
};
int plot_cost_take(struct plot *plot, const struct loaded *loaded);
int plot_cost_draw(struct plot *plot);
void plot_cost_free(struct plot *plot);
/* Whether points differ in this one of their parts. */
bool plot_cost_differs(const struct plot_cost *cost, size_t part);
/* "pwrite direct", the parts that differ, of the report with this name (NULL = the only one). Returns text. */
char *plot_cost_name(const struct plot_cost *cost, const struct plot_cost_point *point, const char *report, char *text,
	size_t length);
/* cost_size.c and cost_cell.c: the two pictures; names are the reports'. */
int plot_cost_draw_sizes(struct plot *plot, char **names);
int plot_cost_draw_cells(struct plot *plot, char **names);

#endif
