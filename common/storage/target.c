/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/nameless.h"
#include "common/base/sysfs.h"
#include "common/kernel/blockdev.h"
#include "common/report/report_file.h"
#include "common/storage/storage.h"
#include "common/storage/target_use.h"

#define STAT_BLOCK 512 /* the unit of st_blocks */
#define SIGNATURES 512 /* of a list of signatures */
#define MODE 0600 /* of new files */

/* Opens another descriptor of the same file, also of an O_PATH one. Returns -errno on failure. The magic link works whatever
 * has become of the file's name. */
static int open_again(int fd, int flags)
{
	int opened = open(SYSFS_PATH("/proc/self/fd/%d", fd), flags | O_CLOEXEC);

	return opened < 0 ? -errno : opened;
}

static bool has_header(int fd, const struct target_request *request)
{
	char found[4096];

	return request->header && request->header_bytes <= sizeof(found) &&
	       pread(fd, found, request->header_bytes, 0) == (ssize_t)request->header_bytes &&
	       !memcmp(found, request->header, request->header_bytes);
}

/* Locks a descriptor that is open for writing. Returns 0 or a diag_exit code after one line. */
static int take_lock(const struct target_request *request, int fd)
{
	int rc = target_lock(fd, false);

	if (!rc)
		return DIAG_EXIT_OK;
	if (rc == -EWOULDBLOCK) {
		target_say_locked(request->path, fd);
		return DIAG_EXIT_USAGE;
	}
	return diag_host(rc, "cannot lock %s", request->path);
}

/* --- facts --- */

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif
#define ZFS_SUPER_MAGIC 0x2fc12fc1

