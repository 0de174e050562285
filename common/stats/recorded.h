/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorded pattern: how often each page was accessed, and optionally the order of accesses. It is a text file:
 *
 *	memstor-pattern 1
 *	page_bytes 4096
 *	pages N
 *	PAGE COUNT          pages from 0 to N - 1, rising; those left out have none
 *	order COUNT         optional: COUNT pages follow, one per line
 *	PAGE
 *
 * memtrace export --to pmbench writes it, pmbench --pattern-file draws from it.
 */
#ifndef COMMON_STATS_RECORDED_H
#define COMMON_STATS_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#define RECORDED_MAGIC "memstor-pattern 1"
#define RECORDED_PAGES_MAX (1u << 27) /* 1 GiB of tables */
#define RECORDED_ORDER_MAX (1u << 27)

struct recorded {
	uint64_t page_bytes;
	uint32_t pages;
	uint64_t accesses;   /* sum of the counts */
	/* Draws in constant time (Walker's alias method): a page drawn uniformly is kept with probability stay / 2^32 and
	 * otherwise replaced by its alias. */
	uint32_t *stay, *alias;
	uint32_t *order;     /* NULL = not recorded */
	uint64_t order_count;
};

/* Returns 0, or -errno and in why one line without the path; -EINVAL: the content is not such a file. */
int recorded_read(const char *path, struct recorded **recorded, char *why, size_t length);
void recorded_free(struct recorded *recorded);

#endif
