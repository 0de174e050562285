/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sysfs.h"

#define TEXT_LIMIT (1024 * 1024)

/* word is one of the words of a list separated by any of the separators. */
static bool has_word(const char *list, const char *separators, const char *word)
{
	size_t length = strlen(word);

	while (*list) {
		size_t span = strcspn(list, separators);

		if (span == length && !strncmp(list, word, length))
			return true;
		list += span;
		list += strspn(list, separators);
	}
	return false;
}

/* The path of this process in the hierarchy with `controller` ("" = version 2), from /proc/self/cgroup. */
static int own_path(const char *root, const char *controller, char *path, size_t length)
{
	char *text, *rest, *line;
	size_t size;
	int ret = sysfs_slurp(root, "/proc/self/cgroup", TEXT_LIMIT, &text, &size);

	if (ret)
		return ret;
	ret = -ENODEV;
	rest = text;
	while (ret && (line = strsep(&rest, "\n"))) {
		char *list = strchr(line, ':');
		char *place = list ? strchr(list + 1, ':') : NULL;

		if (!place)
			continue;
		*place++ = '\0';
		list++;
		if (controller[0] ? has_word(list, ",", controller) : !list[0])
			ret = snprintf(path, length, "%s", place) < (int)length ? 0 : -ENAMETOOLONG;
	}
	free(text);
	return ret;
}

struct mount {
	char inside[CGROUP_DIR]; /* the folder of the hierarchy that is mounted */
	char point[CGROUP_DIR];
};

/* mountinfo(5): id parent major:minor root point options [fields] - type source superoptions */
static bool parse_mount(char *line, const char *type, const char *controller, struct mount *mount)
{
	char found[32], options[512];
	char *tail = strstr(line, " - ");

	if (!tail || sscanf(tail, " - %31s %*s %511s", found, options) != 2 || strcmp(found, type))
		return false;
	if (controller[0] && !has_word(options, ",", controller))
		return false;
	return sscanf(line, "%*s %*s %*s %511s %511s", mount->inside, mount->point) == 2;
}

static int find_mount(const char *root, const char *type, const char *controller, struct mount *mount)
{
	char *text, *rest, *line;
	size_t size;
	int ret = sysfs_slurp(root, "/proc/self/mountinfo", TEXT_LIMIT, &text, &size);

	if (ret)
		return ret;
	ret = -ENODEV;
	rest = text;
	while (ret && (line = strsep(&rest, "\n")))
		if (parse_mount(line, type, controller, mount))
			ret = 0;
	free(text);
	return ret;
}

/* The own folder in one hierarchy. In a container the mount shows only a part (inside) of it. */
static int own_dir(const char *root, int version, struct cgroup *own)
{
	const char *controller = version == 1 ? "memory" : "";
	char path[CGROUP_DIR];
	struct mount mount;
	const char *below = path;
	size_t inside;
	int ret = own_path(root, controller, path, sizeof(path));

	if (!ret)
		ret = find_mount(root, version == 1 ? "cgroup" : "cgroup2", controller, &mount);
	if (ret)
		return ret;
	inside = strlen(mount.inside);
	if (inside > 1 && !strncmp(path, mount.inside, inside))
		below = path + inside;
	if (!strcmp(below, "/"))
		below = "";
	if (snprintf(own->dir, sizeof(own->dir), "%s%s%s", root, mount.point, below) >= (int)sizeof(own->dir))
		return -ENAMETOOLONG;
	own->version = version;
	return 0;
}

static bool lists_memory(const char *dir, const char *file)
{
	char path[CGROUP_DIR + 64], text[512];

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	return !sysfs_read("", path, text, sizeof(text)) && has_word(text, " ", "memory");
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
