/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of memstor plot. */
#ifndef MEMSTOR_PLOT_OPTIONS_H
#define MEMSTOR_PLOT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "common/command.h"

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

#endif
