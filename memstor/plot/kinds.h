/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of the table in plot.c are made of; each is in the file of its subject. */
#ifndef MEMSTOR_PLOT_KINDS_H
#define MEMSTOR_PLOT_KINDS_H

#include "common/stats.h"
#include "memstor/metric.h"
#include "memstor/plot/bucket.h"
#include "memstor/plot/plot.h"

#define PLOT_KIND(name)                                                                                              \
	int plot_##name##_take(struct plot *plot, const struct loaded *loaded);                                      \
	int plot_##name##_extract(struct plot *plot)

/* --- latency.c --- */
int plot_curves_take(struct plot *plot, const struct loaded *loaded);
int plot_histogram_extract(struct plot *plot);
int plot_cdf_extract(struct plot *plot);
int plot_percentile_extract(struct plot *plot);
void plot_curves_free(struct plot *plot);
PLOT_KIND(heatmap);
void plot_heatmap_free(struct plot *plot);

struct plot_curves {
	size_t count, room;
	struct plot_curve {
		size_t group;
		char type[24], class[METRIC_SUBJECT];
		struct plot_buckets buckets; /* the sum of the group's */
		double step_ns;              /* of the clock; NAN = unknown */
		size_t colour, dash;
		double marks[PLOT_LIST_MAX]; /* percentiles of the whole, by mark_percents */
	} *items;
	size_t group_count, group_room, *groups; /* by report */
	size_t classes, types, mark_count;
	double mark_percents[PLOT_LIST_MAX];
	bool is_split; /* the legend has types of their own */
};

#define PLOT_HEATMAP_REPORTS 4 /* panels over one another */
struct plot_heatmap {
	struct plot_heat {
		size_t count, intervals_together;
		double step_ns;
		struct plot_heat_column {
			double begin, end;           /* seconds */
			struct plot_buckets buckets; /* of all its intervals */
		} *columns;
	} reports[PLOT_HEATMAP_REPORTS];
};

/* --- series.c --- */
PLOT_KIND(series);
void plot_series_free(struct plot *plot);

enum plot_counter_kind {
	PLOT_COUNTER_BYTES,   /* a level */
	PLOT_COUNTER_NUMBER,  /* a level: pages, huge pages */
	PLOT_COUNTER_EVENTS,  /* per second */
	PLOT_COUNTER_STALLED, /* microseconds of stall: percent of the time */
	PLOT_COUNTER_CPU,     /* ticks: percent of all CPUs' time */
};
/* By the names of common/counters.h. */
enum plot_counter_kind plot_counter_kind(const char *name);
/* Its value when the window began: -ENOENT when the run did not read it. */
int plot_counter_begin(const struct loaded *loaded, const char *name, double *value);
/* What it changed by in the interval; 0 when it is not listed. */
double plot_counter_change(const struct loaded_interval *interval, const char *name);
/* The change in the unit of its kind: itself of a level, else per second or percent. */
double plot_counter_value(enum plot_counter_kind kind, const struct loaded_interval *interval, const char *name);

#define PLOT_SERIES_MARKS_MAX 32
struct plot_series {
	size_t count, room;
	struct plot_series_line {
		size_t report, index; /* index: among the lines of the same report, cell and place */
		enum plot_series_place { PLOT_SERIES_RATE, PLOT_SERIES_LATENCY, PLOT_SERIES_COUNTER } place;
		bool is_level;             /* a value at a time; otherwise the mean of the interval up to it */
		char what[64];             /* "accesses per second", "p99", "vmstat.pswpin" */
		char cell[METRIC_SUBJECT]; /* of which; "" = there is but one */
		char stretch[METRIC_SUBJECT + 24]; /* repetition and cell of the last point */
		size_t count;
		double *times, *values;    /* ends of intervals; NAN: a gap begins here */
		double begin, begin_value; /* where the first interval begins; of a level its value there */
	} *lines;
	size_t mark_count;
	struct plot_series_mark { /* a phase of the first report */
		double time;
		char text[64];
	} marks[PLOT_SERIES_MARKS_MAX];
	bool has_counter;
	enum plot_counter_kind counter_kind; /* of all counters */
};

/* --- bars.c --- */
PLOT_KIND(bars);
void plot_bars_free(struct plot *plot);

#define PLOT_BARS_METRICS 12
#define PLOT_BARS_GROUPS 32
/* From so many runs on in every group, intervals are of the median (95 %, bootstrap); below they are the extremes. */
#define PLOT_BARS_RUNS 5
struct plot_bars {
	size_t metric_count;
	struct metric metrics[PLOT_BARS_METRICS];
	size_t run_count, room;
	struct metric_number (*runs)[PLOT_BARS_METRICS]; /* by report; NAN = it has no such number */
	bool is_bootstrap;
	struct plot_bar { /* one group's of one metric */
		size_t count; /* runs that have the number; 0 = no bar */
		double *values;
		double median;
		double below; /* the median is known to be below this, as metric_below has it; 0 = it is known */
		struct stats_interval interval;
	} bars[PLOT_BARS_METRICS][PLOT_BARS_GROUPS];
};

