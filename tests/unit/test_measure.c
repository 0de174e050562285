/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring by one thread: what is asked for is written, once; host-backed memory is as requested. */
#include "config.h"
#include "tests/unit/measure_flow.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "iowrite-bench/write/measure.h"
#include "tests/unit/stopped.h"

/* Instead of the libc's: what it was called for. */
static struct syncing {
	unsigned calls;
	int64_t length; /* of the file then */
	uint64_t at_ns;
} syncing;

int syncfs(int fd)
{
	struct stat status;

	syncing.calls++;
	syncing.at_ns = clock_ns(CLOCK_MONOTONIC);
	syncing.length = fstat(fd, &status) ? -1 : status.st_size;
	return (int)syscall(SYS_syncfs, fd);
}

/* What was asked of the mapping and of the file, and the largest range. */
static struct mapped {
	unsigned msyncs, fsyncs;
	size_t most;
} mapped;

int msync(void *addr, size_t len, int flags)
{
	mapped.msyncs++;
	mapped.most = len > mapped.most ? len : mapped.most;
	return (int)syscall(SYS_msync, addr, len, flags);
}

int fsync(int fd)
{
	mapped.fsyncs++;
	return (int)syscall(SYS_fsync, fd);
}

TEST("a mapping is synced once per write")
{
	static const struct {
		const char *sync;
		unsigned msyncs, fsyncs;
	} cases[] = {{"fsync", 0, 3}, {"msync", 3, 0}, {"none", 0, 0}};
	const struct op ops[] = {{0, 0, SIZE}, {0, SIZE, SIZE}, {0, 2 * SIZE + 10, 10}};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned before;

		job = job_of(&target, "mmap");
		job.ops = ops;
		job.sync = method_sync_of("none");
		job.count = 3;
		mapped = (struct mapped){0};
		assert_int_equal(measure(&job, &found), 0);
		measure_free(&found);
		before = mapped.fsyncs; /* of preparing the file */
		job.sync = method_sync_of(cases[i].sync);
		mapped = (struct mapped){0};
		assert_int_equal(measure(&job, &found), 0);
		assert_int_equal(found.error, 0);
		assert_int_equal(mapped.msyncs, cases[i].msyncs);
		assert_int_equal(mapped.fsyncs - before, cases[i].fsyncs);
		/* The range and the beginning of its page, not all of the mapping. */
		assert_true(mapped.most <= SIZE + 4096);
		measure_free(&found);
	}
	target_close(&target);
}

TEST("a file is filled in pieces of the later writes")
{
	assert_int_equal(before_chunk(0), 4096);
	assert_int_equal(before_chunk(1), 4096);
	assert_int_equal(before_chunk(4096), 4096);
	assert_int_equal(before_chunk(5000), 8192);
	assert_int_equal(before_chunk(BEFORE_MOST - 1), BEFORE_MOST);
	assert_int_equal(before_chunk(1ull << 40), BEFORE_MOST);
}

TEST("each method measures a list of writes")
{
	const struct op ops[] = {{0, 0, 10}, {0, 10, SIZE}, {0, 100, 1}};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	for (const struct method *method = methods; method->name; method++) {
		job = job_of(&target, method->name);
		job.ops = ops;
		job.count = 3;
		if (!strcmp(method->name, "io_uring"))
			continue; /* what containers forbid */
		assert_int_equal(measure(&job, &found), 0);
		assert_int_equal(found.count, 3);
		assert_int_equal(found.error, 0);
		assert_int_equal(length_of(&target), 10 + SIZE);
		assert_int_equal(found.records[1].size, SIZE);
		assert_true(found.begin_ns < found.end_ns);
		measure_free(&found);
	}
	target_close(&target);
}

