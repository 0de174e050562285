/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cgroups of this process (cgroups(7), proc_pid_mountinfo(5)). */
#include "config.h"
#include "common/kernel/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/counters.h"

/* --- cgroup of this process --- */

#define TEXT_LIMIT (1024 * 1024)

/* A mount that shows the part `inside` of a hierarchy at the folder `point`. */
struct cgroup_mount {
	char *inside, *point;
};

/* Parses a line like "31 23 0:27 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw" in place, if it is the mount of version 2
 * (controller NULL) or of a controller's hierarchy of version 1. */
static bool parse_mount(char *line, const char *controller, struct cgroup_mount *mount)
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
	*mount = (struct cgroup_mount){fields[3], fields[4]};
	return true;
}

/* Finds the path within the hierarchy, in place: of "4:memory:/jobs/a" (version 1) or "0::/jobs/a" (version 2). */
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

static int fill(const struct cgroup_mount *mount, const char *path, struct cgroup_place *place)
{
	size_t length = strcmp(mount->inside, "/") ? strlen(mount->inside) : 0;
	bool is_shown = !strncmp(path, mount->inside, length) && path[length] == '/' && !strstr(path, "/..");
	const char *below = is_shown && path[length + 1] ? path + length : "";
	struct cgroup_place new;

	if (snprintf(new.mount_point, sizeof(new.mount_point), "%s", mount->point) >= (int)sizeof(new.mount_point) ||
		snprintf(new.dir, sizeof(new.dir), "%s%s", mount->point, below) >= (int)sizeof(new.dir))
		return -ENAMETOOLONG;
	*place = new;
	return 0;
}

int cgroup_find_hierarchy(const char *root, const char *controller, struct cgroup_place *place)
{
	char *cgroups = NULL, *mounts = NULL, *path, *rest, *line;
	struct cgroup_mount mount = {NULL, NULL};
	size_t length;
	int ret = sysfs_slurp(root, "/proc/self/cgroup", TEXT_LIMIT, &cgroups, &length);

	if (!ret)
		ret = sysfs_slurp(root, "/proc/self/mountinfo", TEXT_LIMIT, &mounts, &length);
	if (!ret) {
		path = find_path(cgroups, controller);
		rest = mounts;
		while (!mount.point && (line = strsep(&rest, "\n")))
			(void)parse_mount(line, controller, &mount);
		ret = path && mount.point ? fill(&mount, path, place) : -ENODEV;
	}
	free(mounts);
	free(cgroups);
	return ret;
}

/* --- parent of a new cgroup --- */

static int own_dir(const char *root, int version, struct cgroup *own)
{
	struct cgroup_place place;
	int ret = cgroup_find_hierarchy(root, version == 1 ? "memory" : NULL, &place);

	if (ret)
		return ret;
	if (snprintf(own->dir, sizeof(own->dir), "%s%s", root, place.dir) >= (int)sizeof(own->dir))
		return -ENAMETOOLONG;
	own->version = version;
	return 0;
}

static bool lists_memory(const char *dir, const char *file)
{
	char text[512];

	return !sysfs_read("", SYSFS_PATH("%s/%s", dir, file), text, sizeof(text)) && sysfs_has_word(text, " ", "memory");
}

/* Climbs from own->dir to the nearest folder whose children have the memory controller, also past folders that do not enable it
 * for their children. */
