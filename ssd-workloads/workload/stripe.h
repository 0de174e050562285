/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An area whose blocks are distributed among targets in turn, as those of a RAID 0 with a chunk of one block: block i is in target
 * i mod targets, at the place i div targets of that target's area. All areas begin at the same offset. Offsets of writes, stamps
 * and records are those of the whole area; only code that reads or writes a target converts them. HOT.
 */
#ifndef SSD_WORKLOADS_WORKLOAD_STRIPE_H
#define SSD_WORKLOADS_WORKLOAD_STRIPE_H

#include "common/hot/keep.h"

#define STRIPE_TARGETS 2u         /* maximum per area */

struct stripe {
	unsigned targets;         /* 0, 1 = the area is in one target, and offsets are the same */
	uint32_t block_bytes;
	uint64_t begin;           /* of the areas */
};

/* Returns the target of an offset of the whole area, and its offset there. */
KEEP_INLINE unsigned stripe_locate(const struct stripe *stripe, uint64_t offset, uint64_t *there)
{
	uint64_t block, rest;

	*there = offset;
	if (KEEP_LIKELY(stripe->targets < 2))
		return 0;
	block = (offset - stripe->begin) / stripe->block_bytes;
	rest = (offset - stripe->begin) % stripe->block_bytes;
	*there = stripe->begin + block / stripe->targets * stripe->block_bytes + rest;
	return (unsigned)(block % stripe->targets);
}

/* The reverse of stripe_locate: returns the offset in the whole area for an offset in a target. */
KEEP_INLINE uint64_t stripe_offset(const struct stripe *stripe, unsigned target, uint64_t there)
{
	uint64_t block, rest;

	if (KEEP_LIKELY(stripe->targets < 2))
		return there;
	block = (there - stripe->begin) / stripe->block_bytes;
	rest = (there - stripe->begin) % stripe->block_bytes;
	return stripe->begin + (block * stripe->targets + target) * stripe->block_bytes + rest;
}

#endif
