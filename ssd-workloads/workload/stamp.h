/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Self-describing blocks. Every STAMP_UNIT bytes of a written block begin with a stamp and end with an echo; the bytes between are
 * incompressible and known: the pattern (workload/block.h) of run seed, stream and the unit's place in its block. So a write
 * costs a few words per unit, and a reader knows the writer and time of each unit, and whether it is whole. HOT: stamp_block
 * is called between two writes.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_STAMP_H
#define SSD_WORKLOADS_WORKLOAD_STAMP_H

#include <stddef.h>

#include "common/hot/keep.h"

#define STAMP_UNIT 4096u
#define STAMP_MAGIC 0x3130706d61747364ull /* "dstamp01" */
#define STAMP_PREPARED UINT64_MAX         /* sequence of preparation writes */

struct stamp { /* 64 bytes, little-endian */
	uint64_t magic;
	uint64_t run;             /* run of the header */
	uint64_t sequence;        /* of the worker's stream, or STAMP_PREPARED */
	uint64_t pass;
	uint64_t offset;          /* of this unit in the target, which detects misdirected writes */
	uint8_t stream, worker;   /* enum mix_stream */
	uint16_t unit;            /* index in its block */
	uint32_t block_bytes;
	uint64_t time_ns;         /* CLOCK_MONOTONIC when the write was prepared */
	uint64_t checksum;        /* of the preceding 56 bytes */
};

struct stamp_source { /* constant for a worker */
	uint64_t run;
	uint8_t stream, worker;
	uint32_t block_bytes;
};

KEEP_INLINE uint64_t stamp_mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0xff51afd7ed558ccdull;
	return sum ^ sum >> 32;
}

/* Returns the word of stream, worker, unit and block_bytes. */
KEEP_INLINE uint64_t stamp_small_word(const struct stamp *stamp)
{
	uint64_t word;

	__builtin_memcpy(&word, (const char *)stamp + offsetof(struct stamp, stream), sizeof(word));
	return word;
}

/* Returns the checksum of the words that are equal in all units of a write. */
KEEP_INLINE uint64_t stamp_checksum_write(const struct stamp *stamp)
{
	uint64_t sum = stamp_mix(0x9e3779b97f4a7c15ull, stamp->magic);

	sum = stamp_mix(sum, stamp->run);
	sum = stamp_mix(sum, stamp->sequence);
	return stamp_mix(sum, stamp->pass);
}

/* Adds the other words to the checksum. */
KEEP_INLINE uint64_t stamp_checksum_unit(uint64_t sum, const struct stamp *stamp)
{
	sum = stamp_mix(sum, stamp->offset);
	sum = stamp_mix(sum, stamp_small_word(stamp));
	return stamp_mix(sum, stamp->time_ns);
}

/* A change of any one word changes the checksum; it is not cryptographic. */
KEEP_INLINE uint64_t stamp_checksum(const struct stamp *stamp)
{
	return stamp_checksum_unit(stamp_checksum_write(stamp), stamp);
}

/* Returns the size of the unit at this byte of a block; the last one of a block may be shorter, but has at least 512 bytes. */
KEEP_INLINE uint32_t stamp_unit_bytes(uint32_t block_bytes, uint32_t at)
{
	return block_bytes - at < STAMP_UNIT ? block_bytes - at : STAMP_UNIT;
}

/* Stamps all units of a block; data has block_bytes of pattern, aligned to 8; block_bytes is a multiple of 512. */
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
