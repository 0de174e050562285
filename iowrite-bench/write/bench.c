/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The begin and the end of a measurement: data, file, memory, descriptors. */
#include "config.h"
#include "iowrite-bench/write/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/storage/target_mark.h"

#define SETTLE_NS 30000000000u
#define CHUNK BEFORE_MOST
#define DATA_ALIGN 4096
#define MIB (1ull << 20)
#define PREFAULT_LARGE (128 * MIB)
#define PREFAULT_SMALL (1ull << 30) /* small writes take all from such pieces */
#define PREFAULT_WRITE (4 * MIB)

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

int bench_begin(struct bench *bench)
{
	const struct measure_job *job = bench->job;
	size_t count = job->stream ? job->stream->ring : job->count;
	uint64_t bytes;

	bench->file_count = job->file_count ? job->file_count : 1;
	if (job->stream) {
		bench->largest = job->stream->largest_bytes;
		bench->file_bytes = job->stream->file_bytes;
		bench->total_bytes = job->stream->total_bytes;
	}
	for (size_t i = 0; i < job->count; i++) {
		uint64_t end = job->ops[i].offset + job->ops[i].size;

		bench->largest = job->ops[i].size > bench->largest ? job->ops[i].size : bench->largest;
		bench->file_bytes = end > bench->file_bytes ? end : bench->file_bytes;
		bench->total_bytes += job->ops[i].size;
	}
	bench->files = calloc(bench->file_count, sizeof(*bench->files));
	bench->found.records = calloc(count ? count : 1, sizeof(*bench->found.records));
	if (job->stream)
		bench->ring_ops = calloc(count ? count : 1, sizeof(*bench->ring_ops));
	if (!bench->files || !bench->found.records || (job->stream && !bench->ring_ops))
		return -ENOMEM;
	bytes = bench->largest > CHUNK ? bench->largest : CHUNK;
	bytes += -bytes % DATA_ALIGN;
	bench->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (bench->data == MAP_FAILED) {
		bench->data = NULL;
		return -errno;
	}
	bench->data_bytes = bytes;
	/* The records are touched, so that no page fault falls into a window. */
	memset(bench->found.records, 1, count * sizeof(*bench->found.records));
	content_init(job->compress_percent, job->dedupe_percent, &bench->content);
	content_fill(&bench->content, bench->data, bytes);
	return 0;
}

void bench_end(struct bench *bench)
{
	memory_free(&bench->memory);
	if (bench->data)
		munmap(bench->data, bench->data_bytes);
	free(bench->ring_ops);
	free(bench->files);
	bench->files = NULL;
	bench->data = NULL;
	bench->ring_ops = NULL;
}

/* --- the file --- */

