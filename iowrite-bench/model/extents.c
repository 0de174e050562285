/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/extents.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define LARGE_PAGE ((size_t)2 << 20)

static struct extent *at(struct extents *extents, uint32_t i)
{
	return &extents->pool[i];
}

void extents_init(struct extents *extents)
{
	*extents = (struct extents){.random = 2463534242u};
}

void extents_free(struct extents *extents)
{
	free(extents->pool);
	extents_init(extents);
}

/* --- the pool: indices, since a growing array moves --- */

/* A tree of a million extents is spread over its pool: with small pages each step down costs a walk of the page table, too.
 * This is advice: its failure changes no result. */
static void use_large_pages(struct extent *pool, size_t bytes)
{
	uintptr_t begin = ((uintptr_t)pool + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
	uintptr_t end = ((uintptr_t)pool + bytes) / LARGE_PAGE * LARGE_PAGE;

	if (end > begin)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

/* Grows the pool, so that the next `wanted` extents cannot fail. */
static int reserve(struct extents *extents, uint32_t wanted)
{
	uint32_t size = extents->pool_size ? extents->pool_size : 64;
	struct extent *pool;

	/* Freed extents are not counted: the pool may be a few extents too large. */
	while (size - (extents->pool_used ? extents->pool_used : 1) < wanted) {
		if (size > UINT32_MAX / 2)
			return -ENOMEM;
		size *= 2;
	}
	if (size == extents->pool_size)
		return 0;
	pool = realloc(extents->pool, size * sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	if (!extents->pool_used) {
		pool[0] = (struct extent){0};
		extents->pool_used = 1;
	}
	use_large_pages(pool, size * sizeof(*pool));
	extents->pool = pool;
	extents->pool_size = size;
	return 0;
}

/* --- the lists by time --- */

/* Inserts an extent after `older`, or into an empty list. */
static void list_insert(struct extents *extents, uint32_t i, uint32_t list, uint32_t older)
{
	struct extent *extent = at(extents, i);

	extent->list = list;
	extent->older = older;
	extent->newer = older ? at(extents, older)->newer : EXTENTS_NONE;
	*(older ? &at(extents, older)->newer : &extents->oldest[list]) = i;
	*(extent->newer ? &at(extents, extent->newer)->older : &extents->newest[list]) = i;
	extents->bytes[list] += extent->size;
}

static void list_remove(struct extents *extents, uint32_t i)
{
	const struct extent *extent = at(extents, i);

	*(extent->older ? &at(extents, extent->older)->newer : &extents->oldest[extent->list]) = extent->newer;
	*(extent->newer ? &at(extents, extent->newer)->older : &extents->newest[extent->list]) = extent->older;
	extents->bytes[extent->list] -= extent->size;
}

/* --- the tree by offset --- */

static void tree_split(struct extents *extents, uint32_t node, uint64_t offset, uint32_t *left, uint32_t *right)
{
	if (!node) {
		*left = *right = EXTENTS_NONE;
	} else if (at(extents, node)->offset < offset) {
		tree_split(extents, at(extents, node)->right, offset, &at(extents, node)->right, right);
		*left = node;
	} else {
		tree_split(extents, at(extents, node)->left, offset, left, &at(extents, node)->left);
		*right = node;
	}
}

static uint32_t tree_merge(struct extents *extents, uint32_t left, uint32_t right)
{
	if (!left || !right)
		return left ? left : right;
	if (at(extents, left)->priority > at(extents, right)->priority) {
		at(extents, left)->right = tree_merge(extents, at(extents, left)->right, right);
		return left;
	}
	at(extents, right)->left = tree_merge(extents, left, at(extents, right)->left);
	return right;
}

static void tree_insert(struct extents *extents, uint32_t i)
{
	uint32_t *link = &extents->root;
	struct extent *extent = at(extents, i);

	while (*link && at(extents, *link)->priority > extent->priority) {
		struct extent *node = at(extents, *link);

		link = node->offset < extent->offset ? &node->right : &node->left;
	}
	tree_split(extents, *link, extent->offset, &extent->left, &extent->right);
	*link = i;
}

static void tree_remove(struct extents *extents, uint32_t i)
{
	uint32_t *link = &extents->root;
	const struct extent *extent = at(extents, i);

	while (*link != i)
		link = at(extents, *link)->offset < extent->offset ? &at(extents, *link)->right
								   : &at(extents, *link)->left;
	*link = tree_merge(extents, extent->left, extent->right);
}

uint32_t extents_find(const struct extents *extents, uint64_t offset)
{
	uint32_t node = extents->root, found = EXTENTS_NONE;

	/* Extents are disjoint, so that their ends rise with their offsets. */
	while (node) {
		const struct extent *extent = extents_at(extents, node);

		if (extent->offset + extent->size > offset) {
			found = node;
			node = extent->left;
		} else {
			node = extent->right;
		}
	}
	return found;
}

/* --- extents --- */

static uint32_t make(struct extents *extents, uint64_t offset, uint64_t size, double stamp)
{
	uint32_t i = extents->unused, x = extents->random; /* xorshift32 (Marsaglia, 2003): shapes the tree, changes no result */

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	extents->random = x;
	if (i)
		extents->unused = at(extents, i)->left;
	else
		i = extents->pool_used++;
	*at(extents, i) = (struct extent){.offset = offset, .size = size, .stamp = stamp, .priority = x};
	tree_insert(extents, i);
	extents->count++;
	return i;
}

static void add(struct extents *extents, uint64_t offset, uint64_t size, double stamp, uint32_t list)
{
	uint32_t i = make(extents, offset, size, stamp);

	list_insert(extents, i, list, extents->newest[list]);
}

static void drop(struct extents *extents, uint32_t i)
{
	list_remove(extents, i);
	tree_remove(extents, i);
	at(extents, i)->left = extents->unused;
	extents->unused = i;
	extents->count--;
}

/* Offsets move within the gap that the extent itself leaves: its place in the tree stays right. */
static void resize(struct extents *extents, uint32_t i, uint64_t offset, uint64_t size)
{
	extents->bytes[at(extents, i)->list] += size - at(extents, i)->size;
	at(extents, i)->offset = offset;
	at(extents, i)->size = size;
}

/* Removes [begin, end) from an extent that overlaps it; makes at most one new extent. */
static void cut(struct extents *extents, uint32_t i, uint64_t begin, uint64_t end)
{
	uint64_t old_begin = at(extents, i)->offset, old_end = old_begin + at(extents, i)->size;

	if (old_begin >= begin && old_end <= end) {
		drop(extents, i);
	} else if (old_begin >= begin) {
		resize(extents, i, end, old_end - end);
	} else {
		resize(extents, i, old_begin, begin - old_begin);
		/* The remainder is as old as the extent that was cut: it follows it in its list. */
		if (old_end > end) {
			uint32_t remainder = make(extents, end, old_end - end, at(extents, i)->stamp);

			list_insert(extents, remainder, at(extents, i)->list, i);
		}
	}
}

int extents_write(struct extents *extents, uint64_t offset, uint64_t size, double stamp, uint64_t *fresh)
{
	uint64_t position = offset, end = offset + size;
	int rc;

	*fresh = 0;
	while (position < end) {
		uint32_t i;
		uint64_t begin = end, stop = end;

		/* A gap, an overlap and the remainder of a cut may each need an extent. */
		rc = reserve(extents, 3);
		if (rc)
			return rc;
		i = extents_find(extents, position);
		if (i && at(extents, i)->offset < end) {
			begin = at(extents, i)->offset > position ? at(extents, i)->offset : position;
			stop = at(extents, i)->offset + at(extents, i)->size;
			stop = stop < end ? stop : end;
			cut(extents, i, begin, stop);
			add(extents, begin, stop - begin, stamp, EXTENTS_ACTIVE);
		}
		if (begin > position) {
			add(extents, position, begin - position, stamp, EXTENTS_INACTIVE);
			*fresh += begin - position;
		}
		position = stop;
	}
	return 0;
}

static uint64_t overlap(const struct extent *extent, uint64_t begin, uint64_t end)
{
	uint64_t from = extent->offset > begin ? extent->offset : begin;
	uint64_t to = extent->offset + extent->size < end ? extent->offset + extent->size : end;

	return to > from ? to - from : 0;
}

/* The first extent that overlaps or adjoins grows, so that its place in the tree stays; those that it reaches are removed. */
int extents_join(struct extents *extents, uint64_t offset, uint64_t size, uint64_t *fresh)
{
	uint64_t begin = offset, end = offset + size, covered, old_end;
	/* An extent that ends where this one begins is a neighbour, too. */
	uint32_t first = extents_find(extents, offset ? offset - 1 : 0), next;

	if (!first || at(extents, first)->offset > end) {
		int rc = reserve(extents, 1);

		if (!rc)
			add(extents, offset, size, 0, EXTENTS_INACTIVE);
		*fresh = size;
		return rc;
	}
	covered = overlap(at(extents, first), offset, offset + size);
	old_end = at(extents, first)->offset + at(extents, first)->size;
	begin = at(extents, first)->offset < begin ? at(extents, first)->offset : begin;
	end = old_end > end ? old_end : end;
	while (old_end < offset + size && (next = extents_find(extents, old_end)) &&
		at(extents, next)->offset <= offset + size) {
		uint64_t next_end = at(extents, next)->offset + at(extents, next)->size;

		covered += overlap(at(extents, next), offset, offset + size);
		end = next_end > end ? next_end : end;
		drop(extents, next);
	}
	resize(extents, first, begin, end - begin);
	*fresh = size - covered;
	return 0;
}

void extents_clean(struct extents *extents, uint32_t extent, uint64_t bytes)
{
	uint64_t offset = at(extents, extent)->offset, size = at(extents, extent)->size;

	if (bytes >= size)
		drop(extents, extent);
	else
		resize(extents, extent, offset + bytes, size - bytes);
}

uint64_t extents_sweep(struct extents *extents, uint64_t *cursor, uint64_t bytes)
{
	uint64_t left = bytes;

	while (left && extents->root) {
		uint32_t i = extents_find(extents, *cursor);
		uint64_t part;

		if (!i) {
			*cursor = 0;
			continue;
		}
		part = at(extents, i)->size < left ? at(extents, i)->size : left;
		*cursor = at(extents, i)->offset + part;
		extents_clean(extents, i, part);
		left -= part;
	}
	return bytes - left;
}

void extents_balance(struct extents *extents)
{
	while (extents->bytes[EXTENTS_ACTIVE] > extents->bytes[EXTENTS_INACTIVE]) {
		uint32_t i = extents->oldest[EXTENTS_ACTIVE];

		list_remove(extents, i);
		list_insert(extents, i, EXTENTS_INACTIVE, extents->newest[EXTENTS_INACTIVE]);
	}
}
