/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/target_private.h"

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

/* What belongs to others even when the kernel does not hold it at the moment. */
static bool is_member(const char *type)
{
	static const char *const members[] = {"linux_raid_member", "LVM2_member", "LVM1_member", "zfs_member",
		"ddf_raid_member", "isw_raid_member", "bcache", "drbd", "ceph_bluestore", "VMFS_volume_member"};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!strcmp(type, members[i]))
			return true;
	}
	return false;
}

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

static int refuse_unconfirmed(const struct target_request *request, const struct blockdev_content *content)
{
	const char *what = content->type[0] ? content->type : "nothing that libblkid knows";

	diag_error(0,
		"%s is a block device that holds %s%s%s: all of it would be lost; --destroy-data=%s says that it may",
		request->path, what, content->label[0] ? " labelled " : "", content->label, request->path);
	return DIAG_EXIT_USAGE;
}

static int check_content(const struct target_request *request, const struct target *target)
{
	struct blockdev_content content = {.type = ""};
	int rc = blockdev_content(request->path, &content);

	if (rc) {
		diag_error(rc, "cannot see what is on %s", request->path);
		return DIAG_EXIT_HOST;
	}
	if (is_member(content.type)) {
		diag_error(0, "%s is a part of something larger (%s): it is never written to; take another device",
			request->path, content.type);
		return DIAG_EXIT_USAGE;
	}
	return is_confirmed(request, target->device) ? DIAG_EXIT_OK : refuse_unconfirmed(request, &content);
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
