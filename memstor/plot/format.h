/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pictures are written as: the one table of formats. */
#ifndef MEMSTOR_PLOT_FORMAT_H
#define MEMSTOR_PLOT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct plot_format {
	const char *name; /* also the suffix */
	unsigned width, height; /* pixels when nothing is asked for; of a pdf 1/96 inch */
	const char *terminals[3]; /* of gnuplot, the best first */
	const char *without_best; /* what the others lack; NULL = there are no others */
	const char *magic, *end;  /* what such a file begins with, and ends with but for line ends */
	bool is_pixels;           /* more pixels are a finer picture, not a larger one */
	/* The options of `set terminal` behind the terminal's name. */
	void (*write_options)(FILE *out, const char *terminal, unsigned width, unsigned height);
};

/* NULL = no such format. */
const struct plot_format *plot_format_find(const char *name);
const struct plot_format *plot_format_of_file(const char *path); /* by its suffix, in any case of letters */

/* The picture in layout units, in which all sizes of text and lines are: 960 of them are as wide as a page. */
struct plot_layout {
	double width, height;
};
struct plot_layout plot_format_layout(const struct plot_format *format, unsigned width, unsigned height);

/* The first commands of a script: the terminal, or the end of gnuplot with a message that names what is missing. */
void plot_format_write(FILE *out, const struct plot_format *format, unsigned width, unsigned height);

#endif
