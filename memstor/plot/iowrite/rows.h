/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elements whose attributes are numbers, as a table. */
#ifndef MEMSTOR_PLOT_IOWRITE_ROWS_H
#define MEMSTOR_PLOT_IOWRITE_ROWS_H

#include <stddef.h>
#include <stdio.h>

#include "common/report_read.h"
#include "memstor/plot/axis.h"

#define PLOT_ROWS_COLUMNS 8

struct plot_rows {
	size_t count, columns;
	double (*values)[PLOT_ROWS_COLUMNS]; /* NAN = absent; freed by the caller */
};

/* The children of parent that are called element; attributes, ended by NULL, are the columns. 0, or a diag_exit code after
 * one line. */
int plot_rows_take(const struct report_node *parent, const char *element, const char *const *attributes,
	struct plot_rows *rows);
/* What the last row says holds until then: one row more, unless that is not after it. 0, or a diag_exit code after one
 * line. */
int plot_rows_hold(struct plot_rows *rows, double until);
/* As gnuplot's data block of this name ("$states"). */
void plot_rows_write(FILE *out, const char *name, const struct plot_rows *rows);
void plot_rows_extend(const struct plot_rows *rows, size_t column, struct plot_extent *extent);

#endif
