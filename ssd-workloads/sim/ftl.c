/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/ftl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hot/keep.h"
#include "common/hot/rng.h"

/* --- lists of blocks --- */

static void list_append(struct ftl *ftl, struct ftl_list *list, uint32_t block)
{
	struct ftl_block *blocks = ftl->blocks;

	blocks[block].next = FTL_NONE;
	blocks[block].before = list->last;
	if (list->last == FTL_NONE)
		list->first = block;
	else
		blocks[list->last].next = block;
	list->last = block;
}

static void list_remove(struct ftl *ftl, struct ftl_list *list, uint32_t block)
{
	struct ftl_block *blocks = ftl->blocks, *at = &blocks[block];

	if (at->before == FTL_NONE)
		list->first = at->next;
	else
		blocks[at->before].next = at->next;
	if (at->next == FTL_NONE)
		list->last = at->before;
	else
		blocks[at->next].before = at->before;
}

static struct ftl_list *bucket_of(const struct ftl *ftl, uint32_t die, uint32_t invalid)
{
	return &ftl->buckets[(uint64_t)die * (ftl->geometry.pages + 1) + invalid];
}

static void close_block(struct ftl *ftl, uint32_t die, uint32_t block)
{
	ftl->blocks[block].state = FTL_CLOSED;
	list_append(ftl, bucket_of(ftl, die, ftl->blocks[block].invalid), block);
}

static uint32_t open_block(struct ftl *ftl, uint32_t die, uint32_t *open, uint8_t handle)
{
	struct ftl_die *at = &ftl->dies[die];
	uint32_t block = at->free.first;

	list_remove(ftl, &at->free, block);
	at->free_count--;
	*open = block;
	ftl->blocks[block].state = FTL_OPEN;
	ftl->blocks[block].handle = handle;
	return block;
}

/* --- garbage collection --- */

static uint32_t choose_greedy(const struct ftl *ftl, uint32_t die)
{
	for (uint32_t invalid = ftl->geometry.pages; invalid; invalid--) {
		uint32_t block = bucket_of(ftl, die, invalid)->first;

		if (block != FTL_NONE)
			return block;
	}
	return FTL_NONE;
}

/* Returns the closed block with the most invalid pages of some that are drawn with equal probability. If none of them has an
 * invalid page, others are drawn. */
static uint32_t choose_drawn(const struct ftl *ftl, uint32_t die)
{
	const struct ftl_geometry *geometry = &ftl->geometry;
	uint32_t best = FTL_NONE, most = 0, drawn = 0;
	struct rng rng;

	rng_seed(&rng, geometry->seed, (uint64_t)die << 32 | ftl->dies[die].gcs);
	for (uint32_t tries = 0; (drawn < geometry->gc_choices || best == FTL_NONE) && tries < 64 * geometry->gc_choices; tries++) {
		uint32_t block = die * geometry->blocks + (uint32_t)rng_below(&rng, geometry->blocks);

		if (drawn == geometry->gc_choices)
			drawn = 0;
		if (ftl->blocks[block].state != FTL_CLOSED)
			continue;
		drawn++;
		if (ftl->blocks[block].invalid > most) {
			most = ftl->blocks[block].invalid;
			best = block;
		}
	}
	return best == FTL_NONE ? choose_greedy(ftl, die) : best;
}

static bool has_free_page(const struct ftl *ftl, uint32_t block)
{
	return block != FTL_NONE && ftl->blocks[block].programmed < ftl->geometry.pages;
}

