/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo/journal.h"

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

#include "common/base/diag.h"
#include "common/base/sysfs.h"

#define JOURNAL_MAGIC "memstor-journal 1" /* the first words of a file, with its version */
#define TEXT_LIMIT (256 * 1024)
#define LINE_LIMIT 4096
#define PF_EXITING 4u /* linux/sched.h; field 9 of /proc/PID/stat */

/* --- the folder: its lock, its journals, and their processes --- */

/* Opens the folder and checks its owner and mode: journals are undone with this user's rights, so no other user may write one;
 * and any user who can open the folder can lock it for ever. */
static int open_dir(const char *dir, int *fd)
{
	struct stat stat;
	int found = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int ret = 0;

	if (found < 0)
		return -errno;
	if (fstat(found, &stat))
		ret = -errno;
	else if (stat.st_uid != geteuid() || (stat.st_mode & 066))
		ret = -EPERM;
	else if (!stat.st_nlink)
		ret = -ENOENT; /* the last run has removed it meanwhile */
	if (ret)
		close(found);
	else
		*fd = found;
	return ret;
}

/* Removes the folder if a run made it and it is empty. The caller holds its lock. */
void journal_remove_dir(const char *dir, int dir_fd)
{
	struct stat stat;

	if (!fstat(dir_fd, &stat) && (stat.st_mode & S_ISVTX))
		rmdir(dir); /* fails while others have journals there */
}

int journal_lock_dir(const char *dir, int *fd)
{
	struct stat stat;

	for (;;) {
		int found = -1, ret = open_dir(dir, &found);

		if (ret)
			return ret;
		(void)TEMP_FAILURE_RETRY(flock(found, LOCK_EX));
		if (!fstat(found, &stat) && stat.st_nlink) {
			*fd = found;
			return 0;
		}
		close(found);
	}
}

/* Reads fields of /proc/PID/stat after the name, which may contain blanks and brackets (proc(5)). */
static int read_process(pid_t pid, char *state, unsigned *flags, uint64_t *start_ticks)
{
	char text[1024], *tail;
	int ret;

	ret = sysfs_read("", SYSFS_PATH("/proc/%d/stat", (int)pid), text, sizeof(text));
	if (ret)
		return ret;
	tail = strrchr(text, ')');
	if (!tail ||
		sscanf(tail + 1,
			" %c %*s %*s %*s %*s %*s %u %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64,
			state, flags, start_ticks) != 3)
		return -EBADMSG;
	return 0;
}

int journal_start_time(pid_t pid, uint64_t *ticks)
{
	unsigned flags;
	char state;

	return read_process(pid, &state, &flags, ticks);
}

static int take_nothing(void *arg, const char *line)
{
	(void)arg;
	(void)line;
	return 0;
}

bool journal_is_orphan(const char *dir, const char *name)
{
	struct journal journal;
	uint64_t started, ticks;
	unsigned flags;
	char state;
	int pid;

	if (journal_peek(dir, name, &journal, take_nothing, NULL) || !journal.is_this_namespace ||
		sscanf(name, "%d-%" SCNu64, &pid, &started) != 2)
		return false;
	return read_process(pid, &state, &flags, &ticks) || ticks != started || strchr("ZXx", state) ||
	       (flags & PF_EXITING);
}

/* Tells whether the name is PID-STARTTIME-RANDOM. An empty file with another name must not count as a truncated journal, which
 * would be removed as done. */
static bool is_journal_name(const char *name)
{
	static const char digits[] = "0123456789";
	size_t pid = strspn(name, digits), start, random;

	if (!pid || name[pid] != '-')
		return false;
	name += pid + 1;
	start = strspn(name, digits);
	if (!start || name[start] != '-')
		return false;
	name += start + 1;
	random = strspn(name, "0123456789abcdef");
	return random == JOURNAL_NAME_RANDOM && !name[random];
}

int journal_list(const char *dir, char names[][JOURNAL_NAME], size_t max, size_t *count)
{
	struct dirent *entry;
	size_t found = 0;
	DIR *stream;
	int fd = -1, ret = open_dir(dir, &fd);

	if (ret == -ENOENT) {
		*count = 0;
		return 0;
	}
	if (ret)
		return ret;
	stream = fdopendir(fd);
	if (!stream) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(stream)) && found < max) {
		size_t length = strlen(entry->d_name);

		if (length < JOURNAL_NAME && is_journal_name(entry->d_name))
			memcpy(names[found++], entry->d_name, length + 1);
	}
	closedir(stream);
	*count = found;
	return 0;
}

/* --- one journal --- */

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

/* Returns the id of the PID namespace, in which alone process numbers are valid. */
static uint64_t pid_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) ? 0 : stat_of.st_ino;
}

