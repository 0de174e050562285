/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records each fault of the calling thread with its address: the perf software events minor-faults and major-faults in
 * one ring. Works without privilege up to kernel.perf_event_paranoid 2. Only faults from user mode are recorded.
 *
 * Each thread opens, uses and closes its own. The ring is kernel memory, which is never swapped.
 */
#ifndef PMBENCH_FAULT_TRACE_H
#define PMBENCH_FAULT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/perf.h"
#include "common/timebase.h"

struct result_fault_trace;

struct fault_trace {
	int minor_fd, major_fd;
	uint64_t minor_id, major_id;
	struct perf_ring ring;
	uint64_t tail;              /* first byte of the ring that was not taken yet */
	uint64_t page_mask;
	uint64_t map_begin, map_end;
	/* counts over all windows */
	uint64_t records, lost;
	uint64_t in_map_minor, in_map_major;
	uint64_t outside_minor, outside_major; /* outside the map: faults of the program itself */
	double cost_ns;             /* added to each minor fault */
};

/* Number of faults of one access. */
struct fault_trace_faults {
	uint64_t minor, major;
};

/* Opens the events and measures their cost per fault. Recording starts with fault_trace_begin. Returns 0, or -errno and
 * the cause in reason. */
int fault_trace_open(struct fault_trace *trace, const struct timebase *timebase, const void *map, size_t bytes,
	char *reason, size_t reason_length);
/* Switch the recording on before a window and off after it. Return 0 or -errno. */
int fault_trace_begin(struct fault_trace *trace);
int fault_trace_end(struct fault_trace *trace);
/* Takes every record since the last call; *faults counts those in the page of `address`. */
void fault_trace_take(struct fault_trace *trace, const void *address, struct fault_trace_faults *faults);
/* Resets all counts to 0. */
void fault_trace_forget(struct fault_trace *trace);
void fault_trace_close(struct fault_trace *trace);

/* Converts the counts of one thread to a result. */
void fault_trace_result(const struct fault_trace *trace, struct result_fault_trace *result);

#endif
