/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel's counters of a series mean: levels or events, and in which unit they are drawn. */
#ifndef MEMSTOR_PLOT_COUNTER_H
#define MEMSTOR_PLOT_COUNTER_H

#include <stdbool.h>

#include "memstor/loaded/loaded.h"
#include "memstor/plot/axis.h"

enum plot_counter_kind {
	PLOT_COUNTER_BYTES,   /* a level */
	PLOT_COUNTER_NUMBER,  /* a level: pages, huge pages */
	PLOT_COUNTER_EVENTS,  /* per second */
	PLOT_COUNTER_STALLED, /* microseconds of stall: percent of the time */
	PLOT_COUNTER_CPU,     /* ticks: percent of all CPUs' time */
};

/* By the names of common/vmcounters.h. */
enum plot_counter_kind plot_counter_kind(const char *name);
bool plot_counter_is_level(enum plot_counter_kind kind);
const char *plot_counter_title(enum plot_counter_kind kind); /* of its axis */
enum plot_unit plot_counter_unit(enum plot_counter_kind kind);

/* Its value when the window began: -ENOENT when the run did not read it. */
int plot_counter_begin(const struct loaded *loaded, const char *name, double *value);
/* What it changed by in the interval; 0 when it is not listed. */
double plot_counter_change(const struct loaded_interval *interval, const char *name);
/* The change in the unit of its kind: itself of a level, else per second or percent. */
double plot_counter_value(enum plot_counter_kind kind, const struct loaded_interval *interval, const char *name);

#endif