/* *open receives the valid pages; when it is full, a free block replaces it. Without handles the free block takes all of them. */
static bool collect(struct ftl *ftl, uint32_t die, uint32_t handle, struct ftl_gc *gc)
{
	struct ftl_die *at = &ftl->dies[die];
	uint32_t pages = ftl->geometry.pages, victim, target, *open = &at->open;
	struct ftl_block *block;

	victim = ftl->geometry.gc_choices ? choose_drawn(ftl, die) : choose_greedy(ftl, die);
	if (victim == FTL_NONE)
		return false;
	block = &ftl->blocks[victim];
	list_remove(ftl, bucket_of(ftl, die, block->invalid), victim);
	if (ftl->opens) {
		handle = ftl->placement == FTL_TOGETHER ? handle
		       : ftl->placement == FTL_APART ? block->handle : FTL_COLLECTED;
		open = &ftl->opens[die * FTL_OPENS + handle];
		target = *open;
	} else {
		target = open_block(ftl, die, open, FTL_REST);
	}
	*gc = (struct ftl_gc){.is_any = true, .victim = victim, .victim_erases = block->erases, .copies = ftl->copies};
	for (uint32_t page = 0; page < pages && block->invalid < pages; page++) {
		uint32_t *from = &ftl->p2l[(uint64_t)victim * pages + page], lsa = *from, to;

		if (lsa == FTL_NONE)
			continue;
		if (!has_free_page(ftl, target)) {
			if (target != FTL_NONE)
				close_block(ftl, die, target);
			target = open_block(ftl, die, open, (uint8_t)handle);
		}
		to = ftl->blocks[target].programmed;
		ftl->copies[gc->count++] = (struct ftl_copy){lsa, target, (uint16_t)page, (uint16_t)to};
		*from = FTL_NONE;
		block->invalid++;
		ftl->p2l[target * pages + to] = lsa;
		ftl->l2p[lsa] = target * pages + to;
		ftl->blocks[target].programmed++;
	}
	gc->target = target;
	*block = (struct ftl_block){.erases = block->erases + 1, .state = FTL_FREE};
	list_append(ftl, &at->free, victim);
	at->free_count++;
	at->gcs++;
	ftl->gcs++;
	ftl->copied += gc->count;
	return true;
}

/* --- writing --- */

static void invalidate(struct ftl *ftl, uint32_t lsa)
{
	uint32_t place = ftl->l2p[lsa], number;
	struct ftl_block *block;

	if (place == FTL_NONE) {
		ftl->mapped++;
		return;
	}
	number = place / ftl->geometry.pages;
	block = &ftl->blocks[number];
	ftl->p2l[place] = FTL_NONE;
	if (block->state == FTL_CLOSED) {
		uint32_t die = ftl_die_of(ftl, number);

		list_remove(ftl, bucket_of(ftl, die, block->invalid), number);
		list_append(ftl, bucket_of(ftl, die, block->invalid + 1u), number);
	}
	block->invalid++;
}

/* Returns a block of this die with a free page, or FTL_NONE if no block can be collected. */
static uint32_t find_block(struct ftl *ftl, uint32_t die, struct ftl_gc *gc)
{
	struct ftl_die *at = &ftl->dies[die];

	if (at->open != FTL_NONE && ftl->blocks[at->open].programmed < ftl->geometry.pages)
		return at->open;
	if (at->open != FTL_NONE && ftl->blocks[at->open].state == FTL_OPEN)
		close_block(ftl, die, at->open);
	if (at->free_count > ftl->geometry.reserve_blocks)
		return open_block(ftl, die, &at->open, FTL_REST);
	return collect(ftl, die, FTL_REST, gc) ? at->open : FTL_NONE;
}

uint32_t ftl_handle_of(const struct ftl *ftl, uint32_t lsa)
{
	for (uint32_t i = 0; i < FTL_AREAS; i++) {
		if (lsa >= ftl->geometry.areas[i].begin && lsa < ftl->geometry.areas[i].end)
			return i;
	}
	return FTL_REST;
}

/* Does the same with handles. Full blocks are closed first, so that a die without a victim and without space has no invalid
 * pages. */
