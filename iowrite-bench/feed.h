/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Warm memory for the page cache. In a guest the first touch of a page that the host does not back costs ten times the
 * write itself, and freed pages turn cold again after seconds. So that the writer's cost and not the host's is measured,
 * a mapping of huge pages is held, and right before each write as much of it is given back as the write will need: the
 * kernel hands these pages out at once (pages of 4 KiB do not do it).
 */
#ifndef IOWRITE_BENCH_FEED_H
#define IOWRITE_BENCH_FEED_H

#include <stdint.h>

struct feed {
	char *begin;
	uint64_t bytes, used;
	uint64_t ahead; /* given back, and not yet written to */
};

/* Maps and touches bytes, up to half of what is available. 0 or -errno. */
int feed_open(uint64_t bytes, struct feed *feed);
/* Gives back size bytes and some more, unless enough of the last gift is left; nothing when the feed is empty. */
void feed_give(struct feed *feed, uint64_t size);
/* Touches again what was given back: while the pages that were made of it are just freed, they are still warm. */
void feed_refill(struct feed *feed);
void feed_close(struct feed *feed);

#endif
