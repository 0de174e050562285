/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/balloon.h"

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/sysfs.h"

#define DRIVER "/sys/bus/virtio/drivers/virtio_balloon"
#define REPORTING_ORDER "/sys/module/page_reporting/parameters/page_reporting_order"
#define REPORTING_FEATURE 5  /* VIRTIO_BALLOON_F_REPORTING */
#define LARGEST_ORDER 63     /* page_reporting_order is -1 until a device has registered */

static bool has_feature(const char *root, const char *device, size_t feature)
{
	char path[512], bits[160];

	snprintf(path, sizeof(path), DRIVER "/%s/features", device);
	return !sysfs_read(root, path, bits, sizeof(bits)) && strlen(bits) > feature && bits[feature] == '1';
}

void balloon_look(const char *root, struct balloon *balloon)
{
	const struct dirent *entry;
	char path[PATH_MAX];
	uint64_t order;
	DIR *dir = NULL;

	*balloon = (struct balloon){0, false};
	if (snprintf(path, sizeof(path), "%s" DRIVER, root) < (int)sizeof(path))
		dir = opendir(path);
	/* Beside the devices the folder has what every driver's has: bind, module, uevent. */
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "virtio", 6) || entry->d_name[6] < '0' || entry->d_name[6] > '9')
			continue;
		balloon->count++;
		balloon->reports_pages = balloon->reports_pages || has_feature(root, entry->d_name, REPORTING_FEATURE);
	}
	if (dir)
		closedir(dir);
	/* Another driver's, as Hyper-V's. */
	if (!sysfs_read_u64(root, REPORTING_ORDER, &order) && order <= LARGEST_ORDER)
		balloon->reports_pages = true;
}
