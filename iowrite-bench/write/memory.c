/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/write/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/host/machine.h"
#include "common/kernel/cgroup.h"
#include "common/storage/target.h"

#define MIB (1ull << 20)
#define PAGE 4096
#define HUGE (2 * MIB)
#define SMALL_MORE (8 * MIB) /* for writes below HUGE: other allocations of the kernel meanwhile */
#define COLD_STEP_NS 100000000u
#define SPACE_LEAST (4 * MIB)   /* less is in one group, and written at once */
#define SPACE_EXTENT (32 * MIB) /* a free one: more than the file system asks for at a time */
#define SPACE_EXTENTS 64

const char *const memory_names[] = {[MODEL_WARM] = "warm", [MODEL_COLD] = "cold", [MODEL_AS_IS] = "as-is", NULL};

const char *memory_name(enum model_memory memory)
{
	return memory_names[memory];
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- available and needed bytes --- */

uint64_t memory_available(void)
{
	uint64_t bytes = available_memory("");

	return bytes == UINT64_MAX ? 0 : bytes;
}

uint64_t memory_limit(void)
{
	return memory_available() / 2;
}

bool memory_is_needed(enum model_memory memory, enum op_mode mode, enum op_regime regime, bool is_uncached)
{
	return memory == MODEL_WARM && mode < OP_DIRECT && (regime != OP_OVERWRITE || is_uncached);
}

bool memory_is_large(uint64_t size)
{
	return size >= HUGE;
}

static uint64_t whole(uint64_t bytes)
{
	return (bytes + HUGE - 1) / HUGE * HUGE;
}

static uint64_t refill_for(uint64_t size)
{
	return whole(size + (memory_is_large(size) ? HUGE : SMALL_MORE));
}

/* Takes a write from the last refill, if that has enough: else the pool would be empty after a few small writes. */
static bool take(struct memory_pool *pool, uint64_t size)
{
	if (size && (memory_is_large(size) || pool->ahead < size + SMALL_MORE / 2))
		return false;
	pool->ahead -= size;
	return true;
}

/* Returns the rest of the last refill, which a large write takes back because the host would reclaim it. */
static uint64_t left_over(const struct memory_pool *pool, uint64_t size)
{
	return memory_is_large(size) ? pool->ahead / HUGE * HUGE : 0;
}

uint64_t memory_need(const struct op *ops, size_t count)
{
	struct memory_range cached = {0};
	struct memory_pool pool = {0};
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t size = memory_range_add(&cached, ops[i].offset, ops[i].size);

		if (take(&pool, size))
			continue;
		pool.used += refill_for(size) - left_over(&pool, size);
		pool.ahead = refill_for(size) - size;
		most = pool.used > most ? pool.used : most;
	}
	return most;
}

uint64_t memory_need_each(uint64_t size, uint64_t bytes)
{
	uint64_t refill = refill_for(size), writes;

	if (!size || !bytes)
		return 0;
	/* The pool takes back the unused part of each refill but the last. */
	if (memory_is_large(size))
		return (bytes + size - 1) / size * whole(size) + HUGE;
	/* A refill serves one write, and further ones as long as it has enough for one more. */
	writes = 1 + (refill - size - SMALL_MORE / 2) / size;
	return (bytes + writes * size - 1) / (writes * size) * refill;
}

/* Twice the bytes suffice for all sizes but those of a few MiB. */
uint64_t memory_need_largest(uint64_t largest, uint64_t bytes)
{
	uint64_t need = memory_need_each(largest, bytes);

	return need > 2 * bytes ? need : 2 * bytes;
}

/* --- the pool --- */

static void touch(char *begin, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i += PAGE)
		*(volatile char *)(begin + i) = 1;
}

int memory_pool_open(uint64_t bytes, uint64_t most, struct memory_pool *pool)
{
	char *map, *begin;

	bytes = least(bytes, most);
	bytes -= bytes % HUGE;
	*pool = (struct memory_pool){0};
	if (!bytes)
		return 0;
	map = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	/* Whole huge pages are freed and taken again; without huge pages it is slower and colder, not wrong. */
	begin = map + -(uintptr_t)map % HUGE;
	(void)madvise(begin, bytes, MADV_HUGEPAGE);
	touch(begin, bytes);
	*pool = (struct memory_pool){.map = map, .begin = begin, .bytes = bytes};
	return 0;
}

void memory_pool_refill(struct memory_pool *pool, uint64_t size)
{
	uint64_t again, refill, there;

	if (take(pool, size))
		return;
	again = left_over(pool, size);
	if (again) {
		pool->used -= again;
		pool->ahead -= again;
		touch(pool->begin + pool->used, again);
	}
	refill = least(refill_for(size), pool->bytes - pool->used);
	if (refill) {
		/* The host reclaims the pool, too, after seconds: touching it now costs no time of a write. */
		touch(pool->begin + pool->used, refill);
		madvise(pool->begin + pool->used, refill, MADV_DONTNEED);
	}
	pool->used += refill;
	/* The rest of the last refill counts only when this refill alone does not suffice. */
	there = refill > size ? refill : pool->ahead + refill;
	pool->unbacked += there < size ? size - there : 0;
	pool->ahead = there > size ? there - size : 0;
}

void memory_pool_reclaim(struct memory_pool *pool)
{
	touch(pool->begin, pool->used);
	pool->used = pool->ahead = 0;
}

