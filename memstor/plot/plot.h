/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interfaces between the source files of memstor plot. */
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

#define PLOT_LIST_MAX 16 /* maximum number of values of a repeatable option or of a list */

enum plot_scale { PLOT_SCALE_LOG, PLOT_SCALE_LINEAR, PLOT_SCALE_DEFAULT };

/* The quantity of a --threshold, derived from its unit. */
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
		size_t group; /* number of "--" before it */
	} *items;
	bool has_groups, is_group_over;
};

struct plot_options {
	const char *kind_name;
	const struct plot_kind *kind;
	unsigned format_index;
	const char *format; /* "svg", "png", "pdf" */
	const char *output; /* "-" is stdout */
	const char *script; /* of --keep-script; "" = in the folder of the output, NULL = not kept */
	const char *template; /* NULL = that of the kind */
	const char *title;  /* NULL = made from the reports */
	unsigned width, height; /* 0 = default of the format */
	enum plot_scale y;
	bool is_share;      /* y as shares of the total */
	const char *type;   /* "both" = all types */
	struct plot_list classes, marks, counters, metrics, legend;
	bool has_marks;
	double mark_percents[PLOT_LIST_MAX];
	size_t threshold_count;
	struct plot_threshold thresholds[PLOT_LIST_MAX];
	bool has_window;
	uint64_t from_ns, to_ns;
	double from_s, to_s;         /* to_s INFINITY = up to the end */
	struct plot_range x_range, y_range;
	const char *group_by;        /* NULL = by "--" */
	const char *scenario;        /* "c2", or "c2:3" with the repetition; NULL = the first */
	struct plot_list models;
	struct plot_files files;
	struct arena arena;          /* holds the items of the lists */
	struct opt_line line;        /* holds the other texts */
};

extern const struct opt plot_option_rows[];
/* For command_plot. */
int plot_options_take(void *data, const char *text, bool is_behind);
int plot_options_check(void *data, struct opt_line *line);

/* Parses the command line. Returns 0 or a diag_exit code after one line. Call plot_options_free in both cases. */
int plot_options_parse(const struct command *command, int argc, char **argv, struct plot_options *options);
void plot_options_free(struct plot_options *options);

/* --- text.c --- */

/*
 * Texts of reports, file names and command lines in gnuplot scripts and SVG. They are untrusted; these functions make sure
 * that they are only data.
 */

#define PLOT_TEXT 256 /* maximum size of a shown text in bytes, including its NUL */

/* Makes a copy that is valid UTF-8 and XML in one line: other bytes, and characters that control a terminal or the
 * direction of text, become '?'; a tab, line feed or return becomes ' '. A text of more than `columns` characters is
 * truncated and ends in "...". Returns the number of characters of the copy. */
size_t plot_text_clean(const char *text, size_t columns, char *copy, size_t length);
/* Returns the number of characters of clean text. */
size_t plot_text_columns(const char *text);
/* Breaks clean text into lines of up to `columns` characters, at blanks if possible. Returns the begin of the next line, or
 * NULL, and stores in *size the bytes of this line. */
const char *plot_text_break(const char *text, size_t columns, size_t *size);

/* Cleans text and writes it as character data of XML. */
void plot_text_xml(FILE *out, const char *text);

/* Appends glue, unless text is "", and then part; does nothing if part is "". */
void plot_append(char *text, size_t length, const char *glue, const char *part);

/*
 * Names of cells, "pwrite.direct.append.write.4k", in a picture: the parts in which several names differ are shown for
 * each, the common parts once.
 */
#define PLOT_PARTS_MAX 16

struct plot_parts { /* all 0 = no names yet */
	size_t names, count;
	char first[PLOT_TEXT];
	bool differs[PLOT_PARTS_MAX];
	bool is_uneven; /* they differ in the number of parts or have too many: names are not shortened */
};

void plot_parts_add(struct plot_parts *parts, const char *name);
/* Formats the parts in which a name differs from the others; the whole name if there are none. Returns text. */
char *plot_parts_own(const struct plot_parts *parts, const char *name, char *text, size_t length);
/* Formats the common parts; "" if names are not shortened. Returns text. */
char *plot_parts_common(const struct plot_parts *parts, char *text, size_t length);

