/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of memstor plot: what each file offers to the others. */
#ifndef MEMSTOR_PLOT_PLOT_H
#define MEMSTOR_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/arena.h"
#include "common/command.h"
#include "common/stats.h"
#include "memstor/embedded.h"
#include "memstor/loaded/loaded.h"
#include "memstor/metric.h"

/* --- options.c --- */

/* The options of memstor plot. */

struct plot_kind;

#define PLOT_LIST_MAX 16 /* values of a repeatable option, or of a list */

enum plot_scale { PLOT_SCALE_LOG, PLOT_SCALE_LINEAR, PLOT_SCALE_DEFAULT };

/* What a --threshold is measured in, told by its unit. */
enum plot_threshold_unit { PLOT_THRESHOLD_RATE, PLOT_THRESHOLD_NS, PLOT_THRESHOLD_BYTES, PLOT_THRESHOLD_COUNT };

struct plot_threshold {
	enum plot_threshold_unit unit;
	double value;
	const char *label; /* "" = its value */
};

struct plot_list {
	size_t count;
	const char *items[PLOT_LIST_MAX];
};

struct plot_range { /* of latencies */
	bool is_given;
	double low_ns, high_ns;
};

struct plot_files {
	size_t count;
	struct plot_file_argument {
		const char *text;
		size_t group; /* from 0: how many "--" stand before it */
	} *items;
	bool has_groups, is_group_over;
};

struct plot_options {
	const char *kind_name;
	const struct plot_kind *kind;
	unsigned format_index;
	const char *format; /* "svg", "png", "pdf" */
	const char *output; /* "-" is stdout */
	const char *script; /* of --keep-script; "" = beside the output, NULL = not kept */
	const char *template; /* NULL = the kind's */
	const char *title;  /* NULL = made from the reports */
	unsigned width, height; /* 0 = the format's */
	enum plot_scale y;
	bool is_share;      /* y in shares of the whole */
	const char *type;   /* "both" = all types */
	struct plot_list classes, marks, counters, metrics, legend;
	bool has_marks;
	double mark_percents[PLOT_LIST_MAX];
	size_t threshold_count;
	struct plot_threshold thresholds[PLOT_LIST_MAX];
	bool has_window;
	uint64_t from_ns, to_ns;
	double from_s, to_s;         /* to_s INFINITY = to the end */
	struct plot_range x_range, y_range;
	const char *group_by;        /* NULL = by "--" */
	const char *scenario;        /* "c2", "c2:3" with its repetition; NULL = the first */
	struct plot_list models;
	struct plot_files files;
	struct arena arena;          /* of the lists' items */
	struct opt_line line;        /* of the other texts */
};

/* Values of options: 0 or -EINVAL. "960x600"; "100ns:1ms", rising, above 0; what ends in "/s" is a rate, else what ends in
 * s a latency, with another letter a size, without one a number, and behind the first ':' the label. */
int plot_size_parse(const char *text, unsigned *width, unsigned *height);
int plot_range_parse(const char *text, struct plot_range *range);
int plot_threshold_parse(const char *text, struct plot_threshold *threshold);

extern const struct opt plot_option_rows[];
/* Of command_plot. */
int plot_options_take(void *data, const char *text, bool is_behind);
int plot_options_check(void *data, struct opt_line *line);

/* 0 or a diag_exit code after one line. Free in any case. */
int plot_options_parse(const struct command *command, int argc, char **argv, struct plot_options *options);
void plot_options_free(struct plot_options *options);

/* --- text.c --- */

/*
 * Texts of reports, file names and command lines in gnuplot scripts and SVG. They may hold anything; here they become
 * data and nothing else.
 */

#define PLOT_TEXT 256 /* bytes of a text that is shown, its NUL included */

/* A copy that UTF-8, XML and a line can hold: other bytes, and what controls a terminal or the direction of writing,
 * become '?', blanks one ' '. More than `columns` characters are cut, with "..." as the last three. Returns how many
 * characters are in the copy. */
