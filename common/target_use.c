/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/loopdev.h"
#include "common/swap.h"
#include "common/sysfs.h"

#define SWAPS_LIMIT (1u << 20)
#define REMOVED " (deleted)" /* the kernel's word behind a name that is no more */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

enum use { USE_NONE, USE_FOUND, USE_UNSEEN }; /* or -errno */

struct ours {
	int fd;                   /* -1 of a device */
	struct stat stat;
	char name[256];           /* last part of its path, "" = not known, or not its only one */
};

/* What is mounted by itself has another name there than where it comes from. */
static bool is_mounted_alone(int fd)
{
	struct statx facts;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &facts) || !(facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
		return true;
	return facts.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int look_at_ours(int fd, struct ours *ours)
{
	char link[64], path[PATH_MAX];
	ssize_t length;

	*ours = (struct ours){.fd = fd};
	if (fstat(fd, &ours->stat))
		return -errno;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || ours->stat.st_nlink != 1 || is_mounted_alone(fd))
		return 0;
	path[length] = '\0';
	if (strlen(last_part(path)) < sizeof(ours->name))
		snprintf(ours->name, sizeof(ours->name), "%s", last_part(path));
	return 0;
}

/* Only of file systems whose inodes count all that have them open: below a stacked or remote one others may have the data open
 * by another way. */
static bool counts_openers(int fd)
{
	static const unsigned long local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC};
	struct statfs facts;

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]) && !fstatfs(fd, &facts); i++) {
		if ((unsigned long)facts.f_type == local[i])
			return true;
	}
	return false;
}

/* The kernel grants the lease when no other description of the inode is open, and a loop device has one. Who opens the file
 * in this moment waits for the end of it, of which SIGIO would tell us, and kill. */
bool target_is_open_once(int fd)
{
	bool is_granted;

	if (!counts_openers(fd) || fcntl(fd, F_SETSIG, SIGURG))
		return false;
	is_granted = !fcntl(fd, F_SETLEASE, F_WRLCK);
	if (is_granted && fcntl(fd, F_SETLEASE, F_UNLCK))
		is_granted = false;
	(void)fcntl(fd, F_SETSIG, 0);
	return is_granted;
}

/* A file that has one name keeps its last part wherever the folder is mounted. So a loop device of the host does not keep a
 * container from its files. What was removed may have had a second name, which ours may be. */
static bool may_be_ours(const struct ours *ours, const char *file)
{
	size_t length = strlen(file), removed = strlen(REMOVED);

	if (S_ISBLK(ours->stat.st_mode))
		return strstr(file, "/dev/") != NULL;
	if (!ours->name[0])
		return true;
	if (length >= removed && !strcmp(file + length - removed, REMOVED))
		return !target_is_open_once(ours->fd);
	return !strcmp(last_part(file), ours->name);
}

/* By a name that the kernel gives, which may be removed, or lead to another file in this mount namespace. A device may have
 * several nodes. */
static enum use use_by_path(const struct ours *ours, const char *path)
{
	struct stat theirs;
	bool is_same;

	if (stat(path, &theirs))
		return may_be_ours(ours, path) ? USE_UNSEEN : USE_NONE;
	if (S_ISBLK(ours->stat.st_mode))
		is_same = S_ISBLK(theirs.st_mode) && theirs.st_rdev == ours->stat.st_rdev;
	else
		is_same = theirs.st_dev == ours->stat.st_dev && theirs.st_ino == ours->stat.st_ino;
	return is_same ? USE_FOUND : USE_NONE;
}

/* What hides the kernel's own answer would look as if nothing were in use. */
static int check_mounted(const char *folder, unsigned long magic)
{
	struct statfs facts;

	if (statfs(folder, &facts))
		return -errno;
	return (unsigned long)facts.f_type == magic ? 0 : -ENODATA;
}

/* Swap devices are refused by O_EXCL. */
static int find_swap(const struct ours *ours)
{
	struct swap_line area;
	char *text, *rest;
	int use = USE_NONE, rc = check_mounted("/proc", PROC_SUPER_MAGIC);
	size_t size;

	if (rc)
		return rc;
	rc = sysfs_slurp("", "/proc/swaps", SWAPS_LIMIT, &text, &size);
	if (rc)
		return rc == -ENOENT ? USE_NONE : rc; /* a kernel without swap */
	rest = text;
	while (use != USE_FOUND && swap_next(&rest, &area)) {
		int found = strcmp(area.type, "partition") ? use_by_path(ours, area.path) : USE_NONE;

		use = found == USE_NONE ? use : found;
	}
	free(text);
	return use;
}

