/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"

#define TEXT_LIMIT (256 * 1024)
#define LINE_LIMIT 4096

static int boot_id(char text[64])
{
	return sysfs_read("", "/proc/sys/kernel/random/boot_id", text, 64);
}

static int write_line(int fd, const char *line, size_t length)
{
	ssize_t done = write(fd, line, length);

	if (done < 0 || fdatasync(fd))
		return -errno;
	return (size_t)done == length ? 0 : -ENOSPC;
}

/* Process numbers mean something only in the namespace that they are from. */
static uint64_t pid_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) ? 0 : stat_of.st_ino;
}

static int write_heading(const struct journal_kind *kind, const struct journal *journal)
{
	char line[256], boot[64], uuid[2 * JOURNAL_UUID_BYTES + 1];
	int length, ret = boot_id(boot);

	if (ret)
		return ret;
	for (size_t i = 0; i < JOURNAL_UUID_BYTES; i++)
		snprintf(uuid + 2 * i, 3, "%02x", journal->uuid[i]);
	length = snprintf(line, sizeof(line), "%s %s %s %" PRIu64 "\n", kind->magic, boot, uuid, pid_namespace());
	return write_line(journal->fd, line, (size_t)length);
}

/* A name that no other run has, or ever had in this boot. */
static int choose_name(struct journal *journal)
{
	uint64_t ticks;
	int ret = journal_start_time(getpid(), &ticks);

	if (ret)
		return ret;
	if (getrandom(journal->uuid, JOURNAL_UUID_BYTES, 0) != JOURNAL_UUID_BYTES)
		return -EIO;
	snprintf(journal->name, sizeof(journal->name), "%d-%" PRIu64 "-%02x%02x%02x%02x", (int)getpid(),
		ticks, journal->uuid[0], journal->uuid[1], journal->uuid[2], journal->uuid[3]);
	return 0;
}

/* The file is made and locked under the folder's lock: nobody sees it without its lock, or the folder go. */
static int make_file(struct journal *journal)
{
	int dir_fd, fd, ret;

	/* Another run may remove the folder in between; where none can be made there is no second try. */
	do {
		ret = journal_make_dir(journal->dir);
		if (ret)
			return ret;
		ret = journal_lock_dir(journal->dir, &dir_fd);
	} while (ret == -ENOENT);
	if (ret)
		return ret;
	fd = openat(dir_fd, journal->name, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) || fsync(dir_fd)) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
	} else {
		journal->fd = fd;
	}
	close(dir_fd);
	return ret;
}

static void discard(struct journal *journal)
{
	int dir_fd;

	if (journal->fd < 0)
		return;
	if (!journal_lock_dir(journal->dir, &dir_fd)) {
		(void)journal_remove(journal);
		close(dir_fd);
	}
	close(journal->fd);
}

int journal_create(const struct journal_kind *kind, const char *dir, struct journal *journal)
{
	struct journal made = {.kind = kind, .fd = -1, .is_this_boot = true, .is_this_namespace = true};
	int ret = 0;

	if (snprintf(made.dir, sizeof(made.dir), "%s", dir) >= (int)sizeof(made.dir))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = choose_name(&made);
	if (!ret)
		ret = make_file(&made);
	if (!ret)
		ret = write_heading(kind, &made);
	if (ret) {
		diag_error(ret, "cannot make a journal in %s (" JOURNAL_FOLDER_RULE ")", dir);
		discard(&made);
		return ret;
	}
	*journal = made;
	return 0;
}

/* What it says is done as this user, and who can open it can lock it and pass for a living run: only a file that is this
 * user's alone, and under one name, is a journal. */
static int check_file(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 077) || stat.st_nlink > 1)
		return -EPERM;
	return stat.st_nlink ? 0 : -ENOENT; /* its keeper has just finished */
}

/* O_NONBLOCK: a FIFO of this name is refused, not waited for. */
static int open_file(const char *dir, const char *name, int flags, struct journal *journal)
{
	char path[512];
	int ret;

	*journal = (struct journal){.fd = -1};
	snprintf(journal->dir, sizeof(journal->dir), "%s", dir);
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	journal->fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (journal->fd < 0)
		return errno == ELOOP ? -EPERM : -errno;
	ret = check_file(journal->fd);
	if (ret)
		close(journal->fd);
	return ret;
}

