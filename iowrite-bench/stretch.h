/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One stretch of a file that writes have covered so far, which grows by those that overlap or adjoin it. */
#ifndef IOWRITE_BENCH_STRETCH_H
#define IOWRITE_BENCH_STRETCH_H

#include <stdint.h>

struct stretch {
	uint64_t begin, end; /* bytes from the file's beginning; both 0 = empty */
};

/* How many bytes of a write are new to it. What lies apart does not become part of it, and is all new each time. */
uint64_t stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size);

#endif
