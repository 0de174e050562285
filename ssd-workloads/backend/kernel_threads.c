/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/backend/kernel_threads.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "common/sysfs.h"
#include "common/units.h"

#define TASKS "/proc/self/task"
#define INFO_BYTES (64u << 10)
#define POLLER "SqThread:"
#define TRIES 50
#define TRY_PAUSE_NS 200000

static pid_t read_poller(const char *path)
{
	const char *line;
	long thread = 0;
	size_t size;
	char *text;

	if (sysfs_slurp("", path, INFO_BYTES, &text, &size))
		return 0;
	line = strstr(text, POLLER);
	if (line)
		thread = strtol(line + strlen(POLLER), NULL, 10);
	free(text);
	return thread > 0 ? (pid_t)thread : 0;
}

pid_t kernel_threads_poller(int ring_fd)
{
	const struct timespec pause = {.tv_nsec = TRY_PAUSE_NS};
	pid_t poller;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", ring_fd);
	poller = read_poller(path);
	/* The kernel leaves the line empty while the ring is locked, which it often is by this very thread. */
	for (int tries = 0; !poller && tries < TRIES; tries++) {
		nanosleep(&pause, NULL);
		poller = read_poller(path);
	}
	return poller;
}

/* A thread's clock as the kernel makes its number; pthread_getcpuclockid knows only threads of pthread_create. */
static clockid_t clock_of(pid_t thread)
{
	return (clockid_t)(~(unsigned)thread << 3 | 6u);
}

uint64_t kernel_threads_cpu(pid_t thread)
{
	return thread > 0 ? clock_ns(clock_of(thread)) : 0;
}

static uint64_t cpu_if_named(const char *thread, const char *wanted)
{
	char path[320], name[32];
	uint64_t number;

	if (units_parse_u64(thread, 1, INT32_MAX, &number))
		return 0;
	snprintf(path, sizeof(path), TASKS "/%s/comm", thread);
	if (sysfs_read("", path, name, sizeof(name)) || strcmp(name, wanted) != 0)
		return 0;
	return kernel_threads_cpu((pid_t)number);
}

uint64_t kernel_threads_workers_cpu(pid_t owner)
{
	char wanted[32];
	const struct dirent *entry;
	uint64_t sum = 0;
	DIR *folder;

	snprintf(wanted, sizeof(wanted), "iou-wrk-%d", (int)owner);
	folder = opendir(TASKS);
	while (folder && (entry = readdir(folder)))
		sum += cpu_if_named(entry->d_name, wanted);
	if (folder)
		closedir(folder);
	return sum;
}
