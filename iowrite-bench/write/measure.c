/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps around the measured loop: a list at once, or a stream of lists through one ring; by the caller or in threads. */
#include "config.h"
#include "iowrite-bench/write/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/storage/storage.h"
#include "iowrite-bench/write/bench.h"

#define STACK_PAGES 3 /* and the one that is being used */
#define SAMPLE_MS 100 /* interval of checks for a stopped process */

/* --- the writer's calls --- */

/* Counts the last preparation, whose write was made, as time between windows. */
static void take_prepare_time(struct bench *bench)
{
	bench->found.between_ns += bench->prepare_ns;
	bench->found.fill_ns += bench->fill_ns;
	bench->prepare_ns = bench->fill_ns = 0;
}

/* Returns the file of an offset (op.h), and makes the offset one in that file. */
static size_t file_at(const struct bench *bench, uint64_t *offset)
{
	size_t index = 0;

	if (bench->file_count > 1) {
		index = *offset / OP_FILE_BYTES;
		*offset %= OP_FILE_BYTES;
	}
	return index;
}

static void prepare_write(void *state, const struct op *op)
{
	struct bench *bench = state;
	uint64_t offset = op->offset, begin_ns;
	size_t file = file_at(bench, &offset);

	take_prepare_time(bench);
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	content_fill(&bench->content, bench->data, op->size);
	bench->fill_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	memory_before_write(&bench->memory, file, offset, op->size);
	/* The time before a list's first write is between lists already. */
	if (bench->prepared++)
		bench->prepare_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

static void sample_dirty(void *state, struct write_record *record)
{
	struct dirty_state seen;

	if (dirty_read(state, &seen))
		return;
	record->dirty_bytes = seen.dirty;
	record->writeback_bytes = seen.writeback;
}

/* This is in the measured window, with several files only: it adds 1 ns to the call. */
static int64_t write_in_file(void *state, uint64_t offset, uint64_t size)
{
	const struct bench *bench = state;
	size_t file = file_at(bench, &offset);

	return bench->job->method->write(bench->files[file].method_state, offset, size);
}

/* Syncs one file: each write is synced where there are several. */
static int flush_and_sync(void *state, uint64_t offset, uint64_t size)
{
	const struct bench *bench = state;
	const struct measure_job *job = bench->job;
	const struct bench_file *file = &bench->files[file_at(bench, &offset)];
	char *map = job->method->mapping ? job->method->mapping(file->method_state) : NULL;
	int rc = job->method->flush ? job->method->flush(file->method_state) : 0;

	return rc ? rc : job->sync->sync(file->fd, map, offset, size);
}

/* --- lists --- */

/* Restores the initial state of a file, after an fsync: otherwise its dirty pages would be dropped and never written back. */
static int renew_file(const struct bench *bench, size_t index)
{
	const struct measure_job *job = bench->job;
	const off_t begin = (off_t)job->stream->begin_bytes, bytes = (off_t)job->stream->file_bytes - begin;
	int fd = job->target[index].fd, rc = job->method->flush ? job->method->flush(bench->files[index].method_state) : 0;

	if (!rc)
		rc = bench_check_unchanged(bench);
	if (rc || job->regime == OP_OVERWRITE || job->target->kind == TARGET_DEVICE)
		return rc;
	if (fsync(fd))
		return -errno;
	/* The length stays for a mapping, and for other writers of the file. */
	if (job->regime == OP_PREALLOCATED || job->method->is_mapped)
		rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, bytes);
	else
		rc = ftruncate(fd, 0);
	if (!rc && job->regime == OP_PREALLOCATED)
		rc = fallocate(fd, 0, begin, bytes);
	return rc ? -errno : 0;
}

static void take_records(struct bench *bench, const struct write_record *records, size_t count)
{
	struct measurement *found = &bench->found;
	const struct write_record *last = &records[count - 1];

	if (!found->count)
		found->begin_ns = records[0].start_ns;
	else
		found->between_ns += records[0].start_ns - found->end_ns;
	found->end_ns = last->start_ns + last->write_ns + last->sync_ns;
	found->count += count;
	for (size_t i = 0; i < count; i++) {
		uint64_t end = records[i].offset + records[i].size;

		bench->end_bytes = end > bench->end_bytes ? end : bench->end_bytes;
	}
	if (last->error)
		bench_fail(bench, last->sync_ns ? MEASURE_SYNC : MEASURE_WRITE, -last->error);
	if (bench->job->stream && !bench->is_warming)
		bench->job->stream->drain(bench->job->stream->state, found, records, count);
}