static int climb(struct cgroup *own, char *why, size_t length)
{
	char dir[CGROUP_DIR], highest[CGROUP_DIR] = ""; /* the topmost folder that has the controller and could enable it */

	snprintf(dir, sizeof(dir), "%s", own->dir);
	while (!access(SYSFS_PATH("%s/cgroup.controllers", dir), F_OK)) {
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
	if (!highest[0])
		return diag_explain(-ENODEV, why, length,
			"the cgroups from %s upwards have no memory controller: check that no cgroup version 1 "
			"holds it and that the kernel was not started with cgroup_disable=memory", own->dir);
	return diag_explain(-EOPNOTSUPP, why, length,
		"no cgroup from %s upwards gives the memory controller to its children: "
		"as root, 'echo +memory > %s/cgroup.subtree_control' (in a container move its processes into "
		"a child cgroup first), or with systemd start by 'systemd-run --scope -p MemoryAccounting=yes'",
		own->dir, highest);
}

int cgroup_find_parent(const char *root, struct cgroup *parent, char *why, size_t length)
{
	if (!own_dir(root, 1, parent))
		return 0;
	if (!own_dir(root, 2, parent))
		return climb(parent, why, length);
	return diag_explain(-ENODEV, why, length,
		"no memory cgroup controller is mounted: mount cgroup2 on /sys/fs/cgroup "
		"(and check that the kernel was not started with cgroup_disable=memory)");
}

/* --- limits --- */

/* The file names of version 1 and 2; version 1's total_ values include descendants, as its usage does. */
static const char *const limit_names[][2] = {
	[1] = {"memory.limit_in_bytes", NULL}, [2] = {"memory.max", "memory.high"}};
static const char *const usage_names[] = {[1] = "memory.usage_in_bytes", [2] = "memory.current"};
static const char *const inactive_names[] = {[1] = "total_inactive_file", [2] = "inactive_file"};

/* A limit of "max", and the root's missing file, mean no limit. */
static uint64_t read_limit(const struct cgroup *cgroup, const char *file)
{
	uint64_t value;

	return sysfs_read_u64("", SYSFS_PATH("%s/%s", cgroup->dir, file), &value) ? UINT64_MAX : value;
}

static uint64_t hard_limit(const struct cgroup *cgroup)
{
	return read_limit(cgroup, limit_names[cgroup->version][0]);
}

static uint64_t swap_limit(const struct cgroup *cgroup)
{
	return read_limit(cgroup, "memory.swap.max");
}

static uint64_t any_limit(const struct cgroup *cgroup)
{
	const char *high = limit_names[cgroup->version][1];
	uint64_t limit = hard_limit(cgroup), soft = high ? read_limit(cgroup, high) : UINT64_MAX;

	limit = soft < limit ? soft : limit;
	return limit < CGROUP_NO_LIMIT ? limit : UINT64_MAX;
}

static uint64_t unused(const struct cgroup *cgroup)
{
	uint64_t limit = any_limit(cgroup), used = read_limit(cgroup, usage_names[cgroup->version]), inactive;

	if (limit == UINT64_MAX || used == UINT64_MAX)
		return limit;
	if (!sysfs_read_field("", SYSFS_PATH("%s/memory.stat", cgroup->dir), inactive_names[cgroup->version], 10, &inactive))
		used -= inactive < used ? inactive : used;
	return used < limit ? limit - used : 0;
}

/* Returns the least value from this cgroup upwards, because a limit binds all descendants. The walk ends above the mount, where
 * the files are missing. */
static uint64_t least_upwards(const char *root, struct cgroup own, uint64_t (*value)(const struct cgroup *cgroup))
{
	uint64_t least = UINT64_MAX;
	size_t top = strlen(root);

	for (; strlen(own.dir) > top; *strrchr(own.dir, '/') = '\0') {
		uint64_t here = value(&own);

		least = here < least ? here : least;
	}
	return least;
}

uint64_t cgroup_own_limit(const char *root)
{
	struct cgroup own;

	return own_dir(root, 1, &own) && own_dir(root, 2, &own) ? UINT64_MAX : least_upwards(root, own, hard_limit);
}

uint64_t cgroup_own_swap_limit(const char *root)
{
	struct cgroup own;

	/* Version 1 limits only the sum of memory and swap. */
	return !own_dir(root, 1, &own) || own_dir(root, 2, &own) ? UINT64_MAX : least_upwards(root, own, swap_limit);
}

int cgroup_find_memory(const char *root, struct cgroup_place *place, uint64_t *limit_bytes)
{
	int version = 1, err = cgroup_find_hierarchy(root, "memory", place);
	struct cgroup own;

	*limit_bytes = UINT64_MAX;
	if (err && err != -ENAMETOOLONG) {
		version = 2;
		err = cgroup_find_hierarchy(root, NULL, place);
		if (!err && !lists_memory(SYSFS_PATH("%s%s", root, place->mount_point), "cgroup.controllers"))
			err = -ENODEV;
	}
	if (err == -ENAMETOOLONG)
		place->dir[0] = '\0';
	else if (err)
		return 0;
	else if (!own_dir(root, version, &own))
		*limit_bytes = least_upwards(root, own, any_limit);
	return version;
}

uint64_t available_memory(const char *root)
{
	uint64_t left = UINT64_MAX, kib, pages, taken, space;
	struct rlimit limit;
	struct cgroup own;
	char text[128];

	if (!own_dir(root, 1, &own) || !own_dir(root, 2, &own))
		left = least_upwards(root, own, unused);
	if (!sysfs_read_field(root, "/proc/meminfo", "MemAvailable", 10, &kib) && kib * 1024 < left)
		left = kib * 1024;
	/* The address space (ulimit -v) may limit further. */
	if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY &&
		!sysfs_read(root, "/proc/self/statm", text, sizeof(text)) && sysfs_scan_u64(text, &pages)) {
		taken = pages * (uint64_t)sysconf(_SC_PAGESIZE);
		space = taken < limit.rlim_cur ? limit.rlim_cur - taken : 0;
		left = space < left ? space : left;
	}
	return left;
}

