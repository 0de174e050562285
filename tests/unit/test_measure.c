/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring: what is asked for is written, once, by as many threads as wanted; what fails is told and not repeated. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "iowrite-bench/measure.h"

#define SIZE 4096
#define THREADS 3

static volatile int stop;

static void make_target(struct target *target)
{
	*target = (struct target){.kind = TARGET_NAMELESS, .path = "test", .fs_block = 4096,
		.fd = memfd_create("test", MFD_CLOEXEC)};
	assert_true(target->fd >= 0);
}

static uint64_t length_of(const struct target *target)
{
	struct stat facts;

	assert_int_equal(fstat(target->fd, &facts), 0);
	return (uint64_t)facts.st_size;
}

static struct measure_job job_of(const struct target *target, const char *method)
{
	return (struct measure_job){.target = target, .method = method_of(method), .sync = method_sync_of("none"),
		.memory = MODEL_AS_IS, .look_every_ns = UINT64_MAX, .stop = &stop};
}

/* --- a stream: writes that are counted, sizes and rings as asked for --- */

struct flow {
	uint64_t begin, bytes, made;   /* of a list, and so far */
	unsigned lists;                /* begun */
	uint64_t records, drained_bytes, last_offset;
	bool is_ordered;
	const struct target *grows; /* must be empty when a list begins; NULL = must not */
	struct measure_stream stream;
};

static size_t refill(void *state, struct op *ops, size_t room)
{
	struct flow *flow = state;
	size_t count = 0;

	flow->lists += !flow->made;
	if (flow->grows && !flow->made)
		assert_int_equal(length_of(flow->grows), 0);
	for (; count < room && flow->made < flow->bytes; count++, flow->made += SIZE)
		ops[count] = (struct op){0, flow->begin + flow->made, SIZE};
	if (!count)
		flow->made = 0;
	return count;
}

static void drain(void *state, const struct measurement *found, const struct record *records, size_t count)
{
	struct flow *flow = state;

	(void)found;
	for (size_t i = 0; i < count; i++) {
		flow->drained_bytes += records[i].size;
		if (flow->records++ && records[i].offset != flow->begin && records[i].offset != flow->last_offset + SIZE)
			flow->is_ordered = false;
		flow->last_offset = records[i].offset;
	}
}

static void make_flow(struct flow *flow, uint64_t begin, uint64_t bytes, size_t ring)
{
	*flow = (struct flow){.begin = begin, .bytes = bytes, .is_ordered = true};
	flow->stream = (struct measure_stream){.ring = ring, .file_bytes = begin + bytes, .largest_bytes = SIZE,
		.total_bytes = bytes, .begin_bytes = begin, .refill = refill, .drain = drain, .state = flow};
}

static void a_list(void **state)
{
	const struct op ops[] = {{0, 0, 10}, {0, 10, SIZE}, {0, 100, 1}};
	struct measurement found;
	struct measure_job job;
	struct target target;

	(void)state;
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

/* More writes than the ring holds: all are made, all are drained, and nothing between is part of a write. */
static void a_stream(void **state)
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	(void)state;
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
static void no_faults(void **state)
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;

	(void)state;
	make_target(&target);
	make_flow(&flow, 0, 2000 * SIZE, 2000);
	job = job_of(&target, "pwrite");
	job.stream = &flow.stream;
	assert_int_equal(measure(&job, &found), 0);
	/* A few of the code's own first pages; not one a write, nor one for each page of records. */
	assert_true(found.faults < 10);
	target_close(&target);
}

static void again_and_again(void **state)
{
	static const enum op_regime regimes[] = {OP_APPEND, OP_PREALLOCATED, OP_OVERWRITE};
	static const char *const ways[] = {"pwrite", "fwrite", "mmap"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 3; k++) {
			struct measurement found;
			struct target target;
			struct measure_job job;
			struct flow flow;

			make_target(&target);
			make_flow(&flow, 0, 8 * SIZE, 5);
			flow.stream.is_repeated = true;
			flow.grows = regimes[i] == OP_APPEND && strcmp(ways[k], "mmap") != 0 ? &target : NULL;
			job = job_of(&target, ways[k]);
			job.stream = &flow.stream;
			job.regime = regimes[i];
			job.runtime_ns = 20000000;
			assert_int_equal(measure(&job, &found), 0);
			assert_int_equal(found.error, 0);
			assert_true(found.count > 8);
			assert_int_equal(found.count, flow.records);
			assert_true(flow.lists > 1);
			assert_true(length_of(&target) <= 8 * SIZE);
			target_close(&target);
		}
	}
}

