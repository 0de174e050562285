/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model's state beside the kernel's at the same time. A model says what is dirty and being written back after each
 * write; it is laid where that write really ended, and between two of them on the straight line.
 */
#ifndef IOWRITE_BENCH_TRACE_BESIDE_H
#define IOWRITE_BENCH_TRACE_BESIDE_H

#include "iowrite-bench/trace/timeline.h"

struct beside_point { /* rising times */
	uint64_t time_ns;  /* since the first write began */
	double bytes;      /* dirty and being written back */
};

/* count > 0; before the first point and behind the last one it is theirs. */
double beside_at(const struct beside_point *points, size_t count, uint64_t time_ns);

struct beside_gap {
	uint64_t time_ns;
	double model_bytes, kernel_bytes;
};
/* Where the two are furthest apart. 0, or -ENODATA without points or events. */
int beside_largest(const struct beside_point *points, size_t count, const struct timeline *timeline,
	struct beside_gap *gap);

#endif
