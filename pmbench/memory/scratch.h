/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages for calibration: the first touch of each is a minor fault, even under mlockall(MCL_FUTURE). They are not used
 * in the measured window.
 */
#ifndef PMBENCH_MEMORY_SCRATCH_H
#define PMBENCH_MEMORY_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/host/timebase.h"

struct scratch {
	char *base;
	size_t pages, page_bytes;
};

/* Maps anonymous private memory of base pages only. Returns 0 or -errno. */
int scratch_open(struct scratch *scratch, size_t pages);
/* Discards the pages, so that the next touch of each faults again. Returns 0 or -errno. */
int scratch_renew(struct scratch *scratch);
void scratch_close(struct scratch *scratch);

/* Read or write one word of each of the pages first..first + count - 1 and store the latencies in
 * ticks[0..count - 1]. */
void scratch_read(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks);
void scratch_write(const struct scratch *scratch, enum ticks_method method, size_t first, size_t count,
	uint64_t *ticks);

typedef int scratch_switch(void *state, bool is_on);
/* Measures how much longer a minor fault takes when `set` has switched something on: the difference of two medians, in ns.
 * Returns 0 or -errno, also an error of set. */
int scratch_cost(const struct timebase *timebase, scratch_switch *set, void *state, double *cost_ns);

#endif
