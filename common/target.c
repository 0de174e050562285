/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/diag.h"
#include "common/nameless.h"
#include "common/report_draft.h"
#include "common/target_private.h"

#define STAT_BLOCK 512 /* the unit of st_blocks */
#define MODE 0600 /* of what is made */

/* --- making and opening --- */

static int open_folder(const struct target_request *request, int path_fd, struct target *target)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	target->fd = nameless_open(path, 0);
	target->kind = TARGET_NAMELESS;
	if (target->fd >= 0)
		return DIAG_EXIT_OK;
	diag_error(target->fd, "cannot make a file in %s", request->path);
	return DIAG_EXIT_HOST;
}

bool target_has_header(int fd, const struct target_request *request)
{
	char found[4096];

	return request->header && request->header_bytes <= sizeof(found) &&
	       pread(fd, found, request->header_bytes, 0) == (ssize_t)request->header_bytes &&
	       !memcmp(found, request->header, request->header_bytes);
}

static int refuse_data(const struct target_request *request, const struct target *target, const char *found)
{
	if (!target->size_bytes)
		diag_error(0, "%s: exists already and is empty; name a new file, or confirm with --destroy-data=%s", request->path,
			request->path);
	else if (target_has_header(target->fd, request))
		diag_error(0, "%s: holds %s beside a header of this program; name another target, or confirm with "
			      "--destroy-data=%s", request->path, found, request->path);
	else
		diag_error(0, "%s: holds data of another program%s%s%s; name a new file, or confirm with "
				"--destroy-data=%s", request->path,
			found[0] ? " (" : "", found, found[0] ? ")" : "", request->path);
	return DIAG_EXIT_USAGE;
}

/* A header that another signature is beside is what was left when the file became something else. */
static int check_data(const struct target_request *request, struct target *target)
{
	bool has_header = target_has_header(target->fd, request);
	char found[TARGET_SIGNATURES];
	int rc = blockdev_signatures(target->fd, found, sizeof(found));

	target->is_own = has_header && !rc && !found[0];
	target->is_confirmed = request->destroy_data && !strcmp(request->destroy_data, request->path);
	if (target->is_own || target->is_confirmed)
		return DIAG_EXIT_OK;
	if (!rc || !has_header)
		return refuse_data(request, target, found);
	diag_error(rc, "%s: cannot check what else it holds", request->path);
	return DIAG_EXIT_HOST;
}

static int check_file(const struct target_request *request, struct target *target)
{
	struct stat stat;
	int code;

	if (fstat(target->fd, &stat)) {
		diag_error(errno, "cannot look at %s", request->path);
		return DIAG_EXIT_HOST;
	}
	if (!stat.st_nlink) {
		diag_error(0, "%s: was removed while it was opened; run again", request->path);
		return DIAG_EXIT_HOST;
	}
	target->device = stat.st_dev;
	target->size_bytes = (uint64_t)stat.st_size;
	/* Another process may have had what was made here before it was locked. */
	target->is_created = target->is_created && !target->size_bytes;
	if (target->is_created)
		return DIAG_EXIT_OK;
	code = target_check_use(request->path, target->fd);
	return code ? code : check_data(request, target);
}

int target_take_lock(const struct target_request *request, int fd)
{
	int rc = target_lock(fd, false);

	if (!rc)
		return DIAG_EXIT_OK;
	if (rc == -EWOULDBLOCK) {
		target_say_locked(request->path, fd);
		return DIAG_EXIT_USAGE;
	}
	diag_error(rc, "cannot lock %s", request->path);
	return DIAG_EXIT_HOST;
}

int target_take(const struct target_request *request, struct target *target)
{
	int code = target_take_lock(request, target->fd);

	if (!code)
		return check_file(request, target);
	/* The file belongs to the process that has the lock, whichever made it. */
	target->is_created = false;
	return code;
}

