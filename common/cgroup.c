/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

static int limit_v1(const struct cgroup *cgroup, uint64_t bytes, bool without_swap)
{
	int ret = 0;

	if (bytes)
		ret = write_number(cgroup, "memory.limit_in_bytes", bytes);
	if (ret || !without_swap)
		return ret;
	ret = write_number(cgroup, "memory.swappiness", 0);
	/* Absent without swap accounting; swappiness alone then keeps the cgroup's own reclaim from swapping.
	 */
	if (!ret && bytes) {
		ret = write_number(cgroup, "memory.memsw.limit_in_bytes", bytes);
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

static int limit_v2(const struct cgroup *cgroup, uint64_t bytes, bool without_swap)
{
	int ret = 0;

	if (bytes)
		ret = write_number(cgroup, "memory.max", bytes);
	if (!ret && without_swap)
		ret = write_number(cgroup, "memory.swap.max", 0);
	return ret;
}

int cgroup_limit(const struct cgroup *cgroup, uint64_t bytes, bool without_swap)
{
	return cgroup->version == 1 ? limit_v1(cgroup, bytes, without_swap)
				    : limit_v2(cgroup, bytes, without_swap);
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

/* Between reading the number and the signal it may have passed to a stranger: a pidfd holds the process
 * while its cgroup is asked again. */
static bool is_member(const struct cgroup *cgroup, pid_t pid)
{
	const char *name = strrchr(cgroup->dir, '/');
	char path[64], *text;
	size_t size;
	bool found;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	if (!name || sysfs_slurp("", path, 64 * 1024, &text, &size))
		return false;
	found = strstr(text, name);
	free(text);
	return found;
}

static void kill_process(const struct cgroup *cgroup, pid_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return;
	if (is_member(cgroup, pid))
		syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0);
	close(fd);
}

/* One pass over the members; how many there were through count. */
static int kill_members(const struct cgroup *cgroup, size_t *count)
{
	char *text, *rest, *line;
	uint64_t pid;
	int ret = slurp(cgroup, "cgroup.procs", &text);

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
			kill_process(cgroup, (pid_t)pid);
	}
	free(text);
	return 0;
}

/* Calls visit for every cgroup right below. */
static int for_each_child(const struct cgroup *cgroup, int (*visit)(const struct cgroup *child))
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir = opendir(cgroup->dir);

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		struct cgroup child = {.version = cgroup->version};

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (snprintf(child.dir, sizeof(child.dir), "%s/%s", cgroup->dir, entry->d_name) >=
			(int)sizeof(child.dir))
			ret = -ENAMETOOLONG;
		else
			ret = visit(&child);
	}
	closedir(dir);
	return ret;
}

int cgroup_kill(const struct cgroup *cgroup)
{
	int ret = for_each_child(cgroup, cgroup_kill);

	for (int tries = 0; !ret && tries < TRIES; tries++) {
		size_t count = 0;

		/* Reaches what forks faster than it is counted; version 1 and kernels before 5.14 lack it. */
		if (cgroup->version == 2)
			write_value(cgroup, "cgroup.kill", "1");
		ret = kill_members(cgroup, &count);
		if (!ret && !count)
			return 0;
		pause_shortly();
	}
	if (ret == -ENOENT || ret == -ENODEV)
		return 0;
	return ret ? ret : -ETIMEDOUT;
}

int cgroup_remove(const struct cgroup *cgroup)
{
	int ret = for_each_child(cgroup, cgroup_remove);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	/* Drops the page cache charged here; only then may rmdir succeed at once. Version 2 has no such file.
	 */
	if (cgroup->version == 1)
		write_value(cgroup, "memory.force_empty", "0");
	for (int tries = 0; tries < TRIES; tries++) {
		if (!rmdir(cgroup->dir) || errno == ENOENT)
			return 0;
		if (errno != EBUSY)
			return -errno;
		pause_shortly();
	}
	return -EBUSY;
}