static uint32_t find_apart(struct ftl *ftl, uint32_t die, uint32_t lsa, struct ftl_gc *gc)
{
	uint32_t handle = ftl->placement == FTL_TOGETHER ? FTL_REST : ftl_handle_of(ftl, lsa);
	uint32_t *opens = &ftl->opens[die * FTL_OPENS];
	struct ftl_die *at = &ftl->dies[die];

	if (has_free_page(ftl, opens[handle]))
		return opens[handle];
	for (uint32_t i = 0; i < FTL_OPENS; i++) {
		if (opens[i] != FTL_NONE && !has_free_page(ftl, opens[i])) {
			close_block(ftl, die, opens[i]);
			opens[i] = FTL_NONE;
		}
	}
	if (at->free_count <= ftl->geometry.reserve_blocks)
		(void)collect(ftl, die, handle, gc);
	if (has_free_page(ftl, opens[handle]))
		return opens[handle];
	if (at->free_count > ftl->geometry.reserve_blocks)
		return open_block(ftl, die, &opens[handle], (uint8_t)handle);
	for (uint32_t i = 0; i < FTL_OPENS; i++) {
		if (has_free_page(ftl, opens[i])) {
			ftl->strays++;
			return opens[i];
		}
	}
	return FTL_NONE;
}

void ftl_write(struct ftl *ftl, uint32_t lsa, uint32_t *block, uint32_t *page, struct ftl_gc *gc)
{
	gc->is_any = false;
	gc->count = 0;
	invalidate(ftl, lsa);
	/* This ends: fewer pages are exported than the dies hold, so one of them has an invalid page. */
	do {
		*block = KEEP_UNLIKELY(ftl->opens != NULL) ? find_apart(ftl, ftl->next_die, lsa, gc)
							   : find_block(ftl, ftl->next_die, gc);
		ftl->next_die = ftl->next_die + 1 == ftl->geometry.dies ? 0 : ftl->next_die + 1;
		ftl->passed_over += *block == FTL_NONE;
	} while (*block == FTL_NONE);
	*page = ftl->blocks[*block].programmed++;
	ftl->l2p[lsa] = *block * ftl->geometry.pages + *page;
	ftl->p2l[ftl->l2p[lsa]] = lsa;
	ftl->writes++;
}

uint32_t ftl_least_free(const struct ftl *ftl)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t die = 0; die < ftl->geometry.dies; die++)
		least = ftl->dies[die].free_count < least ? ftl->dies[die].free_count : least;
	return least;
}

/* --- opening --- */

static uint32_t *new_map(uint64_t count)
{
	uint32_t *map = malloc(count * sizeof(*map));

	if (map)
		memset(map, 0xff, count * sizeof(*map));
	return map;
}

int ftl_open(const struct ftl_geometry *geometry, struct ftl *ftl)
{
	uint64_t blocks = (uint64_t)geometry->dies * geometry->blocks, buckets = (uint64_t)geometry->dies * (geometry->pages + 1);

	if (geometry->blocks < geometry->reserve_blocks + 2 || !geometry->exported ||
		geometry->exported > (uint64_t)geometry->dies * (geometry->blocks - geometry->reserve_blocks) * geometry->pages)
		return -EINVAL;
	*ftl = (struct ftl){.geometry = *geometry};
	ftl->l2p = new_map(geometry->exported);
	ftl->p2l = new_map(blocks * geometry->pages);
	ftl->blocks = calloc(blocks, sizeof(*ftl->blocks));
	ftl->dies = calloc(geometry->dies, sizeof(*ftl->dies));
	ftl->buckets = malloc(buckets * sizeof(*ftl->buckets));
	ftl->copies = calloc(geometry->pages, sizeof(*ftl->copies));
	ftl->opens = geometry->has_handles ? new_map((uint64_t)geometry->dies * FTL_OPENS) : NULL;
	if (!ftl->l2p || !ftl->p2l || !ftl->blocks || !ftl->dies || !ftl->buckets || !ftl->copies ||
		(geometry->has_handles && !ftl->opens)) {
		ftl_close(ftl);
		return -ENOMEM;
	}
	memset(ftl->buckets, 0xff, buckets * sizeof(*ftl->buckets));
	for (uint32_t die = 0; die < geometry->dies; die++) {
		struct ftl_die *at = &ftl->dies[die];

		*at = (struct ftl_die){.open = FTL_NONE, .free = {FTL_NONE, FTL_NONE}, .free_count = geometry->blocks};
		for (uint32_t i = 0; i < geometry->blocks; i++)
			list_append(ftl, &at->free, die * geometry->blocks + i);
	}
	return 0;
}

