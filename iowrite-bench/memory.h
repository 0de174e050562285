/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of options, reports and calibrations for the memory that the page cache gets. */
#ifndef IOWRITE_BENCH_MEMORY_H
#define IOWRITE_BENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/model/model.h"
#include "iowrite-bench/op.h"

#define MEMORY_NAMES "warm|cold|as-is" /* as the name of a value in a table of options */

/* By enum model_memory, ended by NULL. */
extern const char *const memory_names[];
const char *memory_name(enum model_memory memory);

/*
 * Warm memory for the page cache. In a guest the first touch of a page that the host does not back costs ten times the
 * write itself, and freed pages turn cold again after seconds. So that the writer's cost and not the host's is measured,
 * a mapping of huge pages is held, and right before each write as much of it is touched and given back as the write will
 * need: the kernel hands these pages out at once (pages of 4 KiB do not do it). What a large write leaves of it is taken
 * back, before the host does. Writes for which nothing is left get what the machine has, warm or cold: their bytes are
 * counted.
 */

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

/* One stretch of a file that writes have covered so far, which grows by those that overlap or adjoin it. */

struct stretch {
	uint64_t begin, end; /* bytes from the file's beginning; both 0 = empty */
};

/* How many bytes of a write are new to it. What lies apart does not become part of it, and is all new each time. */
uint64_t stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size);

/*
 * Warm room for a file that is going to grow. ext4 reads a group's block bitmap when it needs one that is not in memory:
 * the flusher waits for it behind all that is being written, and a buffered write of new data waits for the flusher
 * (i_data_sem in ext4_da_get_block_prep), tens of ms, though nothing holds it back. It is an affair of the file system,
 * once for each 128 MiB that have not been looked at for a while, and no model of write-back knows it.
 */

#define ROOM_MOST (8ull << 30) /* that is reserved at a time */

/* Bytes that a folder's file system has free, less what is left to others (common/target.h). 0 or -errno. */
int room_free(const char *folder, uint64_t *bytes);
/* What of so many bytes is reserved where so many are free: whole blocks, half of what is free at most; 0 = nothing. */
uint64_t room_bytes(uint64_t wanted, uint64_t free_bytes);

/* fd: an empty file, and bytes that are going to be written. Its blocks are reserved and given back, so that the bitmaps are
 * in memory, but for the first one of a long free stretch: behind it the file system will look for those of the run. Of
 * more than ROOM_MOST, or than half of what is free, only so much is warmed, and nothing where files are memory. What
 * cannot be done is left out: the file is a block long then, or empty, as before, and has no room that was only reserved;
 * but one that this process is killed over keeps it, so nobody's own file is for this. 0, or -errno when what was reserved
 * cannot be given back. */
int room_warm(int fd, uint64_t bytes);
/* The same behind the first length bytes of a file, of which the last block is written again: its room adjoins. Also
 * -errno when that cannot be written. */
int room_warm_behind(int fd, uint64_t length, uint64_t bytes);

#endif