static int write_before(struct bench *bench, int fd, uint64_t file_bytes)
{
	const uint64_t chunk = before_chunk(bench->largest);

	for (uint64_t done = 0; done < file_bytes;) {
		uint64_t left = file_bytes - done;
		ssize_t written;

		content_fill(&bench->content, bench->data, left < chunk ? left : chunk);
		written = pwrite(fd, bench->data, left < chunk ? left : chunk, (off_t)done);
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

static int prepare_file(struct bench *bench, const struct target *target, uint64_t file_bytes)
{
	const struct measure_job *job = bench->job;
	/* A file that existed before would keep the space prepared in it if this program is killed. */
	const bool is_ours = job->target->kind == TARGET_NAMELESS || job->target->is_created;
	int fd = target->fd;

	if (target->kind == TARGET_DEVICE)
		return job->regime == OP_OVERWRITE ? write_before(bench, fd, file_bytes) : 0;
	if (ftruncate(fd, 0))
		return -errno;
	if (job->regime == OP_OVERWRITE)
		return write_before(bench, fd, file_bytes);
	if (job->regime == OP_PREALLOCATED && fallocate(fd, 0, 0, (off_t)file_bytes))
		return -errno;
	if (job->regime == OP_APPEND && job->mode == OP_BUFFERED && job->memory == MODEL_WARM && is_ours) {
		/* The beginning suffices for a file that is not written to its end in the given time. */
		int rc = memory_space_prepare(fd, bench->total_bytes < file_bytes ? bench->total_bytes : file_bytes);

		if (rc)
			return rc;
	}
	return fsync(fd) ? -errno : 0;
}

int bench_prepare_file(struct bench *bench, uint64_t file_bytes)
{
	int rc = 0;

	for (size_t i = 0; i < bench->file_count && !rc; i++)
		rc = prepare_file(bench, &bench->job->target[i], file_bytes);
	return rc;
}

void bench_settle(const struct bench *bench)
{
	const struct measure_job *job = bench->job;

	if (job->dirty)
		dirty_settle(job->dirty, MEASURE_QUIET_BYTES, job->settle_ns ? job->settle_ns : SETTLE_NS, 1, job->stop);
}

/* --- memory and descriptor --- */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * The page allocator hands out small and old free pages before those that were just freed, and they may be cold. So pages of
 * the size of the writes are allocated until no such pages are left, and dropped unwritten: no more than the writes take
 * anyway, and fewer than the kernel begins to write back. It is no error if this is not possible, unless the file
 * cannot be truncated again.
 */
static int prefault(struct bench *bench, uint64_t most_dirty_bytes)
{
	const struct target *target = bench->job->target;
	struct memory_pool *pool = &bench->memory.pool;
	uint64_t most = most_dirty_bytes && !memory_is_large(bench->largest) ? PREFAULT_SMALL : PREFAULT_LARGE;
	uint64_t size = least(bench->largest, PREFAULT_WRITE);
	struct stat before;
	int rc = 0;

	if (bench->is_shared || bench->job->regime != OP_APPEND || target->kind == TARGET_DEVICE)
		return 0;
	most = least(most, least(bench->total_bytes, bench->file_bytes * bench->file_count));
	if (most_dirty_bytes)
		most = least(most, most_dirty_bytes);
	if (size && size < BEFORE_PAGE)
		size = BEFORE_PAGE;
	/* The first block is the one that memory_space_prepare leaves. */
	if (!size || BEFORE_PAGE >= most || fstat(target->fd, &before))
		return 0;
	for (uint64_t at = BEFORE_PAGE; at < most && !writer_is_told(bench->job->stop); at += size) {
		size = least(size, most - at);
		memory_pool_refill(pool, size);
		if (pwrite(target->fd, bench->data, size, (off_t)at) != (ssize_t)size)
			break;
	}
	if (ftruncate(target->fd, before.st_size))
		rc = -errno;
	memory_pool_reclaim(pool);
	pool->unbacked = 0;
	return rc;
}

int bench_prepare_memory(struct bench *bench, uint64_t most, unsigned jobs)
{
	const struct measure_job *job = bench->job;
	struct memory *memory = &bench->memory;
	uint64_t need, most_dirty = 0;
	struct dirty_state state;
	int rc;

	*memory = (struct memory){.file_count = bench->file_count,
		.is_pooled = memory_is_needed(job->memory, job->mode, job->regime, job->is_uncached)};
	if (!memory->is_pooled) {
		if (job->memory == MODEL_COLD)
			memory_wait_for_host(job->stop);
		return 0;
	}
	memory->cached = calloc(bench->file_count, sizeof(*memory->cached));
	if (!memory->cached)
		return -ENOMEM;
	need = job->stream ? memory_need_largest(bench->largest, bench->total_bytes) : memory_need(job->ops, job->count);
	rc = memory_pool_open(need, most / jobs, &memory->pool);
	/* More dirty bytes would be written to the device. */
	if (job->dirty && !dirty_read(job->dirty, &state))
		most_dirty = state.background_threshold / 2 / jobs;
	return rc ? rc : prefault(bench, most_dirty);
}

void bench_settle_again(const struct bench *bench)
{
	struct dirty_state state;

	if (bench->memory.is_pooled && bench->job->dirty && !dirty_read(bench->job->dirty, &state) &&
		state.dirty + state.writeback > MEASURE_QUIET_BYTES)
		bench_settle(bench);
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
	const struct timespec pause = clock_timespec(job->rest_ns);

	/* The inode is dirty since the preparation, also of data that was cut off again, and the flusher would write it whole
	 * during the measurement once it is old: fsync(2) does not reset that age (__mark_inode_dirty and requeue_inode in
	 * fs/fs-writeback.c), only the writing of all inodes does. An error of it is another program's, or occurs again. */
	if (job->mode == OP_BUFFERED && job->target->kind != TARGET_DEVICE)
		(void)syncfs(job->target->fd);
	if (job->rest_ns)
		nanosleep(&pause, NULL);
	for (size_t i = 0; i < bench->file_count; i++) {
		struct bench_file *file = &bench->files[i];
		int rc = target_reopen(&job->target[i], O_RDWR | measure_open_flags(job->mode), &setup.fd);

		if (rc)
			return rc;
		file->fd = setup.fd;
		rc = job->method->open(&setup, &file->method_state);
		if (rc) {
			close(setup.fd);
			return rc;
		}
		bench->opened++;
	}
	return 0;
}

/* Returns whether written or reserved bytes have no blocks; fsync(2) completes allocations that may not be counted yet. */
static bool has_holes(const struct bench *bench, uint64_t filled)
{
	const struct target *target = bench->job->target;
	struct target_mark mark;

	for (int tries = 0; tries < 2; tries++) {
		if ((tries && fsync(target->fd)) || target_mark(target, &mark))
			return false;
		if (!mark.allocated || mark.allocated >= filled)
			return false;
	}
	return true;
}

int bench_check_unchanged(const struct bench *bench)
{
	const struct measure_job *job = bench->job;
	bool is_whole = job->regime != OP_APPEND;
	uint64_t filled = is_whole ? bench->file_bytes : bench->end_bytes;
	uint64_t least = job->method->is_mapped ? bench->file_bytes : filled;
	struct target_mark mark;
	int rc;

	if (bench->found.error || job->target->kind == TARGET_DEVICE || writer_is_told(job->stop))
		return 0;
	/* Several files have no names: no other process opens them. */
	if (bench->file_count > 1)
		return 0;
	rc = target_mark(job->target, &mark);
	if (rc)
		return rc;
	/* Other writers of a shared file may have written more. */
	if (!bench->is_shared && (mark.bytes < least || mark.bytes > bench->file_bytes || has_holes(bench, filled)))
		return -ESTALE;
	return target_is_named(job->target) ? 0 : -ESTALE;
}

void bench_close(struct bench *bench)
{
	const struct method *method = bench->job->method;
	struct measurement *found = &bench->found;
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), flushed;

	if (!bench->opened)
		return;
	for (size_t i = 0; i < bench->opened && method->flush; i++)
		bench_fail(bench, MEASURE_CLOSE, method->flush(bench->files[i].method_state));
	flushed = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < bench->opened; i++)
		bench_fail(bench, MEASURE_CLOSE, method->close(bench->files[i].method_state));
	bench->opened = 0;
	found->flush_ns = flushed - begin;
	found->close_ns = clock_ns(CLOCK_MONOTONIC) - flushed;
	bench_fail(bench, MEASURE_CLOSE, bench_check_unchanged(bench));
	found->unbacked_bytes = bench->memory.pool.unbacked;
	if (bench->job->dirty)
		dirty_read(bench->job->dirty, &found->after);
}
