/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_FIRST (256u << 10) /* room for a file, doubled as needed */

/* At most one byte over the limit, which report_read_memory then refuses. */
static int read_whole(int fd, char **text, size_t *size)
{
	size_t used = 0, room = READ_FIRST;
	char *bytes = malloc(room);

	while (bytes && used <= REPORT_READ_MAX) {
		ssize_t got = read(fd, bytes + used, room - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			int error = got < 0 ? -errno : 0;

			if (error)
				free(bytes);
			*text = error ? NULL : bytes;
			*size = used;
			return error;
		}
		used += (size_t)got;
		if (used == room) {
			char *grown = realloc(bytes, room *= 2);

			if (!grown)
				free(bytes);
			bytes = grown;
		}
	}
	*text = bytes;
	*size = used;
	return bytes ? 0 : -ENOMEM;
}

int report_read_bytes(const char *path, char **text, size_t *size, char *why, size_t length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int error = fd < 0 ? -errno : read_whole(fd, text, size);

	if (fd >= 0)
		close(fd);
	if (error && length)
		snprintf(why, length, "%s: %s", path, strerror(-error));
	return error;
}

int report_read_file(const char *path, struct report_document **document, char *why, size_t length)
{
	char *text;
	size_t size;
	int error = report_read_bytes(path, &text, &size, why, length);

	if (error)
		return error;
	error = report_read_named(path, text, size, document, why, length);
	free(text);
	return error;
}
