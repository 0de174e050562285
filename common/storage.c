/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/sysfs.h"

static const struct {
	const char *name, *file; /* below the disk's folder */
} known[] = {
	{"queue.scheduler", "queue/scheduler"},
	{"queue.rotational", "queue/rotational"},
	{"queue.write_cache", "queue/write_cache"},
	{"queue.wbt_lat_usec", "queue/wbt_lat_usec"},
	{"queue.nr_requests", "queue/nr_requests"},
	{"queue.max_sectors_kb", "queue/max_sectors_kb"},
	{"queue.logical_block_size", "queue/logical_block_size"},
	{"queue.physical_block_size", "queue/physical_block_size"},
	{"bdi.max_ratio", "bdi/max_ratio"},
	{"bdi.min_ratio", "bdi/min_ratio"},
	{"bdi.strict_limit", "bdi/strict_limit"},
	{"bdi.read_ahead_kb", "bdi/read_ahead_kb"},
};

/* The last word of a path that is a link: /sys/dev/block/254:0 -> ../../devices/.../block/vda */
static void name_of_link(const char *root, const char *path, char *name, size_t length)
{
	char full[PATH_MAX], target[PATH_MAX];
	ssize_t size;

	snprintf(full, sizeof(full), "%s%s", root, path);
	size = readlink(full, target, sizeof(target) - 1);
	if (size <= 0)
		return;
	target[size] = '\0';
	snprintf(name, length, "%.*s", (int)length - 1, strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
}

static void read_setting(const char *root, const char *folder, size_t row, struct storage *storage)
{
	struct storage_setting *setting = &storage->settings[storage->setting_count];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, known[row].file);
	/* "none [mq-deadline]" has a choice, most have not. */
	if (sysfs_read_choice(root, path, setting->value, sizeof(setting->value)) &&
		sysfs_read(root, path, setting->value, sizeof(setting->value)))
		return;
	snprintf(setting->name, sizeof(setting->name), "%s", known[row].name);
	storage->setting_count++;
}

void storage_read(const char *root, dev_t device, struct storage *storage)
{
	char folder[96], file[128], number[32], parent[128];

	*storage = (struct storage){0};
	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device), minor(device));
	name_of_link(root, folder, storage->device, sizeof(storage->device));
	if (!storage->device[0])
		return;
	snprintf(storage->stat_path, sizeof(storage->stat_path), "%s/stat", folder);
	snprintf(storage->disk, sizeof(storage->disk), "%s", storage->device);
	snprintf(parent, sizeof(parent), "%s", folder);
	snprintf(file, sizeof(file), "%s/partition", folder);
	if (!sysfs_read(root, file, number, sizeof(number))) {
		/* The queue is the disk's, whose folder the partition's lies in. */
		snprintf(parent, sizeof(parent), "%s/..", folder);
		snprintf(file, sizeof(file), "%s/../dev", folder);
		if (!sysfs_read(root, file, number, sizeof(number))) {
			snprintf(file, sizeof(file), "/sys/dev/block/%s", number);
			name_of_link(root, file, storage->disk, sizeof(storage->disk));
		}
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		read_setting(root, parent, i, storage);
}