/* Writes one list. Returns whether it was done to its end. */
static bool write_list(struct bench *bench, struct writer *writer)
{
	uint64_t faults = memory_faults_of_thread(), theirs = bench->memory.faults;

	bench->prepared = bench->prepare_ns = bench->fill_ns = 0;
	bench->done = writer_run(writer);
	if (bench->prepared == bench->done)
		take_prepare_time(bench);
	bench->found.faults += memory_faults_of_thread() - faults - (bench->memory.faults - theirs);
	if (bench->done)
		take_records(bench, writer->records, bench->done);
	writer->ended_ns = bench->found.end_ns;
	return bench->done == writer->count && !bench->found.error;
}

/* Returns how many of the writes belong to the rest of a list that a warm-up has begun. */
static size_t count_left(struct bench *bench, size_t count)
{
	size_t i = 0;

	while (i < count && bench->ring_ops[i].size <= bench->left_bytes)
		bench->left_bytes -= bench->ring_ops[i++].size;
	bench->left_bytes = i < count ? 0 : bench->left_bytes;
	return i;
}

static void write_stream(struct bench *bench, struct writer *writer)
{
	const struct measure_stream *stream = bench->job->stream;
	const bool is_bounded = bench->left_bytes;
	const bool is_repeated = stream->is_repeated || bench->is_warming || is_bounded;
	bool is_beginning = !bench->is_warm;

	writer->ops = bench->ring_ops;
	while (!is_bounded || bench->left_bytes) {
		writer->count = bench->kept ? bench->kept : stream->refill(stream->state, bench->ring_ops, stream->ring);
		bench->kept = 0;
		if (writer->count && is_bounded) {
			writer->count = count_left(bench, writer->count);
			if (!writer->count)
				return;
		}
		if (writer->count) {
			is_beginning = false;
			if (!write_list(bench, writer))
				return;
			continue;
		}
		if (!is_repeated || is_beginning || clock_ns(CLOCK_MONOTONIC) >= writer->until_ns)
			return;
		for (size_t i = 0; i < bench->file_count; i++)
			bench_fail(bench, MEASURE_PREPARE, renew_file(bench, i));
		if (bench->found.error)
			return;
		memory_reuse(&bench->memory, false);
		bench->end_bytes = 0;
		is_beginning = true;
	}
}

/* Touches the stack as deep as the calls of a method go, so that no page fault falls into a window. */
static void __attribute__((noinline)) touch_stack(void)
{
	volatile char pages[STACK_PAGES * 4096];

	for (size_t i = 0; i < sizeof(pages); i += 4096)
		pages[i] = 1;
}

static void make_writer(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	if (job->flushes) {
		bench->probe.count = durability_counter_read;
		bench->probe.state = job->flushes;
	}
	bench->writer = (struct writer){
		.ops = job->ops,
		.count = job->count,
		.records = bench->found.records,
		.write = bench->file_count > 1 ? write_in_file : job->method->write,
		.write_state = bench->file_count > 1 ? bench : bench->files[0].method_state,
		.sync = job->sync->sync ? flush_and_sync : NULL,
		.sync_state = bench,
		.sync_every = job->sync_every,
		.probe = bench->probe.count ? &bench->probe : NULL,
		.unsynced = bench->writer.unsynced,
		.sleep_until = job->is_sleeping ? clock_sleep_until : NULL,
		.prepare = prepare_write,
		.prepare_state = bench,
		.sample = job->dirty && job->sample_every_ns != UINT64_MAX ? sample_dirty : NULL,
		.sample_state = (void *)(uintptr_t)job->dirty,
		.sample_every_ns = job->sample_every_ns,
		.stop = job->stop,
	};
	touch_stack();
}

