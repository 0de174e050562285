/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of CSV for reports of iowrite-bench and ssd-workloads; for convert/csv.c only. */
#ifndef MEMSTOR_CONVERT_CSV_H
#define MEMSTOR_CONVERT_CSV_H

#include <stddef.h>
#include <stdio.h>

#include "memstor/loaded/loaded.h"

extern const char *const csv_cell_names[], *const csv_scenario_names[], *const csv_stream_names[],
	*const csv_subject_series_names[];
extern const size_t csv_cell_count, csv_scenario_count, csv_stream_count, csv_subject_series_count;

/* Mean, percentiles and maximum; empty cells where there is no such histogram. */
void csv_add_histogram(FILE *out, const struct loaded *loaded, const char *type, const char *class);
void csv_add_cells(FILE *out, const struct loaded *loaded);
void csv_add_scenarios(FILE *out, const struct loaded *loaded);
void csv_add_streams(FILE *out, const struct loaded *loaded);
/* Intervals of cells and streams, writes of scenarios, and the kernel's events. */
void csv_add_subject_series(FILE *out, const struct loaded *loaded);

#endif
