/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/interrupt.h"

#define READ_FIRST (256u << 10) /* space for a file, doubled as needed */

static int check(int fd, uint64_t limit, bool may_be_pipe, uint64_t *bytes)
{
	struct statfs system;
	struct stat facts;

	if (fstat(fd, &facts))
		return -errno;
	*bytes = (uint64_t)facts.st_size;
	switch (facts.st_mode & S_IFMT) {
	case S_IFREG:
		return *bytes > limit ? -EFBIG : 0;
	case S_IFDIR:
		return -EISDIR;
	case S_IFIFO:
		/* A pipe without a name (pipefs) is open already, so that reading it ends. */
		return may_be_pipe && !fstatfs(fd, &system) && system.f_type == PIPEFS_MAGIC ? 0 : -ESPIPE;
	default:
		return -ENODEV;
	}
}

static int open_as(const char *path, uint64_t limit, bool may_be_pipe, int *fd, uint64_t *bytes)
{
	struct stat stat_of;
	int found, err;

	/* Devices are refused before open(2), which can act on them: a tape rewinds, a watchdog starts. */
	if (!stat(path, &stat_of) && (S_ISCHR(stat_of.st_mode) || S_ISBLK(stat_of.st_mode)))
		return -ENODEV;
	found = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (found < 0)
		return errno == ENXIO ? -ENODEV : -errno;
	err = check(found, limit, may_be_pipe, bytes);
	if (!err && fcntl(found, F_SETFL, 0))
		err = -errno;
	if (err)
		close(found);
	else
		*fd = found;
	return err;
}

int input_open(const char *path, uint64_t limit, int *fd, uint64_t *bytes)
{
	return open_as(path, limit, false, fd, bytes);
}

int input_stream(const char *path, uint64_t limit, FILE **in)
{
	uint64_t bytes;
	int fd, err = open_as(path, limit, true, &fd, &bytes);

	if (err)
		return err;
	*in = fdopen(fd, "r");
	if (*in)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

/* Polls before it reads, because read(2) of a pipe is restarted after a signal whose handler returns. */
static ssize_t read_some(int fd, char *bytes, size_t size)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = interrupt_fd(), .events = POLLIN}};

	while (poll(fds, 2, -1) < 0) {
		if (errno != EINTR)
			return -1;
	}
	errno = EINTR;
	return interrupt_signal() ? -1 : TEMP_FAILURE_RETRY(read(fd, bytes, size));
}

int input_read(const char *path, size_t limit, char **text, size_t *size)
{
	size_t used = 0, capacity = READ_FIRST;
	char *bytes = NULL;
	uint64_t expected;
	ssize_t got;
	int fd, err = open_as(path, limit, true, &fd, &expected);

	if (err)
		return err;
	/* The file may have grown since its size was read. */
	do {
		char *grown = bytes && used < capacity ? bytes : realloc(bytes, (capacity *= bytes ? 2 : 1) + 1);

		if (!grown) {
			err = -ENOMEM;
			break;
		}
		bytes = grown;
		got = read_some(fd, bytes + used, capacity - used);
		if (got < 0)
			err = -errno;
		else
			used += (size_t)got;
		if (!err && used > limit)
			err = -EFBIG;
	} while (!err && got);
	close(fd);
	if (err) {
		free(bytes);
		return err;
	}
	bytes[used] = '\0';
	*text = bytes;
	*size = used;
	return 0;
}

int input_line(FILE *in, char *line, size_t length)
{
	size_t used = 0;
	int byte;

	while ((byte = getc_unlocked(in)) != EOF && byte != '\n') {
		if (!byte)
			return -EILSEQ;
		if (used + 1 == length)
			return -EMSGSIZE;
		line[used++] = (char)byte;
	}
	line[used] = '\0';
	if (byte == EOF && ferror(in))
		return errno ? -errno : -EIO;
	return byte != EOF || used;
}

const char *input_error(int error)
{
	switch (error) {
	case -ESPIPE:
		return "is a FIFO (a file or an open pipe is read)";
	case -ENODEV:
		return "is a device or socket (a file or an open pipe is read)";
	case -EFBIG:
		return "is larger than such a file can be";
	case -EILSEQ:
		return "has a NUL byte, which no text has";
	default:
		return strerror(-error);
	}
}
