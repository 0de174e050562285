/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/methods/methods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct stream {
	FILE *file;
	const void *data;
	uint64_t position;
};

static int set_buffer(const struct method_setup *setup, FILE *file)
{
	switch (setup->buffering) {
	case METHOD_FULL:
		return setvbuf(file, NULL, _IOFBF, setup->buffer_bytes);
	case METHOD_UNBUFFERED:
		return setvbuf(file, NULL, _IONBF, 0);
	default:
		return 0;
	}
}

int stream_open(const struct method_setup *setup, void **state)
{
	struct stream *stream = malloc(sizeof(*stream));
	FILE *file = stream ? fdopen(setup->fd, "w") : NULL;

	if (!file) {
		int rc = stream ? -errno : -ENOMEM;

		free(stream);
		return rc;
	}
	if (set_buffer(setup, file)) {
		fclose(file);
		free(stream);
		return -EINVAL;
	}
	*stream = (struct stream){file, setup->data, 0};
	*state = stream;
	return 0;
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

	free(stream);
	return rc;
}
