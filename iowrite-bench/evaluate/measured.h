/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the writes of a trial cost, as predictions are held against it: without the clock's own cost, which is in every
 * record once and in no prediction (a third of an fwrite of 256 bytes), and sorted into groups of equal size.
 */
#ifndef IOWRITE_BENCH_EVALUATE_MEASURED_H
#define IOWRITE_BENCH_EVALUATE_MEASURED_H

#include <stddef.h>

#include "iowrite-bench/writer.h"

struct measured {
	size_t count;
	double *ns;         /* of each write, at least 1 */
	unsigned *group;    /* of writes of one size, from 0 in the order of size */
	unsigned group_count;
	double *group_mean; /* ns; group_count of them */
	double total_ns;
};

/* 0 or -ENOMEM. count > 0. */
int measured_make(const struct record *records, size_t count, double clock_overhead_ns, struct measured *measured);
void measured_free(struct measured *measured);

#endif
