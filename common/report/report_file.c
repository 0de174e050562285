/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drafts of files, the removal of drafts that killed runs left, and the replacing of files. */
#include "config.h"
#include "common/report/report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <linux/magic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/report/report.h"

#define ATTEMPTS 100
#define DIGITS 16 /* digits of the number in a draft's name */
#define TAIL (1 + DIGITS + 4) /* ".0123456789abcdef.tmp" */
#define STEPS_MAX 4096 /* most steps of a path, with the links in it */
#define ABANDONED_S 600 /* no report takes longer to write */

enum report_target { REPORT_TARGET_STDOUT, REPORT_TARGET_STREAM, REPORT_TARGET_FILE };

/* -EACCES: another user could have created the link. Links of procfs belong to the kernel. */
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

/* Replaces *rest by the text of the link followed by `behind`, the path after the link. */
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

/* Takes one step along *rest. *folder and *rest (owned) move on; *is_there: name is the last component, and no link. */
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
		/* The text of a link to an open folder may name another folder: a file system that is mounted nowhere is "/". */
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
	/* O_PATH suffices, because a writable folder need not be readable. */
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

/* stat(2) follows links that report_draft_place rejects. */
bool report_draft_met_link(const char *path)
{
	struct stat facts;

	return !stat(path, &facts) || errno == ENOENT;
}

/* Returns the number of bytes of a name that its drafts begin with: whole characters that leave space for the tail. */
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

/* open(2) with O_EXCL gives the file the mode of the user's umask, unlike mkstemp(3). */
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

/* Tells whether root would write to another user's folder. The user who calls sudo may name his own. */
static bool is_foreign(uid_t owner)
{
	const char *caller = getenv("SUDO_UID");
	uint64_t uid;

	return !geteuid() && owner && (!caller || units_parse_u64(caller, 0, UINT32_MAX, &uid) || uid != owner);
}

static int open_place(const char *path, struct report_draft *draft)
{
	struct stat status;
	int error = !lstat(path, &status) && S_ISLNK(status.st_mode) ? -ELOOP : 0;

	if (!error)
		error = report_draft_place(path, &draft->folder, draft->name);
	if (error)
		return error;
	if (fstat(draft->folder, &status))
		error = -errno;
	else if (is_foreign(status.st_uid))
		error = -EREMOTE;
	if (error)
		close(draft->folder);
	return error;
}

int report_draft_open(const char *path, bool is_nameless, struct report_draft *draft)
{
	struct report_draft new = {.folder = -1, .fd = -1};
	int error = open_place(path, &new);

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
	/* Marks the draft as one in use (report_draft_remove_abandoned). */
	(void)flock(new.fd, LOCK_EX | LOCK_NB);
	*draft = new;
	return 0;
}

