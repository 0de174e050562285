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
	diag_error(0, "%s is a block device that holds %s: all of it would be lost; --destroy-data=%s says that it may",
		request->path, signatures[0] ? signatures : "nothing that libblkid knows", request->path);
	return DIAG_EXIT_USAGE;
}

/* What belongs to others even when the kernel does not hold it at the moment. */
static int check_member(const struct target_request *request, const char *partition, uint64_t offset, uint64_t bytes)
{
	char type[32];
	int rc = blockdev_member(request->path, offset, bytes, type, sizeof(type));

	if (rc == -ENODATA)
		return DIAG_EXIT_OK;
	if (rc) {
		diag_error(rc, "cannot see what is on %s", request->path);
		return DIAG_EXIT_HOST;
	}
	diag_error(0, "%s%s%s is a part of something larger (%s): it is never written to; take another device",
		request->path, partition[0] ? ": its partition " : "", partition, type);
	return DIAG_EXIT_USAGE;
}

static int check_partition(const struct target_request *request, const char *folder, const char *name)
{
	char path[PATH_MAX], numbers[32];
	unsigned first, second;
	uint64_t start, size;

	/* Whole disks have no start. A partition may have no node in /dev: it is read as a part of its disk. */
	snprintf(path, sizeof(path), "%s/%s/start", folder, name);
	if (name[0] == '.' || sysfs_read_u64("", path, &start))
		return DIAG_EXIT_OK;
	snprintf(path, sizeof(path), "%s/%s/dev", folder, name);
	if (!sysfs_read("", path, numbers, sizeof(numbers)) && sscanf(numbers, "%u:%u", &first, &second) == 2 &&
		target_check_device_use(request->path, makedev(first, second)))
		return DIAG_EXIT_USAGE;
	snprintf(path, sizeof(path), "%s/%s/size", folder, name);
	if (sysfs_read_u64("", path, &size))
		return DIAG_EXIT_OK;
	return check_member(request, name, start * SECTOR_BYTES, size * SECTOR_BYTES);
}

/* Of a whole disk: each of its partitions as the kernel has them. */
static int check_partitions(const struct target_request *request, dev_t device)
{
	char path[64];
	const struct dirent *entry;
	int code = DIAG_EXIT_OK;
	DIR *folder;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(device), minor(device));
	folder = opendir(path);
	while (folder && !code && (entry = readdir(folder)))
		code = check_partition(request, path, entry->d_name);
	if (folder)
		closedir(folder);
	return code;
}

static int check_content(const struct target_request *request, const struct target *target)
{
	char signatures[TARGET_SIGNATURES];
	int rc = blockdev_signatures(target->fd, signatures, sizeof(signatures)), code;

	if (rc) {
		diag_error(rc, "cannot see what is on %s", request->path);
		return DIAG_EXIT_HOST;
	}
	code = target_check_device_use(request->path, target->device);
	if (!code)
		code = check_member(request, "", 0, 0);
	if (!code)
		code = check_partitions(request, target->device);
	if (code || is_confirmed(request, target->device))
		return code;
	return refuse_unconfirmed(request, signatures);
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
	diag_error(0, "%s has %llu bytes, and %llu are to be written: take a larger device or write less",
		request->path, (unsigned long long)facts.size_bytes, (unsigned long long)request->bytes);
	return DIAG_EXIT_HOST;
}

int target_open_device(const struct target_request *request, struct target *target)
{
	struct stat stat;
	int rc;

	target->kind = TARGET_DEVICE;
	/* O_EXCL: refused by the kernel while a mount, swap area, array or another tool has it. */
	target->fd = open(request->path, O_RDWR | O_EXCL | O_CLOEXEC);
	if (target->fd < 0 && errno == EBUSY) {
		diag_error(0, "%s is in use (mounted, swap, or held by another program): it is not touched",
			request->path);
		return DIAG_EXIT_USAGE;
	}
	if (target->fd < 0 || fstat(target->fd, &stat)) {
		diag_error(errno, "cannot open %s for writing", request->path);
		return DIAG_EXIT_HOST;
	}
	target->device = stat.st_rdev;
	rc = check_content(request, target);
	return rc ? rc : check_room(request, target);
}
