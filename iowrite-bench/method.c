/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/method.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "iowrite-bench/methods/methods.h"

const struct method methods[] = {
	{"write", "write(2)", true, false, false, true, plain_open, plain_write, NULL, NULL,
		plain_close},
	{"pwrite", "pwrite(2)", true, false, false, false, plain_open, plain_pwrite, NULL, NULL,
		plain_close},
	{"writev", "writev(2), the write in up to 16 pieces", true, false, false, true, plain_open, plain_writev,
		NULL, NULL, plain_close},
	{"pwritev2", "pwritev2(2)", true, true, false, false, plain_open, plain_pwritev2, NULL, NULL,
		plain_close},
	{"io_uring", "one IORING_OP_WRITE and its completion", true, true, false, false, uring_open, uring_write,
		NULL, NULL, uring_close},
	{"fwrite", "fwrite(3) through the libc's buffer", false, false, false, true, stream_open, stream_write,
		stream_flush, NULL, stream_close},
	{"mmap", "stores into a shared mapping", false, false, true, false, map_open, map_write, NULL,
		map_begin, map_close},
	{0},
};

const struct method *method_of(const char *name)
{
	for (const struct method *method = methods; method->name; method++) {
		if (!strcmp(method->name, name))
			return method;
	}
	return NULL;
}

static int by_fsync(int fd, char *map, uint64_t offset, uint64_t size)
{
	(void)map, (void)offset, (void)size;
	return fsync(fd) ? -errno : 0;
}

static int by_fdatasync(int fd, char *map, uint64_t offset, uint64_t size)
{
	(void)map, (void)offset, (void)size;
	return fdatasync(fd) ? -errno : 0;
}

/* Waits for the data; neither metadata nor the device's cache is flushed. */
static int by_range(int fd, char *map, uint64_t offset, uint64_t size)
{
	const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	(void)map;
	return sync_file_range(fd, (off_t)offset, (off_t)size, all) ? -errno : 0;
}

static int by_syncfs(int fd, char *map, uint64_t offset, uint64_t size)
{
	(void)map, (void)offset, (void)size;
	return syncfs(fd) ? -errno : 0;
}

/* From the page that the range begins in: msync(2) takes no other address. */
static int by_msync(int fd, char *map, uint64_t offset, uint64_t size)
{
	uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE);

	(void)fd;
	return msync(map + offset - before, size + before, MS_SYNC) ? -errno : 0;
}

const struct method_sync method_syncs[] = {
	{"none", "never", 0, false, NULL, false},
	{"fsync", "fsync(2) after each write", 0, false, by_fsync, false},
	{"fdatasync", "fdatasync(2) after each write", 0, false, by_fdatasync, false},
	{"sync_file_range", "sync_file_range(2): the data only, not the device's cache", 0, false, by_range, true},
	{"rwf-dsync", "RWF_DSYNC with each write", RWF_DSYNC, false, NULL, false},
	{"syncfs", "syncfs(2) after each write", 0, false, by_syncfs, false},
	{"msync", "msync(2) of the range written, of a mapping", 0, true, by_msync, false},
	{0},
};

const struct method_sync *method_sync_of(const char *name)
{
	for (const struct method_sync *sync = method_syncs; sync->name; sync++) {
		if (!strcmp(sync->name, name))
			return sync;
	}
	return NULL;
}