/* Writes without being measured: only errors and the place in the list are kept. */
static void warm_up(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	make_writer(bench);
	bench->writer.until_ns = clock_ns(CLOCK_MONOTONIC) + job->warmup_ns;
	bench->is_warming = true;
	write_stream(bench, &bench->writer);
	bench->is_warming = false;
	bench->is_warm = true;
	/* The rest of the ring is written next, so that nothing of the file is left out. */
	bench->kept = bench->writer.count - bench->done;
	memmove(bench->ring_ops, bench->ring_ops + bench->done, bench->kept * sizeof(*bench->ring_ops));
	bench->found = (struct measurement){.records = bench->found.records, .error = bench->found.error,
		.failed_at = bench->found.failed_at};
	memory_reuse(&bench->memory, true);
	bench->left_bytes = job->stream->is_repeated ? 0 : job->stream->total_bytes;
}

static void write_all(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	struct contention begin, end;

	make_writer(bench);
	contention_read("", &begin);
	if (job->dirty)
		dirty_read(job->dirty, &bench->found.before);
	bench->writer.until_ns = job->runtime_ns ? clock_ns(CLOCK_MONOTONIC) + job->runtime_ns : UINT64_MAX;
	if (job->stream)
		write_stream(bench, &bench->writer);
	else
		write_list(bench, &bench->writer);
	contention_read("", &end);
	contention_add(&bench->found.contention, &begin, &end);
}

/* The caller gets the records of a list; those of a stream are drained. */
static void hand_over(struct bench *bench, struct measurement *measurement)
{
	if (bench->job->stream) {
		free(bench->found.records);
		bench->found.records = NULL;
	}
	bench->found.examined = bench->probe.examined;
	bench->found.unflushed = bench->probe.unflushed;
	*measurement = bench->found;
}

/* --- in one thread, or in threads that prepare in step and begin when the caller has seen all of them ready --- */

struct job_group {
	size_t count;
	struct bench *benches;
	struct job_thread *threads;
	pthread_mutex_t start;  /* held by the caller until all threads exist, or one cannot be created */
	bool is_abandoned;
	pthread_barrier_t step; /* the writers */
	pthread_barrier_t gate; /* and the caller */
	int event_fd;           /* ready or ended has changed */
	atomic_size_t ready, ended;
	atomic_bool is_failed;  /* then no thread writes */
	uint64_t memory_most;   /* of all threads together */
	/* The caller's: */
	const struct measure_watch *watch;
	bool was_woken;
	uint64_t next_ns;       /* of watch->observe; UINT64_MAX = never */
	struct contention_stops stops;
};

struct job_thread {
	struct job_group *group;
	size_t index;
	pthread_t id;
};

static void notify(struct job_group *group, atomic_size_t *what)
{
	const uint64_t one = 1;

	atomic_fetch_add(what, 1);
	/* A full counter is readable already. */
	if (write(group->event_fd, &one, sizeof(one)) < 0)
		return;
}

static void fail(struct job_group *group, size_t index, int rc)
{
	if (!rc)
		return;
	bench_fail(&group->benches[index], MEASURE_PREPARE, rc);
	atomic_store(&group->is_failed, true);
}

/* The first job of a shared file prepares it, up to the farthest end of all jobs that share it. */
static int prepare_shared(struct job_group *group, size_t index)
{
	struct bench *own = &group->benches[index];
	uint64_t end = own->file_bytes;
	bool is_first = true;

	for (size_t i = 0; i < group->count; i++) {
		const struct bench *other = &group->benches[i];

		if (other->job->target != own->job->target)
			continue;
		is_first &= i >= index;
		own->is_shared |= i != index;
		end = other->file_bytes > end ? other->file_bytes : end;
	}
	return is_first ? bench_prepare_file(own, end) : 0;
}

static bool step(struct job_group *group)
{
	pthread_barrier_wait(&group->step);
	return !atomic_load(&group->is_failed);
}

/* Does all steps before the first counted write; each thread of the group calls it. */
static void prepare(struct job_group *group, size_t index)
{
	struct bench *bench = &group->benches[index];
	const struct measure_job *job = bench->job;

	fail(group, index, bench_begin(bench));
	if (step(group))
		fail(group, index, prepare_shared(group, index));
	if (step(group) && !index) {
		bench_settle(bench);
		group->memory_most = memory_limit();
	}
	if (step(group))
		fail(group, index, bench_prepare_memory(bench, group->memory_most, (unsigned)group->count));
	if (step(group) && !index)
		bench_settle_again(bench);
	if (step(group))
		fail(group, index, bench_prepare_writing(bench));
	if (!job->warmup_ns)
		return;
	/* All threads warm up at once, as they will be measured. */
	if (step(group) && job->stream)
		warm_up(bench);
	if (bench->found.error)
		atomic_store(&group->is_failed, true);
}

