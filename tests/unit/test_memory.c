/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host-backed memory for writes, and free space that is prepared for a file. */
#include "config.h"
#include "tests/unit/unit.h"
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include "iowrite-bench/write/memory.h"

#define MIB (1ull << 20)

static struct op *writes_of(uint64_t size, size_t count)
{
	struct op *ops = calloc(count, sizeof(*ops));

	assert_non_null(ops);
	for (size_t i = 0; i < count; i++)
		ops[i] = (struct op){0, i * size, size};
	return ops;
}

TEST("the pool frees exactly what a write needs")
{
	static const uint64_t sizes[] = {1, 1000, 4096, 65536, MIB, 2 * MIB - 1, 2 * MIB, 3 * MIB + 1, 4 * MIB, 4 * MIB + 1,
		6 * MIB, 6 * MIB + 1, 7 * MIB, 8 * MIB, 16 * MIB};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t count = sizes[i] < 65536 ? 5000 : 13;
		struct op *ops = writes_of(sizes[i], count);
		uint64_t need = memory_need(ops, count);
		struct memory_pool pool;

		assert_int_equal(need, memory_need_each(sizes[i], count * sizes[i]));
		assert_true(need >= count * sizes[i]);
		assert_int_equal(memory_pool_open(need, memory_limit(), &pool), 0);
		assert_int_equal(pool.bytes, need);
		for (size_t k = 0; k < count; k++)
			memory_pool_refill(&pool, ops[k].size);
		assert_int_equal(pool.used, need);
		assert_int_equal(pool.unbacked, 0);
		memory_pool_close(&pool);
		free(ops);
	}
	assert_int_equal(memory_need(NULL, 0), 0);
	assert_int_equal(memory_need_each(0, 0), 0);
	assert_int_equal(memory_need_each(MIB, 0), 0);
	/* 10 MiB for one write of 6 MiB and a byte, of which 2 are taken back; 10 for six of 1 MiB. */
	assert_int_equal(memory_need_each(6 * MIB + 1, 6 * MIB + 1), 10 * MIB);
	assert_int_equal(memory_need_each(6 * MIB + 1, 12 * MIB + 2), 18 * MIB);
	assert_int_equal(memory_need_each(MIB, 7 * MIB), 20 * MIB);
}

/* The most is given before the last write, and what is written again is given nothing. */
TEST("a mixed list of writes gets the memory that it needs")
{
	static const struct op ops[] = {{0, 0, MIB}, {0, MIB, 2 * MIB}, {0, 3 * MIB, 16 * MIB}, {0, 3 * MIB, 16 * MIB},
		{0, 11 * MIB, 16 * MIB}, {0, 27 * MIB, MIB}, {0, 28 * MIB, 3 * MIB}};
	size_t count = sizeof(ops) / sizeof(ops[0]);
	uint64_t need = memory_need(ops, count), most = 0;
	struct memory_range cached = {0};
	struct memory_pool pool;

	assert_int_equal(memory_pool_open(need, memory_limit(), &pool), 0);
	for (size_t i = 0; i < count; i++) {
		uint64_t used = pool.used, size = memory_range_add(&cached, ops[i].offset, ops[i].size);

		memory_pool_refill(&pool, size);
		assert_true(size || pool.used == used);
		most = pool.used > most ? pool.used : most;
	}
	assert_int_equal(pool.unbacked, 0);
	assert_int_equal(most, need);
	assert_true(pool.used < most);
	memory_pool_close(&pool);
}

TEST("bytes without pooled memory are counted")
{
	struct memory_pool pool;

	assert_int_equal(memory_pool_open(12 * MIB, memory_limit(), &pool), 0);
	memory_pool_refill(&pool, 4 * MIB); /* 6: 2 are ahead, and taken back */
	assert_int_equal(pool.used, 6 * MIB);
	memory_pool_refill(&pool, 5 * MIB); /* the last 8: of 3 that are ahead 2 are taken back */
	assert_int_equal(pool.used, 12 * MIB);
	assert_int_equal(pool.unbacked, 0);
	memory_pool_refill(&pool, 5 * MIB); /* these 3 */
	assert_int_equal(pool.unbacked, 2 * MIB);
	memory_pool_refill(&pool, 7);
	assert_int_equal(pool.unbacked, 2 * MIB + 7);
	/* From the beginning again; what was missing stays counted. */
	memory_pool_reclaim(&pool);
	memory_pool_refill(&pool, 4 * MIB);
	assert_int_equal(pool.unbacked, 2 * MIB + 7);
	memory_pool_close(&pool);
}

