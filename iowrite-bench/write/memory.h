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
/* Indexed by enum model_memory, ended by NULL. */
extern const char *const memory_names[];
const char *memory_name(enum model_memory memory);
/* Page faults of the calling thread so far, minor and major. */
uint64_t memory_faults_of_thread(void);

/* --- available and needed bytes --- */

/* Returns the bytes that this process may use: available, and left by its cgroups' limits. 0 = they cannot be read. */
uint64_t memory_available(void);
/* Returns the upper bound for all pools together: half of the available memory. The writer needs the other half. */
uint64_t memory_limit(void);
/* Returns whether such writes take memory that has to be host-backed: synchronous ones do, direct ones and those over cached
 * pages do not. */
bool memory_is_needed(enum model_memory memory, enum op_mode mode, enum op_regime regime, bool is_uncached);
/* Returns whether a write of that many bytes uses the huge pages that were freed for it, and no others. */
bool memory_is_large(uint64_t size);
/* Return the size of a pool that suffices for these writes; for bytes in writes of one size; for bytes in writes of which only
 * the largest size is known. */
uint64_t memory_need(const struct op *ops, size_t count);
uint64_t memory_need_each(uint64_t size, uint64_t bytes);
uint64_t memory_need_largest(uint64_t largest, uint64_t bytes);

/* --- the pool --- */

struct memory_pool {
	char *begin;          /* of a huge page */
	uint64_t bytes, used; /* held at first; of them freed for writes */
	void *map;            /* that it lies in */
	uint64_t ahead;       /* freed, and not yet written to */
	uint64_t unbacked;    /* bytes of writes beyond the pool */
};

/* Maps and touches bytes, up to `most`. Returns 0 or -errno. */
int memory_pool_open(uint64_t bytes, uint64_t most, struct memory_pool *pool);
/* Frees the memory that a write of size new bytes needs, unless enough is left of the last refill; adds missing bytes to
 * unbacked. Takes up to 2 ms for each MiB where the host has reclaimed even the pool. */
void memory_pool_refill(struct memory_pool *pool, uint64_t size);
/* Takes all memory of the pool again, while the pages that were made of it are just freed and still host-backed. */
void memory_pool_reclaim(struct memory_pool *pool);
void memory_pool_close(struct memory_pool *pool);

/* --- of a measurement --- */

struct memory_range { /* of a file: in the page cache; bytes, both 0 = empty */
	uint64_t begin, end;
};
/* Adds a write to the range. Returns how many bytes are new: all, each time, of a write apart from the range. */
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
/* Refills the pool for a write. file: which of file_count; offset in it. */
void memory_before_write(struct memory *memory, size_t file, uint64_t offset, uint64_t size);
/* Takes the memory again when the files were truncated, or a warm-up is over. has_files: they are still cached. */
void memory_reuse(struct memory *memory, bool has_files);
void memory_free(struct memory *memory);

/* --- space of the file system --- */

/*
 * ext4 reads a group's block bitmap when it needs one that is not in memory: the flusher waits for it behind all that is being
 * written, and a buffered write of new data waits for the flusher (i_data_sem in ext4_da_get_block_prep), tens of ms. No model
 * of write-back includes this, so the bitmaps are read before.
 */

/* Reads the free bytes of a folder's file system, less those left to others (common/storage/target.h). Returns 0 or -errno. */
int memory_space_free(const char *folder, uint64_t *bytes);
/* Returns how many of the wanted bytes to reserve: whole blocks, half of the free bytes at most; 0 = nothing. */
uint64_t memory_space_bytes(uint64_t wanted, uint64_t free_bytes);
/* Reserves blocks for bytes that will be written to fd, an empty file, and frees all but the first one of a long free extent:
 * the file system looks for those of the run behind it. A step that fails is left out; the file is then a block long, or empty.
 * If this process is killed the file keeps the space: not for files that others own. Returns 0, or -errno when the space cannot
 * be freed. */
int memory_space_prepare(int fd, uint64_t bytes);
/* Does the same behind the first length bytes of a file, and writes the last block of these again. */
int memory_space_prepare_behind(int fd, uint64_t length, uint64_t bytes);

#endif