int measure(const struct measure_job *job, struct measurement *measurement)
{
	struct contention_machine begin, end;
	struct contention_watch watch;
	struct bench bench = {.job = job};
	struct job_group alone = {.count = 1, .benches = &bench};

	pthread_barrier_init(&alone.step, NULL, 1);
	prepare(&alone, 0);
	pthread_barrier_destroy(&alone.step);
	if (alone.is_failed) {
		diag_error(-bench.found.error, "cannot prepare %s for %s %s", job->target->path, op_mode_name(job->mode),
			job->method->name);
		free(bench.found.records);
		bench_end(&bench);
		return DIAG_EXIT_HOST;
	}
	contention_machine_read("", clock_ns(CLOCK_MONOTONIC), &begin);
	contention_watch_begin(&watch, job->others);
	write_all(&bench);
	bench_close(&bench);
	contention_watch_end(&watch, &bench.found.stops);
	contention_machine_read("", clock_ns(CLOCK_MONOTONIC), &end);
	contention_machine_add(&begin, &end, &bench.found.busy);
	bench_end(&bench);
	hand_over(&bench, measurement);
	return DIAG_EXIT_OK;
}

void measure_free(struct measurement *measurement)
{
	free(measurement->records);
	*measurement = (struct measurement){0};
}

static void *work(void *argument)
{
	struct job_thread *thread = argument;
	struct job_group *group = thread->group;
	struct bench *bench = &group->benches[thread->index];
	bool is_abandoned;

	pthread_mutex_lock(&group->start);
	is_abandoned = group->is_abandoned;
	pthread_mutex_unlock(&group->start);
	if (is_abandoned)
		return NULL;
	if (bench->job->cpus)
		fail(group, thread->index, -pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), bench->job->cpus));
	prepare(group, thread->index);
	notify(group, &group->ready);
	pthread_barrier_wait(&group->gate);
	if (!atomic_load(&group->is_failed))
		write_all(bench);
	notify(group, &group->ended);
	bench_close(bench);
	bench_end(bench);
	return NULL;
}

static uint64_t call_watch(const struct measure_watch *watch, enum measure_phase phase)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (watch->observe)
		watch->observe(watch->state, phase, now);
	return now;
}

static void wait_for(struct job_group *group, atomic_size_t *what)
{
	uint64_t events;

	while (atomic_load(what) < group->count) {
		uint64_t now = clock_ns(CLOCK_MONOTONIC);
		uint64_t left_ms = group->next_ns <= now ? 0 : (group->next_ns - now + 999999) / 1000000;
		uint64_t sleep_ms = left_ms < SAMPLE_MS ? left_ms : SAMPLE_MS;
		struct pollfd fds[] = {{group->event_fd, POLLIN, 0}, {group->was_woken ? -1 : group->watch->wake_fd, POLLIN, 0}};

		int ready;

		contention_rest(&group->stops);
		ready = poll(fds, 2, (int)sleep_ms);
		contention_wake(&group->stops, sleep_ms * 1000000);
		if (ready < 0)
			continue;
		if (fds[0].revents && read(group->event_fd, &events, sizeof(events)) < 0)
			continue;
		if (fds[1].revents) {
			group->was_woken = true;
			group->watch->woken(group->watch->state);
		}
		if (clock_ns(CLOCK_MONOTONIC) >= group->next_ns && atomic_load(what) < group->count) {
			call_watch(group->watch, MEASURE_RUNS);
			group->next_ns += group->watch->every_ns;
		}
	}
}

static int start(struct job_group *group)
{
	sigset_t ours, before;
	size_t started = 0;
	int rc = 0;

	/* The caller handles signals that end a run: it sleeps in poll, the others do not. */
	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigaddset(&ours, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ours, &before);
	pthread_mutex_lock(&group->start);
	for (; started < group->count && !rc; started += !rc)
		rc = pthread_create(&group->threads[started].id, NULL, work, &group->threads[started]);
	group->is_abandoned = rc != 0;
	pthread_mutex_unlock(&group->start);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (size_t i = 0; rc && i < started; i++)
		pthread_join(group->threads[i].id, NULL);
	return -rc;
}

