/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target_private.h"

#include <dirent.h>
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
#include "common/sysfs.h"

#define SWAPS_LIMIT (1u << 20)
#define REMOVED " (deleted)" /* the kernel's word behind a name that is no more */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

/* A device may have several nodes. */
static bool is_same(const char *path, const struct stat *ours)
{
	struct stat theirs;

	if (stat(path, &theirs))
		return false;
	if (S_ISBLK(ours->st_mode))
		return S_ISBLK(theirs.st_mode) && theirs.st_rdev == ours->st_rdev;
	return theirs.st_dev == ours->st_dev && theirs.st_ino == ours->st_ino;
}

static bool is_swap(const struct stat *ours)
{
	char *text, *rest, *line;
	bool is_found = false;
	size_t size;

	if (sysfs_slurp("", "/proc/swaps", SWAPS_LIMIT, &text, &size))
		return false;
	rest = text;
	strsep(&rest, "\n");
	while (!is_found && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		sysfs_unescape(line);
		is_found = is_same(line, ours);
	}
	free(text);
	return is_found;
}

enum use { USE_NONE, USE_LOOP, USE_UNSEEN };

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
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length <= 0 || ours->stat.st_nlink != 1 || is_mounted_alone(fd))
		return 0;
	path[length] = '\0';
	if (strlen(last_part(path)) < sizeof(ours->name))
		snprintf(ours->name, sizeof(ours->name), "%s", last_part(path));
	return 0;
}

/* Only of file systems whose inodes count whoever has them open: below a stacked or remote one others may have the data open
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

/* Without the device there is the name of its file, which may be removed, or be another's in another mount namespace. */
static enum use use_by_name(const struct ours *ours, const char *name)
{
	char path[320], *file;
	struct stat theirs;
	enum use use;
	size_t size;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	if (sysfs_slurp("", path, PATH_MAX, &file, &size))
		return USE_NONE;
	file[strcspn(file, "\n")] = '\0';
	if (stat(file, &theirs))
		use = may_be_ours(ours, file) ? USE_UNSEEN : USE_NONE;
	else
		use = is_same(file, &ours->stat) ? USE_LOOP : USE_NONE;
	free(file);
	return use;
}

static enum use use_by_loop(const struct ours *ours, const char *name)
{
	char path[320];
	int found;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	if (access(path, F_OK))
		return USE_NONE; /* it has none */
	snprintf(path, sizeof(path), "/dev/%s", name);
	found = S_ISBLK(ours->stat.st_mode) ? loopdev_look_device(path, ours->stat.st_rdev)
					    : loopdev_look(path, ours->stat.st_dev, ours->stat.st_ino);
	if (found < 0)
		return use_by_name(ours, name);
	return found ? USE_LOOP : USE_NONE;
}

/* By the loop devices, and the name of the one that this file is behind, or may be. */
static enum use find_loop(const struct ours *ours, char *name, size_t length)
{
	DIR *folder = opendir("/sys/block");
	enum use use = USE_NONE;
	const struct dirent *entry;

	while (folder && use != USE_LOOP && (entry = readdir(folder))) {
		enum use found = strncmp(entry->d_name, "loop", 4) ? USE_NONE : use_by_loop(ours, entry->d_name);

		if (found == USE_NONE)
			continue;
		use = found;
		snprintf(name, length, "%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	return use;
}

static int check_loops(const char *path, const struct ours *ours)
{
	char name[256];

	switch (find_loop(ours, name, sizeof(name))) {
	case USE_NONE:
		return DIAG_EXIT_OK;
	case USE_LOOP:
		diag_error(0, "%s is in use: /dev/%s is made of it; it is not touched", path, name);
		return DIAG_EXIT_USAGE;
	case USE_UNSEEN:
		break;
	}
	diag_error(0, "%s: it cannot be seen whether /dev/%s is made of it, so it is not touched: take a new name, or be root",
		path, name);
	return DIAG_EXIT_USAGE;
}

int target_check_use(const char *path, int fd)
{
	struct ours ours;

	if (look_at_ours(fd, &ours))
		return DIAG_EXIT_OK;
	if (is_swap(&ours.stat)) {
		diag_error(0, "%s is in use as swap: it is not touched", path);
		return DIAG_EXIT_USAGE;
	}
	return check_loops(path, &ours);
}

int target_check_device_use(const char *path, dev_t device)
{
	const struct ours ours = {.fd = -1, .stat = {.st_mode = S_IFBLK, .st_rdev = device}};

	return check_loops(path, &ours);
}
