/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --kernel-split: divides the latency of a fault into the entry into the kernel, its handling, and the exit. The stamps
 * of the kernel and of the user are converted to one clock, CLOCK_MONOTONIC, by an anchor: a reading of that clock between
 * two user stamps, renewed when it is too old. Each stamp lengthens the fault; the cost is measured at the opening.
 *
 * Each thread opens, uses and closes its own; its memory is locked if the limits permit.
 */
#ifndef PMBENCH_ACCESS_KERNEL_SPLIT_H
#define PMBENCH_ACCESS_KERNEL_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/host/timebase.h"
#include "schema/pmbench.h"

/* --- stamps ---
 *
 * Times at which the kernel began and ended the handling of the calling thread's last fault. Three short BPF programs are
 * attached to the thread's own perf software events and write the clock into a page that the thread can read: page-faults
 * fires when the exception handler has enabled interrupts again, minor-faults and major-faults at the end of
 * handle_mm_fault().
 *
 * The tracepoint page_fault_user is not used: it would fire earlier by less than the cost of a stamp, it would run the
 * programs of all measuring threads in every thread's faults, and only x86 has it.
 */
enum stamps_at { STAMPS_BEGIN, STAMPS_END_MINOR, STAMPS_END_MAJOR, STAMPS };

struct stamps {
	int map_fd;
	int event_fd[STAMPS];
	uint64_t *ns; /* [STAMPS], times of CLOCK_MONOTONIC, written by the kernel; 0 = none yet */
};

static inline uint64_t stamps_read(const struct stamps *stamps, enum stamps_at at)
{
	return __atomic_load_n(&stamps->ns[at], __ATOMIC_RELAXED);
}

/* --- the parts of a fault --- */

struct kernel_split_counts;

enum kernel_split_kind { KERNEL_SPLIT_MINOR, KERNEL_SPLIT_MAJOR, KERNEL_SPLIT_KINDS };
enum kernel_split_span { SPLIT_ENTRY, SPLIT_HANDLE, SPLIT_EXIT, SPLIT_TOTAL, SPLIT_SPANS };

/* two clocks, read at the same time */
struct kernel_split_anchor {
	uint64_t ticks, monotonic_ns;
};

struct kernel_split {
	struct stamps stamps;
	enum ticks_method method;
	uint64_t mult;
	uint64_t anchor_ticks_max;          /* an anchor older than this is renewed */
	struct kernel_split_anchor anchor;
	struct kernel_split_counts *counts; /* fine histograms, in a mapping of their own */
	double cost_ns;                     /* added by the stamps to a minor fault */
	uint64_t strays;                    /* faults whose stamps do not lie within the access; not in the histograms */
};

/* Returns 0, or -errno and the cause in reason. */
int kernel_split_open(struct kernel_split *split, const struct timebase *timebase, char *reason, size_t reason_length);
/* Switch the stamps on before a window and off after it. Return 0 or -errno. */
int kernel_split_begin(struct kernel_split *split);
int kernel_split_end(struct kernel_split *split);
/* Counts the parts of an access; call it after an access with exactly one fault. */
void kernel_split_take(struct kernel_split *split, enum kernel_split_kind kind, uint64_t start_ticks,
	uint64_t stop_ticks);
/* Resets all counts to 0. */
void kernel_split_forget(struct kernel_split *split);
void kernel_split_close(struct kernel_split *split);

/* measurements of one thread, or of all threads */
struct kernel_split_summary {
	bool is_available;
	char reason[160];
	/* Medians; of several threads the mean of their medians, weighted by count. A count of 0 means no faults. */
	struct pm_fault_parts_values parts[KERNEL_SPLIT_KINDS];
	double cost_ns_per_fault;             /* added by the stamps, measured at the start */
};

/* Summarises what one thread has counted. */
void kernel_split_summarize(const struct kernel_split *split, struct kernel_split_summary *summary);

#endif
