/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads all bytes at a position of a file. */
#ifndef MEMTRACE_FILE_READ_AT_H
#define MEMTRACE_FILE_READ_AT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* Returns 0, -errno, or -ENODATA if the file ends before. */
static inline int read_at(int fd, uint64_t position, void *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t got = pread(fd, (uint8_t *)bytes + done, size - done, (off_t)(position + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

#endif
