/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who else writes to a target: the lock that every run takes, and what a file shows of those who take none. */
#include "config.h"
#include "common/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"

#define LOCK_TRIES 30
#define LOCK_PAUSE_NS 100000000L
#define LOCKS_LIMIT (8u << 20) /* bytes of /proc/locks */
#define STAT_BLOCK 512 /* the unit of st_blocks */
#define DESCRIPTORS_MAX 2048

int target_lock(int fd, bool is_shared)
{
	int how = (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB;

	for (int tries = LOCK_TRIES;; tries--) {
		/* The guardian of a killed run, or udev, may have it for a moment yet. */
		const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

		if (!flock(fd, how))
			return 0;
		if (errno != EWOULDBLOCK || !tries)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

/* As "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF"; 0 = not known. Of a file system without a device of its own the
 * numbers are others. */
static long find_holder(int fd)
{
	unsigned long long inode;
	unsigned first, second;
	char *text, *rest, *line;
	struct stat ours;
	long holder = 0, pid;
	size_t size;

	if (fstat(fd, &ours) || sysfs_slurp("", "/proc/locks", LOCKS_LIMIT, &text, &size))
		return 0;
	rest = text;
	while (!holder && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%llu", &pid, &first, &second, &inode) == 4 &&
			makedev(first, second) == ours.st_dev && inode == ours.st_ino && pid > 0)
			holder = pid;
	}
	free(text);
	return holder;
}

void target_say_locked(const char *path, int fd)
{
	long pid = find_holder(fd);
	char holder[48] = "";

	if (pid)
		snprintf(holder, sizeof(holder), " (process %ld)", pid);
	diag_error(0, "%s: another run%s is writing it or reading it back; wait for its end, or name another target", path, holder);
}

int target_check_descriptors(const char *path, unsigned count)
{
	int made[DESCRIPTORS_MAX], error = 0;
	unsigned done = 0;

	count = count < DESCRIPTORS_MAX ? count : DESCRIPTORS_MAX;
	while (done < count && !error) {
		made[done] = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
		error = made[done] < 0 ? errno : 0;
		done += !error;
	}
	for (unsigned i = 0; i < done; i++)
		close(made[i]);
	if (!error)
		return DIAG_EXIT_OK;
	diag_error(error, "%s: is not written: the run needs %u open files more, and %u are possible; raise ulimit -n", path, count,
		done);
	return DIAG_EXIT_HOST;
}

/* --- what changes a file that has no lock --- */

/* Where blocks are not shared, compressed or counted later. */
static bool counts_blocks(const char *file_system)
{
	return !strcmp(file_system, "ext4") || !strcmp(file_system, "xfs");
}

int target_mark(const struct target *target, struct target_mark *mark)
{
	struct stat stat;

	*mark = (struct target_mark){0};
	if (target->kind == TARGET_DEVICE)
		return 0;
	if (fstat(target->fd, &stat))
		return -errno;
	*mark = (struct target_mark){.bytes = (uint64_t)stat.st_size, .modified = stat.st_mtim, .changed = stat.st_ctim};
	if (counts_blocks(target->file_system))
		mark->allocated = (uint64_t)stat.st_blocks * STAT_BLOCK;
	/* The blocks that hold a list of extents are counted, too, and are freed when extents become one. */
	if (mark->allocated > mark->bytes)
		mark->allocated = mark->bytes;
	return 0;
}

static bool is_same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

bool target_is_named(const struct target *target)
{
	struct stat named, ours;

	return target->kind != TARGET_FILE || (!fstat(target->fd, &ours) && !lstat(target->path, &named) &&
						      named.st_dev == ours.st_dev && named.st_ino == ours.st_ino);
}

bool target_is_changed(const struct target *target, const struct target_mark *mark, bool is_idle,
	char how[TARGET_CHANGE])
{
	struct target_mark now;
	int rc = target_mark(target, &now);

	how[0] = '\0';
	if (target->kind == TARGET_DEVICE)
		return false;
	if (rc)
		snprintf(how, TARGET_CHANGE, "the file cannot be looked at any more: %s", strerror(-rc));
	else if (now.bytes != mark->bytes)
		snprintf(how, TARGET_CHANGE, "another process changed the size of the file: %" PRIu64 " bytes instead of %" PRIu64,
			now.bytes, mark->bytes);
	else if (now.allocated < mark->allocated)
		snprintf(how, TARGET_CHANGE, "another process removed %" PRIu64 " bytes from the file",
			mark->allocated - now.allocated);
	else if (!target_is_named(target))
		snprintf(how, TARGET_CHANGE, "another process renamed, replaced or removed the file");
	else if (is_idle && (!is_same_time(&now.modified, &mark->modified) || !is_same_time(&now.changed, &mark->changed)))
		snprintf(how, TARGET_CHANGE, "another process wrote to the file");
	return how[0];
}
