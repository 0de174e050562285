/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_private.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_ATTEMPTS 100

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

/* File systems that have nothing to sync say EINVAL. */
static int sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
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

static int sync_folder(const char *path)
{
	char folder[PATH_MAX];
	int error = folder_of(path, folder, sizeof(folder));
	int fd;

	if (error)
		return error;
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	error = sync_fd(fd);
	close(fd);
	return error;
}

/* open(2) with O_EXCL rather than mkstemp(3): the report gets the mode that the user's umask gives. */
static int open_temporary(const char *path, char *name, size_t length, int *fd)
{
	for (int i = 0; i < FILE_ATTEMPTS; i++) {
		uint64_t random;
		int used;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return -EIO;
		used = snprintf(name, length, "%s.%016llx.tmp", path, (unsigned long long)random);
		if (used < 0 || (size_t)used >= length)
			return -ENAMETOOLONG;
		*fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (*fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int replace_file(const char *path, const char *text, size_t size)
{
	char name[PATH_MAX];
	int fd;
	int error = open_temporary(path, name, sizeof(name), &fd);

	if (error)
		return error;
	error = write_all(fd, text, size);
	if (!error)
		error = sync_fd(fd);
	/* Some file systems tell only now that the space is used up. */
	if (close(fd) < 0 && !error)
		error = -errno;
	if (!error && rename(name, path) < 0)
		error = -errno;
	if (error) {
		unlink(name);
		return error;
	}
	return sync_folder(path);
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