static int give_name(const struct report_draft *draft, const char *name)
{
	return linkat(AT_FDCWD, SYSFS_PATH("/proc/self/fd/%d", draft->fd), draft->folder, name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

/* File systems without anything to sync return EINVAL. */
static int sync_fd(int fd)
{
	return fsync(fd) == 0 || errno == EINVAL || errno == EROFS ? 0 : -errno;
}

int report_draft_publish(struct report_draft *draft)
{
	int folder, copy, error = sync_fd(draft->fd);

	/* Some file systems report a lack of space only when a descriptor is closed. */
	copy = error ? -1 : dup(draft->fd);
	if (copy >= 0 && close(copy))
		error = -errno;
	if (!error && !draft->temporary[0]) {
		error = give_name(draft, draft->name);
		/* linkat(2) cannot replace an existing file, so the draft gets a temporary name and is renamed at once. */
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
	/* An unreadable folder cannot be synced; the kernel will write it back. */
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
		/* The age protects writers on other machines that share the folder, the lock writers on this one. */
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

/* Some file systems have no nameless files, or cannot give one a name. */
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

/* Tells whether path names an open descriptor, whose link belongs to the kernel. */
static bool is_descriptor(const char *path)
{
	size_t process = !strncmp(path, "/proc/", 6) ? 6 + strcspn(path + 6, "/") : 0;

	return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr") || !strncmp(path, "/dev/fd/", 8) ||
	       (process && !strncmp(path + process, "/fd/", 4));
}

/* Opens a pipe, a character device or a file without a name for writing, or returns -errno: path may refer to another file by
 * now. */
static int report_file_stream(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (is_descriptor(path) ? 0 : O_NOFOLLOW));
	struct stat status = {0};
	int error = fd < 0 || fstat(fd, &status) || fcntl(fd, F_SETFL, 0) ? -errno : 0;

	/* Another object may have the path since it was examined. */
	if (!error && (S_ISBLK(status.st_mode) || (S_ISREG(status.st_mode) && status.st_nlink)))
		error = -ENODEV;
	if (!error && S_ISREG(status.st_mode) && ftruncate(fd, 0))
		error = -errno;
	if (error && fd >= 0)
		close(fd);
	return error ? error : fd;
}

/* Returns 0 or -errno: report_output_error. */
static int report_file_target(const char *path, enum report_target *target)
{
	bool is_open = is_descriptor(path);
	struct stat status, out;

	*target = REPORT_TARGET_STDOUT;
	if (strcmp(path, "-") == 0)
		return 0;
	if (is_open ? stat(path, &status) : lstat(path, &status)) {
		*target = REPORT_TARGET_FILE;
		return errno == ENOENT ? 0 : -errno;
	}
	/* /dev/stdout may be a plain file, which a rename would take away from its other writers. */
	if (fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status.st_dev && out.st_ino == status.st_ino)
		return 0;
	*target = REPORT_TARGET_STREAM;
	switch (status.st_mode & S_IFMT) {
	case S_IFDIR:
		return -EISDIR;
	case S_IFLNK:
		return -ELOOP;
	case S_IFREG:
		if (!is_open)
			*target = REPORT_TARGET_FILE;
		/* A file without a name cannot be replaced, and belongs to no other process. */
		return is_open && status.st_nlink ? -ELOOP : 0;
	case S_IFIFO:
		return is_open ? 0 : -ESPIPE;
	case S_IFCHR:
		/* /dev/null and /dev/full ignore the data. */
		return is_open || status.st_rdev == makedev(1, 3) || status.st_rdev == makedev(1, 7) ? 0 : -ENODEV;
	default:
		return -ENODEV;
	}
}

int report_file_write(const char *path, const char *text, size_t size)
{
	enum report_target target;
	int fd, error = report_file_target(path, &target);

	if (error)
		return error;
	if (target == REPORT_TARGET_FILE)
		return replace_file(path, text, size);
	if (target == REPORT_TARGET_STDOUT) {
		/* Earlier output of the program comes first. */
		if (fflush(stdout) != 0)
			return -errno;
		/* On a terminal only the stream is cleaned (common/base/diag.h). */
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

/* Makes a file and removes it at once: a quota, an attribute or a server may forbid what access(2) allows. It never has the
 * name of path. */
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

/* Returns the attributes of statx(2) that this file system supports. */
static uint64_t attributes_of(const char *path)
{
	struct statx status;

	return statx(AT_FDCWD, path, 0, STATX_TYPE, &status) ? 0 : status.stx_attributes & status.stx_attributes_mask;
}

/* Checks whether the folder permits replacing the file, which is renamed over, not written. Returns 0 or -errno. */
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
	enum report_target target;
	struct stat status;
	int error = *path ? report_file_target(path, &target) : -ENOENT;

	if (error || target == REPORT_TARGET_STDOUT)
		return error;
	if (target == REPORT_TARGET_FILE && lstat(path, &status))
		return path[strlen(path) - 1] == '/' ? -EISDIR : try_to_make(path);
	/* A write-protected file is not replaced, though the folder would allow it. */
	if (access(path, W_OK) < 0)
		return -errno;
	error = target == REPORT_TARGET_FILE ? check_replacing(path) : 0;
	return error || target != REPORT_TARGET_FILE ? error : try_to_make(path);
}

/* --- claim --- */

#define HEAD_BYTES 512

/* Beginnings of data of other tools and programs, which a table or picture must not replace. */
static const char *const others[] = {"memtrace", "ssdrecs1", "PERFILE2", "\177ELF", "SQLite format 3"};

/* An empty file may be replaced by any file. */
static int check_content(const struct report_draft *place, const char *begins)
{
	int fd = openat(place->folder, place->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), error = 0;
	char head[HEAD_BYTES + 1] = "";
	ssize_t got;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	got = read(fd, head, HEAD_BYTES);
	if (got < 0)
		error = -errno;
	else if (got && begins)
		error = strncmp(head, begins, strlen(begins)) ? -EEXIST : 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]) && got > 0 && !begins && !error; i++)
		error = strncmp(head, others[i], strlen(others[i])) ? 0 : -EEXIST;
	if (got > 0 && !begins && !error && !strncmp(head, "<?xml", 5) && !strstr(head, "svg"))
		error = -EEXIST;
	close(fd);
	return error;
}

/* Binds a socket's abstract name, which ends with its process. A lock on the file would end when the file is replaced, and a
 * lock file beside it would stay. */
static int take_lock(const struct report_draft *place, int *lock)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
	struct stat folder;
	int length, fd, error;

	if (fstat(place->folder, &folder))
		return -errno;
	for (const char *at = place->name; *at; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3;
	length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "memstor-output %llx %llx %llx",
		(unsigned long long)folder.st_dev, (unsigned long long)folder.st_ino, (unsigned long long)hash);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length))) {
		*lock = fd;
		return 0;
	}
	error = -errno;
	close(fd);
	return error;
}

