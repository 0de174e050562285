/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin and the end of a measurement: data, file, memory, descriptors. */
#include "config.h"
#include "iowrite-bench/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/hot/rng.h"
#include "iowrite-bench/bench_clock.h"

#define SETTLE_NS 30000000000u
#define COOL_NS 30000000000u /* until the host has taken freed pages away */
#define COOL_STEP_NS 100000000u
#define CHUNK (4ull << 20)
#define DATA_ALIGN 4096

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

void bench_fail(struct bench *bench, enum measure_stage stage, int rc)
{
	if (!rc || bench->found.error)
		return;
	bench->found.error = -rc;
	bench->found.failed_at = stage;
}

/* --- sizes and buffers --- */

static void take_sizes(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	if (job->stream) {
		bench->largest = job->stream->largest_bytes;
		bench->file_bytes = job->stream->file_bytes;
		bench->total_bytes = job->stream->total_bytes;
		return;
	}
	for (size_t i = 0; i < job->count; i++) {
		uint64_t end = job->ops[i].offset + job->ops[i].size;

		bench->largest = job->ops[i].size > bench->largest ? job->ops[i].size : bench->largest;
		bench->file_bytes = end > bench->file_bytes ? end : bench->file_bytes;
		bench->total_bytes += job->ops[i].size;
	}
}

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
	bench->data_bytes = bytes;
	return 0;
}

int bench_begin(struct bench *bench, const struct measure_job *job)
{
	size_t count = job->stream ? job->stream->ring : job->count;

	*bench = (struct bench){.job = job};
	take_sizes(bench);
	bench->found.records = calloc(count ? count : 1, sizeof(*bench->found.records));
	if (job->stream)
		bench->ring_ops = calloc(count ? count : 1, sizeof(*bench->ring_ops));
	if (!bench->found.records || (job->stream && !bench->ring_ops))
		return -ENOMEM;
	/* Touched, so that no fault falls into a window. */
	memset(bench->found.records, 1, count * sizeof(*bench->found.records));
	return make_data(bench);
}

void bench_end(struct bench *bench)
{
	feed_close(&bench->feed);
	if (bench->data)
		munmap(bench->data, bench->data_bytes);
	free(bench->ring_ops);
	bench->data = NULL;
	bench->ring_ops = NULL;
}

/* --- the file --- */

/* Of a stream as much at a time as will be written: Linux caches large writes in large folios, in which a small write
 * then costs twice as much (ext4 of 6.18). */
static uint64_t chunk_before(const struct bench *bench)
{
	uint64_t bytes = bench->largest + -bench->largest % DATA_ALIGN;

	return bench->job->stream && bytes < CHUNK ? bytes : CHUNK;
}

static int write_before(const struct bench *bench, int fd, uint64_t file_bytes)
{
	const uint64_t chunk = chunk_before(bench);

	for (uint64_t done = 0; done < file_bytes;) {
		uint64_t left = file_bytes - done;
		ssize_t written = pwrite(fd, bench->data, left < chunk ? left : chunk, (off_t)done);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (!written)
			return -EIO;
		done += written > 0 ? (uint64_t)written : 0;
		if (writer_is_told(bench->job->stop))
			return -EINTR;
	}
	if (fsync(fd))
		return -errno;
	if (bench->job->is_uncached)
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

int bench_prepare_file(struct bench *bench, uint64_t file_bytes)
{
	int fd = bench->job->target->fd;

	if (bench->job->target->kind == TARGET_DEVICE)
		return bench->job->regime == OP_OVERWRITE ? write_before(bench, fd, file_bytes) : 0;
	if (ftruncate(fd, 0))
		return -errno;
	if (bench->job->regime == OP_OVERWRITE)
		return write_before(bench, fd, file_bytes);
	if (bench->job->regime == OP_PREALLOCATED && fallocate(fd, 0, 0, (off_t)file_bytes))
		return -errno;
	return fsync(fd) ? -errno : 0;
}

void bench_settle(const struct bench *bench)
{
	const struct measure_job *job = bench->job;

	if (job->dirty)
		dirty_settle(job->dirty, MEASURE_QUIET_BYTES, job->settle_ns ? job->settle_ns : SETTLE_NS, 1, job->stop);
}

/* --- memory and descriptor --- */

static void cool(const struct bench *bench)
{
	const struct timespec step = {0, COOL_STEP_NS};

	for (uint64_t end = bench_now_ns() + COOL_NS; bench_now_ns() < end && !writer_is_told(bench->job->stop);)
		nanosleep(&step, NULL);
}

static int prepare_memory(struct bench *bench)
{
	const struct measure_job *job = bench->job;

	/* Twice: beside what is written, each gift has a rest. What is written synchronously goes through the page cache,
	 * too, unless it is direct. */
	if (job->memory == MODEL_WARM && job->mode < OP_DIRECT)
		return feed_open(2 * bench->total_bytes + CHUNK, &bench->feed);
	if (job->memory == MODEL_COLD)
		cool(bench);
	return 0;
}

int bench_prepare_writing(struct bench *bench)
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
	int rc = prepare_memory(bench);

	if (!rc)
		rc = target_reopen(job->target, O_RDWR | measure_open_flags(job->mode), &setup.fd);
	if (rc)
		return rc;
	bench->fd = setup.fd;
	rc = job->method->open(&setup, &bench->method_state);
	if (rc)
		close(setup.fd);
	bench->is_open = !rc;
	return rc;
}

void bench_close(struct bench *bench)
{
	const struct method *method = bench->job->method;
	struct measurement *found = &bench->found;
	uint64_t begin = bench_now_ns(), flushed;

	if (!bench->is_open)
		return;
	bench->is_open = false;
	bench_fail(bench, MEASURE_CLOSE, method->flush ? method->flush(bench->method_state) : 0);
	flushed = bench_now_ns();
	bench_fail(bench, MEASURE_CLOSE, method->close(bench->method_state));
	found->flush_ns = flushed - begin;
	found->close_ns = bench_now_ns() - flushed;
	if (bench->job->dirty)
		dirty_read(bench->job->dirty, &found->after);
}
