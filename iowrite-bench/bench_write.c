/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Around the measured loop: a list at once, or a stream of them through one ring. */
#include "config.h"
#include "iowrite-bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "iowrite-bench/bench_clock.h"

#define STACK_PAGES 3 /* and the one that is being used */

static uint64_t faults_of_thread(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : (uint64_t)(usage.ru_minflt + usage.ru_majflt);
}

/* That writes followed on the last gift: its time is none of the run's. Before a list's first write it is between lists. */
static void take_gift_time(struct bench *bench)
{
	bench->found.between_ns += bench->gift_ns;
	bench->gift_ns = 0;
}

/* Asked for once before each write. */
static void give(void *state, const struct op *op)
{
	struct bench *bench = state;
	uint64_t size = stretch_add(&bench->cached, op->offset, op->size), begin_ns, faults;

	take_gift_time(bench);
	bench->asked++;
	if (feed_take(&bench->feed, size))
		return;
	begin_ns = bench_now_ns();
	faults = faults_of_thread();
	feed_give(&bench->feed, size);
	bench->feed_faults += faults_of_thread() - faults;
	if (bench->asked > 1)
		bench->gift_ns = bench_now_ns() - begin_ns;
}

static void sleep_until(uint64_t ns)
{
	struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

static void look(void *state, struct record *record)
{
	struct dirty_state seen;

	if (dirty_read(state, &seen))
		return;
	record->dirty_bytes = seen.dirty;
	record->writeback_bytes = seen.writeback;
}

static int flush_and_sync(void *state, uint64_t offset, uint64_t size)
{
	const struct bench *bench = state;
	const struct measure_job *job = bench->job;
	int rc = job->method->flush ? job->method->flush(bench->method_state) : 0;

	return rc ? rc : job->sync->sync(bench->fd, offset, size);
}

/* What is dirty is written first: a file that is cut would take it along unwritten, and cost nothing. */
static int renew_file(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	const off_t begin = (off_t)job->stream->begin_bytes, bytes = (off_t)job->stream->file_bytes - begin;
	int fd = job->target->fd, rc = job->method->flush ? job->method->flush(bench->method_state) : 0;

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
	if (last->error)
		bench_fail(bench, last->sync_ns ? MEASURE_SYNC : MEASURE_WRITE, -last->error);
}

/* One list; true when it was done to its end. */
static bool write_list(struct bench *bench, struct writer *writer)
{
	uint64_t faults = faults_of_thread(), theirs = bench->feed_faults;
	size_t done;

	bench->asked = bench->gift_ns = 0;
	done = writer_run(writer);
	if (bench->asked == done)
		take_gift_time(bench);
	bench->found.faults += faults_of_thread() - faults - (bench->feed_faults - theirs);
	if (done)
		take_end(bench, writer->records, done);
	if (done && bench->job->stream)
		bench->job->stream->drain(bench->job->stream->state, &bench->found, writer->records, done);
	writer->ended_ns = bench->found.end_ns;
	return done == writer->count && !bench->found.error;
}

static void write_stream(struct bench *bench, struct writer *writer)
{
	const struct measure_stream *stream = bench->job->stream;
	bool is_beginning = true;

	writer->ops = bench->ring_ops;
	for (;;) {
		writer->count = stream->refill(stream->state, bench->ring_ops, stream->ring);
		if (writer->count) {
			is_beginning = false;
			if (!write_list(bench, writer))
				return;
			continue;
		}
		if (!stream->is_repeated || is_beginning || bench_now_ns() >= writer->until_ns)
			return;
		bench_fail(bench, MEASURE_PREPARE, renew_file(bench));
		if (bench->found.error)
			return;
		/* Out of what the file has just given back. */
		if (bench->is_fed)
			feed_refill(&bench->feed);
		bench->cached = (struct stretch){0};
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

void bench_write(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	struct writer writer = {
		.ops = job->ops,
		.count = job->count,
		.records = bench->found.records,
		.write = job->method->write,
		.write_state = bench->method_state,
		.sync = job->sync->sync ? flush_and_sync : NULL,
		.sync_state = bench,
		.sleep_until = job->is_sleeping ? sleep_until : NULL,
		.prepare = bench->is_fed ? give : NULL,
		.prepare_state = bench,
		.look = job->dirty && job->look_every_ns != UINT64_MAX ? look : NULL,
		.look_state = (void *)(uintptr_t)job->dirty,
		.look_every_ns = job->look_every_ns,
		.stop = job->stop,
	};

	touch_stack();
	if (job->dirty)
		dirty_read(job->dirty, &bench->found.before);
	writer.until_ns = job->runtime_ns ? bench_now_ns() + job->runtime_ns : UINT64_MAX;
	if (job->stream)
		write_stream(bench, &writer);
	else
		write_list(bench, &writer);
}
