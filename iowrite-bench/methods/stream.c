/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stream {
	FILE *file;   /* over a descriptor of its own, since a failing fdopen or setvbuf must leave the caller's */
	int fd;
	char *buffer; /* of METHOD_FULL: without one glibc's setvbuf(3) takes no notice of the size */
	const void *data;
	uint64_t position;
};

static int set_buffer(const struct method_setup *setup, struct stream *stream)
{
	if (setup->buffering == METHOD_UNBUFFERED)
		return setvbuf(stream->file, NULL, _IONBF, 0) ? -EINVAL : 0;
	if (setup->buffering != METHOD_FULL)
		return 0;
	stream->buffer = malloc(setup->buffer_bytes);
	if (!stream->buffer)
		return -ENOMEM;
	/* Touched: no fault falls into a measured write. */
	memset(stream->buffer, 1, setup->buffer_bytes);
	return setvbuf(stream->file, stream->buffer, _IOFBF, setup->buffer_bytes) ? -EINVAL : 0;
}

static void drop(struct stream *stream)
{
	free(stream->buffer);
	free(stream);
}

/* The caller keeps the descriptor when it fails. */
int stream_open(const struct method_setup *setup, void **state)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	int fd, rc = 0;

	if (!stream)
		return -ENOMEM;
	fd = dup(setup->fd);
	stream->data = setup->data;
	stream->file = fd >= 0 ? fdopen(fd, "w") : NULL;
	rc = stream->file ? set_buffer(setup, stream) : -errno;
	if (!rc) {
		stream->fd = setup->fd;
		*state = stream;
		return 0;
	}
	if (stream->file)
		fclose(stream->file);
	else if (fd >= 0)
		close(fd);
	drop(stream);
	return rc;
}

int64_t stream_write(void *state, uint64_t offset, uint64_t size)
{
	struct stream *stream = state;
	size_t written;

	if (offset != stream->position && fseeko(stream->file, (off_t)offset, SEEK_SET))
		return -errno;
	errno = 0;
	written = fwrite(stream->data, 1, size, stream->file);
	stream->position = offset + written;
	if (written == size)
		return (int64_t)size;
	/* The libc has told what the kernel said; without that it is a bug of the libc. */
	return -(errno ? errno : EIO);
}

int stream_flush(void *state)
{
	struct stream *stream = state;

	return fflush(stream->file) ? -errno : 0;
}

int stream_close(void *state)
{
	struct stream *stream = state;
	int rc = fclose(stream->file) ? -errno : 0;

	if (close(stream->fd) && !rc)
		rc = -errno;
	drop(stream);
	return rc;
}
