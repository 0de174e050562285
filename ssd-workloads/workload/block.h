/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of workload/stamp.h that is not hot: the pattern, and the check of blocks that were read back. */
#ifndef SSD_WORKLOADS_WORKLOAD_BLOCK_H
#define SSD_WORKLOADS_WORKLOAD_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "ssd-workloads/workload/stamp.h"

/* Fills a block, including the places of stamps, with the pattern, which is incompressible and depends on run, stream, worker and
 * place in the block. Two blocks of a worker differ only in their stamps, which a device that deduplicates across blocks can
 * detect. */
void block_fill(void *data, const struct stamp_source *source);

enum block_finding {
	BLOCK_WHOLE,              /* a whole block of one write */
	BLOCK_TORN,               /* units of several writes, each whole, at least one of this run */
	BLOCK_FOREIGN,            /* no stamp of this run */
	BLOCK_ASTRAY,             /* whole, but with the offset of another place */
	BLOCK_DAMAGED,            /* a stamp, echo or pattern byte is wrong */
	BLOCK_FINDINGS
};

struct block_seen {
	enum block_finding finding;
	/* Least and largest sequence of the whole units of this run; STAMP_PREPARED, and units of another run, count as before
	 * 0. STAMP_PREPARED if there is none. */
	uint64_t low, high;
	int has_prepared;         /* some unit is still that of preparing or of an earlier run */
	int has_bare;             /* some unit has no stamp at all */
	int is_begun;             /* has_bare is the only damage; a first write to a place that was cut short leaves this */
	uint32_t at;              /* byte of the unit that caused the finding; 0 if whole or foreign */
};

/* Checks a block that was read at offset; data is aligned to 8. */
void block_check(const void *data, const struct stamp_source *source, uint64_t offset, struct block_seen *seen);

#endif
