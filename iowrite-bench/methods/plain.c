/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#define PIECES 16

struct plain {
	int fd, rwf_flags;
	const char *data;
	uint64_t position; /* of write and writev */
};

int plain_open(const struct method_setup *setup, void **state)
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

int64_t plain_write(void *state, uint64_t offset, uint64_t size)
{
	struct plain *plain = state;
	int rc = seek(plain, offset);

	return rc ? rc : advance(plain, write(plain->fd, plain->data, size));
}

int64_t plain_pwrite(void *state, uint64_t offset, uint64_t size)
{
	const struct plain *plain = state;
	ssize_t written = pwrite(plain->fd, plain->data, size, (off_t)offset);

	return written < 0 ? -errno : written;
}

/* Whole pages a piece, so that O_DIRECT takes them; one piece when there are too few. */
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

int64_t plain_writev(void *state, uint64_t offset, uint64_t size)
{
	struct plain *plain = state;
	struct iovec pieces[PIECES];
	int count = cut(plain, size, pieces), rc = seek(plain, offset);

	return rc ? rc : advance(plain, writev(plain->fd, pieces, count));
}

int64_t plain_pwritev2(void *state, uint64_t offset, uint64_t size)
{
	const struct plain *plain = state;
	struct iovec piece = {(char *)(uintptr_t)plain->data, size};
	ssize_t written = pwritev2(plain->fd, &piece, 1, (off_t)offset, plain->rwf_flags);

	return written < 0 ? -errno : written;
}

int plain_close(void *state)
{
	struct plain *plain = state;
	int rc = close(plain->fd) ? -errno : 0;

	free(plain);
	return rc;
}
