/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/bdi.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int take_name(const char *from, char *name, size_t length)
{
	if (!*from || strlen(from) >= length)
		return -ENODEV;
	memcpy(name, from, strlen(from) + 1);
	return 0;
}

/* /sys/dev/block/254:0/bdi is a link to ../../bdi/254:0; a partition has none, the disk above it has. */
static int name_of_link(const char *root, dev_t device, const char *below, char *name, size_t length)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t size;

	snprintf(path, sizeof(path), "%s/sys/dev/block/%u:%u/%s", root, major(device), minor(device), below);
	size = readlink(path, target, sizeof(target) - 1);
	if (size <= 0)
		return -ENODEV;
	target[size] = '\0';
	last = strrchr(target, '/');
	return take_name(last ? last + 1 : target, name, length);
}

int bdi_of(const char *root, dev_t device, char *name, size_t length)
{
	char path[PATH_MAX];
	struct stat status;

	if (!name_of_link(root, device, "bdi", name, length) || !name_of_link(root, device, "../bdi", name, length))
		return 0;
	/* File systems without a block device have one by their own number (nfs), where they have any. */
	snprintf(path, sizeof(path), "%s/sys/class/bdi/%u:%u", root, major(device), minor(device));
	if (stat(path, &status))
		return -ENODEV;
	return take_name(strrchr(path, '/') + 1, name, length);
}