void memory_pool_close(struct memory_pool *pool)
{
	if (pool->map)
		munmap(pool->map, pool->bytes + HUGE);
	*pool = (struct memory_pool){0};
}

/* --- of a measurement --- */

uint64_t memory_range_add(struct memory_range *range, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size, before = range->end - range->begin;

	if (!before)
		*range = (struct memory_range){offset, offset};
	if (offset > range->end || end < range->begin)
		return size;
	range->begin = least(range->begin, offset);
	range->end = end > range->end ? end : range->end;
	return range->end - range->begin - before;
}

void memory_wait_for_host(const volatile int *stop)
{
	const struct timespec step = {0, COLD_STEP_NS};
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + MEMORY_COLD_S * 1000000000ull;

	while (clock_ns(CLOCK_MONOTONIC) < end && !__atomic_load_n(stop, __ATOMIC_RELAXED))
		nanosleep(&step, NULL);
}

uint64_t memory_faults_of_thread(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

void memory_before_write(struct memory *memory, size_t file, uint64_t offset, uint64_t size)
{
	uint64_t new_bytes, faults;

	if (!memory->is_pooled)
		return;
	new_bytes = memory_range_add(&memory->cached[file], offset, size);
	if (take(&memory->pool, new_bytes))
		return;
	faults = memory_faults_of_thread();
	memory_pool_refill(&memory->pool, new_bytes);
	memory->faults += memory_faults_of_thread() - faults;
}

void memory_reuse(struct memory *memory, bool has_files)
{
	for (size_t i = 0; memory->is_pooled && i < memory->file_count && !has_files; i++)
		memory->cached[i] = (struct memory_range){0};
	if (memory->is_pooled)
		memory_pool_reclaim(&memory->pool);
	if (has_files)
		memory->pool.unbacked = memory->faults = 0;
}

void memory_free(struct memory *memory)
{
	memory_pool_close(&memory->pool);
	free(memory->cached);
	memory->cached = NULL;
}

/* --- space of the file system --- */

int memory_space_free(const char *folder, uint64_t *bytes)
{
	struct statvfs facts;
	uint64_t space;

	if (statvfs(folder, &facts))
		return -errno;
	space = (uint64_t)facts.f_bavail * facts.f_frsize;
	*bytes = space > TARGET_MARGIN_BYTES ? space - TARGET_MARGIN_BYTES : 0;
	return 0;
}

uint64_t memory_space_bytes(uint64_t wanted, uint64_t free_bytes)
{
	uint64_t bytes = least(least(wanted, free_bytes / 2), MEMORY_SPACE_MOST);

	return bytes < SPACE_LEAST ? 0 : bytes - bytes % PAGE;
}

/* Returns how much of bytes to reserve; 0 = nothing: there is little to find, no space, or no device behind it. */
static uint64_t space_allowed(int fd, uint64_t bytes)
{
	struct statvfs space;
	struct statfs facts;

	if (bytes < SPACE_LEAST || fstatfs(fd, &facts) || fstatvfs(fd, &space))
		return 0;
	if (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC || facts.f_type == HUGETLBFS_MAGIC)
		return 0;
	return memory_space_bytes(bytes, (uint64_t)space.f_bavail * space.f_frsize);
}

/* Returns where in the file the first long extent begins; 0 where there is none, or it is unknown. */
static uint64_t find_extent(int fd)
{
	struct fiemap *map = calloc(1, sizeof(*map) + SPACE_EXTENTS * sizeof(struct fiemap_extent));
	uint64_t at = 0;

	if (!map)
		return 0;
	map->fm_length = FIEMAP_MAX_OFFSET;
	map->fm_extent_count = SPACE_EXTENTS;
	if (!ioctl(fd, FS_IOC_FIEMAP, map)) {
		for (unsigned i = 0; i < map->fm_mapped_extents; i++) {
			if (map->fm_extents[i].fe_length < SPACE_EXTENT)
				continue;
			at = map->fm_extents[i].fe_logical;
			break;
		}
	}
	free(map);
	return at;
}

static int cut(int fd, uint64_t length)
{
	return ftruncate(fd, (off_t)length) ? -errno : 0;
}

/* The flusher continues in a file where it stopped the last time (writeback_index), and data is placed near the block before it
 * if that has a place: so the first block is written here. */
static int write_block(int fd, uint64_t offset)
{
	static const char block[PAGE];

	if (pwrite(fd, block, PAGE, (off_t)offset) != PAGE)
		return -EIO;
	return fsync(fd) ? -errno : 0;
}

int memory_space_prepare(int fd, uint64_t bytes)
{
	uint64_t at;

	bytes = space_allowed(fd, bytes);
	if (!bytes)
		return 0;
	/* A failed fallocate(2) keeps what it has reserved. */
	if (fallocate(fd, 0, 0, (off_t)bytes))
		return cut(fd, 0);
	at = find_extent(fd);
	/* The part before the extent is removed, so that the file begins with it. */
	if (at && at + PAGE <= bytes)
		(void)fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, 0, (off_t)at);
	return cut(fd, PAGE) || write_block(fd, 0) ? cut(fd, 0) : 0;
}

int memory_space_prepare_behind(int fd, uint64_t length, uint64_t bytes)
{
	int rc;

	bytes = space_allowed(fd, bytes);
	if (length < PAGE || !bytes)
		return 0;
	(void)fallocate(fd, 0, (off_t)length, (off_t)bytes);
	rc = cut(fd, length);
	return rc ? rc : write_block(fd, length - PAGE);
}
