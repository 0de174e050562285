/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program whose popularity is known: it accesses pages of an area by a pattern of common/pattern.h, loads and stores in turn, and
 * nothing else of it. Its sequence is drawn before, up to GENERATOR_DRAWS accesses that are repeated, so that an access costs some
 * ten instructions; each load waits for the one before. Who has the pattern and the seed draws the same.
 */
#ifndef MEMTRACE_GENERATOR_H
#define MEMTRACE_GENERATOR_H

#include <stdint.h>

#include "common/pattern.h"

#define GENERATOR_PAGE 4096
#define GENERATOR_DRAWS (1u << 20)

struct generator {
	struct pattern_spec spec; /* that has passed pattern_check for these pages */
	uint64_t pages, seed; /* pages: up to 2^32 */
	uint64_t accesses; /* 0: as many as time_ns takes */
	uint64_t time_ns;
};

struct generated {
	uint64_t begin; /* address of the area */
	uint64_t accesses, elapsed_ns;
};

/* The pages of the sequence; access n is to page n modulo *count. The caller frees. NULL: no memory. */
uint32_t *generator_draw(const struct generator *generator, uint64_t *count);

/* All pages are resident before. When MEMTRACE_CONTROL names a FIFO, it tells the recording to start, and waits until that was
 * read. 0 or -errno; -ETIMEDOUT: no process read it within 10 s. */
int generator_run(const struct generator *generator, struct generated *generated);

#endif
