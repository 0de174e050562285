/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_private.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/report_draft.h"

int report_write_all(int fd, const char *text, size_t size)
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

int report_file_replace(const char *path, const char *text, size_t size, bool is_nameless)
{
	struct report_draft draft;
	int error = report_draft_open(path, is_nameless, &draft);

	if (error)
		return error;
	error = report_write_all(draft.fd, text, size);
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

int report_file_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status = {0};
	int error = fd < 0 || fstat(fd, &status) ? -errno : 0;

	/* Another one may have been put there since it was looked at. */
	if (!error && (S_ISBLK(status.st_mode) || S_ISREG(status.st_mode)))
		error = -EPERM;
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

static int write_stream(const char *path, const char *text, size_t size)
{
	int fd = report_file_stream(path);
	int error;

	if (fd < 0)
		return fd;
	error = report_write_all(fd, text, size);
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
	/* The stream is cleaned on a terminal (common/diag.h), the descriptor not. */
	if (isatty(STDOUT_FILENO))
		return fwrite(text, 1, size, stdout) == size && !fflush(stdout) ? 0 : -EIO;
	return report_write_all(STDOUT_FILENO, text, size);
}

int report_file_target(const char *path, enum report_target *target)
{
	struct stat status;

	*target = REPORT_TARGET_STDOUT;
	if (strcmp(path, "-") == 0)
		return 0;
	if (stat(path, &status) < 0) {
		*target = REPORT_TARGET_FILE;
		return errno == ENOENT ? 0 : -errno;
	}
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (is_stdout(&status))
		return 0;
	if (S_ISBLK(status.st_mode))
		return -EPERM;
	*target = S_ISREG(status.st_mode) ? REPORT_TARGET_FILE : REPORT_TARGET_STREAM;
	return 0;
}

int report_file_write(const char *path, const char *text, size_t size)
{
	enum report_target target;
	int error = report_file_target(path, &target);

	if (error)
		return error;
	if (target == REPORT_TARGET_STDOUT)
		return write_stdout(text, size);
	if (target == REPORT_TARGET_STREAM)
		return write_stream(path, text, size);
	/* A link stays a link, and what it points to is replaced: common/report_draft.h. */
	return replace_file(path, text, size);
}

/* A file is really made: a quota, an attribute or a server may forbid what access(2) allows. It is never there
 * under the name of path, and gone at once. */
static int try_to_make(const char *path)
{
	struct report_draft draft;
	int error = report_draft_open(path, true, &draft);

	if (error)
		error = report_draft_open(path, false, &draft);
	if (!error)
		report_draft_close(&draft);
	return error;
}

/* Attributes of statx(2), as far as this file system has them. */
static uint64_t attributes_of(const char *path)
{
	struct statx status;

	return statx(AT_FDCWD, path, 0, STATX_TYPE, &status) ? 0 : status.stx_attributes & status.stx_attributes_mask;
}

/* The file is not written but replaced: that is a matter of its folder. */
static int check_replacing(const char *path)
{
	char *copy = strdup(path), *folder = copy ? dirname(copy) : NULL;
	struct stat target, place;
	int error = 0;

	if (!folder || stat(path, &target) || stat(folder, &place))
		error = -errno;
	else if (attributes_of(path) & STATX_ATTR_MOUNT_ROOT)
		error = -EBUSY;
	else if (((attributes_of(path) | attributes_of(folder)) & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) ||
		 ((place.st_mode & S_ISVTX) && geteuid() && target.st_uid != geteuid() && place.st_uid != geteuid()))
		error = -EPERM;
	free(copy);
	return error;
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
		return path[strlen(path) - 1] == '/' ? -EISDIR : try_to_make(path);
	}
	if (S_ISDIR(target.st_mode))
		return -EISDIR;
	if (S_ISBLK(target.st_mode))
		return -EPERM;
	/* A file that is protected against writing is not replaced, though the folder would allow it. */
	if (access(path, W_OK) < 0)
		return -errno;
	if (!S_ISREG(target.st_mode))
		return 0;
	real = realpath(path, NULL);
	if (!real)
		return -errno;
	error = check_replacing(real);
	free(real);
	/* Once more by the path that was given, whose links may be another user's. */
	return error ? error : try_to_make(path);
}

/* Of a file that is not there yet: the folder it will be in. */
static bool has_same_folder(const char *one, const char *other)
{
	char *copies[] = {strdup(one), strdup(other)}, *names[] = {strdup(one), strdup(other)};
	struct stat folders[2];
	bool is_same = copies[0] && copies[1] && names[0] && names[1] && !strcmp(basename(names[0]), basename(names[1])) &&
		       !stat(dirname(copies[0]), &folders[0]) && !stat(dirname(copies[1]), &folders[1]) &&
		       folders[0].st_dev == folders[1].st_dev && folders[0].st_ino == folders[1].st_ino;

	for (int i = 0; i < 2; i++) {
		free(copies[i]);
		free(names[i]);
	}
	return is_same;
}

bool report_is_same_file(const char *one, const char *other)
{
	struct stat ours, theirs;
	bool is_there, is_other_there;

	if (!one || !other || !strcmp(one, "-") || !strcmp(other, "-"))
		return one && other && !strcmp(one, other);
	if (!strcmp(one, other))
		return true;
	is_there = !stat(one, &ours);
	is_other_there = !stat(other, &theirs);
	if (is_there != is_other_there)
		return false;
	if (!is_there)
		return has_same_folder(one, other);
	/* What goes to a pipe or terminal harms nobody by going there twice. */
	if (S_ISCHR(ours.st_mode) || S_ISFIFO(ours.st_mode))
		return false;
	return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}
