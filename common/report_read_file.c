/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_read.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "common/report_json.h"

#define READ_TAG_MAX (64u << 10)
#define READ_FIRST (256u << 10) /* room for a file, doubled as needed */

static unsigned line_at(const char *text, const char *at)
{
	unsigned line = 1;

	while ((text = memchr(text, '\n', (size_t)(at - text)))) {
		text++;
		line++;
	}
	return line;
}

/* '<' stands in a well-formed document at the begin of each tag and nowhere inside one. */
static const char *find_long_tag(const char *text, size_t size)
{
	const char *end = text + size;

	for (;;) {
		const char *next = memchr(text, '<', (size_t)(end - text));

		if ((size_t)((next ? next : end) - text) > READ_TAG_MAX)
			return text;
		if (!next)
			return NULL;
		text = next + 1;
	}
}

/*
 * What makes a parser slow or large is refused before it starts: a document type (the only source of
 * entities), and tags with so many attributes that comparing each with each takes long.
 */
const char *report_read_obstacle(const char *text, size_t size, unsigned *line)
{
	const char *found;

	*line = 0;
	if (size == 0)
		return "the file is empty";
	if (size > REPORT_READ_MAX)
		return "larger than 64 MiB";
	found = memmem(text, size, "<!DOCTYPE", 9);
	if (!found)
		found = memchr(text, '\0', size);
	if (found) {
		*line = line_at(text, found);
		return "a report has no document type, no entities and no zero bytes";
	}
	found = find_long_tag(text, size);
	if (found)
		*line = line_at(text, found);
	return found ? "more than 64 KiB from one tag to the next" : NULL;
}

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

static bool is_json(const char *text, size_t size)
{
	size_t i = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	while (i < size && text[i] && strchr(" \t\r\n", text[i]))
		i++;
	return i < size && text[i] == '{' && size <= REPORT_READ_MAX;
}

static int replace_json(const char *path, char **text, size_t *size, char *why, size_t length)
{
	char *xml, reason[128];
	size_t xml_size;
	unsigned line;
	int error = report_json_read(*text, *size, &xml, &xml_size, &line, reason, sizeof(reason));

	free(*text);
	*text = xml;
	*size = xml_size;
	if (error && length)
		snprintf(why, length, "%s:%u: not a JSON report: %s", path, line, reason);
	return error;
}

int report_read_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc = 0;
	struct statfs system;
	struct stat facts;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &facts) || fcntl(fd, F_SETFL, 0))
		rc = -errno;
	else if (S_ISFIFO(facts.st_mode) && (fstatfs(fd, &system) || system.f_type != PIPEFS_MAGIC))
		rc = -ESPIPE;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

const char *report_read_open_error(int error)
{
	return error == -ESPIPE ? "is a FIFO (a file or an open pipe is read)" : strerror(-error);
}

int report_read_bytes(const char *path, char **text, size_t *size, char *why, size_t length)
{
	int fd = report_read_open(path);
	int error = fd < 0 ? fd : read_whole(fd, text, size);

	if (fd >= 0)
		close(fd);
	if (error && length)
		snprintf(why, length, "%s: %s", path, report_read_open_error(error));
	if (!error && is_json(*text, *size))
		error = replace_json(path, text, size, why, length);
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
