/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private trace instance for one run (common: undo removes it after any end, also after kill -9 of the worker): the three block
 * events of the target's disk by CLOCK_MONOTONIC, drained during the run and parsed after it.
 */
#ifndef SSD_WORKLOADS_DUMP_TRACE_H
#define SSD_WORKLOADS_DUMP_TRACE_H

#include "common/storage/target.h"
#include "common/undo/undo.h"
#include "ssd-workloads/dump/split.h"

struct trace;

/* Checks without changes whether tracing is possible. Returns 0, or -errno and in why (static text) what is missing. */
int trace_check(const struct target *target, const char **why);
/* Opens the trace, after the target is prepared (its extents are read) and before threads are created. Returns 0 or -errno, with
 * why as above; on errors nothing is left. */
int trace_open(struct undo *undo, const struct target *target, uint64_t bytes, struct trace **opened, const char **why);
/* Return 0, or -errno after an error message. */
int trace_start(struct trace *trace);
int trace_stop(struct trace *trace);
/* Give the events and extents, after trace_stop; they are the trace's until trace_close. */
void trace_events(struct trace *trace, const struct split_event **list, size_t *count, uint64_t *lost);
void trace_extents(const struct trace *trace, const struct split_extent **extents, size_t *count);
void trace_close(struct trace *trace); /* NULL is allowed */

#endif
