/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where this process is among the cgroups (cgroups(7), proc_pid_mountinfo(5)). */
#include "config.h"
#include "common/cgroup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/sysfs.h"

#define TEXT_LIMIT (1024 * 1024)

/* A mount shows a part of the hierarchy, `inside`, at a folder, `point`. */
struct mount {
	char *inside, *point;
};

/* "31 23 0:27 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw": the mount of version 2 (controller NULL) or of a
 * controller's hierarchy of version 1, in place. */
static bool parse_mount(char *line, const char *controller, struct mount *mount)
{
	char *fields[5], *tail = strstr(line, " - ");
	char *type, *source, *options;

	if (!tail)
		return false;
	*tail = '\0';
	tail += 3;
	type = strsep(&tail, " ");
	source = strsep(&tail, " ");
	options = tail;
	if (!source || !options || strcmp(type, controller ? "cgroup" : "cgroup2") ||
		(controller && !sysfs_has_word(options, ",", controller)))
		return false;
	for (size_t i = 0; i < 5; i++) {
		fields[i] = strsep(&line, " ");
		if (!fields[i])
			return false;
	}
	sysfs_unescape(fields[3]);
	sysfs_unescape(fields[4]);
	*mount = (struct mount){fields[3], fields[4]};
	return true;
}

/* mounts is cut into lines. */
static bool find_mount(char *mounts, const char *controller, struct mount *mount)
{
	char *line;

	while ((line = strsep(&mounts, "\n")))
		if (parse_mount(line, controller, mount))
			return true;
	return false;
}

/* The path within the hierarchy from "4:memory:/jobs/a" (version 1) or "0::/jobs/a" (version 2), in place. */
static char *find_path(char *cgroups, const char *controller)
{
	char *line;

	while ((line = strsep(&cgroups, "\n"))) {
		char *id = strsep(&line, ":"), *controllers = strsep(&line, ":");

		if (!line)
			continue;
		if (controller ? sysfs_has_word(controllers, ",", controller) : !strcmp(id, "0") && !*controllers)
			return line;
	}
	return NULL;
}

/* What of path lies below what the mount shows; "" when it lies elsewhere. */
static const char *path_below(const char *inside, const char *path)
{
	size_t length = strcmp(inside, "/") ? strlen(inside) : 0;

	if (strncmp(path, inside, length) || path[length] != '/' || strstr(path, "/.."))
		return "";
	return path[length + 1] ? path + length : "";
}

static int fill(const struct mount *mount, const char *path, struct cgroup_place *place)
{
	struct cgroup_place new;

	if (snprintf(new.mount_point, sizeof(new.mount_point), "%s", mount->point) >= (int)sizeof(new.mount_point) ||
		snprintf(new.dir, sizeof(new.dir), "%s%s", mount->point, path_below(mount->inside, path)) >=
			(int)sizeof(new.dir))
		return -ENAMETOOLONG;
	*place = new;
	return 0;
}

int cgroup_find_hierarchy(const char *root, const char *controller, struct cgroup_place *place)
{
	char *cgroups = NULL, *mounts = NULL, *path;
	struct mount mount;
	size_t length;
	int ret = sysfs_slurp(root, "/proc/self/cgroup", TEXT_LIMIT, &cgroups, &length);

	if (!ret)
		ret = sysfs_slurp(root, "/proc/self/mountinfo", TEXT_LIMIT, &mounts, &length);
	if (!ret) {
		path = find_path(cgroups, controller);
		ret = path && find_mount(mounts, controller, &mount) ? fill(&mount, path, place) : -ENODEV;
	}
	free(mounts);
	free(cgroups);
	return ret;
}

int cgroup_find_place(const char *root, int version, struct cgroup_place *place)
{
	return cgroup_find_hierarchy(root, version == 1 ? "memory" : NULL, place);
}
