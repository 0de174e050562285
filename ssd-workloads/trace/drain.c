/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/trace/drain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 20000000
#define TOUCHED (16u << 20) /* bytes, so that a usual run takes few pages while others are measured */
#define ROOM ((size_t)DRAIN_EVENTS * sizeof(struct split_event))

struct drain {
	const struct trace_instance *instance;
	struct drain_format formats[DRAIN_KINDS];
	struct trace_page_layout layout;
	void *page;
	size_t cpu_count;
	int *cpus;                    /* trace_pipe_raw of each */
	struct split_event *events;   /* DRAIN_EVENTS, in a circle */
	uint64_t count;               /* that were ever taken */
	pthread_t thread;
	bool is_running;
	atomic_bool stop;
	int error;
};

static int open_cpu(struct drain *drain, const char *name)
{
	char path[300];
	int *more = reallocarray(drain->cpus, drain->cpu_count + 1, sizeof(*more));
	int fd;

	if (!more)
		return -ENOMEM;
	drain->cpus = more;
	snprintf(path, sizeof(path), "per_cpu/%s/trace_pipe_raw", name);
	fd = openat(drain->instance->fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	drain->cpus[drain->cpu_count++] = fd;
	return 0;
}

static int open_cpus(struct drain *drain)
{
	int fd = openat(drain->instance->fd, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!folder) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (!rc && (entry = readdir(folder))) {
		if (!strncmp(entry->d_name, "cpu", 3))
			rc = open_cpu(drain, entry->d_name);
	}
	closedir(folder);
	return rc;
}

static int read_layout(struct drain *drain)
{
	char *text = malloc(TRACE_INSTANCE_TEXT);
	int rc = text ? trace_instance_read(drain->instance, "events/header_page", text, TRACE_INSTANCE_TEXT) : -ENOMEM;

	if (!rc)
		rc = trace_page_layout_read(text, &drain->layout);
	free(text);
	return rc;
}

int drain_open(const struct trace_instance *instance, const struct drain_format formats[DRAIN_KINDS], struct drain **opened)
{
	struct drain *drain = calloc(1, sizeof(*drain));
	void *events;
	int rc;

	if (!drain)
		return -ENOMEM;
	drain->instance = instance;
	memcpy(drain->formats, formats, sizeof(drain->formats));
	events = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	drain->events = events == MAP_FAILED ? NULL : events;
	rc = drain->events ? read_layout(drain) : -ENOMEM;
	if (!rc) {
		drain->page = malloc(drain->layout.page_bytes);
		rc = drain->page ? open_cpus(drain) : -ENOMEM;
	}
	if (rc) {
		drain_close(drain);
		return rc;
	}
	memset(drain->events, 0, TOUCHED);
	*opened = drain;
	return 0;
}

static void take(void *context, uint64_t time_ns, const void *bytes, size_t size)
{
	struct drain *drain = context;
	uint16_t type;

	if (size < sizeof(type))
		return;
	memcpy(&type, bytes, sizeof(type));
	for (unsigned kind = 0; kind < DRAIN_KINDS; kind++) {
		const struct drain_format *format = &drain->formats[kind];

		if (type != format->id)
			continue;
		drain->events[drain->count++ % DRAIN_EVENTS] = (struct split_event){.time_ns = time_ns,
			.sector = trace_field_get(&format->sector, bytes, size),
			.sectors = (uint32_t)trace_field_get(&format->sectors, bytes, size), .kind = (uint8_t)kind};
		return;
	}
}

/* All that is there. */
static int drain_cpu(struct drain *drain, int fd)
{
	ssize_t size;

	while ((size = read(fd, drain->page, drain->layout.page_bytes)) != 0) {
		int rc;

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return errno == EAGAIN ? 0 : -errno;
		rc = trace_page_parse(&drain->layout, drain->page, (size_t)size, take, drain);
		if (rc)
			return rc;
	}
	return 0;
}

static void *run(void *argument)
{
	const struct timespec pause = {0, EVERY_NS};
	struct drain *drain = argument;
	bool is_last;

	do {
		is_last = atomic_load(&drain->stop);
		for (size_t i = 0; i < drain->cpu_count && !drain->error; i++)
			drain->error = drain_cpu(drain, drain->cpus[i]);
		if (!is_last)
			nanosleep(&pause, NULL);
	} while (!is_last && !drain->error);
	return NULL;
}

int drain_start(struct drain *drain)
{
	sigset_t all, before;
	int err;

	drain->count = 0;
	drain->error = 0;
	atomic_store(&drain->stop, false);
	/* Signals are for the thread that waits for the run's end. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&drain->thread, NULL, run, drain);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	drain->is_running = !err;
	return -err;
}

int drain_stop(struct drain *drain)
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
	const struct split_event *x = a, *y = b;

	return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
}

void drain_events(struct drain *drain, const struct split_event **events, size_t *count)
{
	*count = drain->count < DRAIN_EVENTS ? (size_t)drain->count : DRAIN_EVENTS;
	/* Each CPU's are in order, theirs among each other are not. */
	qsort(drain->events, *count, sizeof(*drain->events), compare);
	*events = drain->events;
}

void drain_close(struct drain *drain)
{
	if (!drain)
		return;
	drain_stop(drain);
	for (size_t i = 0; i < drain->cpu_count; i++)
		close(drain->cpus[i]);
	free(drain->cpus);
	free(drain->page);
	if (drain->events)
		munmap(drain->events, ROOM);
	free(drain);
}
