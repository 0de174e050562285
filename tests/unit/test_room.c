/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Room is found and given back: what stays of a file is a block, or nothing, and no error is the measurement's. */
#include "config.h"
#include "tests/unit/unit.h"
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include "iowrite-bench/memory.h"

#define MIB (1ull << 20)
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
	char path[] = "test_room.XXXXXX";
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

/* A limit on files that fallocate(2) runs into; what was there before, as somebody else had it, is no room either. */
TEST("an error is not the runs")
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
