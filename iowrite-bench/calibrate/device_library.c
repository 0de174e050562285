/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The libc's streams. How its first large fwrite(3) reaches the kernel is seen through a socket that keeps the writes
 * apart; the calls themselves go to the target, by the method that run measures.
 */
#include "config.h"
#include "iowrite-bench/calibrate/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/socket.h>
#include <unistd.h>

#define PROBE_BYTES 64
#define FIRST_BYTES 10240 /* a socket's stream has a buffer of one page */

/* The first fwrite(3) on a stream, of two buffers and a half: whole buffers at once, or (no rule) one buffer, or (what
 * gathers) all of it. */
static int first_write(FILE *file, const char *data, int receiver, bool *has_rule)
{
	ssize_t first;
	size_t buffer;

	if (fwrite(data, 1, FIRST_BYTES, file) != FIRST_BYTES)
		return -EIO;
	first = recv(receiver, NULL, 0, MSG_TRUNC | MSG_DONTWAIT);
	if (first < 0)
		return -errno;
	buffer = __fbufsize(file);
	*has_rule = buffer && (size_t)first > buffer && (size_t)first == FIRST_BYTES - FIRST_BYTES % buffer;
	return 0;
}

static int see_rule(const struct device *device, bool *has_rule)
{
	int ends[2], rc = 0;
	FILE *file;

	*has_rule = false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	file = fdopen(ends[0], "w");
	if (!file) {
		rc = -errno;
		close(ends[0]);
	} else {
		rc = first_write(file, device->data, ends[1], has_rule);
	}
	/* Its end must be able to write what it still holds. */
	if (file)
		fclose(file);
	close(ends[1]);
	return rc;
}

/* What the libc gives a stream of this file: known after its first write. */
static int see_buffer(const struct device *device, uint64_t *buffer_bytes)
{
	FILE *file;
	int fd, rc = target_reopen(device->target, O_WRONLY, &fd);

	if (rc)
		return rc;
	file = fdopen(fd, "w");
	if (!file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	if (fwrite(device->data, 1, PROBE_BYTES, file) != PROBE_BYTES)
		rc = -EIO;
	*buffer_bytes = __fbufsize(file);
	if (fclose(file) && !rc)
		rc = -errno;
	return rc;
}

int device_lib_open(void *state, uint64_t *buffer_bytes, bool *has_first_rule)
{
	struct device *device = state;
	struct method_setup setup = {.data = device->data, .largest_bytes = device->data_bytes};
	int rc = see_buffer(device, buffer_bytes);

	if (!rc)
		rc = see_rule(device, has_first_rule);
	if (!rc)
		rc = target_reopen(device->target, O_WRONLY, &setup.fd);
	if (rc)
		return rc;
	device->stream = method_of("fwrite");
	device->stream_at = 0;
	rc = device->stream->open(&setup, &device->stream_state);
	if (rc)
		close(setup.fd);
	/* The buffer is made by the first write. */
	if (!rc)
		rc = device_lib_write(device, PROBE_BYTES, 1);
	return rc ? rc : device_lib_flush(device);
}

int device_lib_write(void *state, uint64_t size, unsigned times)
{
	struct device *device = state;

	for (unsigned i = 0; i < times; i++) {
		int64_t written = device->stream->write(device->stream_state, device->stream_at, size);

		if (written < 0)
			return (int)written;
		device->stream_at += size;
	}
	return 0;
}

/* Also goes back to the beginning: the stream stays in the file's first part. */
int device_lib_flush(void *state)
{
	struct device *device = state;
	int64_t written;
	int rc = device->stream->flush(device->stream_state);

	if (rc)
		return rc;
	device->stream_at = 0;
	written = device->stream->write(device->stream_state, 0, 0);
	return written < 0 ? (int)written : 0;
}

int device_lib_close(void *state)
{
	struct device *device = state;

	return device->stream->close(device->stream_state);
}
