/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Axes with tics that people read: 100 ns, 1 us, 2.5 M, 512 MiB, 99.9 %. Positions and texts are made here, so that a
 * picture is the same with every gnuplot.
 */
#ifndef MEMSTOR_PLOT_AXIS_H
#define MEMSTOR_PLOT_AXIS_H

#include <stdbool.h>
#include <stdio.h>

enum plot_unit {
	PLOT_UNIT_NS,
	PLOT_UNIT_COUNT,   /* 1, 10 k, 2.5 M */
	PLOT_UNIT_PERCENT,
	PLOT_UNIT_SECONDS,
	PLOT_UNIT_BYTES,
	PLOT_UNIT_BYTES_PER_SECOND,
	PLOT_UNIT_NINES,   /* x = 1 / (1 - p), as p in percent */
};

struct plot_axis {
	const char *name; /* gnuplot's: "x" "y" "y2" "cb" */
	const char *title; /* NULL = neither title nor tics' texts */
	enum plot_unit unit;
	bool is_log;
	double low, high;
};

/* Values drawn so far; begun with PLOT_EXTENT_NONE. NAN and infinities are passed over. */
struct plot_extent {
	double low, high;
};
#define PLOT_EXTENT_NONE ((struct plot_extent){__builtin_inf(), -__builtin_inf()})
void plot_extent_add(struct plot_extent *extent, double value);

/* The axis around what is drawn: a log one with some room on both sides, at least a factor of 2 wide; a linear one with
 * 0, from tic to tic. Without values 1 to 10, or 0 to 1. */
void plot_axis_fit(struct plot_axis *axis, const struct plot_extent *extent);
/* Range, scale and tics; the title is the frame's. low < high; of a log axis above 0. */
void plot_axis_write(FILE *out, const struct plot_axis *axis);
/* Where on the axis the value is: 0 its begin, 1 its end. */
double plot_axis_share(const struct plot_axis *axis, double value);
/* "1 us", "2.5 M", ... Returns text. */
char *plot_axis_format(enum plot_unit unit, double value, char *text, size_t length);
/* The same to three digits, for values that are no tics. */
char *plot_axis_format_short(enum plot_unit unit, double value, char *text, size_t length);

#endif
