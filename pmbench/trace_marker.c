/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/trace_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common/tracefs.h"

/* Tracing that cannot be asked about is taken to be on: no warning is better than a wrong one. */
static bool read_tracing_on(int dirfd)
{
	char value = '1';
	int fd = openat(dirfd, "tracing_on", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return true;
	if (read(fd, &value, 1) != 1)
		value = '1';
	close(fd);
	return value != '0';
}

int trace_marker_open(struct trace_marker *marker)
{
	struct trace_marker new;
	int dirfd, err = tracefs_open_dir(&dirfd);

	if (err)
		return err;
	new.fd = openat(dirfd, "trace_marker", O_WRONLY | O_CLOEXEC);
	if (new.fd < 0) {
		err = -errno;
	} else {
		new.is_tracing = read_tracing_on(dirfd);
		*marker = new;
	}
	close(dirfd);
	return err;
}

void trace_marker_close(struct trace_marker *marker)
{
	close(marker->fd);
}

static char *put_text(char *end, const char *text)
{
	while (*text)
		*end++ = *text++;
	return end;
}

static char *put_number(char *end, uint64_t number, unsigned base)
{
	char digits[20];
	size_t count = 0;

	do
		digits[count++] = "0123456789abcdef"[number % base];
	while (number /= base);
	while (count)
		*end++ = digits[--count];
	return end;
}

/* By hand: stdio's formatting would bring in pages of code and stack in the middle of a run that counts pages. */
size_t trace_marker_format(char line[TRACE_MARKER_LINE_BYTES], uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread)
{
	char *end = put_text(line, "pmbench: access over threshold: ");

	end = put_number(end, ns, 10);
	end = put_text(end, " ns address 0x");
	end = put_number(end, address, 16);
	end = put_text(end, direction == ACCESS_READ ? " read thread " : " write thread ");
	end = put_number(end, thread, 10);
	*end++ = '\n';
	return (size_t)(end - line);
}

void trace_marker_write(const struct trace_marker *marker, uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread)
{
	char line[TRACE_MARKER_LINE_BYTES];
	size_t length = trace_marker_format(line, ns, address, direction, thread);
	ssize_t written = write(marker->fd, line, length);

	/* With tracing off the kernel refuses each line; is_tracing has told. */
	(void)written;
}
