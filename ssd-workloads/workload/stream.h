/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Positions of a worker's writes: a circle of blocks, repeated from its start. Write k (k = 0, 1, ...) has turn k mod blocks of
 * pass k div blocks. It is written to the block of that number, or with an order, which is the same in each pass, to the block
 * order[turn]. A log is written continuously; a checkpoint's pass is a checkpoint, and with a pause the next pass begins that time
 * after the completion of the last write of the previous one. No write begins while an older one to the same block is outstanding.
 * HOT.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_STREAM_H
#define SSD_WORKLOADS_WORKLOAD_STREAM_H

#include "common/hot/keep.h"

struct stream {
	uint64_t begin;           /* byte offset of block 0 in the target */
	uint64_t blocks;          /* in the circle, above 0 */
	uint32_t block_bytes;
	uint64_t sequence;        /* of the next write */
	uint64_t block;           /* sequence mod blocks */
	uint64_t pass;            /* sequence div blocks */
	const uint32_t *order;    /* of each pass: the k-th write is to block order[k]; NULL = k */
};

KEEP_INLINE void stream_init(struct stream *stream, uint64_t begin, uint64_t blocks, uint32_t block_bytes)
{
	*stream = (struct stream){.begin = begin, .blocks = blocks, .block_bytes = block_bytes};
}

KEEP_INLINE uint64_t stream_offset(const struct stream *stream)
{
	uint64_t place = KEEP_LIKELY(!stream->order) ? stream->block : stream->order[stream->block];

	return stream->begin + place * stream->block_bytes;
}

/* Returns whether the next write begins a pass. */
KEEP_INLINE int stream_is_at_pass(const struct stream *stream)
{
	return stream->block == 0;
}

KEEP_INLINE void stream_advance(struct stream *stream)
{
	stream->sequence++;
	if (KEEP_UNLIKELY(++stream->block == stream->blocks)) {
		stream->block = 0;
		stream->pass++;
	}
}

#endif