void ftl_close(struct ftl *ftl)
{
	free(ftl->l2p);
	free(ftl->p2l);
	free(ftl->blocks);
	free(ftl->dies);
	free(ftl->buckets);
	free(ftl->copies);
	free(ftl->opens);
	memset(ftl, 0, sizeof(*ftl));
}

/* --- consistency checks --- */

static const char *check_block(const struct ftl *ftl, uint32_t number)
{
	const struct ftl_block *block = &ftl->blocks[number];
	uint32_t pages = ftl->geometry.pages, valid = 0;

	for (uint32_t page = 0; page < pages; page++) {
		uint32_t place = number * pages + page, lsa = ftl->p2l[place];

		if (lsa == FTL_NONE)
			continue;
		valid++;
		if (page >= block->programmed)
			return "a page is valid that was not programmed";
		if (lsa >= ftl->geometry.exported || ftl->l2p[lsa] != place)
			return "a page belongs to a slice that is elsewhere";
	}
	if (block->programmed - block->invalid != (int)valid)
		return "a block's invalid pages are not those that were programmed without the valid ones";
	if (block->state == FTL_FREE ? block->programmed : !block->programmed)
		return "a free block has pages, or another has none";
	if (block->state == FTL_CLOSED && block->programmed != pages)
		return "a block was closed before it was full";
	return NULL;
}

const char *ftl_check(const struct ftl *ftl)
{
	const struct ftl_geometry *geometry = &ftl->geometry;
	uint64_t mapped = 0, listed = 0;
	const char *why = geometry->blocks ? NULL : "dies have no blocks";

	for (uint32_t block = 0; block < geometry->dies * geometry->blocks && !why; block++)
		why = check_block(ftl, block);
	for (uint64_t lsa = 0; lsa < geometry->exported && !why; lsa++) {
		uint32_t place = ftl->l2p[lsa];

		mapped += place != FTL_NONE;
		if (place != FTL_NONE && ftl->p2l[place] != lsa)
			why = "a slice is mapped to another's page";
	}
	if (!why && mapped != ftl->mapped)
		why = "the number of mapped slices is not that of those ever written";
	for (uint32_t die = 0; die < geometry->dies && !why; die++) {
		uint32_t counts[FTL_CLOSED + 1] = {0};

		for (uint32_t i = 0; i < geometry->blocks; i++)
			counts[ftl->blocks[die * geometry->blocks + i].state]++;
		if (counts[FTL_FREE] != ftl->dies[die].free_count || counts[FTL_FREE] < geometry->reserve_blocks ||
			counts[FTL_OPEN] > (ftl->opens ? FTL_OPENS : 1))
			why = "a die has another number of free blocks, or too many open ones";
		for (uint32_t invalid = 0; invalid <= geometry->pages; invalid++) {
			for (uint32_t at = bucket_of(ftl, die, invalid)->first; at != FTL_NONE; at = ftl->blocks[at].next) {
				listed++;
				if (ftl->blocks[at].invalid != invalid || ftl_die_of(ftl, at) != die ||
					ftl->blocks[at].state != FTL_CLOSED)
					why = "a block is in the list of another invalid count";
			}
		}
		listed += counts[FTL_FREE] + counts[FTL_OPEN];
	}
	if (!why && listed != (uint64_t)geometry->dies * geometry->blocks)
		why = "blocks are in no list";
	return why;
}
