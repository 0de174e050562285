/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "iowrite-bench/measure_private.h"

static int prepare_alone(struct bench *bench, const struct measure_job *job)
{
	int rc = bench_begin(bench, job);

	if (!rc)
		rc = bench_prepare_file(bench, bench->file_bytes);
	if (rc)
		return rc;
	bench_settle(bench);
	rc = bench_prepare_memory(bench, feed_most());
	if (rc)
		return rc;
	bench_settle_again(bench);
	return bench_prepare_writing(bench);
}

int measure(const struct measure_job *job, struct measurement *measurement)
{
	struct busy_mark begin, end;
	struct bench bench;
	int rc = prepare_alone(&bench, job);

	if (rc) {
		diag_error(rc, "cannot prepare %s for %s %s", job->target->path, op_mode_name(job->mode),
			job->method->name);
	} else {
		busy_mark("", clock_ns(CLOCK_MONOTONIC), &begin);
		bench_write(&bench);
		bench_close(&bench);
		busy_mark("", clock_ns(CLOCK_MONOTONIC), &end);
		busy_add(&begin, &end, &bench.found.busy);
	}
	bench_end(&bench);
	if (rc || job->stream) {
		free(bench.found.records);
		bench.found.records = NULL;
	}
	if (!rc)
		*measurement = bench.found;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

void measure_free(struct measurement *measurement)
{
	free(measurement->records);
	*measurement = (struct measurement){0};
}

/* Around the measured loop: a list at once, or a stream of them through one ring. */

#define STACK_PAGES 3 /* and the one that is being used */

static uint64_t faults_of_thread(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

/* That writes followed on the last gift, and on the filling: their time is none of the run's. Before a list's first write it
 * is between lists. */
static void take_gift_time(struct bench *bench)
{
	bench->found.between_ns += bench->gift_ns;
	bench->found.fill_ns += bench->prepare_ns;
	bench->gift_ns = bench->prepare_ns = 0;
}

/* *offset becomes where in the file that is. */
static struct bench_file *file_at(const struct bench *bench, uint64_t *offset)
{
	uint64_t index = 0;

	/* Of one file the offset may be any. */
	if (bench->file_count > 1) {
		index = *offset / OP_FILE_BYTES;
		*offset %= OP_FILE_BYTES;
	}
	return &bench->files[index];
}

static void give(struct bench *bench, const struct op *op)
{
	uint64_t at = op->offset, size, faults;
	struct bench_file *file = file_at(bench, &at);

	size = stretch_add(&file->cached, at, op->size);

	if (feed_take(&bench->feed, size))
		return;
	faults = faults_of_thread();
	feed_give(&bench->feed, size);
	bench->feed_faults += faults_of_thread() - faults;
}

/* Asked for once before each write. */
static void prepare_write(void *state, const struct op *op)
{
	struct bench *bench = state;
	uint64_t begin_ns, filled_ns;

	take_gift_time(bench);
	bench->asked++;
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	content_fill(&bench->content, bench->data, op->size);
	filled_ns = clock_ns(CLOCK_MONOTONIC);
	bench->prepare_ns = filled_ns - begin_ns;
	if (bench->is_fed)
		give(bench, op);
	/* What is before a list's first write is between lists already. */
	if (bench->asked > 1)
		bench->gift_ns = (bench->is_fed ? clock_ns(CLOCK_MONOTONIC) : filled_ns) - begin_ns;
}

static void sample_dirty(void *state, struct record *record)
{
	struct dirty_state seen;

	if (dirty_read(state, &seen))
		return;
	record->dirty_bytes = seen.dirty;
	record->writeback_bytes = seen.writeback;
}

/* In the measured window, of several files only: 1 ns beside the call. */
static int64_t write_in_file(void *state, uint64_t offset, uint64_t size)
{
	const struct bench *bench = state;
	const struct bench_file *file = file_at(bench, &offset);

	return bench->job->method->write(file->method_state, offset, size);
}

/* Of one file, whose every write is synced where there are several. */
static int flush_and_sync(void *state, uint64_t offset, uint64_t size)
{
	const struct bench *bench = state;
	const struct measure_job *job = bench->job;
	const struct bench_file *file = file_at(bench, &offset);
	char *map = job->method->mapping ? job->method->mapping(file->method_state) : NULL;
	int rc = job->method->flush ? job->method->flush(file->method_state) : 0;

	return rc ? rc : job->sync->sync(file->fd, map, offset, size);
}

/* What is dirty is written first: a file that is cut would take it along unwritten, and cost nothing. */
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
	/* The length stays for a mapping, and for who shares the file. */
	if (job->regime == OP_PREALLOCATED || job->method->is_mapped)
		rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, bytes);
	else
		rc = ftruncate(fd, 0);
	if (!rc && job->regime == OP_PREALLOCATED)
		rc = fallocate(fd, 0, begin, bytes);
	return rc ? -errno : 0;
}

static void take_end(struct bench *bench, const struct record *records, size_t count)
{
	struct measurement *found = &bench->found;
	const struct record *last = &records[count - 1];

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
}

