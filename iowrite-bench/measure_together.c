/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several measurements at once: threads that prepare in step, and begin when the caller has seen all of them ready. */
#include "config.h"
#include "iowrite-bench/measure.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/clock.h"
#include "iowrite-bench/bench.h"

struct crew {
	size_t count;
	struct bench *benches;
	pthread_mutex_t start;  /* held by the caller until there are all of them, or not */
	bool is_abandoned;
	pthread_barrier_t step; /* the writers */
	pthread_barrier_t gate; /* and the caller */
	int event_fd;           /* something of the below has changed */
	atomic_size_t ready, ended;
	atomic_bool is_failed;  /* then nobody writes */
	uint64_t feed_most;     /* of all members together */
	struct busy_mark begin; /* the caller's: before the first write */
	struct busy busy;
};

struct member {
	struct crew *crew;
	size_t index;
	const struct measure_job *job;
	pthread_t thread;
};

static void tell(struct crew *crew, atomic_size_t *what)
{
	const uint64_t one = 1;

	atomic_fetch_add(what, 1);
	/* A full counter is readable already. */
	if (write(crew->event_fd, &one, sizeof(one)) < 0)
		return;
}

static void fail(struct member *member, int rc)
{
	if (!rc)
		return;
	bench_fail(&member->crew->benches[member->index], MEASURE_PREPARE, rc);
	atomic_store(&member->crew->is_failed, true);
}

/* The file's end is that of the farthest of those who share it; its first one prepares it. */
static int prepare_shared(struct member *member)
{
	struct crew *crew = member->crew;
	struct bench *own = &crew->benches[member->index];
	uint64_t end = own->file_bytes;

	for (size_t i = 0; i < crew->count; i++) {
		if (crew->benches[i].job->target != own->job->target)
			continue;
		if (i < member->index)
			return 0;
		end = crew->benches[i].file_bytes > end ? crew->benches[i].file_bytes : end;
	}
	return bench_prepare_file(own, end);
}

/* Who shares what with whom. */
static void take_shares(struct member *member)
{
	struct crew *crew = member->crew;
	struct bench *own = &crew->benches[member->index];

	own->at_once = (unsigned)crew->count;
	for (size_t i = 0; i < crew->count; i++)
		own->is_shared |= i != member->index && crew->benches[i].job->target == own->job->target;
}

static void prepare(struct member *member)
{
	struct crew *crew = member->crew;
	struct bench *bench = &crew->benches[member->index];

	if (member->job->cpus)
		fail(member, -pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), member->job->cpus));
	fail(member, bench_begin(bench, member->job));
	pthread_barrier_wait(&crew->step);
	if (!atomic_load(&crew->is_failed))
		fail(member, prepare_shared(member));
	pthread_barrier_wait(&crew->step);
	take_shares(member);
	if (!member->index && !atomic_load(&crew->is_failed)) {
		bench_settle(bench);
		crew->feed_most = feed_most();
	}
	pthread_barrier_wait(&crew->step);
	if (!atomic_load(&crew->is_failed))
		fail(member, bench_prepare_memory(bench, crew->feed_most));
	pthread_barrier_wait(&crew->step);
	if (!member->index && !atomic_load(&crew->is_failed))
		bench_settle_again(bench);
	pthread_barrier_wait(&crew->step);
	if (!atomic_load(&crew->is_failed))
		fail(member, bench_prepare_writing(bench));
	if (!member->job->warmup_ns)
		return;
	/* All at once, as they will be measured. */
	pthread_barrier_wait(&crew->step);
	if (!atomic_load(&crew->is_failed))
		bench_warm_up(bench);
	if (bench->found.error)
		atomic_store(&crew->is_failed, true);
}

static void *work(void *argument)
{
	struct member *member = argument;
	struct crew *crew = member->crew;
	struct bench *bench = &crew->benches[member->index];
	bool is_abandoned;

	pthread_mutex_lock(&crew->start);
	is_abandoned = crew->is_abandoned;
	pthread_mutex_unlock(&crew->start);
	if (is_abandoned)
		return NULL;
	prepare(member);
	tell(crew, &crew->ready);
	pthread_barrier_wait(&crew->gate);
	if (!atomic_load(&crew->is_failed))
		bench_write(bench);
	tell(crew, &crew->ended);
	bench_close(bench);
	bench_end(bench);
	return NULL;
}

/* --- the caller --- */

struct attention {
	const struct measure_watch *watch;
	bool was_woken;
	uint64_t next_ns; /* look then; UINT64_MAX = never */
};

