/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pattern that was recorded: how popular each page was, and perhaps in which order pages were accessed. A file of text:
 *
 *	memstor-pattern 1
 *	page_bytes 4096
 *	pages N
 *	PAGE COUNT          pages from 0 to N - 1, rising; those left out have none
 *	order COUNT         perhaps: so many pages follow, one a line
 *	PAGE
 *
 * memtrace export --to pmbench writes it, pmbench --pattern-file draws from it.
 */
#ifndef COMMON_RECORDED_H
#define COMMON_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#define RECORDED_MAGIC "memstor-pattern 1"
#define RECORDED_PAGES_MAX (1u << 27) /* 1 GiB of tables */
#define RECORDED_ORDER_MAX (1u << 27)

struct recorded {
	uint64_t page_bytes;
	uint32_t pages;
	uint64_t accesses;   /* sum of the counts */
	/* Draws in constant time (Walker's aliases): of a page drawn evenly stay / 2^32 stays, the rest goes to its
	 * alias. */
	uint32_t *stay, *alias;
	uint32_t *order;     /* NULL = not recorded */
	uint64_t order_count;
};

/* 0, or -errno and in why one line without the path: -EINVAL no such file's content. */
int recorded_read(const char *path, struct recorded **recorded, char *why, size_t length);
/* Of counts, which are not all 0. 0 or -ENOMEM. */
int recorded_make(const uint64_t *counts, uint32_t pages, struct recorded **recorded);
void recorded_free(struct recorded *recorded);

#endif