/* One list; true when it was done to its end. */
static bool write_list(struct bench *bench, struct writer *writer)
{
	uint64_t faults = faults_of_thread(), theirs = bench->feed_faults;
	size_t done;

	bench->asked = bench->gift_ns = bench->prepare_ns = 0;
	done = writer_run(writer);
	bench->done = done;
	if (bench->asked == done)
		take_gift_time(bench);
	bench->found.faults += faults_of_thread() - faults - (bench->feed_faults - theirs);
	if (done)
		take_end(bench, writer->records, done);
	if (done && bench->job->stream && !bench->is_warming)
		bench->job->stream->drain(bench->job->stream->state, &bench->found, writer->records, done);
	writer->ended_ns = bench->found.end_ns;
	return done == writer->count && !bench->found.error;
}

/* Behind a warm-up a list is written from where that ended: as much as there is of it. */
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
		for (size_t i = 0; i < bench->file_count; i++) {
			bench_fail(bench, MEASURE_PREPARE, renew_file(bench, i));
			bench->files[i].cached = (struct stretch){0};
		}
		if (bench->found.error)
			return;
		/* Out of what the file has just given back. */
		if (bench->is_fed)
			feed_refill(&bench->feed);
		bench->end_bytes = 0;
		is_beginning = true;
	}
}

/* The thread has not been as deep as the calls of a method go: no fault falls into a window. */
static void __attribute__((noinline)) touch_stack(void)
{
	volatile char pages[STACK_PAGES * 4096];

	for (size_t i = 0; i < sizeof(pages); i += 4096)
		pages[i] = 1;
}

static void make_writer(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	bench->writer = (struct writer){
		.ops = job->ops,
		.count = job->count,
		.records = bench->found.records,
		.write = bench->file_count > 1 ? write_in_file : job->method->write,
		.write_state = bench->file_count > 1 ? bench : bench->files[0].method_state,
		.sync = job->sync->sync ? flush_and_sync : NULL,
		.sync_state = bench,
		.sync_every = job->sync_every,
		.sleep_until = job->is_sleeping ? clock_sleep_until : NULL,
		.prepare = prepare_write,
		.prepare_state = bench,
		.look = job->dirty && job->look_every_ns != UINT64_MAX ? sample_dirty : NULL,
		.look_state = (void *)(uintptr_t)job->dirty,
		.look_every_ns = job->look_every_ns,
		.stop = job->stop,
	};
}

/* What was written then has an end and errors, but no numbers. */
void bench_warm_up(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	if (!job->warmup_ns || !job->stream)
		return;
	make_writer(bench);
	touch_stack();
	bench->writer.until_ns = clock_ns(CLOCK_MONOTONIC) + job->warmup_ns;
	bench->is_warming = true;
	write_stream(bench, &bench->writer);
	bench->is_warming = false;
	bench->is_warm = true;
	/* The rest of the ring follows: nothing is left out of the file. */
	bench->kept = bench->writer.count - bench->done;
	memmove(bench->ring_ops, bench->ring_ops + bench->done, bench->kept * sizeof(*bench->ring_ops));
	bench->found = (struct measurement){.records = bench->found.records, .error = bench->found.error,
		.failed_at = bench->found.failed_at};
	bench->feed_faults = 0;
	if (bench->is_fed)
		feed_refill(&bench->feed);
	bench->feed.unfed = 0;
	bench->left_bytes = job->stream->is_repeated ? 0 : job->stream->total_bytes;
}

void bench_write(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	struct writer_unsynced unsynced = bench->writer.unsynced;
	struct contention begin, end;

	make_writer(bench);
	bench->writer.unsynced = unsynced;
	touch_stack();
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

/* Several measurements at once: threads that prepare in step, and begin when the caller has seen all of them ready. */

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

static void prepare_thread(struct member *member)
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
	prepare_thread(member);
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

static uint64_t call_watch(const struct measure_watch *watch, enum measure_phase phase)
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
			call_watch(attention->watch, MEASURE_RUNS);
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
	begin = call_watch(watch, MEASURE_BEGINS);
	if (watch->every_ns)
		attention.next_ns = begin + watch->every_ns;
	pthread_barrier_wait(&crew->gate);
	wait_for(crew, &crew->ended, &attention);
	call_watch(watch, MEASURE_ENDS);
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

/* --- failure --- */

static const struct {
	int error;
	const char *what, *remedy;
} known[] = {
	{ENOSPC, "became full", "free some or write less"},
	{EDQUOT, "is at its quota's end", "free some or write less"},
	{EFBIG, "may not become so large", "raise ulimit -f or write less"},
	{EROFS, "became read-only", "see the kernel's log, and remount it"},
	{ESTALE, "was changed by another process", "end that process and run again"},
	{EFAULT, "was truncated under its mapping", "stop the process that truncates it and run again"},
	{EIO, "gave an error of its device", "see the kernel's log"},
	{ENOMEM, "needs memory that is not to be had", "write less at a time, or with fewer threads"},
	{ENOSYS, "cannot be written to so: the kernel does not have it", "leave this method out"},
	{EPERM, "may not be written to so", "a seccomp filter or kernel.io_uring_disabled may forbid it; leave this method out"},
	{EOPNOTSUPP, "cannot be written to so: its file system does not have it", "leave this out"},
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
