/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file that is not yet what its name says, and drafts of runs that were killed. */
#include "config.h"
#include "common/report_draft.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ATTEMPTS 100
#define DIGITS 16 /* of the number in a draft's name */
#define TAIL (1 + DIGITS + 4) /* ".0123456789abcdef.tmp" */
#define ABANDONED_S 600 /* nobody writes a report for longer */

static int open_folder(const char *path, struct report_draft *draft)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
	int error = 0;

	if (!folder)
		return -ENOMEM;
	/* A folder in which one may write need not be one that may be listed. */
	draft->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (draft->folder < 0)
		error = -errno;
	draft->name = slash ? slash + 1 : path;
	free(folder);
	return error;
}

/* How much of a name its drafts begin with: all that leaves room for the tail, whole characters of it. */
static int head_of(const char *name)
{
	size_t length = strlen(name);

	if (length > NAME_MAX - TAIL) {
		length = NAME_MAX - TAIL;
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--;
	}
	return (int)length;
}

static int draw_name(struct report_draft *draft)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	snprintf(draft->temporary, sizeof(draft->temporary), "%.*s.%016" PRIx64 ".tmp", head_of(draft->name),
		draft->name, random);
	return 0;
}

/* open(2) with O_EXCL rather than mkstemp(3): the file gets the mode that the user's umask gives. */
static int open_named(struct report_draft *draft)
{
	for (int i = 0; i < ATTEMPTS; i++) {
		int error = draw_name(draft);

		if (error)
			return error;
		draft->fd = openat(draft->folder, draft->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (draft->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int open_nameless(struct report_draft *draft)
{
	draft->temporary[0] = '\0';
	draft->fd = openat(draft->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	return draft->fd < 0 ? -errno : 0;
}

int report_draft_open(const char *path, bool is_nameless, struct report_draft *draft)
{
	struct report_draft new = {.folder = -1, .fd = -1};
	int error = open_folder(path, &new);

	if (!error)
		error = is_nameless ? open_nameless(&new) : open_named(&new);
	if (error) {
		if (new.folder >= 0)
			close(new.folder);
		return error;
	}
	/* Tells those who look for abandoned drafts that this one is not. */
	(void)flock(new.fd, LOCK_EX | LOCK_NB);
	*draft = new;
	return 0;
}

static int give_name(const struct report_draft *draft, const char *name)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", draft->fd);
	return linkat(AT_FDCWD, self, draft->folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* A nameless file cannot take the place of another: it gets a name of its own first, for as short as can be. */
static int give_temporary_name(struct report_draft *draft)
{
	int error = -EEXIST;

	for (int i = 0; i < ATTEMPTS && error == -EEXIST; i++) {
		error = draw_name(draft);
		if (!error)
			error = give_name(draft, draft->temporary);
	}
	if (error)
		draft->temporary[0] = '\0';
	return error;
}

/* File systems that have nothing to sync say EINVAL. */
static int sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

/* Some file systems tell only when a descriptor is closed that the space is used up. */
static int settle(int fd)
{
	int error = sync_fd(fd);
	int copy = error ? -1 : dup(fd);

	if (copy >= 0 && close(copy))
		error = -errno;
	return error;
}

/* One that may not be read is left to the kernel. */
static int sync_folder(const struct report_draft *draft)
{
	int fd = openat(draft->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error;

	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	error = sync_fd(fd);
	close(fd);
	return error;
}

static int move_to_name(struct report_draft *draft)
{
	int error;

	if (!draft->temporary[0]) {
		error = give_name(draft, draft->name);
		if (error != -EEXIST)
			return error;
		error = give_temporary_name(draft);
		if (error)
			return error;
	}
	if (renameat(draft->folder, draft->temporary, draft->folder, draft->name))
		return -errno;
	draft->temporary[0] = '\0';
	return 0;
}

int report_draft_publish(struct report_draft *draft)
{
	int error = settle(draft->fd);

	if (!error)
		error = move_to_name(draft);
	return error ? error : sync_folder(draft);
}

void report_draft_close(struct report_draft *draft)
{
	if (draft->temporary[0])
		unlinkat(draft->folder, draft->temporary, 0);
	close(draft->fd);
	close(draft->folder);
}

static bool is_draft_of(const char *name, const char *file)
{
	size_t head = (size_t)head_of(name);

	return !strncmp(file, name, head) && file[head] == '.' &&
	       strspn(file + head + 1, "0123456789abcdef") == DIGITS && !strcmp(file + head + 1 + DIGITS, ".tmp");
}

/* The lock tells on this machine, the age where another one shares the folder. */
static bool is_abandoned(int folder, const char *file)
{
	struct stat status;
	bool is_free;
	int fd;

	if (fstatat(folder, file, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
		status.st_uid != geteuid() || time(NULL) - status.st_mtime < ABANDONED_S)
		return false;
	fd = openat(folder, file, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_free = !flock(fd, LOCK_EX | LOCK_NB);
	close(fd);
	return is_free;
}

void report_draft_remove_abandoned(const struct report_draft *draft)
{
	int fd = openat(draft->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(stream))) {
		if (is_draft_of(draft->name, entry->d_name) && is_abandoned(draft->folder, entry->d_name))
			unlinkat(draft->folder, entry->d_name, 0);
	}
	closedir(stream);
}
