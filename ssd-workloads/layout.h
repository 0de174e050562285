/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of the target: [header][log][gap][checkpoint], with disjoint and aligned areas. Each worker of a stream has an equal
 * part of its area.
 */
#ifndef SSD_WORKLOADS_LAYOUT_H
#define SSD_WORKLOADS_LAYOUT_H

#include "ssd-workloads/mix.h"

#define LAYOUT_HEADER_BYTES (1u << 20) /* space before the first area */
#define LAYOUT_ALIGN (1u << 20)        /* alignment of an area's begin; also the least gap */

struct layout_area {
	uint64_t begin, bytes;    /* bytes 0 = no such stream */
	unsigned workers;
	uint32_t block_bytes;
};

struct layout {
	struct layout_area areas[MIX_STREAMS];
	uint64_t bytes;           /* used bytes of the target, from 0 */
};

/* Makes the layout of a workload from workload_make. */
void layout_make(const struct workload *workload, struct layout *layout);
/* Divides the streams between two targets: layout receives the areas of both, of[] the layout of each target. There the other
 * stream has an area of no bytes, which keeps its number of workers. */
void layout_part_targets(struct layout *layout, struct layout of[MIX_STREAMS]);
/* Returns the first byte and the number of blocks of a worker's part. */
void layout_part(const struct layout_area *area, unsigned worker, uint64_t *begin, uint64_t *blocks);
/* Returns a random order of the blocks of a worker's part, which depends on run and worker: [k] is the k-th write's block;
 * inverse: [block] is its turn. The caller frees it. Returns NULL if there is no memory, or with more than LAYOUT_ORDER_MAX
 * blocks. */
#define LAYOUT_ORDER_MAX (1ull << 30)
uint32_t *layout_order(uint64_t run, unsigned worker, uint64_t blocks, bool is_inverse);

#endif
