/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Each fault of the calling thread with its address: the perf software events minor-faults and major-faults in one
 * ring. Works unprivileged up to kernel.perf_event_paranoid 2. Only faults from user mode are recorded.
 *
 * One per thread, opened, used and closed by that thread. The ring is the kernel's own memory, never swapped.
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
	uint64_t tail;              /* first byte not taken yet */
	uint64_t page_mask;
	uint64_t map_begin, map_end;
	/* counts of all windows */
	uint64_t records, lost;
	uint64_t in_map_minor, in_map_major;
	uint64_t outside_minor, outside_major; /* of the map: the program's own */
	double cost_ns;             /* per minor fault */
};

/* Faults of one access. */
struct fault_trace_faults {
	uint64_t minor, major;
};

/* Opens the events and measures what they add to a fault. Nothing is recorded before fault_trace_begin. 0, or
 * -errno and why in reason. */
int fault_trace_open(struct fault_trace *trace, const struct timebase *timebase, const void *map, size_t bytes,
	char *reason, size_t reason_length);
/* Around a window. 0 or -errno. */
int fault_trace_begin(struct fault_trace *trace);
int fault_trace_end(struct fault_trace *trace);
/* Takes every record since the last call; those in the page of `address` are the access's. */
void fault_trace_take(struct fault_trace *trace, const void *address, struct fault_trace_faults *faults);
/* All counts are 0 again. */
void fault_trace_forget(struct fault_trace *trace);
void fault_trace_close(struct fault_trace *trace);

/* One thread's counts as a result. */
void fault_trace_result(const struct fault_trace *trace, struct result_fault_trace *result);

#endif