/* What was written before, by the trial before or to prime the memory, is nothing that the flusher finds old. */
TEST("dirty data of earlier writes are flushed before measuring")
{
	static const struct {
		enum op_mode mode;
		enum op_regime regime;
		enum model_memory memory;
		unsigned calls;
		int64_t length;
	} cases[] = {
		{OP_BUFFERED, OP_APPEND, MODEL_AS_IS, 1, 0},
		{OP_BUFFERED, OP_APPEND, MODEL_WARM, 1, 0},
		{OP_BUFFERED, OP_OVERWRITE, MODEL_AS_IS, 1, SIZE},
		{OP_SYNC, OP_APPEND, MODEL_AS_IS, 0, 0},
	};
	const struct op op = {0, 0, SIZE};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		job = job_of(&target, "pwrite");
		job.ops = &op;
		job.count = 1;
		job.mode = cases[i].mode;
		job.regime = cases[i].regime;
		job.memory = cases[i].memory;
		syncing = (struct syncing){0};
		assert_int_equal(measure(&job, &found), 0);
		assert_int_equal(syncing.calls, cases[i].calls);
		assert_int_equal(syncing.length, cases[i].length);
		measure_free(&found);
	}
	target_close(&target);
}

TEST("the device rests before the first write")
{
	const uint64_t rest_ns = 20000000;
	const struct op op = {0, 0, SIZE};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	job = job_of(&target, "pwrite");
	job.ops = &op;
	job.count = 1;
	job.rest_ns = rest_ns;
	assert_int_equal(measure(&job, &found), 0);
	assert_true(found.begin_ns - syncing.at_ns >= rest_ns);
	measure_free(&found);
	target_close(&target);
}

/* More writes than the ring holds: all are made, all are drained, and nothing between is part of a write. */
TEST("a stream longer than the ring is measured and drained in full")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	make_target(&target);
	make_flow(&flow, 0, 1000 * SIZE, 7);
	job = job_of(&target, "pwrite");
	job.stream = &flow.stream;
	assert_int_equal(measure(&job, &found), 0);
	assert_int_equal(found.count, 1000);
	assert_int_equal(flow.records, 1000);
	assert_int_equal(flow.drained_bytes, 1000 * SIZE);
	assert_true(flow.is_ordered);
	assert_int_equal(flow.lists, 1);
	assert_null(found.records);
	assert_true(found.between_ns > 0);
	assert_true(found.between_ns < found.end_ns - found.begin_ns);
	assert_int_equal(length_of(&target), 1000 * SIZE);
	target_close(&target);
}

/* A page fault in a window would be counted as the write's. */
TEST("a measured window has no page fault per write")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	make_target(&target);
	make_flow(&flow, 0, 2000 * SIZE, 2000);
	job = job_of(&target, "pwrite");
	job.stream = &flow.stream;
	assert_int_equal(measure(&job, &found), 0);
	/* A few of the code's own first pages; not one a write, nor one for each page of records. */
	assert_true(found.faults < 10);
	target_close(&target);
}

/* Of 16 MiB 4 KiB are told: the host-backed memory is that of one refill (memory.h). */
TEST("writes beyond the host-backed memory are counted")
{
	static const enum op_regime regimes[] = {OP_APPEND, OP_OVERWRITE};
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	make_target(&target);
	for (size_t i = 0; i < 5; i++) {
		make_flow(&flow, 0, 4096 * SIZE, 100);
		flow.stream.total_bytes = i == 2 || i == 3 ? 4096 * SIZE : SIZE;
		flow.is_of_one_place = i == 4; /* new at the first write only */
		job = job_of(&target, "pwrite");
		job.memory = MODEL_WARM;
		job.regime = regimes[i % 2];
		job.stream = &flow.stream;
		assert_int_equal(measure(&job, &found), 0);
		assert_int_equal(found.count, 4096);
		/* What is in the page cache needs no memory. */
		assert_int_equal(found.unbacked_bytes, i == 0 ? 6u << 20 : 0);
		assert_true(found.busy.whole_ns >= (double)(found.end_ns - found.begin_ns));
	}
	target_close(&target);
}

/* Of 20 times 3 MiB each leaves some, which is touched again: that is part of no write. */
TEST("prefaulting memory causes no faults in the writes")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct op ops[20];

	make_target(&target);
	for (size_t i = 0; i < 20; i++)
		ops[i] = (struct op){0, i * (3 << 20), 3 << 20};
	job = job_of(&target, "pwrite");
	job.memory = MODEL_WARM;
	job.ops = ops;
	job.count = 20;
	assert_int_equal(measure(&job, &found), 0);
	assert_int_equal(found.count, 20);
	assert_int_equal(found.unbacked_bytes, 0);
	assert_true(found.faults < 10);
	/* The time for it is between the writes, and not of the first one's. */
	assert_true(found.between_ns > 0);
	assert_true(found.between_ns < found.end_ns - found.begin_ns);
	free(found.records);
	target_close(&target);
}