size_t plot_text_clean(const char *text, size_t columns, char *copy, size_t length);
/* Characters of clean text. */
size_t plot_text_columns(const char *text);
/* Breaks clean text into lines of up to `columns` characters, at blanks where there are any: the begin of the next
 * line, or NULL; *size are the bytes of this one. */
const char *plot_text_break(const char *text, size_t columns, size_t *size);

/* text (cleaned) as character data of XML. */
void plot_text_xml(FILE *out, const char *text);

/* Behind what is there already, if anything, the glue and then the part, unless that is "". */
void plot_append(char *text, size_t length, const char *glue, const char *part);

/*
 * Names of cells, "pwrite.direct.append.write.4k", in a picture: of several the parts in which they differ are said with
 * each, and those which all share once.
 */
#define PLOT_PARTS_MAX 16

struct plot_parts { /* all 0 = no names yet */
	size_t names, count;
	char first[PLOT_TEXT];
	bool differs[PLOT_PARTS_MAX];
	bool is_uneven; /* they have not the same number of parts, or too many: nothing is taken off */
};

void plot_parts_add(struct plot_parts *parts, const char *name);
/* What tells a name of them from the others, the whole of it when nothing does. Returns text. */
char *plot_parts_own(const struct plot_parts *parts, const char *name, char *text, size_t length);
/* What all of them share; "" when nothing was taken off. Returns text. */
char *plot_parts_common(const struct plot_parts *parts, char *text, size_t length);

/* --- names.c --- */

/*
 * What is known of a report beside its numbers, and the words that are made of it: the title of a picture, the names of
 * its curves and groups, its description. Every text is the facts' own copy.
 */

#define PLOT_FACT_SIDE "--" /* of a group: what stands between two "--" on the command line */

enum plot_fact_kind { PLOT_FACT_LABEL, PLOT_FACT_OPTION, PLOT_FACT_REPORT };

struct plot_fact {
	enum plot_fact_kind kind;
	const char *name, *value;
};

struct plot_facts {
	const char *path, *tool, *status; /* also among the facts: "file", "tool" */
	const char *reasons;              /* codes of the verdict, with commas between */
	size_t group;                     /* of the command line */
	size_t count;
	struct plot_fact *facts; /* labels first, then options, then "tool" "version" "cpu" "kernel" "host" ... */
	struct arena arena;
};

/* 0 or -ENOMEM. */
int plot_facts_take(const struct loaded *loaded, size_t group, struct plot_facts *facts);
void plot_facts_free(struct plot_facts *facts);
/* A label's value, or an option's, or of the report: the first of that name; NULL when there is none. */
const char *plot_fact(const struct plot_facts *facts, const char *name);

/* Names for reports[0 .. count-1] by what tells them apart: the facts in `wanted` (none: the options, labels and facts
 * of the machine that differ), else their files. As many as there are reports, then NULL; NULL = no memory. */
char **plot_fact_names(const struct plot_facts *reports, size_t count, const struct plot_list *wanted);
void plot_fact_names_free(char **names);

/* Whether all of them have the same value (or none) of this name. */
bool plot_fact_is_common(const struct plot_facts *reports, size_t count, const char *name);

/*
 * Options in words, by the one table of what the options of each tool mean in a title or a legend; a tool adds its rows.
 * "pattern" = "zipf" is "zipf", "ram" = "2147483648" is "in 2 GiB of memory"; what no row knows is "name value". value
 * NULL = the option is absent. Returns text.
 */
char *plot_phrase(const char *tool, const char *name, const char *value, char *text, size_t length);
/* "pmbench: uniform, 8 GiB, 2 threads": what all of them have in common, without what is the same by default. */
char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* "Intel(R) ..., Linux 6.1, 2026-11-20": machine and time as far as they are common. */
char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* "access" of reports of pmbench, else "operation". */
const char *plot_phrase_what(const struct plot_facts *reports, size_t count);

/* By "--" and --group-by, without these one group per report; reports of two tools are never one group. */
struct plot;
struct plot_groups {
	size_t count, *of; /* by report */
	char **names;
};
/* The group of this report, of the groups that the earlier ones are in; group_count = a new one. */
size_t plot_group_of(const struct plot *plot, const size_t *groups, size_t group_count, size_t report);
/* 0 or a diag_exit code after one line; to be freed in any case. */
int plot_groups_make(const struct plot *plot, struct plot_groups *groups);
void plot_groups_free(struct plot_groups *groups);

