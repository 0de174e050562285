/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a slow access was: a hit that something interrupted, a minor or a major fault. The kernel is asked for
 * the thread's own fault counts, but only after accesses slower than any fault can be fast (docs/measuring.md);
 * the rise since the last question belongs to the access.
 *
 * That holds as long as nothing but slow accesses faults. The infrastructure is prefaulted and locked for it, and
 * what happens nevertheless is found in three ways: faults after the last slow access are missing from the sum
 * (inexact); every 64th faulting access, and each of the first 64, is followed by a second question, whose rise is the
 * bookkeeping's own and stays out of the classes (inexact too); a stray fault before an access that faulted itself
 * makes a multiple (access_slow.multiple). Only a stray fault before a slow hit is taken for the hit's; as slow hits
 * are few beside faults (access_half.slow_hits), multiple bounds how often. With a fault trace nothing is
 * inferred: each fault is matched by its address.
 */
#ifndef PMBENCH_CLASSIFY_H
#define PMBENCH_CLASSIFY_H

#include "common/timebase.h"
#include "pmbench/access.h"
#include "pmbench/fault_trace.h"
#include "pmbench/kernel_split.h"
#include "pmbench/trace_marker.h"

/* The latency that no fault undercuts: 0.7 times the fastest of 16 rounds of 64 first reads of fresh pages, the kernel's
 * shortest fault. Call before the window, on a CPU of the run. -ENODATA when the reads did not fault or
 * the clock is too coarse to see it. */
int classify_calibrate(const struct timebase *timebase, uint64_t *slow_ticks);

/* One thread's; in locked memory, zeroed, "in" fields set by the caller, then classify_attach. */
struct classify_state {
	/* in */
	bool asks_kernel;                       /* false: --classify none, no fault is looked for */
	uint64_t fault_ticks;                   /* classify_calibrate's */
	uint64_t over_ticks;                    /* -h; 0 = none */
	unsigned number;                        /* the thread's, for the marker */
	struct access_page *page[ACCESS_CLASSES]; /* MINOR and MAJOR, counts 0 and minima UINT64_MAX; ALL is not used */
	struct access_hdr *hdr[ACCESS_CLASSES];   /* the same, NULL without --hdr */
	struct access_slow *slow;               /* zeroed */
	struct fault_trace *trace;              /* open, or NULL */
	struct kernel_split *split;             /* open, or NULL */
	struct trace_marker *marker;            /* open, or NULL */
	void (*usage)(struct fault_counts *faults);     /* NULL = the kernel's; tests give their own */
	/* own */
	struct access_thread *thread;           /* attached */
	uint64_t begin_minor, begin_major;
	uint64_t kernel_minor, kernel_major;    /* over all windows that have ended */
};

/* Makes the thread call this state: on_slow, slow_state, slow_ticks and whether the loop asks by itself. Starts from
 * nothing: to be called again when pages and slow have been cleared after a warm-up. */
void classify_attach(struct classify_state *state, struct access_thread *thread);

/* Around each call of access_run, on the thread itself, as close to it as can be; windows add up. 0, or -errno when
 * the trace or the split could not be switched (the thread's faults then come out inexact). */
int classify_begin(struct classify_state *state);
int classify_end(struct classify_state *state);

/* Kernel's count = classified + outside + what inexact counts in absolute value, minor and major added. */
struct classify_sums {
	uint64_t kernel_minor, kernel_major;
	uint64_t classified_minor, classified_major;
	uint64_t outside_minor, outside_major; /* the fault trace saw them elsewhere; 0 without one */
	uint64_t inexact;
};
/* After the last classify_end. All zero with asks_kernel false but the kernel's counts. */
void classify_sum(const struct classify_state *state, struct classify_sums *sums);

/* The accesses of a page; its thread may be running. */
uint64_t classify_count(const struct access_page *page);

#endif