/* --- names.c --- */

/*
 * The facts of a report, apart from its numbers, and the texts made of them: the title of a picture, the names of
 * its curves and groups, its description. The facts own copies of all texts.
 */

#define PLOT_FACT_SIDE "--" /* name of the fact for the group between two "--" on the command line */

enum plot_fact_kind { PLOT_FACT_LABEL, PLOT_FACT_OPTION, PLOT_FACT_REPORT };

struct plot_fact {
	enum plot_fact_kind kind;
	const char *name, *value;
};

struct plot_facts {
	const char *path, *tool, *status; /* also among the facts: "file", "tool" */
	const char *file;                 /* path without its folder; "" = several files */
	const char *reasons;              /* codes of the verdict, separated by commas */
	size_t group;                     /* on the command line */
	size_t count;
	struct plot_fact *facts; /* labels first, then options, then "tool" "version" "cpu" "kernel" "host" ... */
	struct arena arena;
};

/* Copies the facts of a report. Returns 0 or -ENOMEM. */
int plot_facts_take(const struct loaded *loaded, size_t group, struct plot_facts *facts);
void plot_facts_free(struct plot_facts *facts);
/* Returns the value of the first label, option or fact of the report of this name; NULL = none. */
const char *plot_fact(const struct plot_facts *facts, const char *name);

/* Makes names for reports[0 .. count-1] of their differences: the facts in `wanted` (if empty, the options, labels and facts
 * of the machine that differ), else their files. Returns a list with one name per report, terminated by NULL, in the arena;
 * NULL = out of memory. */
char **plot_fact_names(const struct plot_facts *reports, size_t count, const struct plot_list *wanted, struct arena *arena);

/* Whether all reports have the same value (or none) of this name. */
bool plot_fact_is_common(const struct plot_facts *reports, size_t count, const char *name);

/*
 * Formats an option for a title or a legend, by a table with rows for the options of each tool.
 * "pattern" = "zipf" is "zipf", "ram" = "2147483648" is "in 2 GiB of memory"; an option without a row is "name value". value
 * NULL = the option is absent. Returns text.
 */
char *plot_phrase(const char *tool, const char *name, const char *value, char *text, size_t length);
/* Formats the common options of the reports without defaults: "pmbench: uniform, 8 GiB, 2 threads". Returns text. */
char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* Formats the common facts of machine and time: "Intel(R) ..., Linux 6.1, 2026-11-20". Returns text. */
char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* Returns "access" for reports of pmbench, else "operation". */
const char *plot_phrase_what(const struct plot_facts *reports, size_t count);

/* Groups of reports by "--" and --group-by, or without these one per report; all reports of a group are of one tool. */
struct plot;
struct plot_groups {
	size_t count, *of; /* of: the group of each report */
	char **names;
};
/* Returns the group of a report, given the groups of the earlier reports; group_count = a new group. */
size_t plot_group_of(const struct plot *plot, const size_t *groups, size_t group_count, size_t report);
/* Makes the groups; plot_free frees them. Returns 0 or a diag_exit code after one line. */
int plot_groups_make(struct plot *plot, struct plot_groups *groups);

/* --- plot.c --- */

/*
 * The steps that make a picture:
 *
 *   argv --options--> plot --take, report by report--> state --extract--> variables and data blocks
 *   + common.gp + KIND.gp = script --gnuplot--> bytes --> file
 *
 * A kind is a row of the table in plot.c: a function that takes data of each report, one that writes the data blocks, and a
 * gnuplot template with the axes, keys, styles and titles. With the function `take` each report is freed after it.
 */

#define PLOT_NOTES_MAX 12
#define PLOT_COLOURS 8 /* number of colours and dashes in common.gp */
#define PLOT_DASHES 4

struct plot_note {
	bool is_warning;
	char text[192];
};

