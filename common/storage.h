/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a target lies: the file system's device and what the kernel is set to do with it. Of a partition the queue is
 * its disk's.
 */
#ifndef COMMON_STORAGE_H
#define COMMON_STORAGE_H

#include <stddef.h>

#include "common/target.h"

#define STORAGE_SETTINGS 24

struct storage_setting {
	char name[32];  /* "queue.scheduler", "bdi.max_ratio" */
	char value[64]; /* as the kernel prints it; of a choice the word that is chosen */
};

struct storage {
	char device[64]; /* the kernel's name of the device or partition, "" = none (tmpfs, network) */
	char disk[64];   /* of which it is a part, or itself */
	char stat_path[128]; /* /sys/dev/block/M:m/stat of the device, "" = none */
	size_t setting_count;
	struct storage_setting settings[STORAGE_SETTINGS];
};

/* root as in common/sysfs.h. What cannot be read is not in the list. */
void storage_read(const char *root, dev_t device, struct storage *storage);

#endif