/* --- several --- */

struct watcher {
	unsigned begins, looks, ends, wakes;
};

static void look(void *state, enum measure_phase phase, uint64_t now_ns)
{
	struct watcher *watcher = state;

	assert_true(now_ns > 0);
	watcher->begins += phase == MEASURE_BEGINS;
	watcher->looks += phase == MEASURE_RUNS;
	watcher->ends += phase == MEASURE_ENDS;
}

static void woken(void *state)
{
	struct watcher *watcher = state;

	watcher->wakes++;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

static void files_of_their_own(void **state)
{
	struct measurement found[THREADS];
	struct measure_job jobs[THREADS];
	struct target targets[THREADS];
	struct flow flows[THREADS];
	struct watcher watcher = {0};
	const struct measure_watch watch = {1000000, look, -1, woken, &watcher};

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		make_target(&targets[i]);
		make_flow(&flows[i], 0, (uint64_t)(i + 1) * 100 * SIZE, 16);
		jobs[i] = job_of(&targets[i], "pwrite");
		jobs[i].stream = &flows[i].stream;
	}
	assert_int_equal(measure_together(jobs, THREADS, &watch, found), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(found[i].error, 0);
		assert_int_equal(found[i].count, (i + 1) * 100);
		assert_int_equal(length_of(&targets[i]), (i + 1) * 100 * SIZE);
		target_close(&targets[i]);
	}
	assert_int_equal(watcher.begins, 1);
	assert_int_equal(watcher.ends, 1);
	assert_int_equal(watcher.wakes, 0);
}

static void one_file_of_all(void **state)
{
	struct measurement found[THREADS];
	struct measure_job jobs[THREADS];
	struct target target;
	struct flow flows[THREADS];
	const struct measure_watch watch = {0, NULL, -1, NULL, NULL};

	(void)state;
	for (int regime = OP_PREALLOCATED; regime <= OP_OVERWRITE; regime++) {
		make_target(&target);
		for (int i = 0; i < THREADS; i++) {
			make_flow(&flows[i], (uint64_t)i * 10 * SIZE, 10 * SIZE, 3);
			flows[i].stream.is_repeated = true;
			jobs[i] = job_of(&target, "pwrite");
			jobs[i].regime = (enum op_regime)regime;
			jobs[i].stream = &flows[i].stream;
			jobs[i].runtime_ns = 10000000;
		}
		assert_int_equal(measure_together(jobs, THREADS, &watch, found), 0);
		for (int i = 0; i < THREADS; i++) {
			assert_int_equal(found[i].error, 0);
			assert_true(flows[i].is_ordered);
		}
		assert_int_equal(length_of(&target), THREADS * 10 * SIZE);
		target_close(&target);
	}
}

static void stops_when_told(void **state)
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;
	struct watcher watcher = {0};
	const struct measure_watch watch = {0, look, eventfd(1, EFD_CLOEXEC), woken, &watcher};

	(void)state;
	make_target(&target);
	make_flow(&flow, 0, 8 * SIZE, 8);
	flow.stream.is_repeated = true;
	job = job_of(&target, "pwrite");
	job.stream = &flow.stream;
	job.runtime_ns = 3600000000000;
	assert_int_equal(measure_together(&job, 1, &watch, &found), 0);
	assert_int_equal(watcher.wakes, 1);
	assert_int_equal(found.count, flow.records);
	stop = 0;
	close(watch.wake_fd);
	target_close(&target);
}

/* --- what fails --- */

