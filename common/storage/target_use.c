/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage/target_use.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/swap.h"

#define SWAPS_LIMIT (1u << 20)
#define REMOVED " (deleted)" /* the kernel's suffix of a removed name */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

enum use { USE_NONE, USE_FOUND, USE_SHARED, USE_UNSEEN }; /* or -errno */

struct ours {
	int fd;                   /* -1 = a partition whose disk is checked as well */
	struct stat stat;
	char name[256];           /* last part of its path, "" = not known, or not its only one */
};

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int find_ours(int fd, struct ours *ours)
{
	char path[PATH_MAX];
	struct statx facts;
	ssize_t length;

	*ours = (struct ours){.fd = fd};
	if (fstat(fd, &ours->stat))
		return -errno;
	length = readlink(SYSFS_PATH("/proc/self/fd/%d", fd), path, sizeof(path) - 1);
	if (length <= 0 || ours->stat.st_nlink != 1)
		return 0;
	/* A file that is itself a mount point has another name there than in its file system. */
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &facts) ||
		!(facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) || facts.stx_attributes & STATX_ATTR_MOUNT_ROOT)
		return 0;
	path[length] = '\0';
	if (strlen(last_part(path)) < sizeof(ours->name))
		snprintf(ours->name, sizeof(ours->name), "%s", last_part(path));
	return 0;
}

/* The kernel grants the lease only while no other description of the inode is open, and a loop device has one. A process that
 * opens the file in this moment waits for the end of the lease, which SIGIO would report, and kill this process. Works only on
 * file systems whose inodes count all openers: below a stacked or remote one others may have the data open by another way. */
bool target_is_open_once(int fd)
{
	static const unsigned long local[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
		TMPFS_MAGIC};
	bool is_local = false, is_granted;
	struct statfs facts;

	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]) && !fstatfs(fd, &facts); i++)
		is_local |= (unsigned long)facts.f_type == local[i];
	if (!is_local || fcntl(fd, F_SETSIG, SIGURG))
		return false;
	is_granted = !fcntl(fd, F_SETLEASE, F_WRLCK);
	if (is_granted && fcntl(fd, F_SETLEASE, F_UNLCK))
		is_granted = false;
	(void)fcntl(fd, F_SETSIG, 0);
	return is_granted;
}

/* The name of a backing file that cannot be found here may be that of our file. A file with one name keeps its last component
 * wherever its folder is mounted, so a host's loop devices do not block a container's files. A removed file may have had a
 * second name. */
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

/* Compares our file with the one at a path from the kernel, which may be removed, or name another file in this mount namespace.
 * A device may have several nodes. */
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

#define ROOT_INODE 1 /* inode of the root folder */

