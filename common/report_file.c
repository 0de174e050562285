/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/report_draft.h"

static int write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, text, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

/* The folder of path, "." when it names none. */
static int folder_of(const char *path, char *folder, size_t length)
{
	const char *slash = strrchr(path, '/');
	size_t used = slash ? (size_t)(slash - path) : 1;

	if (slash == path)
		used = 1;
	if (used >= length)
		return -ENAMETOOLONG;
	memcpy(folder, slash ? path : ".", used);
	folder[used] = '\0';
	return 0;
}

int report_file_replace(const char *path, const char *text, size_t size, bool is_nameless)
{
	struct report_draft draft;
	int error = report_draft_open(path, is_nameless, &draft);

	if (error)
		return error;
	error = write_all(draft.fd, text, size);
	if (!error)
		error = report_draft_publish(&draft);
	if (!error)
		report_draft_remove_abandoned(&draft);
	report_draft_close(&draft);
	return error;
}

/* Not every file system has nameless files, or lets one get a name. */
static int replace_file(const char *path, const char *text, size_t size)
{
	return report_file_replace(path, text, size, true) ? report_file_replace(path, text, size, false) : 0;
}

static int write_stream(const char *path, const char *text, size_t size)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int error;

	if (fd < 0)
		return -errno;
	error = write_all(fd, text, size);
	if (close(fd) < 0 && !error)
		error = -errno;
	return error;
}

/* /dev/stdout may lead to a plain file, which a rename would take away from those who write to it. */
static bool is_stdout(const struct stat *target)
{
	struct stat out;

	return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == target->st_dev &&
	       out.st_ino == target->st_ino;
}

static int write_stdout(const char *text, size_t size)
{
	/* What the program has printed so far belongs before. */
	if (fflush(stdout) != 0)
		return -errno;
	return write_all(STDOUT_FILENO, text, size);
}

int report_file_write(const char *path, const char *text, size_t size)
{
	struct stat target;
	char *real;
	int error;

	if (strcmp(path, "-") == 0)
		return write_stdout(text, size);
	if (stat(path, &target) < 0)
		return errno == ENOENT ? replace_file(path, text, size) : -errno;
	if (S_ISDIR(target.st_mode))
		return -EISDIR;
	if (is_stdout(&target))
		return write_stdout(text, size);
	if (!S_ISREG(target.st_mode))
		return write_stream(path, text, size);
	/* A link stays a link, and what it points to is replaced. */
	real = realpath(path, NULL);
	if (!real)
		return -errno;
	error = replace_file(real, text, size);
	free(real);
	return error;
}

/* Where the bytes would go: the file is not written but replaced, which needs its folder only. */
static int check_folder(const char *path)
{
	char folder[PATH_MAX];
	int error = folder_of(path, folder, sizeof(folder));

	if (error)
		return error;
	return access(folder, W_OK | X_OK) == 0 ? 0 : -errno;
}

int report_check_path(const char *path)
{
	struct stat target;
	char *real;
	int error;

	if (strcmp(path, "-") == 0)
		return 0;
	if (path[0] == '\0')
		return -ENOENT;
	if (stat(path, &target) < 0) {
		if (errno != ENOENT)
			return -errno;
		return path[strlen(path) - 1] == '/' ? -EISDIR : check_folder(path);
	}
	if (S_ISDIR(target.st_mode))
		return -EISDIR;
	if (!S_ISREG(target.st_mode))
		return access(path, W_OK) == 0 ? 0 : -errno;
	/* A file that is protected against writing is not replaced, though the folder would allow it. */
	if (access(path, W_OK) < 0)
		return -errno;
	real = realpath(path, NULL);
	if (!real)
		return -errno;
	error = check_folder(real);
	free(real);
	return error;
}
