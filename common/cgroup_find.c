/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* --- what is left --- */

/* Version 1 prints "no limit" as the largest number of whole pages, whatever a page is. */
#define NO_LIMIT ((uint64_t)INT64_MAX - (1u << 20))
#define STAT_BYTES (64u << 10) /* memory.stat has some 3 KiB */

/* The names of version 1 and 2; version 1's total_ counts what is below, as its usage does. */
static const char *const limit_names[][2] = {
	[1] = {"memory.limit_in_bytes", NULL}, [2] = {"memory.max", "memory.high"}};
static const char *const usage_names[] = {[1] = "memory.usage_in_bytes", [2] = "memory.current"};
static const char *const inactive_names[] = {[1] = "total_inactive_file ", [2] = "inactive_file "};

static bool read_value(const char *dir, const char *file, uint64_t *value)
{
	char path[CGROUP_DIR + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !sysfs_read_u64("", path, value);
}

static uint64_t inactive_file(const struct cgroup *cgroup)
{
	const char *name = inactive_names[cgroup->version];
	char path[CGROUP_DIR + 64], *text, *rest, *line;
	uint64_t bytes = 0;
	size_t size;

	snprintf(path, sizeof(path), "%s/memory.stat", cgroup->dir);
	if (sysfs_slurp("", path, STAT_BYTES, &text, &size))
		return 0;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, name, strlen(name)) && !sysfs_scan_u64(line + strlen(name), &bytes))
			bytes = 0;
	}
	free(text);
	return bytes;
}

static uint64_t left_in(const struct cgroup *cgroup)
{
	uint64_t limit = UINT64_MAX, used, value;

	for (size_t i = 0; i < 2 && limit_names[cgroup->version][i]; i++) {
		if (read_value(cgroup->dir, limit_names[cgroup->version][i], &value) && value < limit)
			limit = value;
	}
	if (limit >= NO_LIMIT || !read_value(cgroup->dir, usage_names[cgroup->version], &used))
		return limit >= NO_LIMIT ? UINT64_MAX : limit;
	value = inactive_file(cgroup);
	used -= value < used ? value : used;
	return used < limit ? limit - used : 0;
}

uint64_t cgroup_left(const char *root)
{
	uint64_t least = UINT64_MAX, left;
	size_t top = strlen(root);
	struct cgroup own;

	if (own_dir(root, 1, &own) && own_dir(root, 2, &own))
		return UINT64_MAX;
	while (strlen(own.dir) > top) {
		left = left_in(&own);
		least = left < least ? left : least;
		*strrchr(own.dir, '/') = '\0';
	}
	return least;
}

/* --- swap --- */

uint64_t cgroup_own_swap_limit(const char *root)
{
	struct cgroup own;

	/* Version 1 limits only the sum of memory and swap. */
	if (!own_dir(root, 1, &own) || own_dir(root, 2, &own))
		return UINT64_MAX;
	return smallest_upwards(root, own, "memory.swap.max");
}