static int read_mount(const char *path, uint64_t *mount)
{
	int fd = open(path, O_PATH | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = sysfs_read_field("", SYSFS_PATH("/proc/self/fdinfo/%d", fd), "mnt_id", 10, mount);
	close(fd);
	return rc;
}

int target_check_mounted(const char *root, const char *path)
{
	unsigned long magic = strcmp(root, "/proc") ? SYSFS_MAGIC : PROC_SUPER_MAGIC;
	uint64_t whole = 0, part = 0;
	struct statfs facts;
	struct stat stat_of;
	int rc;

	if (statfs(root, &facts) || stat(root, &stat_of))
		return -errno;
	if ((unsigned long)facts.f_type != magic || stat_of.st_ino != ROOT_INODE)
		return -ENODATA;
	rc = read_mount(root, &whole);
	if (!rc)
		rc = read_mount(path, &part);
	return rc ? rc : whole == part ? 0 : -ENODATA;
}

/* O_EXCL refuses swap devices, so only files are checked. */
static int find_swap(const struct ours *ours)
{
	struct swap_line area;
	char *text, *rest;
	int use = USE_NONE, rc = target_check_mounted("/proc", "/proc/swaps");
	size_t size;

	if (!rc)
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

/* The node of this name may be another device's. */
static int ask_loop(const struct ours *ours, const char *folder, const char *path)
{
	struct stat node;
	dev_t device;
	int rc = blockdev_number("", SYSFS_PATH("%s/dev", folder), &device);

	if (rc)
		return rc;
	if (stat(path, &node))
		return -errno;
	if (!S_ISBLK(node.st_mode) || node.st_rdev != device)
		return -ENOENT;
	rc = S_ISBLK(ours->stat.st_mode) ? loopdev_is_over_device(path, ours->stat.st_rdev)
					 : loopdev_is_over(path, ours->stat.st_dev, ours->stat.st_ino);
	if (rc || !S_ISBLK(ours->stat.st_mode) || ours->fd < 0)
		return rc > 0 ? USE_FOUND : rc;
	rc = loopdev_shares_bytes(path, ours->fd);
	return rc > 0 ? USE_SHARED : rc;
}

static int use_by_loop(const struct ours *ours, const char *name)
{
	static const char *const parts[] = {"/loop", "/loop/backing_file"}; /* ENOENT: the device has no backing file */
	const char *path = SYSFS_PATH("/sys/block/%s", name);
	struct stat link;
	char *file;
	size_t size;
	int found = target_check_mounted("/sys", path);

	/* The kernel removes the name with the device: a dangling link hides the device. */
	if (found)
		return found == -ENOENT && lstat(path, &link) ? USE_NONE : -ENODATA;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		found = target_check_mounted("/sys", SYSFS_PATH("%s%s", path, parts[i]));
		if (found)
			return found == -ENOENT ? USE_NONE : found;
	}
	found = ask_loop(ours, path, SYSFS_PATH("/dev/%s", name));
	if (found >= 0)
		return found;
	if (found != -ENOENT && found != -ENXIO && found != -EACCES && found != -EPERM)
		return found;
	/* The node is missing or not accessible for this user: use the name of the backing file. */
	found = sysfs_slurp("", SYSFS_PATH("/sys/block/%s/loop/backing_file", name), PATH_MAX, &file, &size);
	if (found)
		return found == -ENOENT ? USE_NONE : found; /* it has been detached since */
	if (size && file[size - 1] == '\n')
		file[size - 1] = '\0';
	found = use_by_path(ours, file);
	free(file);
	return found;
}

/* Searches the loop devices, and writes the name of the one that uses, or may use, this file. */
static int find_loop(const struct ours *ours, char *name, size_t length)
{
	int use = USE_NONE, rc = target_check_mounted("/sys", "/sys/block");
	const struct dirent *entry;
	DIR *folder;

	if (rc)
		return rc == -ENOENT ? USE_NONE : rc; /* a kernel without block devices */
	folder = opendir("/sys/block");
	if (!folder)
		return -errno;
	while (use >= 0 && use != USE_FOUND && use != USE_SHARED && (errno = 0, entry = readdir(folder))) {
		int found = strncmp(entry->d_name, "loop", 4) ? USE_NONE : use_by_loop(ours, entry->d_name);

		if (found == USE_NONE)
			continue;
		use = found;
		snprintf(name, length, "%s", entry->d_name);
	}
	if (use >= 0 && use != USE_FOUND && use != USE_SHARED && errno)
		use = -errno;
	closedir(folder);
	return use;
}

static int refuse_unseen(const char *path, const char *place, int rc)
{
	const char *why = "is not mounted, or a part of it is hidden (it must be the kernel's own); mount it";

	return diag_host(rc == -ENODATA ? 0 : rc, "%s: cannot check whether it is in use: %s %s", path, place,
		rc == -ENODATA ? why : "cannot be read");
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
		diag_error(0, "%s: is in use, /dev/%s is built on it; name another target", path, name);
	else if (use == USE_SHARED)
		diag_error(0, "%s: /dev/%s has the same bytes of its file; detach it (losetup -d), or name another target", path,
			name);
	else
		diag_error(0, "%s: cannot check whether /dev/%s is built on it; name another target, or run as root", path, name);
	return DIAG_EXIT_USAGE;
}

int target_check_use(const char *path, int fd)
{
	struct ours ours;
	int use = find_ours(fd, &ours);

	if (!use)
		use = find_swap(&ours);
	if (use < 0)
		return refuse_unseen(path, "/proc", use);
	if (use == USE_NONE)
		return check_loops(path, &ours);
	return diag_usage(use == USE_FOUND ? "%s: is in use as swap; name another target"
				       : "%s: a swap file of this name cannot be checked from here; name another target", path);
}

int target_check_device_use(const char *path, dev_t device, int fd)
{
	const struct ours ours = {.fd = fd, .stat = {.st_mode = S_IFBLK, .st_rdev = device}};
	const char *folder = SYSFS_PATH("/sys/dev/block/%u:%u", major(device), minor(device));
	int rc = target_check_mounted("/sys", folder);
	dev_t found;

	if (!rc)
		rc = blockdev_number("", SYSFS_PATH("%s/dev", folder), &found);
	if (!rc && found != device)
		rc = -ENODATA;
	return rc ? refuse_unseen(path, "/sys", rc) : check_loops(path, &ours);
}

/* Other writers of a target: the lock that every run takes, and traces of programs that take none. */

#define LOCK_TRIES 30
#define LOCK_PAUSE_NS 100000000L
#define LOCKS_LIMIT (8u << 20) /* bytes of /proc/locks */
#define DESCRIPTORS_MAX 2048

int target_lock(int fd, bool is_shared)
{
	int how = (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB;

	for (int tries = LOCK_TRIES;; tries--) {
		/* The guardian of a killed run, or udev, may hold it for a moment. */
		const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};

		if (!flock(fd, how))
			return 0;
		if (errno != EWOULDBLOCK || !tries)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

/* Finds the process in a line like "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF"; 0 = not known. The line of a file system
 * without a device of its own has other device numbers. */
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
	return diag_host(error, "%s: is not written: the run needs %u more open files, %u are available; raise ulimit -n", path,
		count, done);
}

/* Processes that have a block device open: O_EXCL excludes only those that use O_EXCL, too. */

#define TRIES 30
#define PAUSE_NS 100000000L

/* Finds the disk of a partition, or the device itself. Returns 0 or -errno. */
static int find_disk(dev_t device, dev_t *disk)
{
	const char *folder = SYSFS_PATH("/sys/dev/block/%u:%u", major(device), minor(device));
	const char *number = SYSFS_PATH("%s/../dev", folder);
	int rc = target_check_mounted("/sys", folder);

	*disk = device;
	if (!rc && access(SYSFS_PATH("%s/partition", folder), F_OK))
		rc = -errno;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = target_check_mounted("/sys", number);
	return rc ? rc : blockdev_number("", number, disk);
}

/* Tells whether the error means that the kernel hides a process's descriptors: those of others from ordinary users, and those
 * of processes outside from a container's root. The manuals say so. */
static bool is_hidden(int error)
{
	return error == EACCES || error == EPERM;
}

static bool is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

/* Returns 1 when the link leads to the device, a part of it, or the disk that it is a part of; 0, or -errno. */
static int is_related(int folder, const char *name, dev_t device, dev_t disk)
{
	struct statx facts;
	dev_t theirs, whole;
	int rc;

	/* Requests no field, so that statx neither waits for a remote or user file system nor is refused by it. */
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

static int find_open_device(int proc, const char *name, dev_t device, dev_t disk)
{
	const struct dirent *entry;
	DIR *folder;
	int found = target_check_mounted("/proc", SYSFS_PATH("/proc/%s/fd", name));

	if (!found)
		found = sysfs_open_folder(proc, SYSFS_PATH("%s/fd", name), &folder);
	if (found)
		return is_gone(-found) || is_hidden(-found) ? 0 : found;
	while (!found && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			found = is_related(dirfd(folder), entry->d_name, device, disk);
		if (found < 0 && is_hidden(-found))
			found = 0;
	}
	if (!found)
		found = is_gone(errno) ? 0 : -errno;
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
	while (!found && (errno = 0, entry = readdir(proc))) {
		long number = isdigit((unsigned char)entry->d_name[0]) ? strtol(entry->d_name, NULL, 10) : 0;

		if (number <= 0 || number == getpid())
			continue;
		found = find_open_device(dirfd(proc), entry->d_name, device, disk);
		if (found == 1)
			*pid = (pid_t)number;
	}
	if (!found)
		found = -errno;
	closedir(proc);
	return found;
}

int target_check_openers(const char *path, dev_t device)
{
	/* udev opens a device when it changes, and closes it soon. */
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	pid_t pid = 0;
	int found;

	for (int tries = TRIES; (found = target_find_opener(device, &pid)) == 1 && tries; tries--)
		nanosleep(&pause, NULL);
	if (!found)
		return DIAG_EXIT_OK;
	if (found == -ENODATA)
		return refuse_unseen(path, "/proc or /sys", found);
	if (found < 0)
		return diag_host(found, "%s: cannot check which processes have it open (/proc)", path);
	return diag_usage("%s: process %ld has it, its disk or a partition of it open; end that process, or name another target",
		path, (long)pid);
}
