/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/measure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "iowrite-bench/feed.h"

#define SETTLE_NS 30000000000u
#define COOL_NS 30000000000u /* until the host has taken freed pages away (design, R5) */
#define CHUNK (4ull << 20)
#define DATA_ALIGN 4096

/* What a measurement holds while it lasts. */
struct bench {
	const struct measure_job *job;
	void *data;
	uint64_t largest, file_bytes; /* of one write; of the file at the end */
	struct feed feed;
	void *method_state;
	int fd; /* that the method writes to; it closes it */
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int measure_open_flags(enum op_mode mode)
{
	static const int flags[OP_MODES] = {
		[OP_BUFFERED] = 0,
		[OP_SYNC] = O_SYNC,
		[OP_DSYNC] = O_DSYNC,
		[OP_DIRECT] = O_DIRECT,
		[OP_DIRECT_SYNC] = O_DIRECT | O_SYNC,
		[OP_DIRECT_DSYNC] = O_DIRECT | O_DSYNC,
	};

	return flags[mode];
}

/* --- the file --- */

/* Not zeros: they are what storage is best at. */
static int make_data(struct bench *bench)
{
	uint64_t bytes = bench->largest > CHUNK ? bench->largest : CHUNK;
	struct rng rng;
	uint64_t *words;

	bytes += -bytes % DATA_ALIGN;
	words = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (words == MAP_FAILED)
		return -errno;
	rng_seed(&rng, 1, 0);
	for (uint64_t i = 0; i < bytes / sizeof(*words); i++)
		words[i] = rng_next(&rng);
	bench->data = words;
	bench->largest = bytes;
	return 0;
}

static int write_before(const struct bench *bench, int fd)
{
	for (uint64_t done = 0; done < bench->file_bytes;) {
		uint64_t left = bench->file_bytes - done;
		ssize_t written = pwrite(fd, bench->data, left < CHUNK ? left : CHUNK, (off_t)done);

		if (written < 0)
			return -errno;
		done += (uint64_t)written;
		if (*bench->job->stop)
			return -EINTR;
	}
	if (fsync(fd))
		return -errno;
	if (bench->job->is_uncached)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

static int prepare_file(const struct bench *bench)
{
	int fd = bench->job->target->fd;

	if (bench->job->target->kind == TARGET_DEVICE)
		return bench->job->regime == OP_OVERWRITE ? write_before(bench, fd) : 0;
	if (ftruncate(fd, 0))
		return -errno;
	if (bench->job->regime == OP_OVERWRITE)
		return write_before(bench, fd);
	if (bench->job->regime == OP_PREALLOCATED && fallocate(fd, 0, 0, (off_t)bench->file_bytes))
		return -errno;
	return fsync(fd) ? -errno : 0;
}

/* --- memory --- */

static void give(void *state, const struct op *op)
{
	feed_give(state, op->size);
}

static uint64_t bytes_of(const struct measure_job *job)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < job->count; i++)
		bytes += job->ops[i].size;
	return bytes;
}

static void sleep_until(uint64_t ns)
{
	struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

static int prepare_memory(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	int rc = 0;

	/* What is written synchronously goes through the page cache, too, unless it is direct. */
	if (job->memory == MODEL_WARM && job->mode < OP_DIRECT)
		rc = feed_open(bytes_of(job), bench->largest, &bench->feed);
	if (job->memory == MODEL_COLD && !*job->stop)
		sleep_until(now_ns() + COOL_NS);
	return rc;
}

/* --- measuring --- */

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

static int open_method(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	struct method_setup setup = {
		.data = bench->data,
		.largest_bytes = bench->largest,
		.file_bytes = bench->file_bytes,
		.rwf_flags = job->sync->rwf_flags,
		.buffering = job->buffering,
		.buffer_bytes = job->buffer_bytes,
	};
	int rc = target_reopen(job->target, O_RDWR | measure_open_flags(job->mode), &setup.fd);

	if (rc)
		return rc;
	bench->fd = setup.fd;
	rc = job->method->open(&setup, &bench->method_state);
	if (rc)
		close(setup.fd);
	return rc;
}

static void write_all(struct bench *bench, struct measurement *found)
{
	const struct measure_job *job = bench->job;
	struct writer writer = {
		.ops = job->ops,
		.count = job->count,
		.records = found->records,
		.write = job->method->write,
		.write_state = bench->method_state,
		.sync = job->sync->sync ? flush_and_sync : NULL,
		.sync_state = bench,
		.sleep_until = job->is_sleeping ? sleep_until : NULL,
		.prepare = bench->feed.bytes ? give : NULL,
		.prepare_state = &bench->feed,
		.look = job->dirty ? look : NULL,
		.look_state = (void *)(uintptr_t)job->dirty,
		.look_every_ns = job->look_every_ns,
		.until_ns = job->runtime_ns ? now_ns() + job->runtime_ns : UINT64_MAX,
		.stop = job->stop,
	};

	found->count = writer_run(&writer);
	if (found->count) {
		const struct record *last = &found->records[found->count - 1];

		found->begin_ns = found->records[0].start_ns;
		found->end_ns = last->start_ns + last->write_ns + last->sync_ns;
		found->error = last->error;
	}
}

static void close_method(struct bench *bench, struct measurement *found)
{
	const struct method *method = bench->job->method;
	uint64_t begin = now_ns(), flushed;
	int flush_rc = method->flush ? method->flush(bench->method_state) : 0, close_rc;

	flushed = now_ns();
	close_rc = method->close(bench->method_state);
	found->flush_ns = flushed - begin;
	found->close_ns = now_ns() - flushed;
	if (!found->error)
		found->error = flush_rc ? -flush_rc : -close_rc;
}

static int prepare(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	int rc;

	for (size_t i = 0; i < job->count; i++) {
		uint64_t end = job->ops[i].offset + job->ops[i].size;

		bench->largest = job->ops[i].size > bench->largest ? job->ops[i].size : bench->largest;
		bench->file_bytes = end > bench->file_bytes ? end : bench->file_bytes;
	}
	rc = make_data(bench);
	if (!rc)
		rc = prepare_file(bench);
	if (!rc && job->dirty)
		dirty_settle(job->dirty, MEASURE_QUIET_BYTES, SETTLE_NS, 1, job->stop);
	if (!rc)
		rc = prepare_memory(bench);
	return rc ? rc : open_method(bench);
}

int measure(const struct measure_job *job, struct measurement *measurement)
{
	struct measurement found = {.records = calloc(job->count ? job->count : 1, sizeof(*found.records))};
	struct bench bench = {.job = job};
	int rc = -ENOMEM;

	if (found.records) {
		/* Touched, so that no fault falls into a window. */
		memset(found.records, 1, job->count * sizeof(*found.records));
		rc = prepare(&bench);
	}
	if (!rc) {
		if (job->dirty)
			dirty_read(job->dirty, &found.before);
		write_all(&bench, &found);
		close_method(&bench, &found);
		if (job->dirty)
			dirty_read(job->dirty, &found.after);
	} else {
		diag_error(rc, "cannot prepare %s for %s %s", job->target->path, op_mode_name(job->mode),
			job->method->name);
	}
	feed_close(&bench.feed);
	if (bench.data)
		munmap(bench.data, bench.largest);
	if (rc)
		free(found.records);
	else
		*measurement = found;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

void measure_free(struct measurement *measurement)
{
	free(measurement->records);
	*measurement = (struct measurement){0};
}
