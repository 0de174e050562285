/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private trace instance for one run (common: undo removes it after any end, kill -9 of the worker too): the three
 * block events of the target's disk by CLOCK_MONOTONIC, drained beside the run, parsed after it.
 */
#ifndef SSD_WORKLOADS_TRACE_TRACE_H
#define SSD_WORKLOADS_TRACE_TRACE_H

#include "common/undo.h"
#include "common/target.h"
#include "ssd-workloads/trace/split.h"

struct trace;

/* Whether there is a chance, without changing anything: 0, or -errno and in why (static text) what is lacking. */
int trace_check(const struct target *target, const char **why);
/* After the target is prepared (its extents are read), before threads are made. 0 or -errno, with why as above; nothing
 * is left then. */
int trace_open(struct undo *undo, const struct target *target, uint64_t bytes, struct trace **opened, const char **why);
/* 0 or -errno after one line. */
int trace_start(struct trace *trace);
int trace_stop(struct trace *trace);
/* After trace_stop; events and extents are the trace's until trace_close. */
int trace_events(struct trace *trace, const struct split_event **list, size_t *count, uint64_t *lost);
void trace_extents(const struct trace *trace, const struct split_extent **extents, size_t *count);
void trace_close(struct trace *trace); /* NULL is allowed */

#endif
