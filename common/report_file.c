/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drafts of files, also those that killed runs left, and files that are replaced by them. */
#include "config.h"
#include "common/report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "common/report.h"
#include "common/sysfs.h"

#define ATTEMPTS 100
#define DIGITS 16 /* of the number in a draft's name */
#define TAIL (1 + DIGITS + 4) /* ".0123456789abcdef.tmp" */
#define STEPS_MAX 4096 /* of a path, with the links on its way */
#define ABANDONED_S 600 /* no report takes longer to write */

enum report_target { REPORT_TARGET_STDOUT, REPORT_TARGET_STREAM, REPORT_TARGET_FILE };

/* Of the link `name` in the folder. Links of procfs are the kernel's. */
static int check_link(int folder, const struct stat *link, bool *is_procfs)
{
	struct statfs fs;
	struct stat place;

	if (fstatfs(folder, &fs) || fstat(folder, &place))
		return -errno;
	*is_procfs = fs.f_type == PROC_SUPER_MAGIC;
	if (*is_procfs || !link->st_uid || link->st_uid == geteuid() || (geteuid() && link->st_uid == place.st_uid))
		return 0;
	return -EACCES;
}

/* What remains of a path: the text of the link, then what stood behind the link's name. */
static int follow(int folder, const char *name, char **rest, const char *behind)
{
	char text[PATH_MAX], *joined;
	ssize_t length = readlinkat(folder, name, text, sizeof(text));

	if (length < 0)
		return -errno;
	if (!length || length == sizeof(text))
		return length ? -ENAMETOOLONG : -ENOENT;
	if (asprintf(&joined, "%.*s%s%s", (int)length, text, *behind ? "/" : "", behind) < 0)
		return -ENOMEM;
	free(*rest);
	*rest = joined;
	return 0;
}

