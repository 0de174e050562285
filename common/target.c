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
#include "common/target_private.h"

#define STAT_BLOCK 512 /* the unit of st_blocks */
#define MODE 0600 /* of what is made: data of nobody else's business */

/* --- making and opening --- */

static int open_folder(const struct target_request *request, struct target *target)
{
	target->fd = nameless_open(request->path, 0);
	target->kind = TARGET_NAMELESS;
	if (target->fd >= 0)
		return DIAG_EXIT_OK;
	diag_error(target->fd, "cannot make a file in %s", request->path);
	return DIAG_EXIT_HOST;
}

static bool has_header(int fd, const struct target_request *request)
{
	char found[4096];

	return request->header && request->header_bytes <= sizeof(found) &&
	       pread(fd, found, request->header_bytes, 0) == (ssize_t)request->header_bytes &&
	       !memcmp(found, request->header, request->header_bytes);
}

static int refuse_data(const struct target_request *request, const struct target *target)
{
	char found[TARGET_SIGNATURES];

	if (!target->size_bytes) {
		diag_error(0, "%s is there already, and empty: take a new name, or say --destroy-data=%s", request->path,
			request->path);
		return DIAG_EXIT_USAGE;
	}
	/* Where libblkid cannot look it is somebody's all the same. */
	if (blockdev_signatures(target->fd, found, sizeof(found)))
		found[0] = '\0';
	diag_error(0, "%s holds somebody's data%s%s%s: take a new name, or say --destroy-data=%s", request->path,
		found[0] ? " (" : "", found, found[0] ? ")" : "", request->path);
	return DIAG_EXIT_USAGE;
}

static int check_file(const struct target_request *request, struct target *target)
{
	struct stat stat;

	if (fstat(target->fd, &stat)) {
		diag_error(errno, "cannot look at %s", request->path);
		return DIAG_EXIT_HOST;
	}
	target->device = stat.st_dev;
	target->size_bytes = (uint64_t)stat.st_size;
	if (!S_ISREG(stat.st_mode)) {
		diag_error(0, "%s is no regular file, folder or block device: nothing else can be written to",
			request->path);
		return DIAG_EXIT_USAGE;
	}
	if (target->is_created)
		return DIAG_EXIT_OK;
	if (target_check_use(request->path, target->fd))
		return DIAG_EXIT_USAGE;
	if (has_header(target->fd, request))
		return DIAG_EXIT_OK;
	if (request->destroy_data && !strcmp(request->destroy_data, request->path))
		return DIAG_EXIT_OK;
	return refuse_data(request, target);
}

/* No link is followed at the end: what is behind it has another name, and may be another's. */
static int open_file(const struct target_request *request, struct target *target)
{
	target->kind = TARGET_FILE;
	target->fd = open(request->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, MODE);
	target->is_created = target->fd >= 0;
	if (target->fd < 0 && errno == EEXIST)
		target->fd = open(request->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (target->fd < 0) {
		diag_error(errno == ELOOP ? 0 : errno, "%s %s", errno == ELOOP ? "a symbolic link is no target:"
									      : "cannot open for writing:",
			request->path);
		return errno == ELOOP ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
	}
	return check_file(request, target);
}

/* Links to folders and devices are followed (/dev/disk/by-id), to files not. */
static int open_by_kind(const struct target_request *request, struct target *target)
{
	struct stat stat_buffer;

	if (stat(request->path, &stat_buffer) == 0 && S_ISDIR(stat_buffer.st_mode))
		return open_folder(request, target);
	if (request->needs_folder) {
		diag_error(0, "--directory '%s': must be a folder", request->path);
		return DIAG_EXIT_USAGE;
	}
	if (stat(request->path, &stat_buffer) == 0 && S_ISBLK(stat_buffer.st_mode))
		return target_open_device(request, target);
	return open_file(request, target);
}

/* --- what the host must have --- */

static int check_limit(const struct target_request *request)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= request->bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "files may have %llu bytes here (ulimit -f), and %llu are to be written: raise it or write less",
		(unsigned long long)limit.rlim_cur, (unsigned long long)request->bytes);
	return DIAG_EXIT_HOST;
}

static int check_room(const struct target_request *request, const struct target *target)
{
	struct statvfs facts;
	struct stat stat;
	uint64_t room, has;

	if (fstatvfs(target->fd, &facts) || fstat(target->fd, &stat)) {
		diag_error(errno, "cannot see how much room %s has", request->path);
		return DIAG_EXIT_HOST;
	}
	/* Holes have none yet; and blocks behind what is written (preallocated, or of a list of them) are nobody's. */
	has = (uint64_t)stat.st_blocks * STAT_BLOCK;
	if (has > target->size_bytes)
		has = target->size_bytes;
	/* It takes nothing more from others. */
	if (has >= request->bytes)
		return DIAG_EXIT_OK;
	room = (uint64_t)facts.f_bavail * facts.f_frsize + has;
	if (room >= request->bytes + TARGET_MARGIN_BYTES)
		return DIAG_EXIT_OK;
	diag_error(0, "%s has room for %llu MiB, and %llu MiB with 64 MiB to spare are needed: free some, or write less",
		request->path, (unsigned long long)(room >> 20), (unsigned long long)((request->bytes + (1u << 20) - 1) >> 20));
	return DIAG_EXIT_HOST;
}

static int check_direct(const struct target_request *request, const struct target *target)
{
	if (!request->needs_direct || target->has_direct)
		return DIAG_EXIT_OK;
	diag_error(0, "%s is on %s, which has no O_DIRECT: name a place on another file system",
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

int target_check_again(const struct target_request *request, struct target *target)
{
	struct stat stat;

	if (target->kind != TARGET_FILE)
		return DIAG_EXIT_OK;
	/* Made by us, and written by another before we had it for ourselves. */
	if (target->is_created && (fstat(target->fd, &stat) || stat.st_size))
		target->is_created = false;
	return check_file(request, target);
}

int target_open_read(const char *path, struct target *target)
{
	struct target fresh = {.kind = TARGET_FILE};
	struct stat stat = {0};
	int rc = 0;

	snprintf(fresh.path, sizeof(fresh.path), "%s", path);
	fresh.fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fresh.fd < 0 || fstat(fresh.fd, &stat))
		rc = -errno;
	else if (!S_ISREG(stat.st_mode) && !S_ISBLK(stat.st_mode))
		rc = S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
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

int target_reopen(const struct target *target, int flags, int *fd)
{
	char path[32];
	int opened;

	/* The magic link leads to the same file whatever became of its name. O_EXCL stays with the first descriptor. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target->fd);
	opened = open(path, flags | O_CLOEXEC);
	if (opened < 0)
		return -errno;
	*fd = opened;
	return 0;
}

void target_close(struct target *target)
{
	struct stat named, ours;

	if (target->fd < 0)
		return;
	/* The name may be another's by now. */
	if (target->is_created && !fstat(target->fd, &ours) && !lstat(target->path, &named) &&
		named.st_dev == ours.st_dev && named.st_ino == ours.st_ino)
		unlink(target->path);
	close(target->fd);
	target->fd = -1;
}
