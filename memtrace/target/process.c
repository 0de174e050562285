/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/target/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/arena.h"
#include "common/base/sysfs.h"

#define MAPS_MAX (64u << 20) /* of text, some 600 000 mappings */

/* Parses "begin-end perms offset device inode   name". */
static bool parse_mapping(char *line, struct trace_event *event)
{
	unsigned long long begin, end, offset, inode;
	char access[8];
	int behind = 0;

	if (sscanf(line, "%llx-%llx %7s %llx %*s %llu%n", &begin, &end, access, &offset, &inode, &behind) < 5 || !behind)
		return false;
	line += behind;
	line += strspn(line, " ");
	event->value[0] = begin;
	event->value[1] = end - begin;
	event->value[2] = offset;
	event->value[3] = (access[0] == 'r' ? PROT_READ : 0) | (access[1] == 'w' ? PROT_WRITE : 0) |
		(access[2] == 'x' ? PROT_EXEC : 0);
	/* perf's events use the same name. */
	event->text = *line ? line : "//anon";
	return true;
}

int process_list_mappings(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context)
{
	char *text, *rest, *line;
	size_t length;
	int err = sysfs_slurp(root, SYSFS_PATH("/proc/%d/maps", (int)pid), MAPS_MAX, &text, &length);

	if (err)
		return err;
	rest = text;
	while (!err && (line = strsep(&rest, "\n"))) {
		struct trace_event event = {.time_ns = time_ns, .pid = (uint32_t)pid, .tid = (uint32_t)pid, .type = TRACE_MAP};

		if (parse_mapping(line, &event))
			err = take(context, &event);
	}
	free(text);
	return err;
}

static int list_numbers(const char *root, const char *folder, pid_t **numbers, size_t *count)
{
	char path[SYSFS_PATH_BYTES];
	size_t capacity = 0;
	struct dirent *entry;
	DIR *dir;

	*numbers = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "%s%s", root, folder);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		uint64_t number;
		const char *end = sysfs_scan_u64(entry->d_name, &number);

		if (!end || *end || !number || number > INT32_MAX)
			continue;
		if (arena_grow(numbers, &capacity, *count, sizeof(**numbers))) {
			closedir(dir);
			free(*numbers);
			return -ENOMEM;
		}
		(*numbers)[(*count)++] = (pid_t)number;
	}
	closedir(dir);
	return 0;
}

int process_threads(const char *root, pid_t pid, pid_t **tids, size_t *count)
{
	return list_numbers(root, SYSFS_PATH("/proc/%d/task", (int)pid), tids, count);
}

int process_list_threads(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context)
{
	pid_t *tids;
	size_t count;
	int err = process_threads(root, pid, &tids, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count && !err; i++) {
		char name[64];
		struct trace_event event = {.time_ns = time_ns, .pid = (uint32_t)pid, .tid = (uint32_t)tids[i],
			.type = TRACE_COMM, .text = name};

		/* The thread may have ended meanwhile. */
		if (!sysfs_read(root, SYSFS_PATH("/proc/%d/task/%d/comm", (int)pid, (int)tids[i]), name, sizeof(name)))
			err = take(context, &event);
	}
	free(tids);
	return err;
}

int process_list_all(const char *root, uint64_t time_ns, process_take_fn *take, void *context)
{
	pid_t *pids;
	size_t count;
	int err = list_numbers(root, "/proc", &pids, &count);

	if (err)
		return err;
	for (size_t i = 0; i < count && !err; i++) {
		err = process_list_threads(root, pids[i], time_ns, take, context);
		if (!err)
			err = process_list_mappings(root, pids[i], time_ns, take, context);
		/* The process has ended or is another user's: its samples have no known mapping. */
		if (err == -ENOENT || err == -ESRCH || err == -EACCES || err == -EPERM)
			err = 0;
	}
	free(pids);
	return err;
}
