/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages to calibrate on: the first touch of each is a minor fault, even under mlockall(MCL_FUTURE). Never used
 * inside the measured window.
 */
#ifndef PMBENCH_SCRATCH_H
#define PMBENCH_SCRATCH_H

#include <stddef.h>
#include <stdint.h>
#include "common/timebase.h"

struct scratch {
	char *base;
	size_t pages, page_bytes;
};

/* Anonymous, private, base pages only. 0 or -errno. */
int scratch_open(struct scratch *scratch, size_t pages);
/* Drops what was touched: the next touch of each page faults again. 0 or -errno. */
int scratch_renew(struct scratch *scratch);
void scratch_close(struct scratch *scratch);

/* Reads or writes one word of each of the pages first..first + count - 1 and stores the latency of each in
 * ticks[0..count - 1]. */
void scratch_read(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks);
void scratch_write(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks);

typedef int scratch_switch(void *state);
/* What it adds to a minor fault that something is switched on by begin and off by end: the difference of two medians. 0
 * or -errno, that of the switches too. */
int scratch_cost(const struct timebase *timebase, scratch_switch *begin, scratch_switch *end, void *state, double *cost_ns);

#endif
