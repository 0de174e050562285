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
#include "pmbench/stamps.h"

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