/* What is given for a write that is not made any more is no time between those that were. */
TEST("direct writes take no host-backed memory")
{
	static const struct op ops[] = {{0, 0, SIZE}, {1100000000, SIZE, 64 << 20}};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	job = job_of(&target, "pwrite");
	job.memory = MODEL_WARM;
	job.ops = ops;
	job.count = 2;
	job.runtime_ns = 1000000000;
	assert_int_equal(measure(&job, &found), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.between_ns, 0);
	free(found.records);
	target_close(&target);
}

/* Each time out of what the file gives back. */
TEST("host-backed memory is refilled for each pass")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	make_target(&target);
	make_flow(&flow, 0, 1000 * SIZE, 100);
	flow.stream.is_repeated = true;
	job = job_of(&target, "pwrite");
	job.memory = MODEL_WARM;
	job.stream = &flow.stream;
	job.runtime_ns = 50000000;
	for (unsigned tries = 0; tries < 10; tries++, job.runtime_ns *= 2) {
		assert_int_equal(measure(&job, &found), 0);
		assert_int_equal(found.unbacked_bytes, 0);
		if (found.count > 10000)
			break;
	}
	assert_true(found.count > 10000);
	target_close(&target);
}

/* False: the machine stood still, so that the list was not even written twice. */
static bool is_written_again(enum op_regime regime, const char *way, uint64_t runtime_ns)
{
	struct measurement found;
	struct target target;
	struct measure_job job;
	struct flow flow;

	make_target(&target);
	make_flow(&flow, 0, 8 * SIZE, 5);
	flow.stream.is_repeated = true;
	flow.grows = regime == OP_APPEND && strcmp(way, "mmap") != 0 ? &target : NULL;
	job = job_of(&target, way);
	job.stream = &flow.stream;
	job.regime = regime;
	job.runtime_ns = runtime_ns;
	assert_int_equal(measure(&job, &found), 0);
	assert_int_equal(found.error, 0);
	assert_int_equal(found.count, flow.records);
	assert_true(length_of(&target) <= 8 * SIZE);
	if (found.count > 8)
		assert_true(flow.lists > 1);
	target_close(&target);
	return found.count > 8;
}

TEST("each file state can be written again within the run time")
{
	static const enum op_regime regimes[] = {OP_APPEND, OP_PREALLOCATED, OP_OVERWRITE};
	static const char *const ways[] = {"pwrite", "fwrite", "mmap"};

	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			uint64_t runtime_ns = 20000000;

			while (!is_written_again(regimes[i], ways[k], runtime_ns)) {
				runtime_ns *= 2;
				assert_true(runtime_ns < 10000000000);
			}
		}
	}
}

/* One write after a second. */
static size_t refill_late(void *state, struct op *ops, size_t capacity)
{
	bool *is_begun = state;

	(void)capacity;
	if (*is_begun)
		return 0;
	*is_begun = true;
	stopped_ready();
	ops[0] = (struct op){1000000000, 0, SIZE};
	return 1;
}

static void drain_none(void *state, const struct measurement *found, const struct write_record *records, size_t count)
{
	(void)state;
	(void)found;
	(void)records;
	(void)count;
}

static struct contention_stops measure_late(void)
{
	bool is_begun = false;
	struct measure_stream stream = {.ring = 1, .file_bytes = SIZE, .largest_bytes = SIZE, .total_bytes = SIZE,
		.refill = refill_late, .drain = drain_none, .state = &is_begun};
	struct measurement found;
	struct measure_job job;
	struct target target;

	make_target(&target);
	job = job_of(&target, "pwrite");
	job.stream = &stream;
	assert_int_equal(measure(&job, &found), 0);
	target_close(&target);
	return found.stops;
}

TEST("a stop while one thread writes is measured")
{
	const struct contention_stops stops = stopped_while(measure_late);

	assert_true(stops.was_continued);
	assert_in_range(stops.stopped_ns, 500000000, stops.end.monotonic_ns - stops.begin.monotonic_ns);
}