struct plot {
	const struct plot_options *options;
	size_t report_count;
	struct plot_facts *reports; /* of the reports so far; in take the last one is the current report */
	size_t note_count;
	struct plot_note notes[PLOT_NOTES_MAX];
	char title[256]; /* set by the kind; "" = made from the options of the reports */
	FILE *script;
	bool is_in_block;
	void *state; /* of the kind (plot_state) */
	struct loaded **loaded; /* per report, for kinds without take */
	char **names;           /* per report, for kinds without groups (plot_fact_names) */
	struct arena arena;     /* for plot_keep */
};

struct plot_kind {
	const char *name;
	const char *summary;
	/* Options that apply to it, separated by blanks; "--" means groups. An option that no kind lists applies to all kinds. */
	const char *takes;
	struct embedded (*template)(void);
	bool needs_series;
	size_t reports_max; /* 0 = unlimited */
	/* Both return 0 or a diag_exit code after one line. loaded is freed after take; without take all reports are in
	 * plot->loaded when extract is called. */
	int (*take)(struct plot *plot, const struct loaded *loaded);
	int (*extract)(struct plot *plot);
	void (*free)(struct plot *plot); /* frees memory of state that is not of plot_keep; NULL = none */
};

/* Terminated by a row without a name. */
extern const struct plot_kind plot_kind_table[];
/* Returns the kind of this name; NULL = none. */
const struct plot_kind *plot_kind_find(const char *name);
/* Returns the name of the i-th kind; NULL after the last. */
const char *plot_kind_name(size_t i);
/* Whether an option applies to a kind. */
bool plot_kind_takes(const struct plot_kind *kind, const char *option);
/* Formats the kinds that list the option, or with NULL all kinds: "histogram, cdf, ... or bars". Returns text. */
char *plot_kind_names(const char *option, char *text, size_t length);

/* Makes the whole script for the files of the options; the caller frees it. Returns 0 or a diag_exit code after one line. */
int plot_make(struct plot *plot, char **script, size_t *size);
void plot_free(struct plot *plot);
/* Formats the title: of the user, of the kind, or made from the reports. Returns text. */
char *plot_title(const struct plot *plot, char *text, size_t length);

/* --- for kinds --- */

/* Adds a line at the foot of the picture, unless it is there; warnings come first. If there are more than PLOT_NOTES_MAX,
 * the last lines are left out, warnings only after all others. */