/* --- plot.c --- */

/*
 * A picture in the making:
 *
 *   argv --options--> plot --take, report by report--> state --extract--> variables and data blocks
 *   + common.gp + KIND.gp = script --gnuplot--> bytes --> file
 *
 * A kind is a row of the table in plot.c: what it takes of each report, the data blocks that it writes, and a template
 * of gnuplot that has the axes, keys, styles and titles. No report is held in memory longer than it takes to read it.
 */

#define PLOT_NOTES_MAX 12
#define PLOT_COLOURS 8 /* that common.gp distinguishes */
#define PLOT_DASHES 4

struct plot_note {
	bool is_warning;
	char text[192];
};

struct plot {
	const struct plot_options *options;
	size_t report_count;
	struct plot_facts *reports; /* of those taken so far; a kind's take finds its own as the last */
	size_t note_count;
	struct plot_note notes[PLOT_NOTES_MAX];
	char title[256]; /* a kind's own, "" = made from the options of the reports */
	FILE *script;
	bool is_in_block;
	void *state; /* the kind's own */
	struct loaded **loaded; /* by report, for kinds without take */
	char **names;           /* by report, for kinds without groups (plot_fact_names) */
	struct arena arena;     /* of plot_keep */
};

struct plot_kind {
	const char *name;
	const char *summary;
	/* Options that mean something to it, with blanks between; those that no kind names are every kind's. "--": groups. */
	const char *takes;
	struct embedded (*template)(void);
	bool needs_series;
	size_t reports_max; /* 0 = as many as there are */
	size_t state_size;  /* of plot->state, cleared before the first report */
	/* Both return 0 or a diag_exit code after one line. loaded is gone after take; without take all reports are in
	 * plot->loaded when extract is called. */
	int (*take)(struct plot *plot, const struct loaded *loaded);
	int (*extract)(struct plot *plot);
	void (*free)(struct plot *plot); /* what state points to and plot_keep has not made; NULL = nothing */
};

/* Ended by a row without a name. */
extern const struct plot_kind plot_kind_table[];
/* NULL = no such kind. */
const struct plot_kind *plot_kind_find(const char *name);
/* By number from 0; NULL = no more. */
const char *plot_kind_name(size_t i);
bool plot_kind_takes(const struct plot_kind *kind, const char *option);
/* "histogram, cdf, ... or bars": the kinds that name the option, NULL = all. Returns text. */
char *plot_kind_names(const char *option, char *text, size_t length);

/* The whole script for the files of the options; freed by the caller. 0 or a diag_exit code after one line. */
int plot_make(struct plot *plot, char **script, size_t *size);
void plot_free(struct plot *plot);
/* The user's title, the kind's own, or one made from the reports. Returns text. */
char *plot_title(const struct plot *plot, char *text, size_t length);

/* --- for kinds --- */

/* One line at the foot of the picture, warnings first; the same text is kept once. Of more than PLOT_NOTES_MAX those
 * that are no warnings, and the latest, are left out. */
