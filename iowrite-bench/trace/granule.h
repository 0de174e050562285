/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In what a file system takes large writes, by how much was dirtied between two looks of balance_dirty_pages: folios of one
 * size, so that most of these amounts are multiples of it. Not all: what a task left behind that ended, and what smaller
 * writers do, is among them.
 */
#ifndef IOWRITE_BENCH_TRACE_GRANULE_H
#define IOWRITE_BENCH_TRACE_GRANULE_H

#include <stdint.h>

struct granule {
	uint64_t looks[64]; /* by the largest power of two that divides the amount */
};

/* bytes > 0. */
void granule_add(struct granule *granule, uint64_t bytes);
/* How many there were. */
uint64_t granule_looks(const struct granule *granule);
/* The largest power of two that divides at least half of the amounts; 0 = there were none. */
uint64_t granule_bytes(const struct granule *granule);

#endif
