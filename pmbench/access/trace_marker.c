/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/access/trace_marker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common/kernel/tracefs_dir.h"

int trace_marker_open(struct trace_marker *marker)
{
	struct trace_marker new;
	int dirfd, fd, err = tracefs_open_dir(&dirfd);
	char value = '1';

	if (err)
		return err;
	new.fd = openat(dirfd, "trace_marker", O_WRONLY | O_CLOEXEC);
	if (new.fd < 0) {
		err = -errno;
	} else {
		/* If it cannot be read, tracing is assumed to be on: no warning is better than a wrong one. */
		fd = openat(dirfd, "tracing_on", O_RDONLY | O_CLOEXEC);
		new.is_tracing = fd < 0 || read(fd, &value, 1) != 1 || value != '0';
		if (fd >= 0)
			close(fd);
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

/* stdio is not used: its formatting would touch pages of code and stack during the measurement. */
void trace_marker_write(const struct trace_marker *marker, uint64_t ns, uint64_t address,
	enum access_direction direction, unsigned thread)
{
	char line[128], *end = put_text(line, "pmbench: access over threshold: ");
	ssize_t written;

	end = put_number(end, ns, 10);
	end = put_text(end, " ns address 0x");
	end = put_number(end, address, 16);
	end = put_text(end, direction == ACCESS_READ ? " read thread " : " write thread ");
	end = put_number(end, thread, 10);
	*end++ = '\n';
	written = write(marker->fd, line, (size_t)(end - line));
	/* The write fails while tracing is off; is_tracing records that. */
	(void)written;
}
