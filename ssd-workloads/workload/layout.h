/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The layout of the target: [header][log][gap][checkpoint], with disjoint and aligned areas. Each worker of a stream has an equal
 * part of its area. With several targets the layout of the run has whole areas, whose offsets may overlap, and each target has a
 * layout of its own.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_LAYOUT_H
#define SSD_WORKLOADS_WORKLOAD_LAYOUT_H

#include "ssd-workloads/workload/mix.h"
#include "ssd-workloads/workload/stripe.h"

#define LAYOUT_HEADER_BYTES (1u << 20) /* space before the first area */
#define LAYOUT_ALIGN (1u << 20)        /* alignment of an area's begin; also the least gap */
#define LAYOUT_TARGETS (STRIPE_TARGETS + 1) /* maximum of a run: those of the log, and one of the checkpoint */

struct layout_area {
	uint64_t begin, bytes;    /* bytes 0 = no such stream */
	unsigned workers;
	uint32_t block_bytes;
	unsigned stripes;         /* targets among which the area's blocks are distributed; 0, 1 = one has all */
	unsigned stripe;          /* in the layout of a target: index of the target among them */
};

struct layout {
	struct layout_area areas[MIX_STREAMS];
	uint64_t bytes;           /* used bytes of the target, from 0 */
};

/* Makes the layout of a workload from workload_make. */
void layout_make(const struct workload *workload, struct layout *layout);
/* Divides the layout of layout_make among targets: of[] receives the layout of each, first those of the log (as many as its
 * stripes), and with has_checkpoint_target last that of the checkpoint, which is otherwise in the first. A stream that is not in a
 * target has an area of no bytes there, which keeps its number of workers. layout keeps whole areas, which begin where they do in
 * their targets. Returns the number of targets. */
size_t layout_divide(struct layout *layout, bool has_checkpoint_target, struct layout of[LAYOUT_TARGETS]);
/* Returns the index of the stream's target, of a striped log the first one; count: result of layout_divide, or 0. */
size_t layout_target(const struct layout *layout, size_t count, enum mix_stream stream);
/* Returns how many targets the log has. */
unsigned layout_stripes(const struct layout *layout);
/* Returns how offsets of the whole area are converted to those of its targets; area may be that of the run or of a target. */
struct stripe layout_stripe(const struct layout_area *area);
/* Returns the first byte and the number of blocks of a worker's part. */
void layout_part(const struct layout_area *area, unsigned worker, uint64_t *begin, uint64_t *blocks);
/* Returns a random order of the blocks of a worker's part, which depends on run and worker: [k] is the k-th write's block;
 * inverse: [block] is its turn. The caller frees it. Returns NULL if there is no memory, or with more than LAYOUT_ORDER_MAX
 * blocks. */
#define LAYOUT_ORDER_MAX (1ull << 30)
uint32_t *layout_order(uint64_t run, unsigned worker, uint64_t blocks, bool is_inverse);

#endif
