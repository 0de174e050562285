/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --kernel-split: how much of a fault is the way into the kernel, its handling, and the way back. The kernel's stamps
 * (stamps.h) and the user's stop watch are brought to one clock, CLOCK_MONOTONIC, by a reading between two stamps
 * that is renewed while it is young. Each stamp lengthens the fault; by how much is measured when they are opened.
 *
 * One per thread, opened, used and closed by that thread; its memory is locked where the limits allow.
 */
#ifndef PMBENCH_KERNEL_SPLIT_H
#define PMBENCH_KERNEL_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include "common/timebase.h"

/* --- stamps ---
 *
 * When the kernel began and ended to handle the calling thread's last fault. Three BPF programs of six instructions
 * hang on the thread's own perf software events and write the clock into a page that the thread sees: page-faults
 * fires as soon as the exception handler may be interrupted again, minor-faults and major-faults at the end of
 * handle_mm_fault().
 *
 * No tracepoint: what page_fault_user adds over page-faults is less than the stamp itself costs, it would run one
 * program per measuring thread in every thread's faults, and only x86 has it.
 */
enum stamps_at { STAMPS_BEGIN, STAMPS_END_MINOR, STAMPS_END_MAJOR, STAMPS };

struct stamps {
	int map_fd;
	int event_fd[STAMPS];
	uint64_t *ns; /* [STAMPS] of CLOCK_MONOTONIC, written by the kernel; 0 = never */
};

static inline uint64_t stamps_read(const struct stamps *stamps, enum stamps_at at)
{
	return __atomic_load_n(&stamps->ns[at], __ATOMIC_RELAXED);
}

/* --- the parts of a fault --- */

struct result_kernel_split;
struct kernel_split_counts;

enum kernel_split_kind { KERNEL_SPLIT_MINOR, KERNEL_SPLIT_MAJOR, KERNEL_SPLIT_KINDS };
enum kernel_split_span { SPLIT_ENTRY, SPLIT_HANDLE, SPLIT_EXIT, SPLIT_TOTAL, SPLIT_SPANS };

/* Two clocks read at the same moment. */
struct kernel_split_anchor {
	uint64_t ticks, monotonic_ns;
};

struct kernel_split {
	struct stamps stamps;
	enum ticks_method method;
	uint64_t mult;
	uint64_t anchor_ticks_max;          /* an anchor older than this is renewed */
	struct kernel_split_anchor anchor;
	struct kernel_split_counts *counts; /* fine histograms, own mapping */
	double cost_ns;                     /* that the stamps add to a minor fault */
	uint64_t strays;                    /* faults whose stamps do not lie inside the access: not counted */
};

/* 0, or -errno and why in reason. */
int kernel_split_open(struct kernel_split *split, const struct timebase *timebase, char *reason, size_t reason_length);
/* Around a window. 0 or -errno. */
int kernel_split_begin(struct kernel_split *split);
int kernel_split_end(struct kernel_split *split);
/* After an access with exactly one fault. */
void kernel_split_take(struct kernel_split *split, enum kernel_split_kind kind, uint64_t start_ticks,
	uint64_t stop_ticks);
/* All counts are 0 again. */
void kernel_split_forget(struct kernel_split *split);
void kernel_split_close(struct kernel_split *split);

/* One thread's medians as a result. */
void kernel_split_result(const struct kernel_split *split, struct result_kernel_split *result);

#endif