int journal_open(const char *dir, const char *name, struct journal *journal)
{
	struct journal found;
	int ret = open_file(dir, name, O_RDWR | O_APPEND, &found);

	if (ret)
		return ret;
	/* Once more: it may have been removed between our open and our lock. */
	ret = flock(found.fd, LOCK_EX | LOCK_NB) ? -errno : check_file(found.fd);
	if (ret)
		close(found.fd);
	else
		*journal = found;
	return ret;
}

int journal_append(const struct journal *journal, const char *line)
{
	char text[LINE_LIMIT];
	int ret, length = snprintf(text, sizeof(text), "%s\n", line);
	struct stat stat;

	if (length >= (int)sizeof(text))
		ret = -ENAMETOOLONG;
	else if (fstat(journal->fd, &stat))
		ret = -errno;
	else if (stat.st_size + length > TEXT_LIMIT) /* nobody could read it then */
		ret = -EFBIG;
	else
		ret = write_line(journal->fd, text, (size_t)length);
	if (ret)
		diag_error(ret, "cannot write the journal %s/%s", journal->dir, journal->name);
	return ret;
}

static bool parse_heading(const struct journal_kind *kind, const char *line, struct journal *journal)
{
	char boot[64], now[64], uuid[64];
	size_t magic = strlen(kind->magic);
	uint64_t namespace;

	if (strncmp(line, kind->magic, magic) || line[magic] != ' ' ||
		sscanf(line + magic, " %63s %63s %" SCNu64, boot, uuid, &namespace) != 3 ||
		strlen(uuid) != 2 * JOURNAL_UUID_BYTES)
		return false;
	for (size_t i = 0; i < JOURNAL_UUID_BYTES; i++)
		if (sscanf(uuid + 2 * i, "%2hhx", &journal->uuid[i]) != 1)
			return false;
	journal->is_this_boot = !boot_id(now) && !strcmp(boot, now);
	journal->is_this_namespace = namespace == pid_namespace();
	return true;
}

/* A heading that is cut off means that nothing was done yet; the piece after the last newline is not a line. */
static int take_lines(const struct journal_kind *kind, char *text, struct journal *journal,
	int (*take)(void *arg, const char *line), void *arg)
{
	char *rest = text, *line = strsep(&rest, "\n");
	int ret = 0;

	if (rest && !parse_heading(kind, line, journal))
		return -EBADMSG;
	while (!ret && rest && (line = strsep(&rest, "\n")) && rest)
		ret = take(arg, line);
	return ret;
}

int journal_load(const struct journal_kind *kind, struct journal *journal, int (*take)(void *arg, const char *line),
	void *arg)
{
	char path[64], *text;
	size_t size;
	int ret;

	/* Through the descriptor, not the name: it is the locked file that is read. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", journal->fd);
	ret = sysfs_slurp("", path, TEXT_LIMIT, &text, &size);
	if (ret)
		return ret;
	ret = take_lines(kind, text, journal, take, arg);
	free(text);
	return ret;
}

int journal_peek(const struct journal_kind *kind, const char *dir, const char *name, struct journal *journal,
	int (*take)(void *arg, const char *line), void *arg)
{
	struct journal found;
	int ret = open_file(dir, name, O_RDONLY, &found);

	if (ret)
		return ret;
	ret = journal_load(kind, &found, take, arg);
	close(found.fd);
	found.fd = -1;
	if (!ret)
		*journal = found;
	return ret;
}

int journal_set_aside(const struct journal *journal)
{
	char from[512], to[512];

	snprintf(from, sizeof(from), "%s/%s", journal->dir, journal->name);
	snprintf(to, sizeof(to), "%s/" JOURNAL_SET_ASIDE, journal->dir, journal->name);
	return rename(from, to) ? -errno : 0;
}

int journal_remove(const struct journal *journal)
{
	char path[512];
	int dir_fd;

	snprintf(path, sizeof(path), "%s/%s", journal->dir, journal->name);
	if (unlink(path) && errno != ENOENT)
		return -errno;
	dir_fd = open(journal->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir_fd >= 0) {
		journal_remove_dir(journal->dir, dir_fd);
		close(dir_fd);
	}
	return 0;
}
