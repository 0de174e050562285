/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/diag.h"
#include "common/sysfs.h"

#define SECTOR_BYTES 512u /* of sysfs */

static void read_serial(dev_t device, char *serial, size_t length)
{
	static const char *const files[] = {"serial", "device/serial", "../serial", "../device/serial", "wwid"};
	char path[96];

	serial[0] = '\0';
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", major(device), minor(device), files[i]);
		if (!sysfs_read("", path, serial, length) && serial[0])
			return;
	}
	serial[0] = '\0';
}

/* Named a second time, by the same path or by what is written on it. */
static bool is_confirmed(const struct target_request *request, dev_t device)
{
	char serial[128];

	if (!request->destroy_data)
		return false;
	if (!strcmp(request->destroy_data, request->path))
		return true;
	read_serial(device, serial, sizeof(serial));
	return serial[0] && !strcmp(request->destroy_data, serial);
}

static int refuse_unconfirmed(const struct target_request *request, const char *signatures)
{
	if (signatures[0])
		diag_error(0, "%s: holds %s; writing would destroy it: name another device, or confirm with --destroy-data=%s",
			request->path, signatures, request->path);
	else
		diag_error(0, "%s: contents unknown; writing would destroy them: name another device, or confirm with "
			      "--destroy-data=%s", request->path, request->path);
	return DIAG_EXIT_USAGE;
}

/* What belongs to others even when the kernel does not hold it at the moment. */
static int check_member(const struct target_request *request, int fd, const char *partition, uint64_t offset, uint64_t bytes)
{
	char type[32];
	int rc = blockdev_member(fd, offset, bytes, type, sizeof(type));

	if (rc == -ENODATA)
		return DIAG_EXIT_OK;
	if (rc) {
		diag_error(rc, "cannot read what is on %s", request->path);
		return DIAG_EXIT_HOST;
	}
	diag_error(0, "%s:%s%s is part of an array, group or pool (%s), which is never written to; name another device",
		request->path, partition[0] ? " its partition " : "", partition, type);
	return DIAG_EXIT_USAGE;
}

/* 0 and whether this entry of a disk's folder is a partition, or -errno. */
static int read_partition(const char *folder, const char *name, bool *is_partition, dev_t *device, uint64_t range[2])
{
	static const char *const files[] = {"start", "size"};
	char path[PATH_MAX], numbers[32];
	unsigned first, second;
	int rc = 0;

	*is_partition = false;
	for (int i = 0; i < 2 && !rc; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder, name, files[i]);
		rc = sysfs_read_u64("", path, &range[i]);
		/* Whole disks have no start; most entries are no folders. */
		if (!i && (rc == -ENOENT || rc == -ENOTDIR))
			return 0;
	}
	snprintf(path, sizeof(path), "%s/%s/dev", folder, name);
	if (!rc)
		rc = sysfs_read("", path, numbers, sizeof(numbers));
	if (!rc && sscanf(numbers, "%u:%u", &first, &second) != 2)
		rc = -EINVAL;
	if (rc)
		return rc;
	*device = makedev(first, second);
	*is_partition = true;
	return 0;
}

static int refuse_unseen(const struct target_request *request, int rc)
{
	diag_error(rc, "%s: cannot check what its partitions are", request->path);
	return DIAG_EXIT_HOST;
}

/* A partition may have no node in /dev: it is read as a part of its disk. */
static int check_partition(const struct target_request *request, int fd, const char *folder, const char *name)
{
	bool is_partition;
	uint64_t range[2];
	dev_t device;
	int rc = name[0] == '.' ? -ENOENT : read_partition(folder, name, &is_partition, &device, range), code;

	if (name[0] == '.' || (!rc && !is_partition))
		return DIAG_EXIT_OK;
	if (rc)
		return refuse_unseen(request, rc);
	code = target_check_device_use(request->path, device);
	return code ? code : check_member(request, fd, name, range[0] * SECTOR_BYTES, range[1] * SECTOR_BYTES);
}

/* Of a whole disk: each of its partitions as the kernel has them. */
static int check_partitions(const struct target_request *request, int fd, dev_t device)
{
	char path[64];
	const struct dirent *entry;
	int code = DIAG_EXIT_OK;
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	folder = opendir(path);
	if (!folder)
		return refuse_unseen(request, errno);
	while (!code) {
		errno = 0;
		entry = readdir(folder);
		if (!entry) {
			code = errno ? refuse_unseen(request, errno) : DIAG_EXIT_OK;
			break;
		}
		code = check_partition(request, fd, path, entry->d_name);
	}
	closedir(folder);
	return code;
}

static int check_content(const struct target_request *request, struct target *target)
{
	char signatures[TARGET_SIGNATURES];
	int rc = blockdev_signatures(target->fd, signatures, sizeof(signatures)), code;

	if (rc) {
		diag_error(rc, "cannot read what is on %s", request->path);
		return DIAG_EXIT_HOST;
	}
	code = target_check_device_use(request->path, target->device);
	if (!code)
		code = check_member(request, target->fd, "", 0, 0);
	if (!code)
		code = check_partitions(request, target->fd, target->device);
	if (!code)
		code = target_check_openers(request->path, target->device);
	if (code)
		return code;
	target->is_own = target_has_header(target->fd, request) && !signatures[0];
	target->is_confirmed = is_confirmed(request, target->device);
	return target->is_own || target->is_confirmed ? DIAG_EXIT_OK : refuse_unconfirmed(request, signatures);
}

static int check_room(const struct target_request *request, struct target *target)
{
	struct blockdev facts;
	int rc = blockdev_read("", target->device, &facts);

	if (rc) {
		diag_error(rc, "cannot read the size of %s", request->path);
		return DIAG_EXIT_HOST;
	}
	target->size_bytes = facts.size_bytes;
	if (facts.is_read_only) {
		diag_error(EROFS, "cannot write to %s", request->path);
		return DIAG_EXIT_HOST;
	}
	if (facts.size_bytes >= request->bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "%s: has %llu bytes, %llu needed; name a larger device or write less",
		request->path, (unsigned long long)facts.size_bytes, (unsigned long long)request->bytes);
	return DIAG_EXIT_HOST;
}

static int refuse_busy(const struct target_request *request, dev_t device)
{
	char opener[48] = "";
	pid_t pid;

	if (target_find_opener(device, &pid) == 1)
		snprintf(opener, sizeof(opener), "; process %ld has it open", (long)pid);
	diag_error(0, "%s: is in use (mounted, swap, or held by another program%s); end that use, or name another "
			"target", request->path, opener);
	return DIAG_EXIT_USAGE;
}

int target_open_device(const struct target_request *request, int path_fd, struct target *target)
{
	struct stat stat;
	int rc = fstat(path_fd, &stat) ? -errno : 0;

	target->kind = TARGET_DEVICE;
	/* O_EXCL: refused by the kernel while a mount, swap area, array or another tool has it. */
	if (!rc)
		rc = target_open_again(path_fd, O_RDWR | O_EXCL);
	if (rc == -EBUSY)
		return refuse_busy(request, stat.st_rdev);
	if (rc < 0) {
		diag_error(rc, "cannot open %s for writing", request->path);
		return DIAG_EXIT_HOST;
	}
	target->fd = rc;
	target->device = stat.st_rdev;
	rc = target_take_lock(request, target->fd);
	if (!rc)
		rc = check_content(request, target);
	return rc ? rc : check_room(request, target);
}
