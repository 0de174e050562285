/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/write/method.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

/* --- plain --- */

#define PIECES 16

struct plain {
	int fd, rwf_flags;
	const char *data;
	uint64_t position; /* of write and writev */
};

static int plain_open(const struct method_setup *setup, void **state)
{
	struct plain *plain = malloc(sizeof(*plain));

	if (!plain)
		return -ENOMEM;
	*plain = (struct plain){setup->fd, setup->rwf_flags, setup->data, 0};
	*state = plain;
	return 0;
}

static int seek(struct plain *plain, uint64_t offset)
{
	if (offset == plain->position)
		return 0;
	if (lseek(plain->fd, (off_t)offset, SEEK_SET) < 0)
		return -errno;
	plain->position = offset;
	return 0;
}

static int64_t advance(struct plain *plain, ssize_t written)
{
	if (written < 0)
		return -errno;
	plain->position += (uint64_t)written;
	return written;
}

static int64_t plain_write(void *state, uint64_t offset, uint64_t size)
{
	struct plain *plain = state;
	int rc = seek(plain, offset);

	return rc ? rc : advance(plain, write(plain->fd, plain->data, size));
}

static int64_t plain_pwrite(void *state, uint64_t offset, uint64_t size)
{
	const struct plain *plain = state;
	ssize_t written = pwrite(plain->fd, plain->data, size, (off_t)offset);

	return written < 0 ? -errno : written;
}

/* Cuts a write into whole pages, so that O_DIRECT accepts the pieces; into one piece when there are too few. */
static int cut(const struct plain *plain, uint64_t size, struct iovec *pieces)
{
	uint64_t part = size / PIECES & ~(uint64_t)4095, done = 0;
	int count = 0;

	if (!part)
		part = size;
	while (done < size) {
		uint64_t length = count == PIECES - 1 || size - done < part ? size - done : part;

		pieces[count++] = (struct iovec){(char *)(uintptr_t)plain->data + done, length};
		done += length;
	}
	return count;
}

static int64_t plain_writev(void *state, uint64_t offset, uint64_t size)
{
	struct plain *plain = state;
	struct iovec pieces[PIECES];
	int count = cut(plain, size, pieces), rc = seek(plain, offset);

	return rc ? rc : advance(plain, writev(plain->fd, pieces, count));
}

static int64_t plain_pwritev2(void *state, uint64_t offset, uint64_t size)
{
	const struct plain *plain = state;
	struct iovec piece = {(char *)(uintptr_t)plain->data, size};
	ssize_t written = pwritev2(plain->fd, &piece, 1, (off_t)offset, plain->rwf_flags);

	return written < 0 ? -errno : written;
}

static int plain_close(void *state)
{
	struct plain *plain = state;
	int rc = close(plain->fd) ? -errno : 0;

	free(plain);
	return rc;
}

/* --- stream --- */

struct method_stream {
	FILE *file;   /* over a descriptor of its own, since a failing fdopen or setvbuf must leave the caller's */
	int fd;
	char *buffer; /* of METHOD_FULL: without one glibc's setvbuf(3) ignores the size */
	const void *data;
	uint64_t position;
};

/* The caller keeps the descriptor when it fails. */
static int stream_open(const struct method_setup *setup, void **state)
{
	struct method_stream *stream = calloc(1, sizeof(*stream));
	int fd, rc;

	if (!stream)
		return -ENOMEM;
	stream->data = setup->data;
	stream->fd = setup->fd;
	fd = dup(setup->fd);
	stream->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	rc = stream->file ? 0 : -errno;
	if (!rc && setup->buffering == METHOD_UNBUFFERED) {
		rc = setvbuf(stream->file, NULL, _IONBF, 0) ? -EINVAL : 0;
	} else if (!rc && setup->buffering == METHOD_FULL) {
		stream->buffer = malloc(setup->buffer_bytes);
		rc = !stream->buffer ? -ENOMEM
		     : setvbuf(stream->file, stream->buffer, _IOFBF, setup->buffer_bytes) ? -EINVAL : 0;
		/* The buffer is touched, so that no page fault falls into a measured write. */
		if (stream->buffer)
			memset(stream->buffer, 1, setup->buffer_bytes);
	}
	if (!rc) {
		*state = stream;
		return 0;
	}
	if (stream->file)
		fclose(stream->file);
	else if (fd >= 0)
		close(fd);
	free(stream->buffer);
	free(stream);
	return rc;
}

static int64_t stream_write(void *state, uint64_t offset, uint64_t size)
{
	struct method_stream *stream = state;
	size_t written;

	if (offset != stream->position && fseeko(stream->file, (off_t)offset, SEEK_SET))
		return -errno;
	errno = 0;
	written = fwrite(stream->data, 1, size, stream->file);
	stream->position = offset + written;
	if (written == size)
		return (int64_t)size;
	/* The libc passes on the kernel's error; without one it is a bug of the libc. */
	return -(errno ? errno : EIO);
}

static int stream_flush(void *state)
{
	struct method_stream *stream = state;

	return fflush(stream->file) ? -errno : 0;
}

static int stream_close(void *state)
{
	struct method_stream *stream = state;
	int rc = fclose(stream->file) ? -errno : 0;

	if (close(stream->fd) && !rc)
		rc = -errno;
	free(stream->buffer);
	free(stream);
	return rc;
}

/* io_uring with one write at a time has the cost of the interface itself, not the gain of a queue. */

#define WRITE_MOST 0x7ffff000u /* of one call (MAX_RW_COUNT, include/linux/fs.h) */

struct method_uring {
	struct io_uring ring;
	int fd, rwf_flags;
	const void *data;
};