static uint64_t held_bytes(const struct memory_pool *pool)
{
	unsigned char *pages = malloc(pool->bytes / 4096);
	uint64_t held = 0;

	assert_non_null(pages);
	assert_int_equal(mincore(pool->begin, pool->bytes, pages), 0);
	for (size_t i = 0; i < pool->bytes / 4096; i++)
		held += pages[i] & 1 ? 4096 : 0;
	free(pages);
	return held;
}

/* Free huge pages are reported to the host, so that only what is used soon is free. Small writes do not take them at once. */
TEST("memory left by a large write is reclaimed")
{
	struct memory_pool pool;

	assert_int_equal(memory_pool_open(64 * MIB, memory_limit(), &pool), 0);
	assert_int_equal(held_bytes(&pool), 64 * MIB);
	memory_pool_refill(&pool, 16 * MIB);
	assert_int_equal(held_bytes(&pool), (64 - 18) * MIB);
	memory_pool_refill(&pool, 16 * MIB);
	assert_int_equal(held_bytes(&pool), (64 - 34) * MIB);
	memory_pool_refill(&pool, MIB); /* 10 more, of which 9 are left */
	assert_int_equal(held_bytes(&pool), (64 - 44) * MIB);
	memory_pool_refill(&pool, 2 * MIB); /* 8 of them back, and 4 more */
	assert_int_equal(held_bytes(&pool), (64 - 40) * MIB);
	assert_int_equal(pool.used, 40 * MIB);
	memory_pool_reclaim(&pool);
	assert_int_equal(held_bytes(&pool), 64 * MIB);
	memory_pool_close(&pool);
}

TEST("an empty pool frees nothing")
{
	struct memory_pool pool;

	assert_int_equal(memory_pool_open(0, memory_limit(), &pool), 0);
	assert_int_equal(pool.bytes, 0);
	memory_pool_refill(&pool, 100);
	assert_int_equal(pool.unbacked, 100);
	memory_pool_reclaim(&pool);
	memory_pool_close(&pool);
}

/* Several at once share what there is. */
TEST("a pool takes no more than its share")
{
	struct memory_pool pool;

	assert_int_equal(memory_pool_open(64 * MIB, 7 * MIB, &pool), 0);
	assert_int_equal(pool.bytes, 6 * MIB);
	memory_pool_close(&pool);
	assert_int_equal(memory_pool_open(64 * MIB, 0, &pool), 0);
	assert_int_equal(pool.bytes, 0);
	memory_pool_close(&pool);
	assert_true(memory_limit() > 0);
	assert_true(memory_limit() <= memory_available());
}

/* --- the range of a file that is in the page cache --- */

TEST("only bytes beyond the cached range are new, and apart from it all are")
{
	static const struct {
		uint64_t offset, size, fresh;
		struct memory_range range; /* afterwards */
		const char *behaviour;
	} rows[] = {
		{50, 20, 20, {50, 70}, "an empty range"},
		{60, 20, 10, {50, 80}, "over its end"},
		{55, 5, 0, {50, 80}, "inside"},
		{40, 20, 10, {40, 80}, "over its begin"},
		{30, 60, 20, {30, 90}, "over both"},
		{20, 10, 10, {20, 90}, "adjoins its begin"},
		{90, 7, 7, {20, 97}, "adjoins its end"},
		{98, 4, 4, {20, 97}, "behind it"},
		{98, 4, 4, {20, 97}, "behind it again"},
		{0, 19, 19, {20, 97}, "before it"},
	};
	struct memory_range range = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t fresh = memory_range_add(&range, rows[i].offset, rows[i].size);

		if (fresh != rows[i].fresh || range.begin != rows[i].range.begin || range.end != rows[i].range.end)
			fail_msg("%s: %d new, [%d, %d)", rows[i].behaviour, (int)fresh, (int)range.begin, (int)range.end);
	}
}

