/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the areas lie in the target: [header][log][gap][checkpoint], disjoint and aligned. Each worker of a stream has
 * an equal part of its area.
 */
#ifndef SSD_WORKLOADS_LAYOUT_H
#define SSD_WORKLOADS_LAYOUT_H

#include "ssd-workloads/mix.h"

#define LAYOUT_HEADER_BYTES (1u << 20) /* before the first area */
#define LAYOUT_ALIGN (1u << 20)        /* of an area's begin; the gap is at least this, too */

struct layout_area {
	uint64_t begin, bytes;    /* bytes 0 = no such stream */
	unsigned workers;
	uint32_t block_bytes;
};

struct layout {
	struct layout_area areas[MIX_STREAMS];
	uint64_t bytes;           /* of the target that are used, from 0 */
};

/* Cannot fail for a workload that workload_make made. */
void layout_make(const struct workload *workload, struct layout *layout);
/* The streams in two targets: the areas of both, and what of each lies in its own. Of the other stream an area of no bytes
 * keeps its number of workers. */
void layout_part_targets(struct layout *layout, struct layout of[MIX_STREAMS]);
/* First byte of a worker's part, and its blocks. */
void layout_part(const struct layout_area *area, unsigned worker, uint64_t *begin, uint64_t *blocks);
/* A random order of the blocks of a worker's part, the same for all who ask for the run: [k] is the k-th write's block; inverse:
 * [block] is its turn. The caller frees; NULL: out of memory, or more than LAYOUT_ORDER_MAX blocks. */
#define LAYOUT_ORDER_MAX (1ull << 30)
uint32_t *layout_order(uint64_t run, unsigned worker, uint64_t blocks, bool is_inverse);

#endif
