/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/sysfs.h"

/* The own folder in one hierarchy, below root. */
static int own_dir(const char *root, int version, struct cgroup *own)
{
	struct cgroup_place place;
	int ret = cgroup_find_place(root, version, &place);

	if (ret)
		return ret;
	if (snprintf(own->dir, sizeof(own->dir), "%s%s", root, place.dir) >= (int)sizeof(own->dir))
		return -ENAMETOOLONG;
	own->version = version;
	return 0;
}

static bool lists_memory(const char *dir, const char *file)
{
	char path[CGROUP_DIR + 64], text[512];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !sysfs_read("", path, text, sizeof(text)) && sysfs_has_word(text, " ", "memory");
}

static bool is_cgroup(const char *dir)
{
	char path[CGROUP_DIR + 64];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", dir);
	return !access(path, F_OK);
}

/* highest: "" or the topmost folder that has the memory controller and could hand it down. */
static int refuse(const char *dir, const char *highest, char *why, size_t length)
{
	if (!highest[0]) {
		snprintf(why, length,
			"the cgroups from %s upwards have no memory controller: see that no cgroup version 1 "
			"holds it and that the kernel was not started with cgroup_disable=memory",
			dir);
		return -ENODEV;
	}
	snprintf(why, length,
		"no cgroup from %s upwards gives the memory controller to its children: "
		"as root, 'echo +memory > %s/cgroup.subtree_control' (in a container move its processes into "
		"a child cgroup first), or with systemd start by 'systemd-run --scope -p MemoryAccounting=yes'",
		dir, highest);
	return -EOPNOTSUPP;
}

/* Climbs from own->dir to the nearest folder whose children have the memory controller. A folder without it
 * is no end: above the one that does not hand it down there may be one that does. */
static int climb(struct cgroup *own, char *why, size_t length)
{
	char dir[CGROUP_DIR], highest[CGROUP_DIR] = "";

	snprintf(dir, sizeof(dir), "%s", own->dir);
	while (is_cgroup(dir)) {
		char *slash = strrchr(dir, '/');

		if (lists_memory(dir, "cgroup.subtree_control")) {
			snprintf(own->dir, sizeof(own->dir), "%s", dir);
			return 0;
		}
		if (lists_memory(dir, "cgroup.controllers"))
			snprintf(highest, sizeof(highest), "%s", dir);
		if (!slash)
			break;
		*slash = '\0';
	}
	return refuse(own->dir, highest, why, length);
}

int cgroup_find_parent(const char *root, struct cgroup *parent, char *why, size_t length)
{
	if (!own_dir(root, 1, parent))
		return 0;
	if (!own_dir(root, 2, parent))
		return climb(parent, why, length);
	snprintf(why, length,
		"no memory cgroup controller is mounted: mount cgroup2 on /sys/fs/cgroup "
		"(and see that the kernel was not started with cgroup_disable=memory)");
	return -ENODEV;
}

/* A limit binds all below it; the walk ends where the limit's file does, above the mount. */
static uint64_t smallest_upwards(const char *root, struct cgroup own, const char *file)
{
	uint64_t limit = UINT64_MAX, value;
	char path[CGROUP_DIR + 64];
	size_t top = strlen(root);

	while (strlen(own.dir) > top) {
		snprintf(path, sizeof(path), "%s/%s", own.dir, file);
		if (!sysfs_read_u64("", path, &value) && value < limit)
			limit = value;
		*strrchr(own.dir, '/') = '\0';
	}
	return limit;
}

uint64_t cgroup_own_limit(const char *root)
{
	struct cgroup own;

	if (own_dir(root, 1, &own) && own_dir(root, 2, &own))
		return UINT64_MAX;
	return smallest_upwards(root, own, own.version == 1 ? "memory.limit_in_bytes" : "memory.max");
}

uint64_t cgroup_own_swap_limit(const char *root)
{
	struct cgroup own;

	/* Version 1 limits only the sum of memory and swap. */
	if (!own_dir(root, 1, &own) || own_dir(root, 2, &own))
		return UINT64_MAX;
	return smallest_upwards(root, own, "memory.swap.max");
}
