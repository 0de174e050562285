/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cold side of data/stamp.h: the pattern, and looking at what was read back. */
#ifndef SSD_WORKLOADS_DATA_BLOCK_H
#define SSD_WORKLOADS_DATA_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/data/stamp.h"

/* Fills a block with pattern: incompressible, of run, stream, worker and place in the block; room for stamps is filled,
 * too. Two blocks of a worker differ in their stamps only: a device that looks for what repeats over more than a block
 * finds it. */
void block_fill(void *data, const struct stamp_source *source);

enum block_finding {
	BLOCK_WHOLE,              /* one write's, unbroken */
	BLOCK_TORN,               /* units of several writes, each whole, one of this run at least */
	BLOCK_FOREIGN,            /* no stamp of this run */
	BLOCK_ASTRAY,             /* whole, but of another place */
	BLOCK_DAMAGED,            /* a stamp, echo or pattern byte is wrong */
	BLOCK_FINDINGS
};

struct block_seen {
	enum block_finding finding;
	/* Least and largest sequence of the units that are whole and of this run; STAMP_PREPARED counts as before 0, and
	 * so does what another run wrote. STAMP_PREPARED when there is none. */
	uint64_t low, high;
	int has_prepared;         /* some unit is still what preparing, or an earlier run wrote */
	int has_bare;             /* some unit has no stamp of anybody */
	int is_begun;             /* damaged only in that: else whole or torn. A first write that was cut short leaves it */
	uint32_t at;              /* byte of the unit that made the finding; 0 when it is whole or foreign */
};

/* data: what was read at offset, aligned to 8. */
void block_look(const void *data, const struct stamp_source *source, uint64_t offset, struct block_seen *seen);

#endif