static void one_that_cannot_stops_all(void **state)
{
	struct measurement found[2];
	struct measure_job jobs[2];
	struct target targets[2];
	struct flow flows[2];
	const struct measure_watch watch = {0, NULL, -1, NULL, NULL};

	(void)state;
	for (int i = 0; i < 2; i++) {
		make_target(&targets[i]);
		make_flow(&flows[i], 0, 10 * SIZE, 10);
		jobs[i] = job_of(&targets[i], "pwrite");
		jobs[i].stream = &flows[i].stream;
	}
	close(targets[1].fd);
	targets[1].fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(measure_together(jobs, 2, &watch, found), 0);
	assert_int_equal(found[0].count, 0);
	assert_int_equal(found[0].error, 0);
	assert_int_equal(found[1].count, 0);
	assert_int_equal(found[1].error, EINVAL);
	assert_int_equal(found[1].failed_at, MEASURE_PREPARE);
	target_close(&targets[0]);
	target_close(&targets[1]);
}

/* A writer that fails as told. */
struct fake {
	int64_t answers[8];
	unsigned asked;
};

static int64_t answer(void *state, uint64_t offset, uint64_t size)
{
	struct fake *fake = state;
	int64_t value = fake->answers[fake->asked++];

	(void)offset;
	return value > (int64_t)size ? (int64_t)size : value;
}

static struct record write_once(const struct fake *told)
{
	static const struct op op = {0, 0, 100};
	struct fake fake = *told;
	struct record record = {0};
	volatile int flag = 0;
	struct writer writer = {.ops = &op, .count = 1, .records = &record, .write = answer, .write_state = &fake,
		.until_ns = UINT64_MAX, .stop = &flag};

	assert_int_equal(writer_run(&writer), 1);
	return record;
}

static void short_and_interrupted_writes_go_on(void **state)
{
	struct record record;

	(void)state;
	record = write_once(&(struct fake){.answers = {40, -EINTR, 1, 1000}});
	assert_int_equal(record.error, 0);
	assert_int_equal(record.calls, 4);
	record = write_once(&(struct fake){.answers = {40, -ENOSPC}});
	assert_int_equal(record.error, ENOSPC);
	/* Nothing taken without a reason would go on for ever. */
	record = write_once(&(struct fake){.answers = {0}});
	assert_int_equal(record.error, EIO);
}

/* A libc's buffer of a size that was asked for holds that much back. */
static void buffers_have_their_size(void **state)
{
	static const char data[SIZE];
	struct target target;
	struct method_setup setup = {.data = data, .largest_bytes = SIZE, .buffering = METHOD_FULL, .buffer_bytes = 10 * SIZE};
	const struct method *method = method_of("fwrite");
	void *stream;

	(void)state;
	make_target(&target);
	setup.fd = dup(target.fd);
	assert_int_equal(method->open(&setup, &stream), 0);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(method->write(stream, i * SIZE, SIZE), SIZE);
	assert_int_equal(length_of(&target), 0);
	assert_int_equal(method->write(stream, 10 * SIZE, 1), 1);
	assert_int_equal(length_of(&target), 10 * SIZE);
	assert_int_equal(method->flush(stream), 0);
	assert_int_equal(length_of(&target), 10 * SIZE + 1);
	assert_int_equal(method->close(stream), 0);
	assert_int_equal(fcntl(setup.fd, F_GETFD), -1);
	target_close(&target);
}

/* A store behind the end of a file is a signal; here an error. */
static void stores_that_find_nothing(void **state)
{
	static const char data[SIZE];
	struct target target;
	struct method_setup setup = {.data = data, .largest_bytes = SIZE, .file_bytes = 4 * SIZE};
	const struct method *method = method_of("mmap");
	void *map;

	(void)state;
	make_target(&target);
	setup.fd = dup(target.fd);
	assert_int_equal(method->open(&setup, &map), 0);
	assert_int_equal(method->write(map, 0, SIZE), SIZE);
	assert_int_equal(ftruncate(target.fd, SIZE), 0);
	assert_true(method->write(map, 2 * SIZE, SIZE) < 0);
	assert_int_equal(method->write(map, 0, SIZE), SIZE);
	assert_int_equal(method->close(map), 0);
	target_close(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list),
		cmocka_unit_test(a_stream),
		cmocka_unit_test(no_faults),
		cmocka_unit_test(again_and_again),
		cmocka_unit_test(files_of_their_own),
		cmocka_unit_test(one_file_of_all),
		cmocka_unit_test(stops_when_told),
		cmocka_unit_test(one_that_cannot_stops_all),
		cmocka_unit_test(short_and_interrupted_writes_go_on),
		cmocka_unit_test(buffers_have_their_size),
		cmocka_unit_test(stores_that_find_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