int report_claim(const char *path, const char *begins, int *lock)
{
	struct report_draft place;
	enum report_target target;
	int error = report_check_path(path);

	*lock = -1;
	if (error || report_file_target(path, &target) || target != REPORT_TARGET_FILE)
		return error;
	error = open_place(path, &place);
	if (error)
		return error;
	error = take_lock(&place, lock);
	if (!error)
		error = check_content(&place, begins);
	close(place.folder);
	return error;
}

const char *report_output_error(int error)
{
	switch (error) {
	case -ELOOP:
		return "is a symbolic link; name the file itself";
	case -ENODEV:
		return "is a device or socket; name a file";
	case -ESPIPE:
		return "is a FIFO; name a file, or - and a pipe";
	case -EREMOTE:
		return "its folder is another user's (root writes in folders of root and of who called sudo); name another";
	case -EEXIST:
		return "exists with content of another kind; name another file";
	case -EADDRINUSE:
		return "another program is writing it; name another file";
	default:
		return strerror(-error);
	}
}

/* Tells whether two new files will be the same: one name in one folder. */
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
	bool is_draft; /* false: the stream writes directly to its target */
	bool is_published;
	struct report_draft draft;
};

/* Prefers a draft without a name, which only /proc can name when it is complete. */
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

int report_output_publish(struct report_output *output)
{
	int error = fflush(output->stream) ? -errno : 0;

	if (error || !output->is_draft || output->is_published)
		return error;
	error = report_draft_publish(&output->draft);
	output->is_published = !error;
	return error;
}

FILE *report_output_stream(struct report_output *output)
{
	return output->stream;
}

/* If stdio has lost the errno of a failed write, space was most likely short. */
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
		/* The caller reports the error now: keep diag from reporting it again at exit. */
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
		else if (!error && !output->is_published)
			error = report_draft_publish(&output->draft);
		if (is_complete && !error)
			report_draft_remove_abandoned(&output->draft);
		report_draft_close(&output->draft);
	}
	free(output);
	return error;
}