/* Without the device there is the name of its file. */
static int use_by_name(const struct ours *ours, const char *name)
{
	char path[320], *file;
	size_t size;
	int use, rc;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	rc = sysfs_slurp("", path, PATH_MAX, &file, &size);
	if (rc)
		return rc == -ENOENT ? USE_NONE : rc; /* it has none any more */
	if (size && file[size - 1] == '\n')
		file[size - 1] = '\0';
	use = use_by_path(ours, file);
	free(file);
	return use;
}

static int use_by_loop(const struct ours *ours, const char *name)
{
	char path[320];
	struct stat link;
	int found;

	snprintf(path, sizeof(path), "/sys/block/%s", name);
	found = check_mounted(path, SYSFS_MAGIC);
	/* The kernel removes the name with the device: one that leads nowhere is hidden. */
	if (found)
		return found == -ENOENT && lstat(path, &link) ? USE_NONE : -ENODATA;
	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	if (access(path, F_OK))
		return errno == ENOENT ? USE_NONE : -errno; /* ENOENT: it has none */
	snprintf(path, sizeof(path), "/dev/%s", name);
	found = S_ISBLK(ours->stat.st_mode) ? loopdev_look_device(path, ours->stat.st_rdev)
					    : loopdev_look(path, ours->stat.st_dev, ours->stat.st_ino);
	/* No node here, or not for this user. */
	if (found == -ENOENT || found == -ENXIO || found == -EACCES || found == -EPERM)
		return use_by_name(ours, name);
	if (found < 0)
		return found;
	return found ? USE_FOUND : USE_NONE;
}

/* By the loop devices, and the name of the one that this file is behind, or may be. */
static int find_loop(const struct ours *ours, char *name, size_t length)
{
	int use = USE_NONE, rc = check_mounted("/sys", SYSFS_MAGIC);
	const struct dirent *entry;
	DIR *folder;

	if (rc)
		return rc;
	rc = check_mounted("/sys/block", SYSFS_MAGIC);
	if (rc)
		return rc == -ENOENT ? USE_NONE : rc; /* a kernel without block devices */
	folder = opendir("/sys/block");
	if (!folder)
		return -errno;
	while (use != USE_FOUND) {
		int found;

		errno = 0;
		entry = readdir(folder);
		if (!entry) {
			use = errno ? -errno : use;
			break;
		}
		found = strncmp(entry->d_name, "loop", 4) ? USE_NONE : use_by_loop(ours, entry->d_name);
		if (found == USE_NONE)
			continue;
		use = found;
		if (found < 0)
			break;
		snprintf(name, length, "%s", entry->d_name);
	}
	closedir(folder);
	return use;
}

static int refuse_unseen(const char *path, const char *place, int rc)
{
	const char *why = "is not mounted, or a part of it is hidden (it must be the kernel's own); mount it";

	diag_error(rc == -ENODATA ? 0 : rc, "%s: cannot check whether it is in use: %s %s", path, place,
		rc == -ENODATA ? why : "cannot be read");
	return DIAG_EXIT_HOST;
}

static int check_loops(const char *path, const struct ours *ours)
{
	char name[256];
	int use = find_loop(ours, name, sizeof(name));

	if (use == USE_NONE)
		return DIAG_EXIT_OK;
	if (use < 0)
		return refuse_unseen(path, "/sys", use);
	if (use == USE_FOUND)
		diag_error(0, "%s: is in use, /dev/%s is made of it; name another target", path, name);
	else
		diag_error(0, "%s: cannot check whether /dev/%s is made of it; name another target, or run as root", path, name);
	return DIAG_EXIT_USAGE;
}

int target_check_use(const char *path, int fd)
{
	struct ours ours;
	int use = look_at_ours(fd, &ours);

	if (!use)
		use = find_swap(&ours);
	if (use < 0)
		return refuse_unseen(path, "/proc", use);
	if (use == USE_NONE)
		return check_loops(path, &ours);
	diag_error(0, use == USE_FOUND ? "%s: is in use as swap; name another target"
				       : "%s: a swap file of this name cannot be checked from here; name another target", path);
	return DIAG_EXIT_USAGE;
}

int target_check_device_use(const char *path, dev_t device)
{
	const struct ours ours = {.fd = -1, .stat = {.st_mode = S_IFBLK, .st_rdev = device}};

	return check_loops(path, &ours);
}
