/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warm memory for the page cache. In a guest the first touch of a page that the host does not back costs ten times the
 * write itself, and freed pages turn cold again after seconds. So that the writer's cost and not the host's is measured,
 * a mapping of huge pages is held, and right before each write as much of it is touched and given back as the write will
 * need: the kernel hands these pages out at once (pages of 4 KiB do not do it). What a large write leaves of it is taken
 * back, before the host does. Writes for which nothing is left get what the machine has, warm or cold: their bytes are
 * counted.
 */
#ifndef IOWRITE_BENCH_FEED_H
#define IOWRITE_BENCH_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/op.h"

struct feed {
	char *begin;          /* of a huge page */
	uint64_t bytes, used; /* held at first; of them given, and not taken back */
	void *map;            /* that it lies in */
	uint64_t ahead; /* given back, and not yet written to */
	uint64_t unfed; /* bytes of writes that nothing was left for, since feed_open */
};

/* The most that will be given at a time for these writes in turn, of what is new of each (stretch.h), or for bytes in writes
 * of one size: feed_open of so much suffices. */
uint64_t feed_need(const struct op *ops, size_t count);
uint64_t feed_need_each(uint64_t size, uint64_t bytes);
/* For bytes in writes of which only the largest size is known: twice is enough of all but sizes of a few MiB. */
uint64_t feed_need_some(uint64_t largest, uint64_t bytes);
/* That this process may use: of what is available, and of what its cgroups have left. 0 = it cannot be read. */
uint64_t feed_available(void);
/* Of it that all feeds together may hold: half. The other half is for who writes. */
uint64_t feed_most(void);
/* Maps and touches bytes, up to so much: feeds that are opened at the same time share feed_most. 0 or -errno. */
int feed_open(uint64_t bytes, uint64_t most, struct feed *feed);
/* A write of so many bytes is made of the huge pages that it was given, and of no others. */
bool feed_is_large(uint64_t size);
/* Whether enough of the last gift is left for a write, a small one: then it is taken from that. */
bool feed_take(struct feed *feed, uint64_t size);
/* Gives back size bytes and some more, unless enough of the last gift is left; what is missing is added to unfed. It
 * takes up to 2 ms for each MiB where the host has taken even what is held. */
void feed_give(struct feed *feed, uint64_t size);
/* Touches again what was given back: while the pages that were made of it are just freed, they are still warm. */
void feed_refill(struct feed *feed);
void feed_close(struct feed *feed);

#endif
