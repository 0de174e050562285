/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/method.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "iowrite-bench/methods/methods.h"

const struct method methods[] = {
	{"write", "write(2)", true, false, false, true, plain_open, plain_write, NULL, plain_close},
	{"pwrite", "pwrite(2)", true, false, false, false, plain_open, plain_pwrite, NULL, plain_close},
	{"writev", "writev(2), the write in up to 16 pieces", true, false, false, true, plain_open, plain_writev,
		NULL, plain_close},
	{"pwritev2", "pwritev2(2)", true, true, false, false, plain_open, plain_pwritev2, NULL, plain_close},
	{"io_uring", "one IORING_OP_WRITE and its completion", true, true, false, false, uring_open, uring_write,
		NULL, uring_close},
	{"fwrite", "fwrite(3) through the libc's buffer", false, false, false, true, stream_open, stream_write,
		stream_flush, stream_close},
	{"mmap", "stores into a shared mapping", false, false, true, false, map_open, map_write, map_flush,
		map_close},
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

static int by_fsync(int fd, uint64_t offset, uint64_t size)
{
	(void)offset, (void)size;
	return fsync(fd) ? -errno : 0;
}

static int by_fdatasync(int fd, uint64_t offset, uint64_t size)
{
	(void)offset, (void)size;
	return fdatasync(fd) ? -errno : 0;
}

/* Waits for the data; neither metadata nor the device's cache is flushed. */
static int by_range(int fd, uint64_t offset, uint64_t size)
{
	const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;

	return sync_file_range(fd, (off_t)offset, (off_t)size, all) ? -errno : 0;
}

static int by_syncfs(int fd, uint64_t offset, uint64_t size)
{
	(void)offset, (void)size;
	return syncfs(fd) ? -errno : 0;
}

const struct method_sync method_syncs[] = {
	{"none", "never", 0, NULL},
	{"fsync", "fsync(2) after each write", 0, by_fsync},
	{"fdatasync", "fdatasync(2) after each write", 0, by_fdatasync},
	{"sync_file_range", "sync_file_range(2): the data only, not the device's cache", 0, by_range},
	{"rwf-dsync", "RWF_DSYNC with each write", RWF_DSYNC, NULL},
	{"syncfs", "syncfs(2) after each write", 0, by_syncfs},
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