/* --- one cgroup --- */

#define PAUSE_MS 10
#define TRIES (10 * 1000 / PAUSE_MS)

static void pause_shortly(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	nanosleep(&pause, NULL);
}

static int write_value(const struct cgroup *cgroup, const char *name, const char *value)
{
	return sysfs_write("", SYSFS_PATH("%s/%s", cgroup->dir, name), value);
}

static int write_number(const struct cgroup *cgroup, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_value(cgroup, name, text);
}

int cgroup_create(const struct cgroup *cgroup)
{
	return mkdir(cgroup->dir, 0755) ? -errno : 0;
}

int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits)
{
	bool is_v1 = cgroup->version == 1;
	int ret = 0;

	if (limits->bytes)
		ret = write_number(cgroup, limit_names[cgroup->version][0], limits->bytes);
	if (!ret && limits->high_bytes && !is_v1)
		ret = write_number(cgroup, "memory.high", limits->high_bytes);
	if (!ret && limits->without_swap)
		ret = write_number(cgroup, is_v1 ? "memory.swappiness" : "memory.swap.max", 0);
	else if (!ret && limits->has_swappiness && is_v1)
		ret = write_number(cgroup, "memory.swappiness", limits->swappiness);
	/* The file is absent without swap accounting; swappiness alone then keeps the cgroup's own reclaim from swapping. */
	if (!ret && limits->without_swap && limits->bytes && is_v1) {
		ret = write_number(cgroup, "memory.memsw.limit_in_bytes", limits->bytes);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

int cgroup_join(const struct cgroup *cgroup)
{
	return write_value(cgroup, "cgroup.procs", "0");
}

void cgroup_read_limits(const struct cgroup *cgroup, struct cgroup_limit limits[CGROUP_LIMIT_FILES])
{
	static const char *const names[][CGROUP_LIMIT_FILES] = {
		[1] = {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.swappiness"},
		[2] = {"memory.max", "memory.high", "memory.swap.max", "memory.swap.high", "memory.zswap.max"},
	};

	for (size_t i = 0; i < CGROUP_LIMIT_FILES; i++) {
		struct cgroup_limit *limit = &limits[i];

		*limit = (struct cgroup_limit){.name = names[cgroup->version][i]};
		if (limit->name &&
			sysfs_read("", SYSFS_PATH("%s/%s", cgroup->dir, limit->name), limit->value, sizeof(limit->value)))
			limit->value[0] = '\0';
	}
}

/* A path that is too long for the kernel to print is that of a member. */
int cgroup_holds(const struct cgroup *cgroup, const char *proc, pid_t pid)
{
	const char *name = strrchr(cgroup->dir, '/'), *path, *found;
	char *text;
	size_t size;
	int ret = sysfs_slurp(proc, SYSFS_PATH("/%d/cgroup", (int)pid), 64 * 1024, &text, &size);

	if (ret)
		return ret == -ENAMETOOLONG ? 1 : ret;
	path = find_path(text, cgroup->version == 1 ? "memory" : NULL);
	found = path && name ? strstr(path, name) : NULL;
	ret = found && strchr("/ ", found[strlen(name)]); /* ends at '/', at the end or at " (deleted)" */
	free(text);
	return ret;
}

int cgroup_swapped(const struct cgroup *cgroup, uint64_t *bytes)
{
	if (cgroup->version == 1)
		return sysfs_read_field("", SYSFS_PATH("%s/memory.stat", cgroup->dir), "total_swap", 10, bytes);
	return sysfs_read_u64("", SYSFS_PATH("%s/memory.swap.current", cgroup->dir), bytes);
}

int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills)
{
	const char *file = cgroup->version == 1 ? "memory.oom_control" : "memory.events";

	return sysfs_read_field("", SYSFS_PATH("%s/%s", cgroup->dir, file), "oom_kill", 10, kills);
}

void cgroup_flush_stat(const struct cgroup *cgroup)
{
	char *text;
	size_t size;

	if (!sysfs_slurp("", SYSFS_PATH("%s/memory.stat", cgroup->dir), 1024 * 1024, &text, &size))
		free(text);
}

/* --- removal: by descriptors, because nested names may be longer together than any path --- */

/* Kills the members once and counts them. The number of a member may be reused before the signal, so a pidfd holds the process
 * while its cgroup is read again. */
static int kill_members(const struct cgroup *topmost, int dir, size_t *count)
{
	char *text, *rest, *line;
	uint64_t pid;
	size_t size;
	int ret, fd;

	ret = sysfs_slurp("", SYSFS_PATH("/proc/self/fd/%d/cgroup.procs", dir), 1024 * 1024, &text, &size);
	if (ret)
		return ret;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		/* 0 is a process that this PID namespace cannot see; it counts, so that the wait ends with an error. */
		if (units_parse_u64(line, 0, INT32_MAX, &pid))
			continue;
		(*count)++;
		fd = pid ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
		if (fd >= 0 && cgroup_holds(topmost, "/proc", (pid_t)pid) > 0)
			syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
		if (fd >= 0)
			close(fd);
	}
	free(text);
	return 0;
}

/* Repeats until no member is left; -ETIMEDOUT. */
static int kill_all(const struct cgroup *topmost, int dir)
{
	for (int tries = 0; tries < TRIES; tries++) {
		size_t count = 0;
		int ret;

		/* cgroup.kill also reaches processes that fork faster than they are listed; version 1 and kernels before 5.14
		 * lack it. */
		if (topmost->version == 2)
			(void)sysfs_write("", SYSFS_PATH("/proc/self/fd/%d/cgroup.kill", dir), "1");
		ret = kill_members(topmost, dir, &count);
		if (ret == -ENOENT || ret == -ENODEV || (!ret && !count))
			return 0;
		if (ret)
			return ret;
		pause_shortly();
	}
	return -ETIMEDOUT;
}

/* Finds a child cgroup; name "" = there is none. */
static int first_child(int dir, char name[NAME_MAX + 1])
{
	struct dirent *entry;
	DIR *stream;
	int ret = sysfs_open_folder(dir, ".", &stream);

	name[0] = '\0';
	if (ret)
		return ret;
	while (!name[0] && (entry = readdir(stream)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
	closedir(stream);
	return 0;
}

static int destroy_at(const struct cgroup *topmost, int parent, const char *name)
{
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), ret, tries = 0;
	char child[NAME_MAX + 1];

	if (dir < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = kill_all(topmost, dir);
	while (!ret && !(ret = first_child(dir, child)) && child[0])
		ret = destroy_at(topmost, dir, child);
	if (ret && ret != -ENOENT)
		goto out;
	/* Drops the page cache charged to this cgroup, without which rmdir may fail at first. Version 2 has no such file. */
	if (topmost->version == 1)
		(void)sysfs_write("", SYSFS_PATH("/proc/self/fd/%d/memory.force_empty", dir), "0");
	do {
		ret = unlinkat(parent, name, AT_REMOVEDIR) && errno != ENOENT ? -errno : 0;
		if (ret == -EBUSY)
			pause_shortly();
	} while (ret == -EBUSY && ++tries < TRIES);
out:
	close(dir);
	return ret;
}

int cgroup_destroy(const struct cgroup *cgroup)
{
	const char *name = strrchr(cgroup->dir, '/');

	return name && name[1] ? destroy_at(cgroup, AT_FDCWD, cgroup->dir) : -EINVAL;
}
