/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/drain.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 20000000
#define TOUCHED (4u << 20) /* so that the usual run takes no page while others are measured */

struct drain {
	int fd;
	char *text;
	size_t bytes;
	pthread_t thread;
	cpu_set_t cpus;
	bool is_running;
	atomic_bool stop;
	int error;
};

int drain_open(int fd, struct drain **opened)
{
	struct drain *drain = calloc(1, sizeof(*drain));
	void *text = mmap(NULL, DRAIN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (!drain || text == MAP_FAILED) {
		if (text != MAP_FAILED)
			munmap(text, DRAIN_BYTES);
		free(drain);
		close(fd);
		return -ENOMEM;
	}
	memset(text, 1, TOUCHED);
	drain->fd = fd;
	drain->text = text;
	*opened = drain;
	return 0;
}

/* All that is there. */
static int take(struct drain *drain)
{
	while (drain->bytes < DRAIN_BYTES) {
		ssize_t size = read(drain->fd, drain->text + drain->bytes, DRAIN_BYTES - drain->bytes);

		/* The end of a pipe is where it is empty and tracing is off: it may be on again. */
		if (!size || (size < 0 && errno == EAGAIN))
			return 0;
		if (size < 0 && errno != EINTR)
			return -errno;
		drain->bytes += size > 0 ? (size_t)size : 0;
	}
	return 0;
}

static void *run(void *argument)
{
	const struct timespec pause = {0, EVERY_NS};
	struct drain *drain = argument;
	bool is_last;

	pthread_setaffinity_np(pthread_self(), sizeof(drain->cpus), &drain->cpus);
	do {
		is_last = atomic_load(&drain->stop);
		drain->error = take(drain);
		if (!is_last)
			nanosleep(&pause, NULL);
	} while (!is_last && !drain->error);
	return NULL;
}

/* All that the process may use but the one that we are on; that one, too, when it is the only one. */
static void choose_cpus(struct drain *drain)
{
	int here = sched_getcpu();

	CPU_ZERO(&drain->cpus);
	if (!sched_getaffinity(0, sizeof(drain->cpus), &drain->cpus) && here >= 0 && CPU_COUNT(&drain->cpus) > 1)
		CPU_CLR((unsigned)here, &drain->cpus);
}

int drain_start(struct drain *drain)
{
	sigset_t all, before;
	int err;

	choose_cpus(drain);
	/* Signals are for the thread that writes: they end its delays. */
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

void drain_text(const struct drain *drain, const char **text, size_t *bytes)
{
	*text = drain->text;
	*bytes = drain->bytes;
}

void drain_close(struct drain *drain)
{
	if (!drain)
		return;
	drain_stop(drain);
	close(drain->fd);
	munmap(drain->text, DRAIN_BYTES);
	free(drain);
}