static void name_file_system(long magic, char *name, size_t length)
{
	static const struct {
		unsigned long magic;
		const char *name;
	} known[] = {
		{EXT4_SUPER_MAGIC, "ext4"}, {XFS_SUPER_MAGIC, "xfs"}, {BTRFS_SUPER_MAGIC, "btrfs"},
		{F2FS_SUPER_MAGIC, "f2fs"}, {TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"},
		{OVERLAYFS_SUPER_MAGIC, "overlay"}, {NFS_SUPER_MAGIC, "nfs"}, {ZFS_SUPER_MAGIC, "zfs"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if ((unsigned long)magic == known[i].magic) {
			snprintf(name, length, "%s", known[i].name);
			return;
		}
	}
	snprintf(name, length, "0x%lx", (unsigned long)magic);
}

/* Some file systems in memory accept O_DIRECT without effect. An overlay passes it to its upper folder. */
static bool is_memory(struct target *target)
{
	struct durability durability;

	if (target->kind == TARGET_DEVICE)
		return false;
	if (storage_mount(target->fd, &target->mount))
		target->mount = 0;
	durability_read("", target->device, target->mount, &durability);
	return durability.is_page_cache || !strcmp(target->file_system, "tmpfs") || !strcmp(target->file_system, "ramfs");
}

static int target_facts(struct target *target)
{
	int direct, how = (fcntl(target->fd, F_GETFL) & O_ACCMODE) | O_DIRECT;
	struct blockdev device;
	struct statx facts;
	struct statfs fs;

	if (statx(target->fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &facts))
		return -errno;
	target->fs_block = facts.stx_blksize;
	snprintf(target->file_system, sizeof(target->file_system), "none");
	if (target->kind != TARGET_DEVICE) {
		if (fstatfs(target->fd, &fs))
			return -errno;
		name_file_system((long)fs.f_type, target->file_system, sizeof(target->file_system));
	}
	target->has_direct = !is_memory(target) && !target_reopen(target, how, &direct);
	if (target->has_direct)
		close(direct);
	if (!(facts.stx_mask & STATX_DIOALIGN)) {
		/* Kernels before 6.1 do not report the alignment; they check against the device's logical block. */
		target->memory_align = target->offset_align = 512;
		if (!blockdev_read("", target->device, &device) && device.logical_block_bytes)
			target->memory_align = target->offset_align = device.logical_block_bytes;
		return 0;
	}
	target->memory_align = facts.stx_dio_mem_align;
	target->offset_align = facts.stx_dio_offset_align;
	/* Zero means that this file has no direct I/O. */
	if (!target->offset_align)
		target->has_direct = false;
	return 0;
}

/* --- device --- */

#define SECTOR_BYTES 512u /* of sysfs */

/* Tells whether --destroy-data names the device, by the same path or by its serial number. */
static bool is_confirmed(const struct target_request *request, dev_t device)
{
	static const char *const files[] = {"serial", "device/serial", "../serial", "../device/serial", "wwid"};
	char serial[128] = "";

	if (!request->destroy_data)
		return false;
	if (!strcmp(request->destroy_data, request->path))
		return true;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !serial[0]; i++) {
		if (sysfs_read("", SYSFS_PATH("/sys/dev/block/%u:%u/%s", major(device), minor(device), files[i]), serial,
			    sizeof(serial)))
			serial[0] = '\0';
	}
	return serial[0] && !strcmp(request->destroy_data, serial);
}

/* The kernel may not hold such a member at the moment. */
static int check_member(const struct target_request *request, int fd, const char *partition, uint64_t offset, uint64_t bytes)
{
	char type[32];
	int rc = blockdev_member(fd, offset, bytes, type, sizeof(type));

	if (rc == -ENODATA)
		return DIAG_EXIT_OK;
	if (rc)
		return diag_host(rc, "cannot identify the contents of %s", request->path);
	return diag_usage("%s:%s%s is part of an array, group or pool (%s), which is never written to; name another device",
		request->path, partition[0] ? " its partition " : "", partition, type);
}

/* Checks a partition of the disk, if this entry of its folder is one. It may have no node in /dev, so it is read as a part of
 * its disk. */
static int check_partition(const struct target_request *request, int fd, const char *folder, const char *name)
{
	uint64_t start, size;
	dev_t device;
	int rc = target_check_mounted("/sys", SYSFS_PATH("%s/%s", folder, name)), code;

	if (!rc)
		rc = sysfs_read_u64("", SYSFS_PATH("%s/%s/start", folder, name), &start);
	/* Whole disks have no start; most entries are no folders. */
	if (rc == -ENOENT || rc == -ENOTDIR)
		return DIAG_EXIT_OK;
	if (!rc)
		rc = sysfs_read_u64("", SYSFS_PATH("%s/%s/size", folder, name), &size);
	if (!rc)
		rc = blockdev_number("", SYSFS_PATH("%s/%s/dev", folder, name), &device);
	if (rc)
		return diag_host(rc, "%s: cannot check its partitions", request->path);
	code = target_check_device_use(request->path, device, -1);
	return code ? code : check_member(request, fd, name, start * SECTOR_BYTES, size * SECTOR_BYTES);
}

static int check_partitions(const struct target_request *request, int fd, dev_t device)
{
	const char *path = SYSFS_PATH("/sys/dev/block/%u:%u", major(device), minor(device));
	const struct dirent *entry;
	int code = DIAG_EXIT_OK, error;
	DIR *folder = opendir(path);

	while (folder && !code && (errno = 0, entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			code = check_partition(request, fd, path, entry->d_name);
	}
	error = errno;
	if (folder)
		closedir(folder);
	return !code && error ? diag_host(error, "%s: cannot check its partitions", request->path) : code;
}

static int check_content(const struct target_request *request, struct target *target)
{
	char signatures[SIGNATURES];
	int rc = blockdev_signatures(target->fd, signatures, sizeof(signatures)), code;

	if (rc)
		return diag_host(rc, "cannot identify the contents of %s", request->path);
	code = target_check_device_use(request->path, target->device, target->fd);
	if (!code)
		code = check_member(request, target->fd, "", 0, 0);
	if (!code)
		code = check_partitions(request, target->fd, target->device);
	if (!code)
		code = target_check_openers(request->path, target->device);
	if (code)
		return code;
	target->is_own = has_header(target->fd, request) && !signatures[0];
	target->is_confirmed = is_confirmed(request, target->device);
	if (target->is_own || target->is_confirmed)
		return DIAG_EXIT_OK;
	if (signatures[0])
		return diag_usage("%s: holds %s; writing would destroy it: name another device, or confirm with "
				  "--destroy-data=%s", request->path, signatures, request->path);
	return diag_usage("%s: contents unknown; writing would destroy them: name another device, or confirm with "
			  "--destroy-data=%s", request->path, request->path);
}

/* Opens the block device of this O_PATH descriptor, or refuses it, as target_open does. */
static int target_open_device(const struct target_request *request, int path_fd, struct target *target)
{
	struct blockdev facts;
	char opener[48] = "";
	struct stat stat;
	pid_t pid;
	int rc = fstat(path_fd, &stat) ? -errno : 0;

	target->kind = TARGET_DEVICE;
	/* O_EXCL: refused by the kernel while a mount, swap area, array or another tool has it. */
	if (!rc)
		rc = open_again(path_fd, O_RDWR | O_EXCL);
	if (rc == -EBUSY) {
		if (target_find_opener(stat.st_rdev, &pid) == 1)
			snprintf(opener, sizeof(opener), "; process %ld has it open", (long)pid);
		return diag_usage("%s: is in use (mounted, swap, or held by another program%s); end that use, or name another "
				  "target", request->path, opener);
	}
	if (rc < 0)
		return diag_host(rc, "cannot open %s for writing", request->path);
	target->fd = rc;
	target->device = stat.st_rdev;
	rc = take_lock(request, target->fd);
	if (!rc)
		rc = check_content(request, target);
	if (rc)
		return rc;
	rc = blockdev_read("", target->device, &facts);
	if (rc)
		return diag_host(rc, "cannot read the size of %s", request->path);
	target->size_bytes = facts.size_bytes;
	if (facts.is_read_only)
		return diag_host(EROFS, "cannot write to %s", request->path);
	if (facts.size_bytes >= request->bytes)
		return DIAG_EXIT_OK;
	return diag_host(0, "%s: has %llu bytes, %llu needed; name a larger device or write less",
		request->path, (unsigned long long)facts.size_bytes, (unsigned long long)request->bytes);
}

/* --- creating and opening --- */

/* Checks the content. A header next to another signature is a remnant: the file has become something else. */
static int check_data(const struct target_request *request, struct target *target)
{
	bool has_own_header = has_header(target->fd, request);
	char found[SIGNATURES];
	int rc = blockdev_signatures(target->fd, found, sizeof(found));

	target->is_own = has_own_header && !rc && !found[0];
	target->is_confirmed = request->destroy_data && !strcmp(request->destroy_data, request->path);
	if (target->is_own || target->is_confirmed)
		return DIAG_EXIT_OK;
	if (rc && has_own_header)
		return diag_host(rc, "%s: cannot check what else it holds", request->path);
	if (!target->size_bytes)
		return diag_usage("%s: exists already and is empty; name a new file, or confirm with --destroy-data=%s",
			request->path, request->path);
	if (has_own_header)
		return diag_usage("%s: contains %s as well as a header of this program; name another target, or confirm with "
				  "--destroy-data=%s", request->path, found, request->path);
	return diag_usage("%s: holds data of another program%s%s%s; name a new file, or confirm with --destroy-data=%s",
		request->path, found[0] ? " (" : "", found, found[0] ? ")" : "", request->path);
}

static int check_file(const struct target_request *request, struct target *target)
{
	struct stat stat;
	int code;

	if (fstat(target->fd, &stat))
		return diag_host(errno, "cannot examine %s", request->path);
	if (!stat.st_nlink)
		return diag_host(0, "%s: was removed while it was opened; run again", request->path);
	target->device = stat.st_dev;
	target->size_bytes = (uint64_t)stat.st_size;
	/* Another process may have used the new file before it was locked. */
	target->is_created = target->is_created && !target->size_bytes;
	if (target->is_created)
		return DIAG_EXIT_OK;
	code = target_check_use(request->path, target->fd);
	return code ? code : check_data(request, target);
}

int target_take(const struct target_request *request, struct target *target)
{
	int code = take_lock(request, target->fd);

	if (!code)
		return check_file(request, target);
	/* The file belongs to the process that holds the lock, whichever process created it. */
	target->is_created = false;
	return code;
}

static int open_file(const struct target_request *request, int path_fd, struct target *target)
{
	const char *path = request->path;
	int fd;

	if (path_fd >= 0)
		fd = open_again(path_fd, O_RDWR | O_NONBLOCK);
	else if (target->has_folder)
		fd = openat(target->folder, target->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
	else /* the path has no folder */
		fd = -1, errno = path[0] && path[strlen(path) - 1] == '/' ? EISDIR : ENOENT;

	target->kind = TARGET_FILE;
	if (fd < 0)
		return diag_host(path_fd < 0 ? errno : fd, "cannot open for writing: %s", request->path);
	target->fd = fd;
	target->is_created = path_fd < 0;
	return target_take(request, target);
}

/* Opens path with O_PATH, because open(2) would already act on a tape or a watchdog. Returns the descriptor or -errno. Only
 * links that no other user can have created are followed. */
static int open_path(const char *path, struct target *target, struct stat *facts, bool *is_link)
{
	int fd, rc;

	*is_link = !lstat(path, facts) && S_ISLNK(facts->st_mode);
	*facts = (struct stat){0};
	rc = report_draft_place(path, &target->folder, target->name);
	if (rc)
		return rc;
	target->has_folder = true;
	fd = openat(target->folder, target->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, facts))
		return fd;
	rc = -errno;
	close(fd);
	return rc;
}

/* Follows links to folders and devices (/dev/disk/by-id). A link to a file is refused: the file has another name, and may be
 * another user's. */
static int open_by_kind(const struct target_request *request, struct target *target)
{
	struct stat facts;
	bool is_link;
	int fd = open_path(request->path, target, &facts, &is_link), code = DIAG_EXIT_USAGE;

	if (fd >= 0 && S_ISDIR(facts.st_mode)) {
		target->kind = TARGET_NAMELESS;
		target->fd = nameless_open(SYSFS_PATH("/proc/self/fd/%d", fd), 0);
		code = target->fd >= 0 ? DIAG_EXIT_OK : diag_host(target->fd, "cannot make a file in %s", request->path);
	} else if (request->needs_folder) {
		diag_error(0, "--directory '%s': must be a folder", request->path);
	} else if (fd >= 0 && S_ISBLK(facts.st_mode)) {
		code = target_open_device(request, fd, target);
	} else if (is_link && (fd == -ENOENT || (fd >= 0 && S_ISREG(facts.st_mode)))) {
		diag_error(0, "%s: is a symbolic link, which is never written through; name the file", request->path);
	} else if (fd == -ENOENT || (fd >= 0 && S_ISREG(facts.st_mode))) {
		code = open_file(request, fd, target);
	} else if (fd == -EACCES && report_draft_met_link(request->path)) {
		diag_error(0, "%s: a symbolic link of another user is on the way (only links of root or of the user are "
			"followed); name the target without it", request->path);
	} else if (fd >= 0) {
		diag_error(0, "%s: must be a regular file, folder or block device",
			request->path);
	} else {
		diag_error(fd, "cannot open for writing: %s", request->path);
		code = DIAG_EXIT_HOST;
	}
	if (fd >= 0)
		close(fd);
	return code;
}

/* --- requirements of the host --- */

static int check_host(const struct target_request *request, struct target *target)
{
	uint64_t available, has, reserve = TARGET_MARGIN_BYTES >> 20, needed = (request->bytes + (1u << 20) - 1) >> 20;
	struct rlimit limit;
	struct statvfs space;
	struct stat stat;
	int rc = fstat(target->fd, &stat) ? -errno : 0;

	if (!rc && target->kind != TARGET_DEVICE)
		target->device = stat.st_dev;
	if (!rc)
		rc = target_facts(target);
	if (rc)
		return diag_host(rc, "cannot examine %s", request->path);
	if (request->needs_direct && !target->has_direct)
		return diag_host(0, "%s: is on %s, which has no O_DIRECT; name a target on another file system",
			request->path, target->file_system);
	if (target->kind == TARGET_DEVICE)
		return DIAG_EXIT_OK;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < request->bytes)
		return diag_host(0, "files are limited to %llu bytes (ulimit -f), %llu needed; raise it or write less",
			(unsigned long long)limit.rlim_cur, (unsigned long long)request->bytes);
	if (fstatvfs(target->fd, &space))
		return diag_host(errno, "cannot read the free space of %s", request->path);
	/* Holes have no blocks, and blocks beyond the size (preallocated, or lists of extents) hold no data. */
	has = (uint64_t)stat.st_blocks * STAT_BLOCK;
	if (has > target->size_bytes)
		has = target->size_bytes;
	/* Overwriting allocated blocks needs no free space. */
	if (has >= request->bytes)
		return DIAG_EXIT_OK;
	available = (uint64_t)space.f_bavail * space.f_frsize + has;
	if (available >= request->bytes + TARGET_MARGIN_BYTES)
		return DIAG_EXIT_OK;
	return diag_host(0, "%s: %llu MiB free, %llu MiB needed (%llu + %llu reserve); free some, or write less", request->path,
		(unsigned long long)(available >> 20), (unsigned long long)(needed + reserve), (unsigned long long)needed,
		(unsigned long long)reserve);
}

int target_open(const struct target_request *request, struct target *target)
{
	struct target fresh = {.fd = -1};
	int rc;

	if (strlen(request->path) >= sizeof(fresh.path)) {
		diag_error(ENAMETOOLONG, "cannot open the target");
		return DIAG_EXIT_USAGE;
	}
	snprintf(fresh.path, sizeof(fresh.path), "%s", request->path);
	rc = open_by_kind(request, &fresh);
	if (!rc)
		rc = check_host(request, &fresh);
	if (rc)
		target_close(&fresh);
	else
		*target = fresh;
	return rc;
}

/* NULL = it is opened for reading. */
static const char *kind_refused(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFBLK:
		return NULL;
	case S_IFIFO:
		return "is a FIFO (a file or block device is read)";
	case S_IFDIR:
		return "is a folder (a file or block device is read)";
	default:
		return "is a character device or socket (a file or block device is read)";
	}
}

