/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The folder of journals: its lock, what is in it, and who still lives. */
#include "config.h"
#include "common/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/sysfs.h"

#define PF_EXITING 4u /* linux/sched.h: in field 9 of /proc/PID/stat */

/* What a journal says is done as this user: no other may be able to write one; and who can open the folder can lock it,
 * for ever. */
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
		ret = -ENOENT; /* removed since by the last run */
	if (ret)
		close(found);
	else
		*fd = found;
	return ret;
}

int journal_make_dir(const char *dir)
{
	/* The sticky bit is the mark, set in the same moment: a run that is killed leaves either no folder, or one that is
	 * known for a run's. It changes nothing else in a folder that one user alone can write to. */
	return mkdir(dir, 01700) && errno != EEXIST ? -errno : 0;
}

void journal_remove_dir(const char *dir, int dir_fd)
{
	struct stat stat;

	if (!fstat(dir_fd, &stat) && (stat.st_mode & S_ISVTX))
		rmdir(dir); /* fails while others have journals there, as it should */
}

int journal_lock_dir(const char *dir, int *fd)
{
	struct stat stat;

	for (;;) {
		int found = -1, ret = open_dir(dir, &found);

		if (ret)
			return ret;
		while (flock(found, LOCK_EX) && errno == EINTR)
			;
		if (!fstat(found, &stat) && stat.st_nlink) {
			*fd = found;
			return 0;
		}
		close(found);
	}
}

/* proc(5): fields of /proc/PID/stat after the name, which may have blanks and brackets itself. */
static int read_process(pid_t pid, char *state, unsigned *flags, uint64_t *start_ticks)
{
	char path[64], text[1024], *tail;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	ret = sysfs_read("", path, text, sizeof(text));
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

bool journal_is_orphan(const struct journal_kind *kind, const char *dir, const char *name)
{
	struct journal journal;
	uint64_t started, ticks;
	unsigned flags;
	char state;
	int pid;

	if (journal_peek(kind, dir, name, &journal, take_nothing, NULL) || !journal.is_this_namespace ||
		sscanf(name, "%d-%" SCNu64, &pid, &started) != 2)
		return false;
	return read_process(pid, &state, &flags, &ticks) || ticks != started || strchr("ZXx", state) ||
	       (flags & PF_EXITING);
}

/* PID-STARTTIME-RANDOM. Any other file in the folder is somebody else's: an empty one would pass for a journal that
 * was cut off, and would be removed as done. */
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