static int run_group(struct job_group *group, struct measurement *measurements)
{
	struct contention_machine begin, end;
	struct contention_machine busy = {0};
	int rc = start(group);

	if (rc)
		return rc;
	contention_begin(&group->stops);
	wait_for(group, &group->ready);
	call_watch(group->watch, MEASURE_READY);
	contention_machine_read("", clock_ns(CLOCK_MONOTONIC), &begin);
	contention_begin(&group->stops);
	group->next_ns = call_watch(group->watch, MEASURE_BEGINS) + group->watch->every_ns;
	if (!group->watch->every_ns)
		group->next_ns = UINT64_MAX;
	pthread_barrier_wait(&group->gate);
	wait_for(group, &group->ended);
	call_watch(group->watch, MEASURE_ENDS);
	contention_end(&group->stops);
	for (size_t i = 0; i < group->count; i++)
		pthread_join(group->threads[i].id, NULL);
	contention_machine_read("", clock_ns(CLOCK_MONOTONIC), &end);
	contention_machine_add(&begin, &end, &busy);
	for (size_t i = 0; i < group->count; i++) {
		hand_over(&group->benches[i], &measurements[i]);
		measurements[i].busy = busy;
		measurements[i].stops = group->stops;
	}
	return 0;
}

int measure_together(const struct measure_job *jobs, size_t count, const struct measure_watch *watch,
	struct measurement *measurements)
{
	struct job_group group = {.count = count, .benches = calloc(count, sizeof(*group.benches)),
		.threads = calloc(count, sizeof(*group.threads)), .start = PTHREAD_MUTEX_INITIALIZER,
		.event_fd = eventfd(0, EFD_CLOEXEC), .watch = watch, .next_ns = UINT64_MAX};
	int rc = -ENOMEM;

	for (size_t i = 0; group.threads && group.benches && i < count; i++) {
		group.threads[i] = (struct job_thread){.group = &group, .index = i};
		group.benches[i].job = &jobs[i];
	}
	if (group.benches && group.threads && group.event_fd >= 0) {
		pthread_barrier_init(&group.step, NULL, (unsigned)count);
		pthread_barrier_init(&group.gate, NULL, (unsigned)count + 1);
		rc = run_group(&group, measurements);
		pthread_barrier_destroy(&group.step);
		pthread_barrier_destroy(&group.gate);
	}
	if (group.event_fd >= 0)
		close(group.event_fd);
	free(group.benches);
	free(group.threads);
	return rc;
}

/* --- failure --- */

static const struct {
	int error;
	const char *what, *remedy;
} known[] = {
	{ENOSPC, "became full", "free some or write less"},
	{EDQUOT, "has its disk quota exceeded", "free some or write less"},
	{EFBIG, "exceeds the file size limit", "raise ulimit -f or write less"},
	{EROFS, "became read-only", "see the kernel's log, and remount it"},
	{ESTALE, "was changed by another process", "end that process and run again"},
	{EFAULT, "was truncated under its mapping", "stop the process that truncates it and run again"},
	{EIO, "had an I/O error", "see the kernel's log"},
	{ENOMEM, "needs memory that is not available", "write less at a time, or with fewer threads"},
	{ENOSYS, "cannot be written by this method: the kernel lacks it", "leave this method out"},
	{EPERM, "must not be written by this method", "seccomp or kernel.io_uring_disabled may forbid it; leave this method out"},
	{EOPNOTSUPP, "cannot be written by this method: its file system lacks it", "leave this out"},
	{EINVAL, "refuses such writes", "another size or mode may do"},
};

static const char *stage_name(enum measure_stage stage)
{
	static const char *const names[] = {[MEASURE_PREPARE] = "preparing", [MEASURE_WRITE] = "writing",
		[MEASURE_SYNC] = "syncing", [MEASURE_CLOSE] = "closing"};

	return names[stage];
}

void failure_text(const char *path, enum measure_stage stage, int error, char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].error != error)
			continue;
		snprintf(text, length, "%s %s while %s: %s (%s)", path, known[i].what, stage_name(stage), known[i].remedy,
			strerror(error));
		return;
	}
	snprintf(text, length, "%s failed while %s: %s", path, stage_name(stage), strerror(error));
}
