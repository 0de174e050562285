/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which memory cgroup this process is in, and how much memory it may have. */
#include "config.h"
#include "common/machine_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "common/cgroup.h"
#include "common/sysfs.h"

/* Version 1 prints "no limit" as the largest number of whole pages, whatever a page is. */
#define NO_LIMIT ((uint64_t)INT64_MAX - (1u << 20))

static uint64_t limit_of(const char *root, const char *folder, const char *file)
{
	char path[CGROUP_DIR + 64];
	uint64_t limit;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	/* "max", and the root's missing file, are no limit. */
	if (sysfs_read_u64(root, path, &limit) || limit >= NO_LIMIT)
		return UINT64_MAX;
	return limit;
}

static uint64_t smallest_limit(const char *root, const char *folder, const char *mount_point, int version)
{
	static const char *const files[][2] = {
		[1] = {"memory.limit_in_bytes", NULL}, [2] = {"memory.max", "memory.high"}};
	uint64_t smallest = UINT64_MAX;
	char here[sizeof(((struct machine *)NULL)->cgroup_dir)];

	snprintf(here, sizeof(here), "%s", folder);
	for (;;) {
		for (size_t i = 0; i < 2 && files[version][i]; i++) {
			uint64_t limit = limit_of(root, here, files[version][i]);

			smallest = limit < smallest ? limit : smallest;
		}
		char *slash = strrchr(here, '/');

		if (!slash || !strcmp(here, mount_point))
			return smallest;
		*slash = '\0';
	}
}

static bool has_memory_controller(const char *root, const char *mount_point)
{
	char path[CGROUP_DIR + 64], controllers[512];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount_point);
	return !sysfs_read(root, path, controllers, sizeof(controllers)) &&
		sysfs_has_word(controllers, " ", "memory");
}

/* False when the memory controller is not of this version. */
static bool try_version(const char *root, int version, struct machine *machine)
{
	struct cgroup_place place;
	int err = cgroup_find_place(root, version, &place);

	if (err && err != -ENAMETOOLONG)
		return false;
	if (!err && version == 2 && !has_memory_controller(root, place.mount_point))
		return false;
	machine->cgroup_version = version;
	if (err || strlen(place.dir) >= sizeof(machine->cgroup_dir))
		return true;
	memcpy(machine->cgroup_dir, place.dir, strlen(place.dir) + 1);
	machine->cgroup_limit_bytes = smallest_limit(root, place.dir, place.mount_point, version);
	return true;
}

void machine_read_cgroup(const char *root, struct machine *machine)
{
	machine->cgroup_limit_bytes = UINT64_MAX;
	if (!try_version(root, 1, machine))
		try_version(root, 2, machine);
}
