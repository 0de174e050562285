/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes have a block device open: O_EXCL refuses only those who have it with O_EXCL, too. */
#include "config.h"
#include "common/target_private.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"

#define TRIES 30
#define PAUSE_NS 100000000L

/* The device itself, or the disk that it is a partition of. 0 or -errno. */
static int find_disk(dev_t device, dev_t *disk)
{
	char path[96], text[32];
	unsigned first, second;
	int rc;

	*disk = device;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition", major(device), minor(device));
	rc = sysfs_read("", path, text, sizeof(text));
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev", major(device), minor(device));
	rc = sysfs_read("", path, text, sizeof(text));
	if (!rc && sscanf(text, "%u:%u", &first, &second) != 2)
		rc = -EINVAL;
	if (!rc)
		*disk = makedev(first, second);
	return rc;
}

/* Processes whose descriptors the kernel shows to more privileged users only: others' to ordinary users, and to a container's
 * root those that were started from outside. The manuals say so. */
static bool is_hidden(int error)
{
	return error == EACCES || error == EPERM;
}

static bool is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

/* 1 when what is behind this link is the device, a part of it, or the whole that it is a part of; 0, or -errno. */
static int is_related(int folder, const char *name, dev_t device, dev_t disk)
{
	struct statx facts;
	dev_t theirs, whole;
	int rc;

	/* Nothing is asked for: what is remote or a user's own file system is not waited for, and does not refuse. */
	if (statx(folder, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, 0, &facts))
		return is_gone(errno) ? 0 : -errno;
	if (!S_ISBLK(facts.stx_mode))
		return 0;
	theirs = makedev(facts.stx_rdev_major, facts.stx_rdev_minor);
	if (theirs == device || theirs == disk)
		return 1;
	rc = find_disk(theirs, &whole);
	return rc ? rc : whole == device;
}

static int look_at_process(int proc, const char *name, dev_t device, dev_t disk)
{
	char path[300];
	const struct dirent *entry;
	int found = 0, fd;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/fd", name);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return is_gone(error) || is_hidden(error) ? 0 : -error;
	}
	while (!found) {
		errno = 0;
		entry = readdir(folder);
		if (!entry) {
			found = is_gone(errno) ? 0 : -errno;
			break;
		}
		if (entry->d_name[0] != '.')
			found = is_related(dirfd(folder), entry->d_name, device, disk);
		if (found < 0 && is_hidden(-found))
			found = 0;
	}
	closedir(folder);
	return found;
}

int target_find_opener(dev_t device, pid_t *pid)
{
	const struct dirent *entry;
	dev_t disk;
	int found = find_disk(device, &disk);
	DIR *proc = opendir("/proc");

	if (!proc)
		return -errno;
	while (!found) {
		long number;

		errno = 0;
		entry = readdir(proc);
		if (!entry) {
			found = -errno;
			break;
		}
		number = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0;
		if (number <= 0 || number == getpid())
			continue;
		found = look_at_process(dirfd(proc), entry->d_name, device, disk);
		if (found == 1)
			*pid = (pid_t)number;
	}
	closedir(proc);
	return found;
}

int target_check_openers(const char *path, dev_t device)
{
	/* What looks at a device when it changes (udev) lets go of it soon. */
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	pid_t pid = 0;
	int found;

	for (int tries = TRIES; (found = target_find_opener(device, &pid)) == 1 && tries; tries--)
		nanosleep(&pause, NULL);
	if (!found)
		return DIAG_EXIT_OK;
	if (found < 0) {
		diag_error(found, "%s: cannot check which processes have it open (/proc)", path);
		return DIAG_EXIT_HOST;
	}
	diag_error(0, "%s: process %ld has it, its disk or a partition of it open; end that process, or name another target", path,
		(long)pid);
	return DIAG_EXIT_USAGE;
}