/* --- iowrite.c --- */
PLOT_KIND(prediction);
void plot_prediction_free(struct plot *plot);
PLOT_KIND(trace);
void plot_trace_free(struct plot *plot);
PLOT_KIND(errors);
void plot_errors_free(struct plot *plot);
/* The part of <result> that a kind draws; NULL after one line. */
const struct report_node *plot_iowrite_part(const struct plot *plot, const struct loaded *loaded, const char *command,
	const char *part);

#define PLOT_MODELS 3 /* kernel, cawl, naive */
/* Whether --model has it, or there is none. */
bool plot_model_is_wanted(const struct plot *plot, size_t model);
/* Of the models of a scenario; NULL = none. */
const struct report_node *plot_model_find(const struct report_node *scenario, size_t model);

#define PLOT_ROWS_COLUMNS 13
struct plot_rows { /* of numbers; NAN = absent */
	size_t count, columns;
	double (*values)[PLOT_ROWS_COLUMNS];
};
struct plot_thresholds { /* of dirty pages, in bytes; NAN = not known */
	double background, freerun, limit;
};
struct plot_begin { /* of the first write that goes with it; NAN = none does */
	double time_s, cached;
};

/* One scenario of an evaluation: each write as it was and as the models said, over what is dirty. */
#define PLOT_SOURCES 3 /* of what is dirty: measured, the kernel's model, cawl */
struct plot_prediction {
	struct plot_rows writes;
	bool is_by_size;  /* writes of several sizes: by these, otherwise in time */
	bool is_buffered; /* the page cache matters */
	struct plot_thresholds thresholds;
	struct plot_begin flush[PLOT_SOURCES], throttle[PLOT_SOURCES];
};

/* The kernel's view of one scenario and the model's. */
struct plot_trace {
	struct plot_rows states, pauses, rates, writes;
	struct plot_thresholds thresholds;
};

#define PLOT_ERRORS_SCENARIOS 64
#define PLOT_ERRORS_PANELS 3
struct plot_errors {
	size_t panel_count, panels[PLOT_ERRORS_PANELS]; /* rows of the table in iowrite.c */
	size_t scenario_count;
	struct plot_errors_scenario {
		char id[48];
		double floor; /* the least of the repetitions, NAN = not known */
		struct plot_errors_values {
			size_t count, room;
			double *values;
		} of[PLOT_ERRORS_PANELS][PLOT_MODELS];
	} scenarios[PLOT_ERRORS_SCENARIOS];
};

/* --- cost.c --- */
PLOT_KIND(cost);
void plot_cost_free(struct plot *plot);

#define PLOT_COST_METRICS 4
#define PLOT_COST_PARTS 6
struct plot_cost {
	size_t metric_count;
	struct metric metrics[PLOT_COST_METRICS];
	size_t count, room;
	struct plot_cost_point {
		size_t report, way; /* way: points of one differ in size alone */
		char id[METRIC_SUBJECT];
		char parts[PLOT_COST_PARTS][24];  /* method, mode, sync, regime, rw, memory */
		double size;                      /* NAN = several */
		double values[PLOT_COST_METRICS]; /* NAN = it has none */
	} *points;
};

/* --- ssd.c --- */
PLOT_KIND(interference);
PLOT_KIND(lba);
PLOT_KIND(tail);
PLOT_KIND(ratios);
PLOT_KIND(slowest);
void plot_points_free(struct plot *plot); /* of lba, tail and ratios */

#define PLOT_STREAMS 2
/* How many times longer the writes of a stream take beside the other one than alone; several reports side by side. */
#define PLOT_INTERFERENCE_PANELS 3
#define PLOT_INTERFERENCE_STATISTICS 4
struct plot_interference {
	struct plot_interference_ratio { /* NAN = not known */
		double value, low, high;
	} of[PLOT_COLOURS][PLOT_INTERFERENCE_PANELS][PLOT_INTERFERENCE_STATISTICS]; /* by report */
	bool has_repetitions, has_single; /* reports of both kinds */
	char mix[64];                     /* of a report of analyze */
};

#define PLOT_POINTS_REPORTS 4
struct plot_points {
	struct plot_points_of {
		size_t count, room;
		double (*list)[2]; /* x, y */
		double beyond;     /* ratios: percent of writes that are beyond the axis */
	} of[PLOT_POINTS_REPORTS][PLOT_STREAMS];
	char mixes[PLOT_POINTS_REPORTS][64];
	uint64_t every; /* one of so many writes is shown */
};

#define PLOT_SLOWEST_ROWS 32
#define PLOT_SLOWEST_PARTS 6
struct plot_slowest {
	char mix[64];
	size_t count, left_out;
	bool is_traced;
	struct plot_slowest_row {
		size_t stream;
		bool is_usual;
		char name[48], cause[16];         /* cause: the part that is the most over what is usual */
		double parts[PLOT_SLOWEST_PARTS]; /* ns */
	} rows[PLOT_SLOWEST_ROWS];
};

#endif