/* Makes and locks the file under the folder's lock, so that no process sees it without its lock or removes the folder meanwhile. */
static int make_file(struct journal *journal)
{
	int dir_fd, fd, ret;

	/* Another run may remove the folder between mkdir and the lock: then make it again. */
	do {
		/* The sticky bit marks a folder that a run has made. It is set by mkdir itself, so that a killed run leaves no
		 * unmarked folder, and has no other effect in a folder that one user alone can write to. */
		if (mkdir(journal->dir, 01700) && errno != EEXIST)
			return -errno;
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

int journal_create(const char *dir, struct journal *journal)
{
	struct journal made = {.fd = -1, .is_this_boot = true, .is_this_namespace = true};
	char line[256], boot[64], uuid[2 * JOURNAL_UUID_BYTES + 1];
	int dir_fd, length, ret = 0;
	uint64_t ticks = 0;

	if (snprintf(made.dir, sizeof(made.dir), "%s", dir) >= (int)sizeof(made.dir))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = journal_start_time(getpid(), &ticks);
	if (!ret && getrandom(made.uuid, JOURNAL_UUID_BYTES, 0) != JOURNAL_UUID_BYTES)
		ret = -EIO;
	/* The process number, its start time and a random number make the name unique. */
	snprintf(made.name, sizeof(made.name), "%d-%" PRIu64 "-%02x%02x%02x%02x", (int)getpid(),
		ticks, made.uuid[0], made.uuid[1], made.uuid[2], made.uuid[3]);
	if (!ret)
		ret = make_file(&made);
	if (!ret)
		ret = boot_id(boot);
	if (!ret) {
		for (size_t i = 0; i < JOURNAL_UUID_BYTES; i++)
			snprintf(uuid + 2 * i, 3, "%02x", made.uuid[i]);
		length = snprintf(line, sizeof(line), "%s %s %s %" PRIu64 "\n", JOURNAL_MAGIC, boot, uuid, pid_namespace());
		ret = write_line(made.fd, line, (size_t)length);
	}
	if (!ret) {
		*journal = made;
		return 0;
	}
	diag_error(ret, "cannot make a journal in %s (" JOURNAL_FOLDER_RULE ")", dir);
	if (made.fd >= 0 && !journal_lock_dir(made.dir, &dir_fd)) {
		(void)journal_remove(&made);
		close(dir_fd);
	}
	if (made.fd >= 0)
		close(made.fd);
	return ret;
}

/* Accepts only a file of this user alone with one name: a journal is undone with this user's rights, and any user who can open
 * it can lock it and pass for a living run. */
static int check_file(int fd)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 077) || stat.st_nlink > 1)
		return -EPERM;
	return stat.st_nlink ? 0 : -ENOENT; /* the run has just removed it */
}

/* O_NONBLOCK: a FIFO of this name is refused without waiting. */
static int open_file(const char *dir, const char *name, int flags, struct journal *journal)
{
	int ret;

	*journal = (struct journal){.fd = -1};
	snprintf(journal->dir, sizeof(journal->dir), "%s", dir);
	snprintf(journal->name, sizeof(journal->name), "%s", name);
	journal->fd = open(SYSFS_PATH("%s/%s", dir, name), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
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
	/* The check is repeated because the file may have been removed between open and lock. */
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
	else if (stat.st_size + length > TEXT_LIMIT) /* the journal could not be read again */
		ret = -EFBIG;
	else
		ret = write_line(journal->fd, text, (size_t)length);
	if (ret)
		diag_error(ret, "cannot write the journal %s/%s", journal->dir, journal->name);
	return ret;
}

static bool parse_heading(const char *line, struct journal *journal)
{
	char boot[64], now[64], uuid[64];
	size_t magic = strlen(JOURNAL_MAGIC);
	uint64_t namespace;

	if (strncmp(line, JOURNAL_MAGIC, magic) || line[magic] != ' ' ||
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

int journal_load(struct journal *journal, int (*take)(void *arg, const char *line), void *arg)
{
	char *text, *rest, *line;
	size_t size;
	int ret;

	/* Reads through the descriptor, because another file may have the name by now. */
	ret = sysfs_slurp("", SYSFS_PATH("/proc/self/fd/%d", journal->fd), TEXT_LIMIT, &text, &size);
	if (ret)
		return ret;
	rest = text;
	line = strsep(&rest, "\n");
	/* A truncated heading means that no action was begun; text after the last newline is a truncated line. */
	if (rest && !parse_heading(line, journal))
		ret = -EBADMSG;
	while (!ret && rest && (line = strsep(&rest, "\n")) && rest)
		ret = take(arg, line);
	free(text);
	return ret;
}

int journal_peek(const char *dir, const char *name, struct journal *journal,
	int (*take)(void *arg, const char *line), void *arg)
{
	struct journal found;
	int ret = open_file(dir, name, O_RDONLY, &found);

	if (ret)
		return ret;
	ret = journal_load(&found, take, arg);
	close(found.fd);
	found.fd = -1;
	if (!ret)
		*journal = found;
	return ret;
}

int journal_remove(const struct journal *journal)
{
	int dir_fd;

	if (unlink(SYSFS_PATH("%s/%s", journal->dir, journal->name)) && errno != ENOENT)
		return -errno;
	dir_fd = open(journal->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir_fd >= 0) {
		journal_remove_dir(journal->dir, dir_fd);
		close(dir_fd);
	}
	return 0;
}
