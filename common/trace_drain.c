/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/trace_drain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/trace_page.h"

#define EVERY_NS 20000000
#define TOUCHED ((size_t)16 << 20) /* bytes, so that a usual run takes few pages while others are measured */

struct trace_drain {
	const struct trace_instance *instance;
	size_t items, item_bytes;
	trace_drain_make *make;
	void *context;
	struct trace_page_layout layout;
	void *page, *item;
	size_t pipe_count;
	int *pipes;                   /* trace_pipe_raw of each CPU */
	char *kept;                   /* items, in a circle */
	uint64_t count;               /* that were ever taken */
	pthread_t thread;
	cpu_set_t cpus;
	bool is_running;
	atomic_bool stop;
	int error;
};

static int open_pipe(struct trace_drain *drain, const char *path)
{
	int *more = reallocarray(drain->pipes, drain->pipe_count + 1, sizeof(*more));
	int fd;

	if (!more)
		return -ENOMEM;
	drain->pipes = more;
	fd = openat(drain->instance->fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	drain->pipes[drain->pipe_count++] = fd;
	return 0;
}

static int open_raw_pipes(struct trace_drain *drain)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[300];
	int rc = text ? trace_instance_read(drain->instance, "events/header_page", text, TRACE_INSTANCE_TEXT) : -ENOMEM;
	const struct dirent *entry;
	DIR *folder;
	int fd;

	if (!rc)
		rc = trace_page_layout_read(text, &drain->layout);
	free(text);
	if (rc)
		return rc;
	drain->page = malloc(drain->layout.page_bytes);
	drain->item = malloc(drain->item_bytes);
	if (!drain->page || !drain->item)
		return -ENOMEM;
	fd = openat(drain->instance->fd, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (!rc && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "per_cpu/%s/trace_pipe_raw", entry->d_name);
		if (!strncmp(entry->d_name, "cpu", 3))
			rc = open_pipe(drain, path);
	}
	closedir(folder);
	return rc;
}

int trace_drain_open(const struct trace_instance *instance, size_t items, size_t item_bytes, trace_drain_make *make,
	void *context, struct trace_drain **opened)
{
	struct trace_drain *drain = calloc(1, sizeof(*drain));
	size_t bytes = items * item_bytes;
	void *kept;
	int rc;

	if (!drain)
		return -ENOMEM;
	drain->instance = instance;
	drain->items = items;
	drain->item_bytes = item_bytes;
	drain->make = make;
	drain->context = context;
	kept = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	drain->kept = kept == MAP_FAILED ? NULL : kept;
	rc = drain->kept ? open_raw_pipes(drain) : -ENOMEM;
	if (rc) {
		trace_drain_close(drain);
		return rc;
	}
	memset(drain->kept, 1, bytes < TOUCHED ? bytes : TOUCHED);
	*opened = drain;
	return 0;
}

static void take_event(void *context, uint64_t time_ns, const void *event, size_t size)
{
	struct trace_drain *drain = context;

	if (drain->make(drain->context, time_ns, event, size, drain->item))
		memcpy(drain->kept + drain->count++ % drain->items * drain->item_bytes, drain->item, drain->item_bytes);
}

/* All that is there. The end of a pipe is where it is empty and tracing is off: it may be on again. */
static int empty_pipe(struct trace_drain *drain, int fd)
{
	for (;;) {
		ssize_t size = read(fd, drain->page, drain->layout.page_bytes);
		int rc = 0;

		if (!size || (size < 0 && errno == EAGAIN))
			return 0;
		if (size < 0 && errno != EINTR)
			return -errno;
		if (size > 0)
			rc = trace_page_parse(&drain->layout, drain->page, (size_t)size, take_event, drain);
		if (rc)
			return rc;
	}
}

int trace_drain_now(struct trace_drain *drain)
{
	int rc = 0;

	drain->count = 0;
	for (size_t i = 0; i < drain->pipe_count && !rc; i++)
		rc = empty_pipe(drain, drain->pipes[i]);
	return rc;
}

static void *run(void *argument)
{
	const struct timespec pause = {0, EVERY_NS};
	struct trace_drain *drain = argument;
	bool is_last;

	pthread_setaffinity_np(pthread_self(), sizeof(drain->cpus), &drain->cpus);
	do {
		is_last = atomic_load(&drain->stop);
		for (size_t i = 0; i < drain->pipe_count && !drain->error; i++)
			drain->error = empty_pipe(drain, drain->pipes[i]);
		if (!is_last)
			nanosleep(&pause, NULL);
	} while (!is_last && !drain->error);
	return NULL;
}

int trace_drain_start(struct trace_drain *drain, bool is_elsewhere)
{
	int err, here = sched_getcpu();
	sigset_t all, before;

	drain->count = 0;
	drain->error = 0;
	atomic_store(&drain->stop, false);
	CPU_ZERO(&drain->cpus);
	if (!sched_getaffinity(0, sizeof(drain->cpus), &drain->cpus) && is_elsewhere && here >= 0 && CPU_COUNT(&drain->cpus) > 1)
		CPU_CLR((unsigned)here, &drain->cpus);
	/* Signals are for the thread that writes, or waits for the run's end. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&drain->thread, NULL, run, drain);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	drain->is_running = !err;
	return -err;
}

int trace_drain_stop(struct trace_drain *drain)
{
	if (!drain->is_running)
		return 0;
	atomic_store(&drain->stop, true);
	pthread_join(drain->thread, NULL);
	drain->is_running = false;
	return drain->error;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void trace_drain_kept(struct trace_drain *drain, const void **kept, size_t *count)
{
	*count = drain->count < drain->items ? (size_t)drain->count : drain->items;
	/* Each CPU's are in order, theirs among each other are not. */
	qsort(drain->kept, *count, drain->item_bytes, compare);
	*kept = drain->kept;
}

void trace_drain_close(struct trace_drain *drain)
{
	if (!drain)
		return;
	trace_drain_stop(drain);
	for (size_t i = 0; i < drain->pipe_count; i++)
		close(drain->pipes[i]);
	free(drain->pipes);
	free(drain->page);
	free(drain->item);
	if (drain->kept)
		munmap(drain->kept, drain->items * drain->item_bytes);
	free(drain);
}
