/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The backend without io_uring: one thread per slot, which writes with pwritev2 and syncs with fdatasync, and a second one per slot
 * if two targets are synced. The results include the cost of threads; the report names this backend.
 */
#include "config.h"
#include "ssd-workloads/backend/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"

#define STACK_BYTES (64u << 10)
#define SLICE_NS 50000000u /* a signal does not end the wait on the condition, so signals are checked at this interval */

struct slot { /* slots beyond those of the setup sync the second target */
	struct threads *threads;
	pthread_t thread;
	sem_t go;
	uint64_t offset;
	struct backend_hint hint; /* range to hint after this write; empty = none */
	uint32_t number, length; /* length 0: end */
	bool is_sync;            /* of all writes; the slot has no write */
	struct backend_syncs syncs; /* under the mutex */
};

struct threads {
	struct backend_setup setup;
	struct slot *slots;
	struct backend_hint hint;
	unsigned count, running;
	uint32_t *queued;
	unsigned queued_count;
	pthread_mutex_t mutex;
	pthread_cond_t arrived;
	struct backend_completion *done; /* a ring with two places per slot */
	unsigned done_first, done_count, capacity;
};

static uint64_t threads_now(void *state)
{
	(void)state;
	return clock_ns(CLOCK_MONOTONIC);
}

/* --- a slot's thread --- */

static void complete(struct threads *threads, uint32_t slot, uint32_t what, int32_t result)
{
	pthread_mutex_lock(&threads->mutex);
	threads->done[(threads->done_first + threads->done_count++) % threads->capacity] =
		(struct backend_completion){slot, what, result};
	pthread_cond_signal(&threads->arrived);
	pthread_mutex_unlock(&threads->mutex);
}

static int sync_all(int fd)
{
	int rc;

	do
		rc = fdatasync(fd);
	while (rc && errno == EINTR);
	return rc ? -errno : 0;
}

/* Runs one of the two syncs of a write; the later one completes it. */
static void sync_one(struct threads *threads, uint32_t number, int fd)
{
	struct slot *slot = &threads->slots[number];
	int rc = sync_all(fd), error;
	bool is_last;

	pthread_mutex_lock(&threads->mutex);
	slot->syncs.error = slot->syncs.error ? slot->syncs.error : rc;
	error = slot->syncs.error;
	is_last = !--slot->syncs.left;
	pthread_mutex_unlock(&threads->mutex);
	if (is_last)
		complete(threads, number, BACKEND_DURABLE, error);
}

static void sync_both(struct threads *threads, struct slot *slot, int32_t written)
{
	if (written != (int32_t)slot->length) {
		complete(threads, slot->number, BACKEND_WRITTEN | BACKEND_DURABLE, written);
		return;
	}
	slot->syncs = (struct backend_syncs){.left = 2};
	complete(threads, slot->number, BACKEND_WRITTEN, written);
	sem_post(&threads->slots[threads->setup.slots + slot->number].go);
	sync_one(threads, slot->number, threads->setup.fd);
}

static void write_one(struct slot *slot)
{
	struct threads *threads = slot->threads;
	const struct backend_setup *setup = &threads->setup;
	struct iovec data = {setup->buffers + (size_t)slot->number * setup->slot_bytes, slot->length};
	/* Once this write is completed, the slot may be filled with another. */
	const struct backend_hint hint = slot->hint;
	uint64_t offset;
	int fd = stripe_locate(&setup->stripe, slot->offset, &offset) ? setup->second_fd : setup->fd;
	ssize_t rc;

	do
		rc = pwritev2(fd, &data, 1, (off_t)offset, setup->durability == BACKEND_DSYNC ? RWF_DSYNC : 0);
	while (rc < 0 && errno == EINTR);
	rc = rc < 0 ? -errno : rc;
	if (backend_syncs_both(setup)) {
		sync_both(threads, slot, (int32_t)rc);
		return;
	}
	if (setup->durability != BACKEND_FDATASYNC) {
		complete(threads, slot->number, BACKEND_WRITTEN | BACKEND_DURABLE, (int32_t)rc);
		/* Writeback may wait for the device, so it follows the completion. */
		if (hint.end)
			(void)sync_file_range(setup->fd, (off_t)hint.begin, (off_t)(hint.end - hint.begin),
				SYNC_FILE_RANGE_WRITE);
		return;
	}
	complete(threads, slot->number, BACKEND_WRITTEN, (int32_t)rc);
	complete(threads, slot->number, BACKEND_DURABLE, rc == (ssize_t)slot->length ? sync_all(setup->fd) : -ECANCELED);
}

static void *slot_main(void *argument)
{
	struct slot *slot = argument;

	for (;;) {
		while (sem_wait(&slot->go))
			continue;
		if (!slot->length)
			return NULL;
		if (slot->number >= slot->threads->setup.slots)
			sync_one(slot->threads, slot->number - slot->threads->setup.slots, slot->threads->setup.second_fd);
		else if (slot->is_sync)
			complete(slot->threads, BACKEND_NO_SLOT, BACKEND_SYNCED, sync_all(slot->threads->setup.fd));
		else
			write_one(slot);
	}
}

/* --- opening and closing --- */