/* One step of the way. *folder and *rest (owned) move on; *is_there: name is the last one, and no link. */
static int walk(int *folder, char **rest, char name[NAME_MAX + 1], bool *is_there)
{
	char *from = *rest + strspn(*rest, "/"), *behind = from + strcspn(from, "/");
	bool is_last = !*behind, is_procfs = false;
	struct stat status;
	int next = -1, error = 0;

	if (behind - from > NAME_MAX)
		return -ENAMETOOLONG;
	snprintf(name, NAME_MAX + 1, "%.*s", (int)(behind - from), from);
	behind += strspn(behind, "/");
	if (**rest == '/') {
		next = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		memmove(*rest, from, strlen(from) + 1);
	} else if (!*name) {
		snprintf(name, NAME_MAX + 1, ".");
		*is_there = true;
		return 0;
	} else if (fstatat(*folder, name, &status, AT_SYMLINK_NOFOLLOW)) {
		*is_there = is_last && errno == ENOENT;
		return *is_there ? 0 : -errno;
	} else if (S_ISLNK(status.st_mode)) {
		error = check_link(*folder, &status, &is_procfs);
		/* The text of a link to an open folder may lead elsewhere: a file system that is mounted nowhere is "/". */
		if (!error && is_procfs)
			next = openat(*folder, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (!error && next < 0)
			return follow(*folder, name, rest, behind);
		if (next >= 0)
			memmove(*rest, behind, strlen(behind) + 1);
	} else if (is_last) {
		*is_there = true;
		return 0;
	}
	if (!error && next < 0) {
		next = openat(*folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		memmove(*rest, behind, strlen(behind) + 1);
	}
	if (error || next < 0)
		return error ? error : -errno;
	close(*folder);
	*folder = next;
	return 0;
}

int report_draft_place(const char *path, int *folder, char name[NAME_MAX + 1])
{
	char *rest = strdup(path);
	bool is_there = false;
	int error = 0, steps = 0;

	if (!rest)
		return -ENOMEM;
	/* A folder in which one may write need not be one that may be listed. */
	*folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*folder < 0)
		error = -errno;
	while (!error && !is_there)
		error = steps++ < STEPS_MAX ? walk(folder, &rest, name, &is_there) : -ELOOP;
	free(rest);
	if (error && *folder >= 0)
		close(*folder);
	return error;
}

/* The kernel follows what report_draft_place does not. */
bool report_draft_met_link(const char *path)
{
	struct stat facts;

	return !stat(path, &facts) || errno == ENOENT;
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
		draft->fd = openat(draft->folder, draft->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (draft->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int report_draft_open(const char *path, bool is_nameless, struct report_draft *draft)
{
	struct report_draft new = {.folder = -1, .fd = -1};
	int error = report_draft_place(path, &new.folder, new.name);

	if (error)
		return error;
	if (!strcmp(new.name, ".") || !strcmp(new.name, ".."))
		error = -EISDIR;
	else if (!is_nameless)
		error = open_named(&new);
	else if ((new.fd = openat(new.folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666)) < 0)
		error = -errno;
	if (error) {
		close(new.folder);
		return error;
	}
	/* Shows that this draft is not abandoned. */
	(void)flock(new.fd, LOCK_EX | LOCK_NB);
	*draft = new;
	return 0;
}

static int give_name(const struct report_draft *draft, const char *name)
{
	return linkat(AT_FDCWD, SYSFS_PATH("/proc/self/fd/%d", draft->fd), draft->folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* File systems that have nothing to sync return EINVAL. */
static int sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

int report_draft_publish(struct report_draft *draft)
{
	int folder, copy, error = sync_fd(draft->fd);

	/* Some file systems report only when a descriptor is closed that the space is used up. */
	copy = error ? -1 : dup(draft->fd);
	if (copy >= 0 && close(copy))
		error = -errno;
	if (!error && !draft->temporary[0]) {
		error = give_name(draft, draft->name);
		/* A nameless file cannot take the place of another: it gets a name of its own first, for as short as can be. */
		for (int i = 0; i < ATTEMPTS && error == -EEXIST; i++) {
			error = draw_name(draft);
			if (!error)
				error = give_name(draft, draft->temporary);
			if (error)
				draft->temporary[0] = '\0';
		}
	}
	if (!error && draft->temporary[0]) {
		if (renameat(draft->folder, draft->temporary, draft->folder, draft->name))
			return -errno;
		draft->temporary[0] = '\0';
	}
	if (error)
		return error;
	/* A folder that may not be read is left to the kernel. */
	folder = openat(draft->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return errno == EACCES ? 0 : -errno;
	error = sync_fd(folder);
	close(folder);
	return error;
}

void report_draft_close(struct report_draft *draft)
{
	if (draft->temporary[0])
		unlinkat(draft->folder, draft->temporary, 0);
	close(draft->fd);
	close(draft->folder);
}

void report_draft_remove_abandoned(const struct report_draft *draft)
{
	size_t head = (size_t)head_of(draft->name);
	struct dirent *entry;
	DIR *stream;

	if (sysfs_open_folder(draft->folder, ".", &stream))
		return;
	while ((entry = readdir(stream))) {
		const char *name = entry->d_name;
		struct stat status;
		int fd;

		if (strncmp(name, draft->name, head) || name[head] != '.' ||
			strspn(name + head + 1, "0123456789abcdef") != DIGITS || strcmp(name + head + 1 + DIGITS, ".tmp"))
			continue;
		/* The lock shows on this machine that the writer is dead, the age where another one shares the folder. */
		if (fstatat(draft->folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode) ||
			status.st_uid != geteuid() || time(NULL) - status.st_mtime < ABANDONED_S)
			continue;
		fd = openat(draft->folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (!flock(fd, LOCK_EX | LOCK_NB))
			unlinkat(draft->folder, name, 0);
		close(fd);
	}
	closedir(stream);
}

/* --- file --- */

int report_write_all(int fd, const char *text, size_t size)
{
	while (size > 0) {
		ssize_t done = TEMP_FAILURE_RETRY(write(fd, text, size));

		if (done < 0)
			return -errno;
		text += done;
		size -= (size_t)done;
	}
	return 0;
}

/* Not every file system has nameless files, or lets one get a name. */
static int replace_file(const char *path, const char *text, size_t size)
{
	int error = -EINVAL;

	for (int is_nameless = 1; is_nameless >= 0 && error; is_nameless--) {
		struct report_draft draft;

		error = report_draft_open(path, is_nameless, &draft);
		if (error)
			continue;
		error = report_write_all(draft.fd, text, size);
		if (!error)
			error = report_draft_publish(&draft);
		if (!error)
			report_draft_remove_abandoned(&draft);
		report_draft_close(&draft);
	}
	return error;
}

/* A descriptor to write to, or -errno: what is there now must still be a pipe or a character device. */
static int report_file_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	struct stat status = {0};
	int error = fd < 0 || fstat(fd, &status) ? -errno : 0;

	/* Another one may have been put there since it was examined. */
	if (!error && (S_ISBLK(status.st_mode) || S_ISREG(status.st_mode)))
		error = -EPERM;
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

/* How path is to be written. 0 or -errno: -EISDIR, ... */
static int report_file_target(const char *path, enum report_target *target)
{
	struct stat status, out;

	*target = REPORT_TARGET_STDOUT;
	if (strcmp(path, "-") == 0)
		return 0;
	if (stat(path, &status) < 0) {
		*target = REPORT_TARGET_FILE;
		return errno == ENOENT ? 0 : -errno;
	}
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	/* /dev/stdout may lead to a plain file, which a rename would take away from those who write to it. */
	if (fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status.st_dev && out.st_ino == status.st_ino)
		return 0;
	if (S_ISBLK(status.st_mode))
		return -EPERM;
	*target = S_ISREG(status.st_mode) ? REPORT_TARGET_FILE : REPORT_TARGET_STREAM;
	return 0;
}

int report_file_write(const char *path, const char *text, size_t size)
{
	enum report_target target;
	int fd, error = report_file_target(path, &target);

	if (error)
		return error;
	/* A link stays a link, and what it points to is replaced: common/report_file.h. */
	if (target == REPORT_TARGET_FILE)
		return replace_file(path, text, size);
	if (target == REPORT_TARGET_STDOUT) {
		/* What the program has printed so far belongs before. */
		if (fflush(stdout) != 0)
			return -errno;
		/* The stream is cleaned on a terminal (common/diag.h), the descriptor not. */
		if (isatty(STDOUT_FILENO))
			return fwrite(text, 1, size, stdout) == size && !fflush(stdout) ? 0 : -EIO;
		return report_write_all(STDOUT_FILENO, text, size);
	}
	fd = report_file_stream(path);
	if (fd < 0)
		return fd;
	error = report_write_all(fd, text, size);
	if (close(fd) < 0 && !error)
		error = -errno;
	return error;
}

/* Makes a file: a quota, an attribute or a server may forbid what access(2) allows. It never has the name of path, and is removed
 * at once. */
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
	/* Writing to a pipe or terminal twice overwrites nothing. */
	if (S_ISCHR(ours.st_mode) || S_ISFIFO(ours.st_mode))
		return false;
	return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* --- output --- */

struct report_output {
	FILE *stream;
	bool is_draft; /* otherwise stream is written to where it goes */
	struct report_draft draft;
};

/* A draft without a name is better, but only /proc can give it one when it is complete. */
static int open_draft(struct report_output *output, const char *path)
{
	int copy;
	int error = access("/proc/self/fd", X_OK) ? -errno : report_draft_open(path, true, &output->draft);

	if (error)
		error = report_draft_open(path, false, &output->draft);
	if (error)
		return error;
	output->is_draft = true;
	/* The draft keeps its own descriptor until it is published. */
	copy = dup(output->draft.fd);
	output->stream = copy < 0 ? NULL : fdopen(copy, "w");
	if (output->stream)
		return 0;
	error = -errno;
	if (copy >= 0)
		close(copy);
	report_draft_close(&output->draft);
	return error;
}

int report_output_open(const char *path, struct report_output **output)
{
	struct report_output *new = calloc(1, sizeof(*new));
	enum report_target target;
	int fd, error = new ? report_file_target(path, &target) : -ENOMEM;

	if (!error && target == REPORT_TARGET_FILE) {
		error = open_draft(new, path);
	} else if (!error && target == REPORT_TARGET_STDOUT) {
		new->stream = stdout;
	} else if (!error) {
		fd = report_file_stream(path);
		new->stream = fd < 0 ? NULL : fdopen(fd, "w");
		if (!new->stream)
			error = fd < 0 ? fd : -errno;
	}
	if (error)
		free(new);
	else
		*output = new;
	return error;
}

FILE *report_output_stream(struct report_output *output)
{
	return output->stream;
}

/* What stdio has forgotten of a failed write is most likely space. */
static int end_stream(FILE *stream)
{
	int error = 0;

	errno = 0;
	if (fflush(stream) != 0)
		error = -errno;
	else if (ferror(stream))
		error = -ENOSPC;
	errno = 0;
	if (stream != stdout && fclose(stream) != 0 && !error)
		error = -errno;
	if (stream == stdout && error) {
		/* The caller reports it now; it is not reported again when the program ends. */
		__fpurge(stdout);
		clearerr(stdout);
	}
	return error;
}

int report_output_close(struct report_output *output, bool is_complete)
{
	int error;

	if (!output)
		return 0;
	error = end_stream(output->stream);
	if (output->is_draft) {
		if (!is_complete)
			error = 0;
		else if (!error)
			error = report_draft_publish(&output->draft);
		if (is_complete && !error)
			report_draft_remove_abandoned(&output->draft);
		report_draft_close(&output->draft);
	}
	free(output);
	return error;
}