int target_open_read(const char *path, struct target *target)
{
	const char *refused = NULL;
	struct target fresh = {.kind = TARGET_FILE, .fd = -1};
	struct stat stat;
	int rc = 0, path_fd;
	bool is_link;

	snprintf(fresh.path, sizeof(fresh.path), "%s", path);
	path_fd = open_path(path, &fresh, &stat, &is_link);
	if (path_fd < 0)
		rc = path_fd;
	else if ((refused = kind_refused(stat.st_mode)))
		rc = -EINVAL;
	else
		fresh.fd = open_again(path_fd, O_RDONLY);
	if (path_fd >= 0)
		close(path_fd);
	if (!rc && fresh.fd < 0)
		rc = fresh.fd;
	if (!rc && S_ISBLK(stat.st_mode))
		fresh.kind = TARGET_DEVICE;
	if (!rc) {
		fresh.device = fresh.kind == TARGET_DEVICE ? stat.st_rdev : stat.st_dev;
		fresh.size_bytes = (uint64_t)stat.st_size;
		rc = target_facts(&fresh);
	}
	if (rc) {
		target_close(&fresh);
		if (refused)
			return diag_usage("cannot read %s: %s", path, refused);
		return rc == -ENOENT || rc == -ENOTDIR ? diag_usage("cannot read %s: %s", path, strerror(-rc))
			: diag_host(rc, "cannot read %s", path);
	}
	*target = fresh;
	return DIAG_EXIT_OK;
}

/* The O_EXCL of the first descriptor still excludes other programs. */
int target_reopen(const struct target *target, int flags, int *fd)
{
	int opened = open_again(target->fd, flags);

	if (opened < 0)
		return opened;
	*fd = opened;
	return 0;
}

void target_close(struct target *target)
{
	struct stat named, ours;

	/* The name may be another file's by now. */
	if (target->fd >= 0 && target->is_created && target->has_folder && !fstat(target->fd, &ours) &&
		!fstatat(target->folder, target->name, &named, AT_SYMLINK_NOFOLLOW) && named.st_dev == ours.st_dev &&
		named.st_ino == ours.st_ino)
		unlinkat(target->folder, target->name, 0);
	if (target->has_folder)
		close(target->folder);
	target->has_folder = false;
	if (target->fd >= 0)
		close(target->fd);
	target->fd = -1;
}
