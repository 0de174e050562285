/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The flash translation layer without time: which page a slice goes to, and what has to be copied and erased for it. Decisions
 * change the mapping at once; the device carries them out later. Pages go round robin to the dies, channel first. Each die has
 * one open block for the host's and the collector's pages. When that is full and `reserve` free blocks are left, a block is
 * collected: its valid pages go to the first free block, the page goes behind them, and the erased block to the end of the
 * free ones.
 *
 * With handles (placement policies) each die has an open block for each handle, and a handle for what is in no area. Pages of
 * the host go to the block of the handle whose area they are in. Valid pages go to the open block of the victim's handle
 * (FTL_APART) or to one that is for collected pages alone (FTL_COLLECTED_TOGETHER), and to a free block when that is full.
 * When none is left then for the page, it goes into another handle's block (strays).
 */
#ifndef SSD_WORKLOADS_SIM_FTL_H
#define SSD_WORKLOADS_SIM_FTL_H

#include <stdbool.h>
#include <stdint.h>

#define FTL_NONE UINT32_MAX

enum ftl_state { FTL_FREE, FTL_OPEN, FTL_CLOSED };

#define FTL_AREAS 2u
#define FTL_REST FTL_AREAS           /* handle of what is in no area, and of all pages while they are together */
#define FTL_HANDLES (FTL_AREAS + 1)  /* of pages of the host */
#define FTL_COLLECTED FTL_HANDLES    /* of collected pages */
#define FTL_OPENS (FTL_HANDLES + 1)  /* open blocks of a die at most */

enum ftl_placement { FTL_TOGETHER, FTL_APART, FTL_COLLECTED_TOGETHER };

struct ftl_block {
	uint32_t next, before;       /* in the list of free blocks, or of its invalid count; in the device */
	uint16_t programmed, invalid; /* pages that were given out, and that are not valid any more */
	uint8_t state, handle;       /* handle: that it was opened for; FTL_REST without handles */
	uint32_t erases;
};

struct ftl_list { uint32_t first, last; };

struct ftl_die {
	uint32_t open;               /* block in the device, FTL_NONE at first */
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
	struct { uint32_t begin, end; } areas[FTL_AREAS]; /* lsa, of each handle */
};

struct ftl_copy { uint32_t lsa, block; uint16_t from, to; }; /* page of the victim; block and page that it goes to */

struct ftl_gc { /* that a write caused */
	bool is_any;
	uint32_t victim, target;     /* blocks in the device; target: of the last copy */
	uint32_t victim_erases;      /* before */
	uint32_t count;              /* of copies */
	const struct ftl_copy *copies; /* until the next write */
};

struct ftl {
	struct ftl_geometry geometry;
	uint32_t *l2p, *p2l;         /* FTL_NONE = not mapped, not valid */
	struct ftl_block *blocks;
	struct ftl_die *dies;
	struct ftl_list *buckets;    /* of each die pages + 1: closed blocks by invalid count, the oldest first */
	struct ftl_copy *copies;
	uint32_t *opens;             /* with handles: FTL_OPENS of each die, FTL_NONE = not yet */
	enum ftl_placement placement; /* with handles: may change between two writes */
	uint64_t strays;
	uint32_t next_die;
	uint64_t writes, copied, gcs, mapped, passed_over; /* passed_over: a die in which nothing was invalid */
};

/* 0; -EINVAL: more is exported than could be collected; -ENOMEM. */
int ftl_open(const struct ftl_geometry *geometry, struct ftl *ftl);
void ftl_close(struct ftl *ftl);
/* A new page for lsa (below exported): block in the device and page in the block. */
void ftl_write(struct ftl *ftl, uint32_t lsa, uint32_t *block, uint32_t *page, struct ftl_gc *gc);
/* Whose area it is in: 0, 1 or FTL_REST. */
uint32_t ftl_handle_of(const struct ftl *ftl, uint32_t lsa);
uint32_t ftl_least_free(const struct ftl *ftl);
/* Recounts everything. NULL, or what is wrong (static text). */
const char *ftl_check(const struct ftl *ftl);

static inline uint32_t ftl_die_of(const struct ftl *ftl, uint32_t block)
{
	return block / ftl->geometry.blocks;
}

#endif