static uint64_t look(const struct measure_watch *watch, enum measure_phase phase)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (watch->look)
		watch->look(watch->state, phase, now);
	return now;
}

static int patience_ms(const struct attention *attention)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (attention->next_ns == UINT64_MAX)
		return -1;
	return attention->next_ns <= now ? 0 : (int)((attention->next_ns - now + 999999) / 1000000);
}

static void wait_for(struct crew *crew, atomic_size_t *what, struct attention *attention)
{
	uint64_t told;

	while (atomic_load(what) < crew->count) {
		struct pollfd fds[] = {{crew->event_fd, POLLIN, 0},
			{attention->was_woken ? -1 : attention->watch->wake_fd, POLLIN, 0}};

		if (poll(fds, 2, patience_ms(attention)) < 0)
			continue;
		if (fds[0].revents && read(crew->event_fd, &told, sizeof(told)) < 0)
			continue;
		if (fds[1].revents) {
			attention->was_woken = true;
			attention->watch->woken(attention->watch->state);
		}
		if (clock_ns(CLOCK_MONOTONIC) >= attention->next_ns && atomic_load(what) < crew->count) {
			look(attention->watch, MEASURE_RUNS);
			attention->next_ns += attention->watch->every_ns;
		}
	}
}

static void direct(struct crew *crew, const struct measure_watch *watch)
{
	struct attention attention = {.watch = watch, .next_ns = UINT64_MAX};
	uint64_t begin;

	wait_for(crew, &crew->ready, &attention);
	busy_mark("", clock_ns(CLOCK_MONOTONIC), &crew->begin);
	begin = look(watch, MEASURE_BEGINS);
	if (watch->every_ns)
		attention.next_ns = begin + watch->every_ns;
	pthread_barrier_wait(&crew->gate);
	wait_for(crew, &crew->ended, &attention);
	look(watch, MEASURE_ENDS);
}

/* Signals that end a run are the caller's: it sleeps in poll, the others do not. */
static void mask_signals(sigset_t *before)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ours, before);
}

static int start(struct crew *crew, struct member *members)
{
	sigset_t before;
	size_t started = 0;
	int rc = 0;

	mask_signals(&before);
	pthread_mutex_lock(&crew->start);
	for (; started < crew->count && !rc; started += !rc)
		rc = pthread_create(&members[started].thread, NULL, work, &members[started]);
	crew->is_abandoned = rc != 0;
	pthread_mutex_unlock(&crew->start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; rc && i < started; i++)
		pthread_join(members[i].thread, NULL);
	return -rc;
}

static int run(struct crew *crew, struct member *members, const struct measure_watch *watch)
{
	struct busy_mark end;
	int rc = start(crew, members);

	if (rc)
		return rc;
	direct(crew, watch);
	for (size_t i = 0; i < crew->count; i++)
		pthread_join(members[i].thread, NULL);
	busy_mark("", clock_ns(CLOCK_MONOTONIC), &end);
	busy_add(&crew->begin, &end, &crew->busy);
	return 0;
}

static void hand_over(struct crew *crew, struct measurement *measurements)
{
	for (size_t i = 0; i < crew->count; i++) {
		struct bench *bench = &crew->benches[i];

		if (bench->job->stream) {
			free(bench->found.records);
			bench->found.records = NULL;
		}
		measurements[i] = bench->found;
		measurements[i].busy = crew->busy;
	}
}

int measure_together(const struct measure_job *jobs, size_t count, const struct measure_watch *watch,
	struct measurement *measurements)
{
	struct crew crew = {.count = count, .benches = calloc(count, sizeof(*crew.benches)),
		.start = PTHREAD_MUTEX_INITIALIZER, .event_fd = eventfd(0, EFD_CLOEXEC)};
	struct member *members = calloc(count, sizeof(*members));
	int rc = -ENOMEM;

	for (size_t i = 0; members && i < count; i++)
		members[i] = (struct member){.crew = &crew, .index = i, .job = &jobs[i]};
	if (crew.benches && members && crew.event_fd >= 0) {
		pthread_barrier_init(&crew.step, NULL, (unsigned)count);
		pthread_barrier_init(&crew.gate, NULL, (unsigned)count + 1);
		rc = run(&crew, members, watch);
		pthread_barrier_destroy(&crew.step);
		pthread_barrier_destroy(&crew.gate);
	}
	if (!rc)
		hand_over(&crew, measurements);
	if (crew.event_fd >= 0)
		close(crew.event_fd);
	free(crew.benches);
	free(members);
	return rc;
}
