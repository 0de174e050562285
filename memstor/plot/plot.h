/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A picture in the making:
 *
 *   argv --options--> plot --take, report by report--> state --draw--> script --gnuplot--> bytes --> file
 *
 * No report is held in memory longer than it takes to read it: what is drawn is copied out.
 */
#ifndef MEMSTOR_PLOT_PLOT_H
#define MEMSTOR_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "memstor/plot/fact.h"
#include "memstor/plot/options.h"
#include "memstor/plot/text.h"

#define PLOT_NOTES_MAX 12

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
	char title[256];     /* a kind's own, "" = made from the options of the reports */
	bool is_too_small;   /* for what is to be in it */
	size_t drawn_count;
	char **drawn; /* names of what is plotted, in the order of the script; "" = nothing to say */
	struct plot_texts texts; /* of the script */
	FILE *script;
	void *state; /* the kind's own */
};

/* One line at the foot of the picture, warnings first; the same text is kept once. Of more than PLOT_NOTES_MAX those
 * that are no warnings, and the latest, are left out. */
void plot_note(struct plot *plot, bool is_warning, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The name of what the next element of a plot command is; for those who cannot see the picture, or point at it. */
void plot_drawn(struct plot *plot, const char *name);

/* By --class, whose patterns are fnmatch's. */
bool plot_class_is_wanted(const struct plot_options *options, const char *id);
/* The whole script for the files of the options; freed by the caller. 0 or a diag_exit code after one line. */
int plot_make(struct plot *plot, char **script, size_t *size);
void plot_free(struct plot *plot);

#endif