/* --- space of the file system --- */

#define BLOCK 4096
#define FEW_SECTORS (2 * MIB / 512) /* the block, and what a file system keeps beside it; not what was reserved */

static struct stat facts_of(int fd)
{
	struct stat facts;

	assert_int_equal(fstat(fd, &facts), 0);
	return facts;
}

/* In the folder of the build, which is on a disk more often than others; -1 and a reason to skip where it is memory. */
static int file_on_disk(void)
{
	char path[] = "test_space.XXXXXX";
	int fd = mkstemp(path);
	struct statfs facts;

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(fstatfs(fd, &facts), 0);
	if (facts.f_type != TMPFS_MAGIC && facts.f_type != RAMFS_MAGIC)
		return fd;
	close(fd);
	return -1;
}

TEST("preparing free space leaves one block")
{
	int fd = file_on_disk();

	if (fd < 0)
		skip();
	assert_int_equal(memory_space_prepare(fd, 64 * MIB + 17), 0);
	/* 0 where nothing can be reserved. */
	assert_true(facts_of(fd).st_size == BLOCK || facts_of(fd).st_size == 0);
	assert_true(facts_of(fd).st_blocks < (blkcnt_t)FEW_SECTORS);
	close(fd);
}

TEST("small sizes are not prepared")
{
	int fd = file_on_disk();

	if (fd < 0)
		skip();
	assert_int_equal(memory_space_prepare(fd, 4 * MIB - 1), 0);
	assert_int_equal(facts_of(fd).st_size, 0);
	assert_int_equal(facts_of(fd).st_blocks, 0);
	close(fd);
}

/* What a file has keeps its length and its last block's place; only that block is written again. */
TEST("space is prepared after the existing data")
{
	char text[3 * BLOCK];
	int fd = file_on_disk();

	if (fd < 0)
		skip();
	memset(text, 'x', sizeof(text));
	assert_int_equal(write(fd, text, sizeof(text)), sizeof(text));
	assert_int_equal(memory_space_prepare_behind(fd, sizeof(text), 32 * MIB), 0);
	assert_int_equal(facts_of(fd).st_size, sizeof(text));
	assert_true(facts_of(fd).st_blocks < (blkcnt_t)FEW_SECTORS);
	assert_int_equal(pread(fd, text, 2 * BLOCK, 0), 2 * BLOCK);
	assert_true(text[0] == 'x' && text[2 * BLOCK - 1] == 'x');
	close(fd);
}

/* A limit that fallocate(2) runs into; a file that had blocks before is cut, too. */
TEST("a limit on files is no error of the preparation")
{
	struct rlimit before, small = {.rlim_cur = MIB};
	int fd = file_on_disk();

	if (fd < 0)
		skip();
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(posix_fallocate(fd, 0, 8192), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(memory_space_prepare(fd, 64 * MIB), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(facts_of(fd).st_size, 0);
	assert_true(facts_of(fd).st_blocks < (blkcnt_t)FEW_SECTORS);
	close(fd);
}

/* A file that is memory would be filled with it. */
TEST("files in memory are not prepared")
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(memory_space_prepare(fd, 64 * MIB), 0);
	assert_int_equal(facts_of(fd).st_size, 0);
	assert_int_equal(facts_of(fd).st_blocks, 0);
	close(fd);
}

/* Half of what is free, some GiB, whole blocks; and what is hardly anything is nothing. */
TEST("preparing never takes all free space")
{
	const uint64_t mib = 1 << 20, gib = 1 << 30;

	assert_int_equal(memory_space_bytes(3 * gib, 100 * gib), 3 * gib);
	assert_int_equal(memory_space_bytes(3 * gib, 2 * gib), gib);
	assert_int_equal(memory_space_bytes(100 * gib, 100 * gib), MEMORY_SPACE_MOST);
	assert_int_equal(memory_space_bytes(UINT64_MAX, UINT64_MAX), MEMORY_SPACE_MOST);
	assert_int_equal(memory_space_bytes(5 * mib + 1, gib), 5 * mib);
	assert_int_equal(memory_space_bytes(4 * mib - 1, gib), 0);
	assert_int_equal(memory_space_bytes(gib, 7 * mib), 0);
}