void plot_note(struct plot *plot, bool is_warning, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Adds a note with the meaning of the first dashes of common.gp; none if count is 0. */
void plot_dashes_note(struct plot *plot, const char *const *names, size_t count);
/* Prints that memory is short. Returns DIAG_EXIT_HOST. */
int plot_no_memory(void);
/* Prints that the kind needs a report of this command. Returns DIAG_EXIT_USAGE. */
int plot_refuse_report(const struct plot *plot, size_t report, const char *tool, const char *command);
/* Returns the part of <result> that a kind draws, or NULL after plot_refuse_report. */
const struct report_node *plot_result_part(const struct plot *plot, size_t report, const char *part, const char *tool,
	const char *command);
/* Returns the row whose first member is the name of the current kind, which must be in the table. */
const void *plot_kind_row(const struct plot *plot, const void *rows, size_t size);
/* Allocates cleared memory that plot_free frees. Returns NULL if memory is short. */
void *plot_keep(struct plot *plot, size_t count, size_t size);
/* Returns the state of a kind with take, which is cleared before the first report; NULL if memory is short. */
void *plot_state(struct plot *plot, size_t size);
/* As arena_grow, for a list that plot_free frees. */
int plot_grow(struct plot *plot, void *array, size_t *room, size_t count, size_t size);
/* Parses the metrics of --metric. Returns 0, or DIAG_EXIT_USAGE after one line, also if there are more than max. */
int plot_metrics_choose(const struct plot_options *options, struct metric *metrics, size_t max, size_t *count);
/* Whether a pattern of --class matches, by fnmatch(3), or there is none. */
bool plot_class_is_wanted(const struct plot_options *options, const char *id);
bool plot_list_has(const struct plot_list *list, const char *word);

/* Whether the middle of an interval lies in the window of --from and --to (--from 10 includes one that begins at 9.999). */
bool plot_window_has(const struct plot_options *options, const struct loaded_interval *interval);
/* Returns 0, or DIAG_EXIT_USAGE after one line if the report has no series or no interval in the window. */
int plot_window_check(const struct plot *plot, const struct loaded *loaded);
/* Adds a note about the window, if there is one. */
void plot_window_note(struct plot *plot);

/* Set variables of the template. */
void plot_set(struct plot *plot, const char *name, double value);
void plot_set_count(struct plot *plot, const char *name, size_t value);
/* text must be of this program, not of a report or a user. */
void plot_set_word(struct plot *plot, const char *name, const char *text);
/* The range of the drawn values, for the variables "AXIS_low", "AXIS_least" (above 0) and "AXIS_high"; "AXIS_given" is 1 if
 * the user gave a range. */
struct plot_extent {
	double low, least, high;
};
#define PLOT_EXTENT_NONE ((struct plot_extent){__builtin_inf(), __builtin_inf(), -__builtin_inf()})
/* Extends the range; NAN and infinities are ignored. */
void plot_extent_add(struct plot_extent *extent, double value);
void plot_set_extent(struct plot *plot, const char *axis, const struct plot_extent *extent,
	const struct plot_range *given);

/* Write a data block "$NAME": its begin and its rows. It ends before the next block or variable, or at plot_block_end. Two
 * blank lines separate its parts ("index" in gnuplot). */
void plot_block(struct plot *plot, const char *name, const char *columns);
void plot_values(struct plot *plot, const double *values, size_t count);
#define plot_row(plot, ...) \
	plot_values(plot, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void plot_index(struct plot *plot, size_t i); /* begins the i-th part */
void plot_block_end(struct plot *plot);
/* Writes a line of a block of texts, which gnuplot neither parses nor expands. It begins with a blank, so that no text can
 * end the block; a template uses $NAME[i][2:*]. The text is truncated to `columns` characters; with is_tic, for the label of
 * a tic, '%' is doubled. */
void plot_text_line(struct plot *plot, const char *text, size_t columns, bool is_tic);
/* Returns the maximum number of characters of a name in a legend. */
size_t plot_key_columns(const struct plot *plot);
/* Writes a block of `count` texts, the first at `first` and each next one `stride` bytes further. columns is the comment of
 * the block, width the maximum number of characters. */
void plot_text_block(struct plot *plot, const char *name, const char *columns, const char *first, size_t stride, size_t count,
	size_t width, bool is_tic);
/* Writes the names of a legend. */
void plot_texts(struct plot *plot, const char *name, char *const *texts, size_t count);

/* --- bucket.c --- */

/* Buckets that a picture stores, adds and draws. Counts are exact. */

/* Finer buckets are drawn in this number of equal parts per doubling of latency, as in the paper's layout. */
#define PLOT_BUCKET_PARTS 16
#define PLOT_BUCKET_FINE_NS 1.0 /* no bucket is narrower, so smaller clock steps are not visible */

struct plot_buckets { /* zeroed: empty */
	struct loaded_histogram histogram; /* its buckets are items; type, class and layout are "" */
	struct loaded_bucket *items;
};

/* Sets buckets to the sum of the histograms (metric.h); path is used in messages. Returns 0 or a diag_exit code after one
 * line. */
int plot_buckets_sum(struct plot_buckets *buckets, const struct loaded_histogram *const *list, size_t count,
	const char *path);
/* Merges fine buckets to coarser ones (cells) with round edges, PLOT_BUCKET_PARTS per doubling. If the steps of the clock
 * are wider than that, a cell covers a whole number of steps, since a finer picture would show the steps of the clock,
 * also if a step is not a whole number of ns. A bucket is added to the cell of its middle; a bucket wider than half a
 * cell is kept, or widened if it has room for fewer than two steps. granularity_ns: the step of the clock; 0 or NAN = unknown. */
void plot_buckets_coarsen(struct plot_buckets *buckets, double granularity_ns);
void plot_buckets_free(struct plot_buckets *buckets);

/* Returns the edges at which a bucket is drawn. A bucket from 0 begins at the minimum, one without an end ends at the
 * maximum; both are drawn at least a doubling wide, since the positions of their samples are unknown. [0, 1) is drawn
 * unchanged. */
void plot_bucket_edges(const struct loaded_histogram *histogram, const struct loaded_bucket *bucket, double *lo,
	double *hi);
/* Whether the lowest bucket begins at 0 and is wider than 1 ns. */
bool plot_bucket_is_wide_lowest(const struct loaded_histogram *histogram);

/* --- the functions of the rows of the table in plot.c, by source file --- */

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

#define PLOT_HEATMAP_REPORTS 4 /* panels, one above the other */

/* --- series.c --- */
PLOT_KIND(series);

enum plot_counter_kind {
	PLOT_COUNTER_BYTES,   /* a level */
	PLOT_COUNTER_NUMBER,  /* a level: pages, huge pages */
	PLOT_COUNTER_EVENTS,  /* per second */
	PLOT_COUNTER_STALLED, /* microseconds of stall: percent of the time */
	PLOT_COUNTER_CPU,     /* ticks: percent of all CPUs' time */
};
/* Returns the kind of a counter by its name in common/counters.h. */
enum plot_counter_kind plot_counter_kind(const char *name);
/* Stores the value of a counter at the begin of the window. Returns 0, -ENOENT if the run did not read it, or another
 * -errno. */
int plot_counter_begin(const struct loaded *loaded, const char *name, double *value);
/* Returns the change of a counter in an interval, 0 if it is not listed: as it is for a level, else per second or in percent. */
double plot_counter_value(enum plot_counter_kind kind, const struct loaded_interval *interval, const char *name);

/* --- bars.c --- */
PLOT_KIND(bars);

/* --- iowrite.c --- */
int plot_prediction_extract(struct plot *plot);
int plot_trace_extract(struct plot *plot);
#define PLOT_MODELS 3 /* kernel, cawl, naive */
/* Whether --model lists a model, or is not given. */
bool plot_model_is_wanted(const struct plot *plot, size_t model);
/* Returns a model of a scenario; NULL = none. */
const struct report_node *plot_model_find(const struct report_node *scenario, size_t model);

/* --- errors.c --- */
PLOT_KIND(errors);

/* --- cost.c --- */
PLOT_KIND(cost);

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

/* --- picture.c --- */

/* The output files of pictures and scripts, and the check of gnuplot's output. Each function returns 0 or a diag_exit code
 * after one line. */

/* Called first: checks that the output files can be written and are not input files. */
int plot_picture_check(const struct plot_options *options);
/* Writes the script for --keep-script; does nothing without it. */
int plot_picture_write_script(const struct plot_options *options, const char *text, size_t size);
/* Refuses bytes that are not a valid picture; a NUL follows them. In an SVG the title and a description of the reports
 * replace gnuplot's texts, and *bytes is another text; the caller frees it in any case. */
int plot_picture_finish(const struct plot *plot, char **bytes, size_t *size);
int plot_picture_write(const struct plot_options *options, const char *bytes, size_t size);

/* --- gnuplot.c --- */

/*
 * Runs gnuplot as a child process that reads a script and writes a picture, both in files in memory without names,
 * and without a shell. It does not read the settings of the user or the site. The child is killed when this process ends.
 */

/* Exit statuses of gnuplot by which a script ends it after printing the reason. */
#define PLOT_GNUPLOT_REFUSED 8     /* the user must change the request */
#define PLOT_GNUPLOT_NO_TERMINAL 9 /* this gnuplot lacks the terminal */

#define PLOT_GNUPLOT_REMARK "remark: "       /* prefix of a line that a script prints for the user */

struct plot_gnuplot_limits {
	int timeout_ms;
	size_t bytes_max; /* of the picture */
};

/* Runs the gnuplot in PATH and prints the remark of the script as a warning. Returns 0 and the picture and a NUL, which the
 * caller frees, or a diag_exit code after one line: gnuplot is not installed, failed (with its first message), wrote too much or
 * nothing, or exceeded the time limit. */
int plot_gnuplot_run(const char *script, size_t size, const struct plot_gnuplot_limits *limits, char **picture,
	size_t *picture_size);

#endif
