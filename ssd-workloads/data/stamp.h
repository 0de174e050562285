/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What makes a block say what it is. Every STAMP_UNIT bytes of a written block begin with a stamp and end with an echo;
 * all between is incompressible and known: pattern (data/block.h) of run seed, stream and the unit's place in its block.
 * So a write costs a few words a unit, and a reader knows of each unit who wrote it, when, and whether it is whole.
 * HOT: stamp_block is called between two writes.
 */
#ifndef SSD_WORKLOADS_DATA_STAMP_H
#define SSD_WORKLOADS_DATA_STAMP_H

#include <stddef.h>

#include "common/hot/keep.h"

#define STAMP_UNIT 4096u
#define STAMP_MAGIC 0x3130706d61747364ull /* "dstamp01" */
#define STAMP_PREPARED UINT64_MAX         /* sequence of what preparing wrote */

struct stamp { /* 64 bytes, little-endian */
	uint64_t magic;
	uint64_t run;             /* of the header: which run's */
	uint64_t sequence;        /* of the worker's stream, or STAMP_PREPARED */
	uint64_t pass;
	uint64_t offset;          /* of this unit in the target: a write that went astray is seen */
	uint8_t stream, worker;   /* enum mix_stream */
	uint16_t unit;            /* in its block */
	uint32_t block_bytes;
	uint64_t time_ns;         /* CLOCK_MONOTONIC of the preparing of the write */
	uint64_t checksum;        /* of the 56 bytes before */
};

struct stamp_source { /* constant of a worker */
	uint64_t run;
	uint8_t stream, worker;
	uint32_t block_bytes;
};

KEEP_INLINE uint64_t stamp_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0xff51afd7ed558ccdull;
	return sum ^ sum >> 32;
}

/* The one of stream, worker, unit and block_bytes. */
KEEP_INLINE uint64_t stamp_small_word(const struct stamp *stamp)
{
	uint64_t word;

	__builtin_memcpy(&word, (const char *)stamp + offsetof(struct stamp, stream), sizeof(word));
	return word;
}

/* Of the words that are the same in all units of a write. */
KEEP_INLINE uint64_t stamp_checksum_write(const struct stamp *stamp)
{
	uint64_t sum = stamp_mix(0x9e3779b97f4a7c15ull, stamp->magic);

	sum = stamp_mix(sum, stamp->run);
	sum = stamp_mix(sum, stamp->sequence);
	return stamp_mix(sum, stamp->pass);
}

/* And of the others. */
KEEP_INLINE uint64_t stamp_checksum_unit(uint64_t sum, const struct stamp *stamp)
{
	sum = stamp_mix(sum, stamp->offset);
	sum = stamp_mix(sum, stamp_small_word(stamp));
	return stamp_mix(sum, stamp->time_ns);
}

/* Any change of one word changes it; not against malice. */
KEEP_INLINE uint64_t stamp_checksum(const struct stamp *stamp)
{
	return stamp_checksum_unit(stamp_checksum_write(stamp), stamp);
}

/* Bytes of the unit at this byte of a block: the last one of a block may be shorter, 512 at least. */
KEEP_INLINE uint32_t stamp_unit_bytes(uint32_t block_bytes, uint32_t at)
{
	return block_bytes - at < STAMP_UNIT ? block_bytes - at : STAMP_UNIT;
}

/* data: block_bytes of pattern, aligned to 8; block_bytes a multiple of 512. */
KEEP_INLINE void stamp_block(void *data, const struct stamp_source *source, uint64_t offset, uint64_t sequence,
	uint64_t pass, uint64_t time_ns)
{
	struct stamp stamp = {.magic = STAMP_MAGIC, .run = source->run, .sequence = sequence, .pass = pass,
		.stream = source->stream, .worker = source->worker, .block_bytes = source->block_bytes, .time_ns = time_ns};
	uint64_t sum = stamp_checksum_write(&stamp);

	for (uint32_t at = 0; at < source->block_bytes; at += STAMP_UNIT) {
		uint32_t unit_bytes = stamp_unit_bytes(source->block_bytes, at);
		uint64_t *echo = (uint64_t *)(void *)((char *)data + at + unit_bytes - sizeof(uint64_t));

		stamp.offset = offset + at;
		stamp.unit = (uint16_t)(at / STAMP_UNIT);
		stamp.checksum = stamp_checksum_unit(sum, &stamp);
		*(struct stamp *)(void *)((char *)data + at) = stamp;
		*echo = stamp.checksum;
	}
}

#endif
