/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that the page cache takes for written data (docs/adr/0026): host-backed ("warm"), reclaimed by the host
 * ("cold") or any free memory ("as-is"). A measurement opens a pool once and calls memory_before_write before each write;
 * models, reports and other commands use only the recorded state, enum model_memory.
 *
 * In a virtual machine the first touch of a page that the host does not back costs ten times the write itself, and freed
 * pages are reclaimed after seconds. So a pool of huge pages is held, and right before each write as much of it is touched and
 * freed as the write will need: the kernel hands these pages out at once. What a large write leaves is taken again before
 * the host reclaims it. Writes for which nothing is left get any free memory: their bytes are counted.
 */
#ifndef IOWRITE_BENCH_WRITE_MEMORY_H
#define IOWRITE_BENCH_WRITE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/write/op.h"

#define MEMORY_NAMES "warm|cold|as-is" /* as the name of a value in a table of options */
#define MEMORY_COLD_S 30 /* of MODEL_COLD: how long free memory is left alone, for the host to reclaim it */
#define MEMORY_SPACE_MOST (8ull << 30) /* of a file system, reserved at a time */

enum model_memory { MODEL_WARM, MODEL_COLD, MODEL_AS_IS };
/* By enum model_memory, ended by NULL. */
extern const char *const memory_names[];
const char *memory_name(enum model_memory memory);
/* Page faults of the calling thread so far, minor and major. */
uint64_t memory_faults_of_thread(void);

/* --- how much there is, and is needed --- */

/* That this process may use: of what is available, and of what its cgroups have left. 0 = it cannot be read. */
uint64_t memory_available(void);
/* Of it that all pools together may hold: half. The other half is the writer's. */
uint64_t memory_limit(void);
/* Whether such writes take memory that has to be host-backed: synchronous ones do, direct ones and those over cached pages
 * do not. */
bool memory_is_needed(enum model_memory memory, enum op_mode mode, enum op_regime regime, bool is_uncached);
/* A write of that many bytes is made of the huge pages that were freed for it, and of no others. */
bool memory_is_large(uint64_t size);
/* A pool of that many bytes suffices for these writes; for bytes in writes of one size; for bytes in writes of which only the
 * largest size is known. */
uint64_t memory_need(const struct op *ops, size_t count);
uint64_t memory_need_each(uint64_t size, uint64_t bytes);
uint64_t memory_need_largest(uint64_t largest, uint64_t bytes);

/* --- the pool --- */

struct memory_pool {
	char *begin;          /* of a huge page */
	uint64_t bytes, used; /* held at first; of them freed for writes */
	void *map;            /* that it lies in */
	uint64_t ahead;       /* freed, and not yet written to */
	uint64_t unbacked;    /* bytes of writes that nothing was left for */
};

/* Maps and touches bytes, up to `most`. 0 or -errno. */
int memory_pool_open(uint64_t bytes, uint64_t most, struct memory_pool *pool);
/* Frees what a write of size new bytes needs, unless enough is left of the last time; what is missing is added to unbacked.
 * Up to 2 ms for each MiB where the host has reclaimed even the pool. */
void memory_pool_refill(struct memory_pool *pool, uint64_t size);
/* Takes all of it again, while the pages that were made of it are just freed and still host-backed. */
void memory_pool_reclaim(struct memory_pool *pool);
void memory_pool_close(struct memory_pool *pool);

/* --- of a measurement --- */

struct memory_range { /* of a file: in the page cache; bytes, both 0 = empty */
	uint64_t begin, end;
};
/* How many bytes of a write are new to it. What lies apart does not become part of it, and is all new each time. */
uint64_t memory_range_add(struct memory_range *range, uint64_t offset, uint64_t size);

struct memory {
	bool is_pooled;       /* writes take from the pool */
	struct memory_pool pool;
	struct memory_range *cached; /* of each file */
	size_t file_count;
	uint64_t faults;      /* page faults of refilling */
};

/* Leaves free memory alone for MEMORY_COLD_S, or until *stop. */
void memory_wait_for_host(const volatile int *stop);
/* file: which of file_count; offset in it. */
void memory_before_write(struct memory *memory, size_t file, uint64_t offset, uint64_t size);
/* The files were cut, or a warm-up is over: their pages are free again. has_files: they are still cached. */
void memory_reuse(struct memory *memory, bool has_files);
void memory_free(struct memory *memory);

/* --- space of the file system --- */

/*
 * ext4 reads a group's block bitmap when it needs one that is not in memory: the flusher waits for it behind all that is
 * being written, and a buffered write of new data waits for the flusher (i_data_sem in ext4_da_get_block_prep), tens of ms.
 * No model of write-back knows it, so the bitmaps are read before.
 */

/* Bytes that a folder's file system has free, less what is left to others (common/storage/target.h). 0 or -errno. */
int memory_space_free(const char *folder, uint64_t *bytes);
/* What of that many bytes is reserved where that many are free: whole blocks, half of what is free at most; 0 = nothing. */
uint64_t memory_space_bytes(uint64_t wanted, uint64_t free_bytes);
/* fd: an empty file, and bytes that are going to be written. Its blocks are reserved and freed again, but for the first
 * one of a long free extent: behind it the file system looks for those of the run. What cannot be done is left out; the file
 * is then a block long, or empty. One that this process is killed over keeps what was reserved: not for files that others
 * own. 0, or -errno when what was reserved cannot be freed. */
int memory_space_prepare(int fd, uint64_t bytes);
/* The same behind the first length bytes of a file, of which the last block is written again. */
int memory_space_prepare_behind(int fd, uint64_t length, uint64_t bytes);

#endif
