/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload of known popularity: it accesses pages of an area by a pattern of common/stats/pattern.h, loads and stores in turn,
 * and no other data. Every second load overwrites the register of its address. The sequence is drawn in advance, up to
 * GENERATOR_DRAWS accesses that are repeated, so that an access costs about ten instructions; each load depends on the one
 * before. Equal patterns and seeds draw equal sequences.
 */
#ifndef MEMTRACE_CHECK_GENERATOR_H
#define MEMTRACE_CHECK_GENERATOR_H

#include <stdint.h>

#include "common/stats/pattern.h"

#define GENERATOR_PAGE 4096
#define GENERATOR_DRAWS (1u << 20)

struct generator {
	struct pattern_spec spec; /* must have passed pattern_check for these pages */
	uint64_t pages, seed; /* pages: up to 2^32 */
	uint64_t accesses; /* 0: run for time_ns */
	uint64_t time_ns;
};

struct generated {
	uint64_t begin; /* address of the area */
	uint64_t accesses, elapsed_ns;
};

/* Returns the pages of the sequence; access n is to the page at index n modulo *count. The caller frees the list. Returns NULL
 * if there is no memory. */
uint32_t *generator_draw(const struct generator *generator, uint64_t *count);

/* Adds the accesses, by page, of a run of the sequence. */
void generator_count(const uint32_t *sequence, uint64_t count, uint64_t accesses, double *known);

/* Runs the workload; all pages are resident before it begins. If MEMTRACE_CONTROL names a FIFO, sends "start" to the recording
 * and waits until it was read. Returns 0 or -errno; -ETIMEDOUT if no process read it within 10 s. */
int generator_run(const struct generator *generator, struct generated *generated);

#endif
