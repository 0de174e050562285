/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture in the making:
 *
 *   argv --options--> plot --take, report by report--> state --extract--> variables and data blocks
 *   + common.gp + KIND.gp = script --gnuplot--> bytes --> file
 *
 * A kind is a row of the table in plot.c: what it takes of each report, the data blocks that it writes, and a template
 * of gnuplot that has the axes, keys, styles and titles. No report is held in memory longer than it takes to read it.
 */
#ifndef MEMSTOR_PLOT_PLOT_H
#define MEMSTOR_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "memstor/embedded.h"
#include "memstor/loaded/loaded.h"
#include "memstor/plot/names.h"
#include "memstor/plot/options.h"
#include "memstor/plot/text.h"

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
	void *state; /* the kind's own */
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
	/* Both return 0 or a diag_exit code after one line. loaded is gone after take. */
	int (*take)(struct plot *plot, const struct loaded *loaded);
	int (*extract)(struct plot *plot);
	void (*free)(struct plot *plot); /* what state points to; NULL = nothing */
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
/* Room for one more of count items; NULL (what there was stays) = no memory. */
void *plot_grow(void *items, size_t count, size_t *room, size_t size);
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

/* A data block "$NAME": begin, rows, end. Between two parts of it ("index" in gnuplot) stand two blank lines. */
void plot_block(struct plot *plot, const char *name, const char *columns);
void plot_values(struct plot *plot, const double *values, size_t count);
#define plot_row(plot, ...) \
	plot_values(plot, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void plot_next_index(struct plot *plot);
void plot_block_end(struct plot *plot);
/* One line of a block of texts: gnuplot neither parses nor expands it. It begins with a blank, so that no text can be
 * the end of the block; a template takes $NAME[i][2:*]. Cut to so many characters; of a tic's label '%' is doubled. */
void plot_text_line(struct plot *plot, const char *text, size_t columns, bool is_tic);
/* How many characters a name in a legend may have. */
size_t plot_key_columns(const struct plot *plot);
/* Names of a legend. */
void plot_texts(struct plot *plot, const char *name, char *const *texts, size_t count);

#endif
