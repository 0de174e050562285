/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one table of pictures. A kind takes from each report what it draws, in the order of the command line, and then
 * writes its part of the script; a tool that needs a picture of its own adds a row, and a file for its two functions.
 */
#ifndef MEMSTOR_PLOT_KIND_H
#define MEMSTOR_PLOT_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/loaded/loaded.h"
#include "memstor/plot/plot.h"

struct plot_kind {
	const char *name;
	const char *summary;
	/* Options that mean something to it, with blanks between; those that no kind names are every kind's. "--": groups. */
	const char *takes;
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
bool plot_kind_takes(const struct plot_kind *kind, const char *option);
/* "histogram, cdf, ... or bars": the kinds that name the option, NULL = all. Returns text. */
char *plot_kind_names(const char *option, char *text, size_t length);

#endif
