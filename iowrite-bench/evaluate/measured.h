/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the writes of a trial cost, as predictions are held against it: without the clock's own cost, which is in every
 * record once and in no prediction (a third of an fwrite of 256 bytes), and sorted into groups of equal size.
 *
 * A clock goes in steps: of 10 ns on many a machine, where an fwrite of 256 bytes takes 11 ns and reads 7 or 17. What a
 * write has cost may be anything less than a step above or below its reading (docs/adr/0030-what-a-clock-can-tell.md).
 */
#ifndef IOWRITE_BENCH_EVALUATE_MEASURED_H
#define IOWRITE_BENCH_EVALUATE_MEASURED_H

#include <math.h>
#include <stddef.h>

#include "iowrite-bench/writer.h"

struct measured_clock {
	double overhead_ns, step_ns; /* step 0 = not known: it is taken for none */
};

struct measured {
	size_t count;
	double step_ns;     /* of the clock */
	double *ns;         /* of each write, at least 1 */
	unsigned *group;    /* of writes of one size, from 0 in the order of size */
	unsigned group_count;
	double *group_mean; /* ns; group_count of them */
	double total_ns;
};

/* 0 or -ENOMEM. count > 0. */
int measured_make(const struct record *records, size_t count, const struct measured_clock *clock, struct measured *measured);

void measured_free(struct measured *measured);

/* What a write's errors are parts of: its reading, and of one below half of a step that half, which it might have been. */
static inline double measured_scale(const struct measured *measured, size_t index)
{
	return fmax(measured->ns[index], measured->step_ns / 2);
}

/* |ns - m| / m of the write's reading m, as far as the clock can tell: what is less than its step is none. */
static inline double measured_error(const struct measured *measured, size_t index, double ns)
{
	double distance = fabs(ns - measured->ns[index]) - measured->step_ns;

	return distance <= 0 ? 0 : distance / measured_scale(measured, index);
}

#endif
