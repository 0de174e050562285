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

/* "31 23 0:27 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw": the mount of the version, in place. */
static bool parse_mount(char *line, int version, struct mount *mount)
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
	if (!source || !options || strcmp(type, version == 2 ? "cgroup2" : "cgroup") ||
		(version == 1 && !sysfs_has_word(options, ",", "memory")))
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
static bool find_mount(char *mounts, int version, struct mount *mount)
{
	char *line;

	while ((line = strsep(&mounts, "\n")))
		if (parse_mount(line, version, mount))
			return true;
	return false;
}

/* The path within the hierarchy from "4:memory:/jobs/a" (version 1) or "0::/jobs/a" (version 2), in place. */
static char *find_path(char *cgroups, int version)
{
	char *line;

	while ((line = strsep(&cgroups, "\n"))) {
		char *id = strsep(&line, ":"), *controllers = strsep(&line, ":");

		if (!line)
			continue;
		if (version == 2 ? !strcmp(id, "0") && !*controllers : sysfs_has_word(controllers, ",", "memory"))
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

int cgroup_find_place(const char *root, int version, struct cgroup_place *place)
{
	char *cgroups = NULL, *mounts = NULL, *path;
	struct mount mount;
	size_t length;
	int ret = sysfs_slurp(root, "/proc/self/cgroup", TEXT_LIMIT, &cgroups, &length);

	if (!ret)
		ret = sysfs_slurp(root, "/proc/self/mountinfo", TEXT_LIMIT, &mounts, &length);
	if (!ret) {
		path = find_path(cgroups, version);
		ret = path && find_mount(mounts, version, &mount) ? fill(&mount, path, place) : -ENODEV;
	}
	free(mounts);
	free(cgroups);
	return ret;
}