static int uring_open(const struct method_setup *setup, void **state)
{
	struct method_uring *uring = calloc(1, sizeof(*uring));
	int rc;

	if (!uring)
		return -ENOMEM;
	uring->fd = setup->fd;
	uring->rwf_flags = setup->rwf_flags;
	uring->data = setup->data;
	rc = io_uring_queue_init(1, &uring->ring, 0);
	if (rc)
		free(uring);
	else
		*state = uring;
	return rc;
}

static int64_t uring_write(void *state, uint64_t offset, uint64_t size)
{
	struct method_uring *uring = state;
	struct io_uring_sqe *entry = io_uring_get_sqe(&uring->ring);
	struct io_uring_cqe *completion;
	int rc;

	io_uring_prep_write(entry, uring->fd, uring->data, size < WRITE_MOST ? (unsigned)size : WRITE_MOST, offset);
	entry->rw_flags = uring->rwf_flags;
	/* A signal ends the wait, not the write, which must not be made twice. */
	do
		rc = io_uring_submit_and_wait(&uring->ring, 1);
	while (rc == -EINTR);
	if (rc < 0)
		return rc;
	do
		rc = io_uring_wait_cqe(&uring->ring, &completion);
	while (rc == -EINTR);
	if (rc)
		return rc;
	rc = completion->res;
	io_uring_cqe_seen(&uring->ring, completion);
	return rc;
}

static int uring_close(void *state)
{
	struct method_uring *uring = state;
	int rc;

	io_uring_queue_exit(&uring->ring);
	rc = close(uring->fd) ? -errno : 0;
	free(uring);
	return rc;
}

/*
 * Stores fault pages in and dirty them; the file has its size before, since a mapping cannot grow it. A store for which
 * there is no space on the device is a signal, which is made an error again.
 */

struct mapped_window {
	char *begin;
	uint64_t bytes;
	const void *data;
	int fd;
};

/* Start of the thread's store; NULL = the fault comes from elsewhere. */
static _Thread_local sigjmp_buf *volatile store_begin; /* volatile: the compiler assumes that memcpy(3) does not use it */

static void on_bus_error(int number)
{
	if (store_begin)
		siglongjmp(*store_begin, 1);
	/* The fault recurs at once and ends the process. */
	signal(number, SIG_DFL);
}

static int map_open(const struct method_setup *setup, void **state)
{
	struct mapped_window *map = malloc(sizeof(*map));
	/* SA_NODEFER, because the handler is left by a jump: the signal would stay blocked. */
	const struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
	struct stat stat;
	int rc = sigaction(SIGBUS, &action, NULL) ? -errno : 0;

	if (!map)
		return -ENOMEM;
	*map = (struct mapped_window){MAP_FAILED, setup->file_bytes, setup->data, setup->fd};
	if (!rc && (fstat(setup->fd, &stat) || ((uint64_t)stat.st_size < setup->file_bytes &&
					       ftruncate(setup->fd, (off_t)setup->file_bytes))))
		rc = -errno;
	if (!rc)
		map->begin = mmap(NULL, setup->file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, setup->fd, 0);
	if (!rc && map->begin == MAP_FAILED)
		rc = -errno;
	if (rc)
		free(map);
	else
		*state = map;
	return rc;
}

/* Derives the error, because the signal does not tell why the page is missing. -EFAULT: the file was truncated. */
static int bus_error(const struct mapped_window *map)
{
	struct statvfs facts;
	struct stat file;

	if (!fstat(map->fd, &file) && (uint64_t)file.st_size < map->bytes)
		return -EFAULT;
	return !fstatvfs(map->fd, &facts) && facts.f_bavail < map->bytes / facts.f_frsize + 1 ? -ENOSPC : -EIO;
}

static int64_t map_write(void *state, uint64_t offset, uint64_t size)
{
	const struct mapped_window *map = state;
	sigjmp_buf begin;

	if (sigsetjmp(begin, 0)) {
		store_begin = NULL;
		return bus_error(map);
	}
	store_begin = &begin;
	memcpy(map->begin + offset, map->data, size);
	store_begin = NULL;
	return (int64_t)size;
}

static char *map_begin(void *state)
{
	const struct mapped_window *map = state;

	return map->begin;
}

static int map_close(void *state)
{
	struct mapped_window *map = state;
	int rc = munmap(map->begin, map->bytes) ? -errno : 0;

	if (close(map->fd) && !rc)
		rc = -errno;
	free(map);
	return rc;
}

/* --- the tables --- */

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

/* The range is extended to the start of its first page: msync(2) takes no other address. */
static int by_msync(int fd, char *map, uint64_t offset, uint64_t size)
{
	uint64_t before = offset % (uint64_t)sysconf(_SC_PAGESIZE);

	(void)fd;
	return msync(map + offset - before, size + before, MS_SYNC) ? -errno : 0;
}

const struct method_sync method_syncs[] = {
	{.name = "none", .meaning = "never"},
	{.name = "fsync", .meaning = "fsync(2) after each write", .sync = by_fsync, .is_whole = true},
	{.name = "fdatasync", .meaning = "fdatasync(2) after each write", .sync = by_fdatasync},
	{.name = "sync_file_range", .meaning = "sync_file_range(2): the data only, not the device's cache", .sync = by_range,
		.leaves_cache = true},
	{.name = "rwf-dsync", .meaning = "RWF_DSYNC with each write", .rwf_flags = RWF_DSYNC},
	{.name = "syncfs", .meaning = "syncfs(2) after each write", .sync = by_syncfs, .is_whole = true},
	{.name = "msync", .meaning = "msync(2) of the range written, of a mapping", .needs_mapping = true, .sync = by_msync},
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
