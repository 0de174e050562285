/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where this process's memory cgroup is, and how much memory it may have (cgroups(7), proc_pid_mountinfo(5)). */
#include "config.h"
#include "common/machine_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/sysfs.h"

#define FILE_MAX (1u << 20)
/* Version 1 prints "no limit" as the largest number of whole pages, whatever a page is. */
#define NO_LIMIT ((uint64_t)INT64_MAX - (1u << 20))

struct mount {
	char *root;  /* of the hierarchy, what the mount point shows */
	char *point;
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
		(version == 1 && !machine_has_word(options, ",", "memory")))
		return false;
	for (size_t i = 0; i < 5; i++) {
		fields[i] = strsep(&line, " ");
		if (!fields[i])
			return false;
	}
	machine_unescape(fields[3]);
	machine_unescape(fields[4]);
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
		if (version == 2 ? !strcmp(id, "0") && !*controllers : machine_has_word(controllers, ",", "memory"))
			return line;
	}
	return NULL;
}

/* What of path lies below the root that the mount shows; "" when it lies elsewhere. */
static const char *path_below(const char *root, const char *path)
{
	size_t length = strcmp(root, "/") ? strlen(root) : 0;

	if (strncmp(path, root, length) || path[length] != '/' || strstr(path, "/.."))
		return "";
	return path[length + 1] ? path + length : "";
}

static uint64_t limit_of(const char *root, const char *folder, const char *file)
{
	char path[512];
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
	char path[512], controllers[512];

	snprintf(path, sizeof(path), "%s/cgroup.controllers", mount_point);
	return !sysfs_read(root, path, controllers, sizeof(controllers)) &&
		machine_has_word(controllers, " ", "memory");
}

/* Cuts both texts; false when the memory controller is not of this version. */
static bool try_version(const char *root, char *cgroups, char *mounts, int version, struct machine *machine)
{
	struct mount mount;
	char *path = find_path(cgroups, version);
	char folder[sizeof(machine->cgroup_dir)];
	int length;

	if (!path || !find_mount(mounts, version, &mount))
		return false;
	if (version == 2 && !has_memory_controller(root, mount.point))
		return false;
	machine->cgroup_version = version;
	length = snprintf(folder, sizeof(folder), "%s%s", mount.point, path_below(mount.root, path));
	if (length < 0 || (size_t)length >= sizeof(folder))
		return true;
	memcpy(machine->cgroup_dir, folder, sizeof(folder));
	machine->cgroup_limit_bytes = smallest_limit(root, folder, mount.point, version);
	return true;
}

void machine_read_cgroup(const char *root, struct machine *machine)
{
	bool is_found = false;

	machine->cgroup_limit_bytes = UINT64_MAX;
	for (int version = 1; version <= 2 && !is_found; version++) {
		char *cgroups = NULL, *mounts = NULL;
		size_t length;

		if (!sysfs_slurp(root, "/proc/self/cgroup", FILE_MAX, &cgroups, &length) &&
			!sysfs_slurp(root, "/proc/self/mountinfo", FILE_MAX, &mounts, &length))
			is_found = try_version(root, cgroups, mounts, version, machine);
		free(cgroups);
		free(mounts);
	}
}