static int open_file(const struct target_request *request, int path_fd, struct target *target)
{
	const char *path = request->path;
	int fd;

	if (path_fd >= 0)
		fd = target_open_again(path_fd, O_RDWR | O_NONBLOCK);
	else if (target->has_folder)
		fd = openat(target->folder, target->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
	else /* no folder leads there */
		fd = -1, errno = path[0] && path[strlen(path) - 1] == '/' ? EISDIR : ENOENT;

	target->kind = TARGET_FILE;
	if (fd < 0) {
		diag_error(path_fd < 0 ? errno : fd, "cannot open for writing: %s", request->path);
		return DIAG_EXIT_HOST;
	}
	target->fd = fd;
	target->is_created = path_fd < 0;
	return target_take(request, target);
}

/* An O_PATH descriptor, and what it leads to: to open a tape or a watchdog would already act on it. Or -errno. Only links
 * that no other user can have put on the way are followed. */
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

/* Links to folders and devices are followed (/dev/disk/by-id). What is behind one to a file has another name, and may be
 * another user's. */
static int open_by_kind(const struct target_request *request, struct target *target)
{
	struct stat facts;
	bool is_link;
	int fd = open_path(request->path, target, &facts, &is_link), code = DIAG_EXIT_USAGE;

	if (fd >= 0 && S_ISDIR(facts.st_mode)) {
		code = open_folder(request, fd, target);
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

/* --- what the host must have --- */

static int check_limit(const struct target_request *request)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= request->bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "files are limited to %llu bytes (ulimit -f), %llu needed; raise it or write less",
		(unsigned long long)limit.rlim_cur, (unsigned long long)request->bytes);
	return DIAG_EXIT_HOST;
}

static int check_room(const struct target_request *request, const struct target *target)
{
	struct statvfs facts;
	struct stat stat;
	uint64_t room, has;
	unsigned long long needed;

	if (fstatvfs(target->fd, &facts) || fstat(target->fd, &stat)) {
		diag_error(errno, "cannot read the free space of %s", request->path);
		return DIAG_EXIT_HOST;
	}
	/* Holes have none yet; and blocks behind what is written (preallocated, or of a list of them) hold no data. */
	has = (uint64_t)stat.st_blocks * STAT_BLOCK;
	if (has > target->size_bytes)
		has = target->size_bytes;
	/* It takes nothing more from others. */
	if (has >= request->bytes)
		return DIAG_EXIT_OK;
	room = (uint64_t)facts.f_bavail * facts.f_frsize + has;
	if (room >= request->bytes + TARGET_MARGIN_BYTES)
		return DIAG_EXIT_OK;
	needed = (request->bytes + (1u << 20) - 1) >> 20;
	diag_error(0, "%s: %llu MiB free, %llu MiB needed (%llu + %llu reserve); free some, or write less", request->path,
		(unsigned long long)(room >> 20), needed + (TARGET_MARGIN_BYTES >> 20), needed, TARGET_MARGIN_BYTES >> 20);
	return DIAG_EXIT_HOST;
}

static int check_direct(const struct target_request *request, const struct target *target)
{
	if (!request->needs_direct || target->has_direct)
		return DIAG_EXIT_OK;
	diag_error(0, "%s: is on %s, which has no O_DIRECT; name a target on another file system",
		request->path, target->file_system);
	return DIAG_EXIT_HOST;
}

static int check_host(const struct target_request *request, struct target *target)
{
	struct stat stat;
	int rc = target_facts(target);

	if (rc || fstat(target->fd, &stat)) {
		diag_error(rc ? rc : errno, "cannot look at %s", request->path);
		return DIAG_EXIT_HOST;
	}
	if (target->kind != TARGET_DEVICE)
		target->device = stat.st_dev;
	rc = check_direct(request, target);
	if (!rc && target->kind != TARGET_DEVICE)
		rc = check_limit(request);
	if (!rc && target->kind != TARGET_DEVICE)
		rc = check_room(request, target);
	return rc;
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

int target_open_read(const char *path, struct target *target)
{
	struct target fresh = {.kind = TARGET_FILE, .fd = -1};
	struct stat stat;
	int rc = 0, path_fd;
	bool is_link;

	snprintf(fresh.path, sizeof(fresh.path), "%s", path);
	path_fd = open_path(path, &fresh, &stat, &is_link);
	if (path_fd < 0)
		rc = path_fd;
	else if (!S_ISREG(stat.st_mode) && !S_ISBLK(stat.st_mode))
		rc = S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	else
		fresh.fd = target_open_again(path_fd, O_RDONLY);
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
		diag_error(rc, "cannot read %s", path);
		target_close(&fresh);
		return DIAG_EXIT_HOST;
	}
	*target = fresh;
	return DIAG_EXIT_OK;
}

/* The magic link leads to the same file whatever became of its name. */
int target_open_again(int fd, int flags)
{
	char path[32];
	int opened;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	opened = open(path, flags | O_CLOEXEC);
	return opened < 0 ? -errno : opened;
}

/* O_EXCL stays with the first descriptor. */
int target_reopen(const struct target *target, int flags, int *fd)
{
	int opened = target_open_again(target->fd, flags);

	if (opened < 0)
		return opened;
	*fd = opened;
	return 0;
}

void target_close(struct target *target)
{
	struct stat named, ours;

	/* The name may be another's by now. */
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