void plot_note(struct plot *plot, bool is_warning, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The note that names what the first dashes of common.gp stand for; none for a count of 0. */
void plot_dashes_note(struct plot *plot, const char *const *names, size_t count);
/* Reports that memory is short and returns DIAG_EXIT_HOST. */
int plot_no_memory(void);
/* Refuses a report that is none of this command, as the kind needs it. */
int plot_refuse_report(const struct plot *plot, size_t report, const char *tool, const char *command);
/* The part of <result> that a kind draws of a report; NULL after that refusal. */
const struct report_node *plot_result_part(const struct plot *plot, size_t report, const char *part, const char *tool,
	const char *command);
/* The row whose first member is the name of the kind that is drawn; it is among them. */
const void *plot_kind_row(const struct plot *plot, const void *rows, size_t size);
/* Cleared memory that goes with the picture; NULL when there is none. */
void *plot_keep(struct plot *plot, size_t count, size_t size);
/* As arena_grow, of a list that goes with the picture. */
int plot_grow(struct plot *plot, void *array, size_t *room, size_t count, size_t size);
/* Those of --metric, none without it; or DIAG_EXIT_USAGE after one line, also when there are more than max. */
int plot_metrics_choose(const struct plot_options *options, struct metric *metrics, size_t max, size_t *count);
/* By --class, whose patterns are fnmatch's. */
bool plot_class_is_wanted(const struct plot_options *options, const char *id);
bool plot_list_has(const struct plot_list *list, const char *word);

/* --from and --to: whether the interval's middle lies inside (--from 10 means the one that begins at 9.999). */
bool plot_window_has(const struct plot_options *options, const struct loaded_interval *interval);
/* 0, or DIAG_EXIT_USAGE after one line: the report has no series, or nothing of it lies inside. */
int plot_window_check(const struct plot *plot, const struct loaded *loaded);
/* The note that says so; none without a window. */
void plot_window_note(struct plot *plot);

/* Variables of the template. */
void plot_set(struct plot *plot, const char *name, double value);
void plot_set_count(struct plot *plot, const char *name, size_t value);
/* text: of this program, not of a report or a person. */
void plot_set_word(struct plot *plot, const char *name, const char *text);
/* "AXIS_low", "AXIS_least" (above 0) and "AXIS_high" of what is drawn, "AXIS_given" = 1 when a range was asked for. */
struct plot_extent {
	double low, least, high;
};
#define PLOT_EXTENT_NONE ((struct plot_extent){__builtin_inf(), __builtin_inf(), -__builtin_inf()})
/* NAN and infinities are passed over. */
void plot_extent_add(struct plot_extent *extent, double value);
void plot_set_extent(struct plot *plot, const char *axis, const struct plot_extent *extent,
	const struct plot_range *given);

/* A data block "$NAME": begin, rows; it ends where the next one or a variable begins, or where its end is said. Between two
 * parts of it ("index" in gnuplot) stand two blank lines. */
void plot_block(struct plot *plot, const char *name, const char *columns);
void plot_values(struct plot *plot, const double *values, size_t count);
#define plot_row(plot, ...) \
	plot_values(plot, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void plot_index(struct plot *plot, size_t i); /* the i-th part begins */
void plot_block_end(struct plot *plot);
/* One line of a block of texts: gnuplot neither parses nor expands it. It begins with a blank, so that no text can be
 * the end of the block; a template takes $NAME[i][2:*]. Cut to so many characters; of a tic's label '%' is doubled. */
void plot_text_line(struct plot *plot, const char *text, size_t columns, bool is_tic);
/* How many characters a name in a legend may have. */
size_t plot_key_columns(const struct plot *plot);
/* A block of the texts at `first` and, stride bytes behind each other, count - 1 more; columns is what the comment says. */
void plot_text_block(struct plot *plot, const char *name, const char *columns, const char *first, size_t stride, size_t count,
	size_t width, bool is_tic);
/* Names of a legend. */
void plot_texts(struct plot *plot, const char *name, char *const *texts, size_t count);

/* --- bucket.c --- */

/* Buckets that a picture keeps, adds up and draws. Counts stay exact. */

/* Parts of a doubling of latency, as wide as each other, that finer buckets are drawn in; the paper's layout has as
 * many. */
#define PLOT_BUCKET_PARTS 16
#define PLOT_BUCKET_FINE_NS 1.0 /* no bucket is narrower: steps of a clock up to that are not seen */

struct plot_buckets { /* zeroed: empty */
	struct loaded_histogram histogram; /* of the items; type, class and layout are "" */
	struct loaded_bucket *items;
};

/* Their sum (metric.h), in place of what is there; what it is of, for the message. 0 or a diag_exit code after one
 * line. */
int plot_buckets_sum(struct plot_buckets *buckets, const struct loaded_histogram *const *list, size_t count,
	const char *path);
/* Fine buckets as coarser ones with round edges: PLOT_BUCKET_PARTS to a doubling, but where the clock's own steps are
 * wider than that as many whole steps as make cells about so wide, since a finer picture shows the clock, whether its
 * step is a whole number of ns or not. A bucket is
 * where its middle is; one that is wider than half a cell stays as it is. granularity_ns: 0 or NAN = unknown. */
void plot_buckets_coarsen(struct plot_buckets *buckets, double granularity_ns);
void plot_buckets_free(struct plot_buckets *buckets);

/* The edges a bucket is drawn with. One from 0 begins at the minimum, one without end ends at the maximum; both are
 * drawn at least a doubling wide, since where their samples are inside is not known. One of zeros alone, [0, 1), stays. */
void plot_bucket_edges(const struct loaded_histogram *histogram, const struct loaded_bucket *bucket, double *lo,
	double *hi);
/* Whether the lowest bucket begins at 0 and is wider than 1 ns: nothing finer is known there. */
bool plot_bucket_is_wide_lowest(const struct loaded_histogram *histogram);

/* --- what the rows of the table in plot.c are made of; each is in the file of its subject --- */

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

#define PLOT_BARS_METRICS 12
#define PLOT_BARS_GROUPS 32
/* From this number of runs in every group, intervals are of the median (95 %, bootstrap); below they are the extremes. */
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
int plot_prediction_extract(struct plot *plot);
int plot_trace_extract(struct plot *plot);
#define PLOT_MODELS 3 /* kernel, cawl, naive */
/* Whether --model has it, or there is none. */
bool plot_model_is_wanted(const struct plot *plot, size_t model);
/* Of the models of a scenario; NULL = none. */
const struct report_node *plot_model_find(const struct report_node *scenario, size_t model);

/* --- errors.c --- */
PLOT_KIND(errors);

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

/* --- ssd.c, memtrace.c --- */
int plot_interference_extract(struct plot *plot);
int plot_points_extract(struct plot *plot); /* lba, tail, ratios */
int plot_slowest_extract(struct plot *plot);
int plot_table_extract(struct plot *plot); /* segments, collections, gantt, copies, attribution, counters, window, bandwidth */
int plot_access_extract(struct plot *plot); /* access-count, hot-set, miss-ratio, popularity, reuse-distance, stride */
int plot_access_map_extract(struct plot *plot);
int plot_volume_extract(struct plot *plot);

#define PLOT_POINTS_REPORTS 4
#define PLOT_TABLE_REPORTS 7
#define PLOT_ACCESS_REPORTS 6

/* --- buffer.c --- */
PLOT_KIND(buffer);
void plot_buffer_free(struct plot *plot);

/* Runs of a program in memory of several sizes, and the miss ratios or the hot set of a recording of it; programs are
 * separated by "--". */
struct plot_buffer {
	size_t count, room;
	struct plot_buffer_run {
		size_t side, report;
		double bytes, rate; /* the memory's limit, INFINITY = none; what the run did per second */
	} *runs;
	struct plot_buffer_curve { /* by program */
		bool is_hot_set;
		size_t count, room;
		double (*points)[2]; /* size, miss ratio or accesses of a bucket */
	} curves[PLOT_COLOURS];
	bool has_rates; /* accesses are estimated, not samples */
};

/* --- picture.c --- */

/* Where pictures and their scripts go, and whether what gnuplot wrote is a picture. Each returns 0 or a diag_exit code
 * after one line. */

/* Before any work: whether the files can be written, and are none that is read. */
int plot_picture_check(const struct plot_options *options);
/* Of --keep-script; nothing without it. */
int plot_picture_write_script(const struct plot_options *options, const char *text, size_t size);
/* Refuses bytes that no program can read as a picture. An SVG gets the title and a description of the reports in place of
 * gnuplot's own words; *bytes are replaced, and in any case the caller's. */
int plot_picture_finish(const struct plot *plot, char **bytes, size_t *size);
int plot_picture_write(const struct plot_options *options, const char *bytes, size_t size);

/* --- gnuplot.c --- */

/*
 * gnuplot as a child: a script goes in, a picture comes out, by pipes and memory alone. No shell, no files; none of
 * the user's or the site's settings are read. The child ends with this process, however that ends.
 */

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
