/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measuring by several threads: each writes its own, all stop on request, and a failure is reported and not repeated. */
#include "config.h"
#include "tests/unit/measure_flow.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define THREADS 3

struct watcher {
	unsigned begins, samples, ends, wakes;
};

static void observe(void *state, enum measure_phase phase, uint64_t now_ns)
{
	struct watcher *watcher = state;

	assert_true(now_ns > 0);
	watcher->begins += phase == MEASURE_BEGINS;
	watcher->samples += phase == MEASURE_RUNS;
	watcher->ends += phase == MEASURE_ENDS;
}

static void woken(void *state)
{
	struct watcher *watcher = state;

	watcher->wakes++;
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

TEST("threads write to their own files")
{
	struct measurement found[THREADS];
	struct measure_job jobs[THREADS];
	struct target targets[THREADS];
	struct flow flows[THREADS];
	struct watcher watcher = {0};
	const struct measure_watch watch = {1000000, observe, -1, woken, &watcher};

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

TEST("threads share one file")
{
	struct measurement found[THREADS];
	struct measure_job jobs[THREADS];
	struct target target;
	struct flow flows[THREADS];
	const struct measure_watch watch = {0, NULL, -1, NULL, NULL};

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

struct growing {
	const struct target *targets;
	int count;
};

static void begin_behind_the_first_block(void *state, enum measure_phase phase, uint64_t now_ns)
{
	const struct growing *growing = state;

	(void)now_ns;
	for (int i = 0; i < growing->count && phase == MEASURE_BEGINS; i++)
		assert_true(length_of(&growing->targets[i]) <= SIZE);
}

static void assert_whole(const struct target *target, uint64_t bytes)
{
	uint64_t words[SIZE / sizeof(uint64_t)];

	assert_int_equal(length_of(target), bytes);
	for (uint64_t at = 0; at < bytes; at += SIZE) {
		assert_int_equal(pread(target->fd, words, SIZE, (off_t)at), SIZE);
		assert_true(words[0] || words[1]);
	}
}

/* Cold pieces of memory are taken by writing to the file, which is then as it was: also when several do it at once, to
 * files of their own or to one of all. */
TEST("prefaulted memory leaves files and counts as they were")
{
	const uint64_t bytes = 2000 * SIZE;
	struct measurement found[THREADS];
	struct measure_job jobs[THREADS];
	struct target targets[THREADS];
	struct flow flows[THREADS];
	struct growing growing = {targets, 0};
	const struct measure_watch watch = {0, begin_behind_the_first_block, -1, NULL, &growing};

	for (int round = 0; round < 20; round++) {
		bool is_one = round % 2;

		growing.count = is_one ? 1 : THREADS;
		for (int i = 0; i < growing.count; i++)
			make_target(&targets[i]);
		for (int i = 0; i < THREADS; i++) {
			make_flow(&flows[i], is_one ? (uint64_t)i * bytes : 0, bytes, 16);
			jobs[i] = job_of(&targets[is_one ? 0 : i], "pwrite");
			jobs[i].stream = &flows[i].stream;
			jobs[i].memory = MODEL_WARM;
		}
		assert_int_equal(measure_together(jobs, THREADS, &watch, found), 0);
		for (int i = 0; i < THREADS; i++) {
			assert_int_equal(found[i].error, 0);
			assert_int_equal(found[i].count, 2000);
		}
		for (int i = 0; i < growing.count; i++) {
			assert_whole(&targets[i], is_one ? THREADS * bytes : bytes);
			target_close(&targets[i]);
		}
	}
}

TEST("an endless stream stops on request")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;
	struct watcher watcher = {0};
	const struct measure_watch watch = {0, observe, eventfd(1, EFD_CLOEXEC), woken, &watcher};

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

TEST("a job whose CPU is not available fails, and all stop")
{
	struct measurement found;
	struct measure_job job;
	struct target target;
	struct flow flow;
	cpu_set_t none;
	const struct measure_watch watch = {0, NULL, -1, NULL, NULL};

	make_target(&target);
	make_flow(&flow, 0, 10 * SIZE, 10);
	job = job_of(&target, "pwrite");
	job.stream = &flow.stream;
	CPU_ZERO(&none);
	job.cpus = &none;
	assert_int_equal(measure_together(&job, 1, &watch, &found), 0);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.error, EINVAL);
	assert_int_equal(found.failed_at, MEASURE_PREPARE);
	target_close(&target);
}

TEST("a job that cannot be prepared stops all")
{
	struct measurement found[2];
	struct measure_job jobs[2];
	struct target targets[2];
	struct flow flows[2];
	const struct measure_watch watch = {0, NULL, -1, NULL, NULL};

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
