/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies a slow access: an interrupted hit, a minor fault or a major fault. The kernel is asked for
 * the thread's own fault counts, but only after an access that took longer than the fastest fault (docs/measuring.md);
 * the increase since the last query is attributed to the access.
 *
 * The attribution is correct as long as only slow accesses cause faults. For this reason the infrastructure is
 * prefaulted and locked. Other faults (stray faults) are detected in three ways: faults after the last slow access are
 * missing from the sum (inexact); every 64th faulting access, and each of the first 64, is followed by a second query,
 * whose increase is due to the bookkeeping and is in no class (inexact, too); a stray fault before an access that faults
 * itself is counted in access_slow.multiple. Only a stray fault before a slow hit is attributed to the hit; since slow
 * hits are rare compared with faults (access_half.slow_hits), multiple bounds their number.
 */
#ifndef PMBENCH_ACCESS_CLASSIFY_H
#define PMBENCH_ACCESS_CLASSIFY_H

#include "common/host/timebase.h"
#include "pmbench/access/access.h"
#include "pmbench/access/kernel_split.h"
#include "pmbench/access/trace_marker.h"

/* Sets *slow_ticks to a latency below that of any fault: 0.7 times the fastest first read of a new page, the kernel's
 * shortest fault, in 16 rounds of 64 reads. Call it before the window, on a CPU of the run. Returns 0 or -errno; -ENODATA
 * if the reads caused no faults or the clock is too coarse. */
int classify_calibrate(const struct timebase *timebase, uint64_t *slow_ticks);

/* State of one thread, in locked memory. The caller clears it, sets the "in" fields and calls classify_attach. */
struct classify_state {
	/* in */
	bool asks_kernel;                       /* false with --classify none */
	uint64_t fault_ticks;                   /* of classify_calibrate */
	uint64_t over_ticks;                    /* of -h; 0 = none */
	unsigned number;                        /* of the thread, for the marker */
	struct access_page *page[ACCESS_CLASSES]; /* of MINOR and MAJOR, counts 0 and minima UINT64_MAX; ALL is unused */
	struct access_hdr *hdr[ACCESS_CLASSES];   /* of the same classes, NULL without --hdr */
	struct access_slow *slow;               /* zeroed */
	struct kernel_split *split;             /* open, or NULL */
	struct trace_marker *marker;            /* open, or NULL */
	void (*usage)(struct fault_counts *faults);     /* reads the fault counts; NULL = the kernel's, tests set another */
	/* internal */
	struct access_thread *thread;           /* set by classify_attach */
	uint64_t begin_minor, begin_major;
	uint64_t kernel_minor, kernel_major;    /* over all windows that have ended */
};

/* Connects the thread with this state: sets its on_slow, slow_state, slow_ticks, over_ticks and asks_kernel. All counts
 * start at 0; call it again when pages and slow have been cleared after a warm-up. */
void classify_attach(struct classify_state *state, struct access_thread *thread);

/* Begin and end a window: call them on the thread itself, directly before and after access_run. The counts of several
 * windows are added. Both return 0 or -errno if the trace or the split could not be switched on or off (the thread's
 * faults are then inexact). */
int classify_begin(struct classify_state *state);
int classify_end(struct classify_state *state);

/* inexact = |kernel - classified - outside| of minor faults + the same of major faults. */
struct classify_sums {
	uint64_t kernel_minor, kernel_major;
	uint64_t classified_minor, classified_major;
	uint64_t inexact;
};
/* Call it after the last classify_end. With asks_kernel false all fields except the kernel's counts are 0. */
void classify_sum(const struct classify_state *state, struct classify_sums *sums);

/* Returns the number of accesses counted in a page, also while its thread is running. */
uint64_t classify_count(const struct access_page *page);

#endif
