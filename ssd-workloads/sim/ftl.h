/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flash translation layer without time: the page of each slice, and the copies and erases that it requires. Decisions change
 * the mapping at once; the device executes them later. Pages are distributed round robin over the dies, channel first. Each die has
 * one open block for the host's and the collector's pages. When that is full and `reserve` free blocks are left, a block is
 * collected: its valid pages are copied to the first free block, the new page is written after them, and the erased block is
 * appended to the free blocks.
 *
 * With handles (placement policies) each die has an open block per handle, and a handle for pages in no area. Pages of the host are
 * written to the block of the handle of their area. Valid pages are copied to the open block of the victim's handle (FTL_APART) or
 * to one for collected pages alone (FTL_COLLECTED_TOGETHER), and to a free block when that is full. If no free block is left for
 * the page then, it is written to another handle's block (strays).
 */
#ifndef SSD_WORKLOADS_SIM_FTL_H
#define SSD_WORKLOADS_SIM_FTL_H

#include <stdbool.h>
#include <stdint.h>

#define FTL_NONE UINT32_MAX

enum ftl_state { FTL_FREE, FTL_OPEN, FTL_CLOSED };

#define FTL_AREAS 2u
#define FTL_REST FTL_AREAS           /* handle of pages in no area, and of all pages with FTL_TOGETHER */
#define FTL_HANDLES (FTL_AREAS + 1)  /* handles of pages of the host */
#define FTL_COLLECTED FTL_HANDLES    /* handle of collected pages */
#define FTL_OPENS (FTL_HANDLES + 1)  /* maximum of open blocks of a die */

enum ftl_placement { FTL_TOGETHER, FTL_APART, FTL_COLLECTED_TOGETHER };

struct ftl_block {
	uint32_t next, before;       /* in the list of free blocks, or of its invalid count; device-wide indices */
	uint16_t programmed, invalid; /* allocated pages, and those that are no longer valid */
	uint8_t state, handle;       /* handle: the one for which it was opened; FTL_REST without handles */
	uint32_t erases;
};

struct ftl_list { uint32_t first, last; };

struct ftl_die {
	uint32_t open;               /* index of the block in the device, FTL_NONE at first */
	struct ftl_list free;
	uint32_t free_count;
	uint32_t gcs;
};

struct ftl_geometry {
	uint32_t dies, blocks, pages, reserve_blocks;
	uint32_t gc_choices;         /* 0 = greedy */
	uint64_t exported;           /* pages */
	uint64_t seed;
	bool has_handles;
	struct { uint32_t begin, end; } areas[FTL_AREAS]; /* lsa, by handle */
};

struct ftl_copy { uint32_t lsa, block; uint16_t from, to; }; /* from: page of the victim; block, to: its destination */

struct ftl_gc { /* collection caused by a write */
	bool is_any;
	uint32_t victim, target;     /* indices of blocks in the device; target: that of the last copy */
	uint32_t victim_erases;      /* before the erase */
	uint32_t count;              /* number of copies */
	const struct ftl_copy *copies; /* valid until the next write */
};

struct ftl {
	struct ftl_geometry geometry;
	uint32_t *l2p, *p2l;         /* FTL_NONE = not mapped, not valid */
	struct ftl_block *blocks;
	struct ftl_die *dies;
	struct ftl_list *buckets;    /* pages + 1 per die: closed blocks by invalid count, the oldest first */
	struct ftl_copy *copies;
	uint32_t *opens;             /* with handles: FTL_OPENS per die, FTL_NONE = not yet */
	enum ftl_placement placement; /* with handles; may change between two writes */
	uint64_t strays;
	uint32_t next_die;
	uint64_t writes, copied, gcs, mapped, passed_over; /* passed_over: dies skipped since they had no invalid page */
};

/* Opens the FTL. Returns 0; -EINVAL if too many pages are exported for collection; or -ENOMEM. */
int ftl_open(const struct ftl_geometry *geometry, struct ftl *ftl);
void ftl_close(struct ftl *ftl);
/* Allocates a new page for lsa (below exported); block is an index in the device, page one in the block. */
void ftl_write(struct ftl *ftl, uint32_t lsa, uint32_t *block, uint32_t *page, struct ftl_gc *gc);
/* Returns the handle of the area of lsa: 0, 1 or FTL_REST. */
uint32_t ftl_handle_of(const struct ftl *ftl, uint32_t lsa);
uint32_t ftl_least_free(const struct ftl *ftl);
/* Checks the consistency of all counts. Returns NULL, or the violation (static text). */
const char *ftl_check(const struct ftl *ftl);

static inline uint32_t ftl_die_of(const struct ftl *ftl, uint32_t block)
{
	return block / ftl->geometry.blocks;
}

#endif
