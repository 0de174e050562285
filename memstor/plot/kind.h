/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one table of pictures. A kind takes from each report what it draws, in the order of the command line, and then
 * writes its part of the script; a tool that needs a picture of its own adds a row, and a file for its two functions.
 */
#ifndef MEMSTOR_PLOT_KIND_H
#define MEMSTOR_PLOT_KIND_H

#include <stddef.h>

#include "memstor/loaded/loaded.h"
#include "memstor/plot/plot.h"

enum plot_takes { /* options that mean something to a kind; the others are refused */
	PLOT_TAKES_TYPE = 1,
	PLOT_TAKES_CLASS = 2,
	PLOT_TAKES_MARK = 4,
	PLOT_TAKES_COUNTER = 8,
	PLOT_TAKES_THRESHOLD = 16,
	PLOT_TAKES_METRIC = 32,
	PLOT_TAKES_WINDOW = 64,
	PLOT_TAKES_X_RANGE = 128,
	PLOT_TAKES_Y_RANGE = 256,
	PLOT_TAKES_Y = 512,
	PLOT_TAKES_SHARE = 1024,
	PLOT_TAKES_GROUPS = 2048,
	PLOT_TAKES_LEGEND = 4096,
	PLOT_TAKES_SCENARIO = 8192,
	PLOT_TAKES_MODEL = 16384,
};

struct plot_kind {
	const char *name;
	const char *summary;
	unsigned takes;       /* enum plot_takes */
	bool needs_series;
	size_t reports_max;   /* 0 = as many as there are */
	size_t state_size;    /* of plot->state, cleared before the first report */
	/* Both return 0 or a diag_exit code after one line. loaded is gone after take. */
	int (*take)(struct plot *plot, const struct loaded *loaded);
	int (*draw)(struct plot *plot);
	void (*free)(struct plot *plot); /* what state points to; NULL = nothing */
};

/* Ended by a row without a name. */
extern const struct plot_kind plot_kind_table[];
/* NULL = no such kind. */
const struct plot_kind *plot_kind_find(const char *name);
/* By number from 0; NULL = no more. */
const char *plot_kind_name(size_t i);
/* "histogram, cdf, ... or bars": the kinds that take one of these, 0 = all. Returns text. */
char *plot_kind_names(unsigned takes, char *text, size_t length);

#endif