static void threads_close(void *state)
{
	struct threads *threads = state;

	while (threads->slots && threads->running) {
		struct slot *slot = &threads->slots[--threads->running];

		slot->length = 0;
		sem_post(&slot->go);
		pthread_join(slot->thread, NULL);
		sem_destroy(&slot->go);
	}
	pthread_cond_destroy(&threads->arrived);
	pthread_mutex_destroy(&threads->mutex);
	free(threads->slots);
	free(threads->queued);
	free(threads->done);
	free(threads);
}

static int start_slots(struct threads *threads)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int rc = pthread_attr_init(&attributes);

	if (rc)
		return -rc;
	rc = pthread_attr_setstacksize(&attributes, STACK_BYTES);
	/* Only the main thread receives signals, so that they interrupt no write. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (unsigned i = 0; i < threads->count && !rc; i++) {
		struct slot *slot = &threads->slots[i];

		slot->threads = threads;
		slot->number = i;
		slot->length = 1;
		sem_init(&slot->go, 0, 0);
		rc = pthread_create(&slot->thread, &attributes, slot_main, slot);
		if (!rc)
			threads->running++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -rc;
}

static int threads_open(const struct backend_setup *setup, void **state, const char **why)
{
	struct threads *threads = calloc(1, sizeof(*threads));
	pthread_condattr_t attributes;
	int rc;

	*why = "no memory";
	if (!threads)
		return -ENOMEM;
	threads->setup = *setup;
	threads->capacity = 2 * setup->slots;
	threads->count = setup->slots * (backend_syncs_both(setup) ? 2 : 1);
	threads->slots = calloc(threads->count, sizeof(*threads->slots));
	threads->queued = calloc(setup->slots, sizeof(*threads->queued));
	threads->done = calloc(threads->capacity, sizeof(*threads->done));
	pthread_mutex_init(&threads->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&threads->arrived, &attributes);
	pthread_condattr_destroy(&attributes);
	rc = threads->slots && threads->queued && threads->done ? 0 : -ENOMEM;
	if (!rc && (setup->is_sqpoll || setup->is_iopoll)) {
		*why = "threads cannot poll: drop --sqpoll and --iopoll";
		rc = -EINVAL;
	}
	if (!rc) {
		rc = start_slots(threads);
		*why = "cannot create a thread for each slot (ulimit -u)";
	}
	if (rc)
		threads_close(threads);
	else
		*state = threads;
	return rc;
}

static int threads_attach(void *state)
{
	(void)state;
	return 0;
}

static void threads_detach(void *state)
{
	(void)state;
}

/* --- writing --- */

static void threads_queue(void *state, uint32_t slot, uint64_t offset, uint32_t length)
{
	struct threads *threads = state;

	threads->slots[slot].offset = offset;
	threads->slots[slot].length = length;
	threads->slots[slot].is_sync = false;
	if (!backend_hint_is_due(&threads->hint, threads->setup.hint_bytes, offset, length, &threads->slots[slot].hint))
		threads->slots[slot].hint = (struct backend_hint){0, 0};
	threads->queued[threads->queued_count++] = slot;
}

/* All slots are free, so that the thread of the first one syncs. */
static void threads_sync(void *state)
{
	struct threads *threads = state;

	threads->slots[0].length = 1;
	threads->slots[0].is_sync = true;
	threads->queued[threads->queued_count++] = 0;
}

static int threads_enter(void *state, unsigned wait_for, uint64_t until_ns)
{
	struct threads *threads = state;
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + SLICE_NS;
	struct timespec limit = clock_timespec(end < until_ns ? end : until_ns);
	int rc = 0;

	for (unsigned i = 0; i < threads->queued_count; i++)
		sem_post(&threads->slots[threads->queued[i]].go);
	threads->queued_count = 0;
	pthread_mutex_lock(&threads->mutex);
	while (threads->done_count < wait_for && !rc)
		rc = pthread_cond_timedwait(&threads->arrived, &threads->mutex, &limit);
	pthread_mutex_unlock(&threads->mutex);
	return rc == ETIMEDOUT ? 0 : -rc;
}

static unsigned threads_reap(void *state, struct backend_completion *done, unsigned most)
{
	struct threads *threads = state;
	unsigned count = 0;

	pthread_mutex_lock(&threads->mutex);
	while (count < most && threads->done_count) {
		done[count++] = threads->done[threads->done_first];
		threads->done_first = (threads->done_first + 1) % threads->capacity;
		threads->done_count--;
	}
	pthread_mutex_unlock(&threads->mutex);
	return count;
}

static uint64_t threads_cpu(void *state)
{
	struct threads *threads = state;
	uint64_t sum = 0;
	clockid_t clock;

	for (unsigned i = 0; i < threads->running; i++) {
		if (!pthread_getcpuclockid(threads->slots[i].thread, &clock))
			sum += clock_ns(clock);
	}
	return sum;
}

static const char *threads_features(const void *state)
{
	(void)state;
	return "pwritev2";
}

const struct backend_ops backend_threads = {
	.name = "threads",
	.meaning = "one thread per slot, with pwritev2",
	.open = threads_open,
	.attach = threads_attach,
	.detach = threads_detach,
	.queue = threads_queue,
	.sync = threads_sync,
	.enter = threads_enter,
	.reap = threads_reap,
	.now_ns = threads_now,
	.cpu_ns = threads_cpu,
	.close = threads_close,
	.features = threads_features,
};
