/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of ssd-workloads analyze, and what pictures of its reports are called. */
#ifndef MEMSTOR_PLOT_SSD_TABLE_H
#define MEMSTOR_PLOT_SSD_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/loaded/loaded.h"
#include "memstor/plot/plot.h"

#define PLOT_TABLE_COLUMNS 16
#define PLOT_STREAMS 2
extern const char *const plot_stream_names[PLOT_STREAMS];
size_t plot_stream_of(const char *name); /* PLOT_STREAMS = none */

struct plot_table {
	const struct report_node *analysis, *row;
	size_t count, at[PLOT_TABLE_COLUMNS]; /* where each of the wanted columns stands; PLOT_TABLE_COLUMNS = nowhere */
};

/* Whether there is a table of this figure; columns: those wanted. */
bool plot_table_open(const struct loaded *loaded, const char *figure, const char *const *columns, size_t count,
	struct plot_table *table);
/* The fields of the next row, "" where the row has none. They are the report's. */
bool plot_table_next(struct plot_table *table, const char **fields);
void plot_table_mix(const struct plot_table *table, char mix[64]); /* untouched when the table does not say */
double plot_table_number(const char *text); /* NAN = it is none, as "-" */

/* "WHAT: M-N, durability dsync": the title, with what all reports have in common; mix: in place of their option, "" = none. */
void plot_ssd_title(struct plot *plot, const char *what, const char *mix);

#endif
