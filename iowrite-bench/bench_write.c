/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Around the measured loop: a list at once, or a stream of them through one ring. */
#include "config.h"
#include "iowrite-bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/clock.h"

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
static void prepare(void *state, const struct op *op)
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

static void look(void *state, struct record *record)
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
		.prepare = prepare,
		.prepare_state = bench,
		.look = job->dirty && job->look_every_ns != UINT64_MAX ? look : NULL,
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
