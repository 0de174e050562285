/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/sysfs.h"
#include "common/units.h"

#define PAUSE_MS 10
#define TRIES (10 * 1000 / PAUSE_MS)

static void pause_shortly(void)
{
	const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000 * 1000};

	nanosleep(&pause, NULL);
}

static int write_value(const struct cgroup *cgroup, const char *name, const char *value)
{
	char path[CGROUP_DIR + 64];

	snprintf(path, sizeof(path), "%s/%s", cgroup->dir, name);
	return sysfs_write("", path, value);
}

static int write_number(const struct cgroup *cgroup, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_value(cgroup, name, text);
}

static int slurp(const struct cgroup *cgroup, const char *name, char **text)
{
	char path[CGROUP_DIR + 64];
	size_t size;

	snprintf(path, sizeof(path), "%s/%s", cgroup->dir, name);
	return sysfs_slurp("", path, 1024 * 1024, text, &size);
}

int cgroup_create(const struct cgroup *cgroup)
{
	return mkdir(cgroup->dir, 0755) ? -errno : 0;
}

static int limit_v1(const struct cgroup *cgroup, const struct cgroup_limits *limits)
{
	int ret = 0;

	if (limits->bytes)
		ret = write_number(cgroup, "memory.limit_in_bytes", limits->bytes);
	if (!ret && limits->without_swap)
		ret = write_number(cgroup, "memory.swappiness", 0);
	else if (!ret && limits->has_swappiness)
		ret = write_number(cgroup, "memory.swappiness", limits->swappiness);
	/* Absent without swap accounting; swappiness alone then keeps the cgroup's own reclaim from swapping.
	 */
	if (!ret && limits->without_swap && limits->bytes) {
		ret = write_number(cgroup, "memory.memsw.limit_in_bytes", limits->bytes);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

static int limit_v2(const struct cgroup *cgroup, const struct cgroup_limits *limits)
{
	int ret = 0;

	if (limits->bytes)
		ret = write_number(cgroup, "memory.max", limits->bytes);
	if (!ret && limits->high_bytes)
		ret = write_number(cgroup, "memory.high", limits->high_bytes);
	if (!ret && limits->without_swap)
		ret = write_number(cgroup, "memory.swap.max", 0);
	return ret;
}

int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits)
{
	return cgroup->version == 1 ? limit_v1(cgroup, limits) : limit_v2(cgroup, limits);
}

int cgroup_join(const struct cgroup *cgroup)
{
	return write_value(cgroup, "cgroup.procs", "0");
}

int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills)
{
	char *text, *rest, *line;
	unsigned long long value;
	int ret = slurp(cgroup, cgroup->version == 1 ? "memory.oom_control" : "memory.events", &text);

	if (ret)
		return ret;
	ret = -ENODATA;
	rest = text;
	while (ret && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "oom_kill %llu", &value) == 1) {
			*kills = value;
			ret = 0;
		}
	}
	free(text);
	return ret;
}

void cgroup_flush_stat(const struct cgroup *cgroup)
{
	char *text;

	if (!slurp(cgroup, "memory.stat", &text))
		free(text);
}

/* --- its end: by descriptors, because the names of what a command has nested may be longer together than any path --- */

struct sweep {
	int version;
	const char *run; /* "/NAME" of the topmost, which is in the paths of all below */
};

/* Between reading the number and the signal it may have passed to a stranger: a pidfd holds the process while its cgroup is
 * asked again. A path that is too long for the kernel to print is no stranger's. */
static bool is_member(const struct sweep *sweep, pid_t pid)
{
	char path[64], *text;
	size_t size;
	bool found;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	ret = sysfs_slurp("", path, 64 * 1024, &text, &size);
	if (ret)
		return ret == -ENAMETOOLONG;
	found = strstr(text, sweep->run);
	free(text);
	return found;
}

static void kill_process(const struct sweep *sweep, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return;
	if (is_member(sweep, pid))
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	close(fd);
}

/* One pass over the members; how many there were through count. */
static int kill_members(const struct sweep *sweep, int dir, size_t *count)
{
	char path[64], *text, *rest, *line;
	uint64_t pid;
	size_t size;
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/cgroup.procs", dir);
	ret = sysfs_slurp("", path, 1024 * 1024, &text, &size);
	if (ret)
		return ret;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		/* 0: a process that this PID namespace cannot see; it is counted so that the wait ends in an
		 * error. */
		if (units_parse_u64(line, 0, INT32_MAX, &pid))
			continue;
		(*count)++;
		if (pid)
			kill_process(sweep, (pid_t)pid);
	}
	free(text);
	return 0;
}

/* Until no member is left; -ETIMEDOUT. */
static int kill_all(const struct sweep *sweep, int dir)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/cgroup.kill", dir);
	for (int tries = 0; tries < TRIES; tries++) {
		size_t count = 0;
		int ret;

		/* Reaches what forks faster than it is counted; version 1 and kernels before 5.14 lack it. */
		if (sweep->version == 2)
			(void)sysfs_write("", path, "1");
		ret = kill_members(sweep, dir, &count);
		if (ret == -ENOENT || ret == -ENODEV || (!ret && !count))
			return 0;
		if (ret)
			return ret;
		pause_shortly();
	}
	return -ETIMEDOUT;
}

/* A cgroup right below; name "" = there is none. */
static int first_child(int dir, char name[NAME_MAX + 1])
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	name[0] = '\0';
	if (!stream) {
		int ret = -errno;

		if (copy >= 0)
			close(copy);
		return ret;
	}
	while (!name[0] && (entry = readdir(stream)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			snprintf(name, NAME_MAX + 1, "%s", entry->d_name);
	closedir(stream);
	return 0;
}

static int remove_at(const struct sweep *sweep, int parent, const char *name, int dir)
{
	char path[64];

	/* Drops the page cache charged here; only then may rmdir succeed at once. Version 2 has no such file. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d/memory.force_empty", dir);
	if (sweep->version == 1)
		(void)sysfs_write("", path, "0");
	for (int tries = 0; tries < TRIES; tries++) {
		if (!unlinkat(parent, name, AT_REMOVEDIR) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		pause_shortly();
	}
	return -EBUSY;
}

static int destroy_at(const struct sweep *sweep, int parent, const char *name)
{
	int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), ret;
	char child[NAME_MAX + 1];

	if (dir < 0)
		return errno == ENOENT ? 0 : -errno;
	ret = kill_all(sweep, dir);
	while (!ret && !(ret = first_child(dir, child)) && child[0])
		ret = destroy_at(sweep, dir, child);
	if (!ret || ret == -ENOENT)
		ret = remove_at(sweep, parent, name, dir);
	close(dir);
	return ret;
}

int cgroup_destroy(const struct cgroup *cgroup)
{
	const char *name = strrchr(cgroup->dir, '/');
	const struct sweep sweep = {.version = cgroup->version, .run = name};

	return name && name[1] ? destroy_at(&sweep, AT_FDCWD, cgroup->dir) : -EINVAL;
}
