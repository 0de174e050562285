/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dirty bytes of a file: disjoint extents in a tree by offset (a treap), each also in one of two lists by time. A write
 * costs O((k + 1) log n) with k extents overlapped, amortised O(log n); the oldest of a list O(1). 56 bytes an extent.
 * Functions return 0 or -ENOMEM, after which only extents_free may be called.
 */
#ifndef IOWRITE_BENCH_MODEL_EXTENTS_H
#define IOWRITE_BENCH_MODEL_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

/* Linux's reclaim lists, as the CAWL paper has them: written once, and written again. */
enum extents_list { EXTENTS_INACTIVE, EXTENTS_ACTIVE, EXTENTS_LISTS };

#define EXTENTS_NONE 0 /* no extent */

struct extent {
	uint64_t offset, size; /* bytes, size > 0 */
	double stamp;          /* when it was dirtied; the caller's clock */
	uint32_t left, right, priority; /* of the tree */
	uint32_t older, newer;          /* in its list */
	uint32_t list;
};

struct extents {
	struct extent *pool; /* [0] is EXTENTS_NONE */
	uint32_t pool_size, pool_used, unused, root;
	uint32_t random;     /* state of the priorities */
	uint32_t oldest[EXTENTS_LISTS], newest[EXTENTS_LISTS];
	uint64_t bytes[EXTENTS_LISTS];
	size_t count;
};

void extents_init(struct extents *extents);
void extents_free(struct extents *extents);

/* Records a write (CAWL, Algorithm 1, "place"): bytes that were dirty become ACTIVE and new ones INACTIVE, both with the new
 * stamp; the remainders of other extents keep list and stamp. *fresh: bytes that were clean. */
int extents_write(struct extents *extents, uint64_t offset, uint64_t size, double stamp, uint64_t *fresh);
/* Records a write as the kernel accounts for it: the bytes are dirty, neighbours become one extent, stamps and lists are not
 * used (all INACTIVE). */
int extents_join(struct extents *extents, uint64_t offset, uint64_t size, uint64_t *fresh);

/* Cleans the first `bytes` of an extent, or all of it. */
void extents_clean(struct extents *extents, uint32_t extent, uint64_t bytes);
/* Cleans `bytes` in rising order from *cursor on, and wraps at the end of the file as the kernel's flusher does
 * (write_cache_pages); moves *cursor. An extent is begun at its start. Returns the number of bytes cleaned. */
uint64_t extents_sweep(struct extents *extents, uint64_t *cursor, uint64_t bytes);
/* Moves the oldest extents of ACTIVE to the new end of INACTIVE until ACTIVE has no more bytes than INACTIVE. */
void extents_balance(struct extents *extents);

static inline const struct extent *extents_at(const struct extents *extents, uint32_t extent)
{
	return &extents->pool[extent];
}
static inline uint64_t extents_bytes(const struct extents *extents)
{
	return extents->bytes[EXTENTS_INACTIVE] + extents->bytes[EXTENTS_ACTIVE];
}

/* Returns the first extent that ends behind offset, EXTENTS_NONE if there is none. */
uint32_t extents_find(const struct extents *extents, uint64_t offset);

#endif
