/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coordinator's waiting: for every thread, no longer than there is a job, and not past a signal. The jobs are
 * processes that play a worker's part on the shared pages. */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/wait.h>
#include "common/base/interrupt.h"
#include "pmbench/run/run.h"

#define THREADS 2
#define ACCESSES 1000

struct scene {
	struct pmbench_options options;
	struct pmbench_plan plan;
	struct control control;
	struct pmbench_result result;
	struct watch watch;
};

static int open_scene(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));

	scene->plan.options = &scene->options;
	scene->plan.interval_ns = 20 * 1000000ull;
	scene->result.plan = &scene->plan;
	scene->result.timebase.start.khz = 1e6;
	scene->result.timebase.mult = 1ull << 32;
	scene->result.snapshots = calloc(SNAPSHOTS, sizeof(*scene->result.snapshots));
	assert_int_equal(control_open(&scene->control, THREADS, false), 0);
	scene->watch = (struct watch){.control = &scene->control, .result = &scene->result};
	*state = scene;
	return 0;
}

static void start(struct scene *scene, int (*job)(void *))
{
	static const struct pressure_plan none;

	assert_int_equal(pressure_start(&none, job, &scene->control, &scene->watch.pressure), 0);
}

static int close_scene(void **state)
{
	struct scene *scene = *state;
	struct pressure_outcome outcome;

	pressure_kill(scene->watch.pressure, SIGKILL);
	pressure_finish(scene->watch.pressure, &outcome);
	series_hand_over(&scene->watch.series, &scene->result);
	result_free(&scene->result);
	control_close(&scene->control);
	free(scene);
	return 0;
}

static void set_all(struct control *control, enum control_state state)
{
	uint64_t one = 1;

	for (size_t i = 0; i < control->count; i++) {
		control_set_state(&control->slots[i], state);
		if (state == THREAD_DONE && write(control->done_fd, &one, sizeof(one)) < 0)
			_exit(9);
	}
}

static int wait_for_exit(const struct control *control)
{
	control_await(control, CONTROL_EXIT);
	return 0;
}

static int get_ready_one_by_one(void *argument)
{
	struct control *control = argument;

	for (size_t i = 0; i < control->count; i++) {
		usleep(5000);
		control_set_state(&control->slots[i], THREAD_READY);
	}
	return wait_for_exit(control);
}

TEST_WITH("the watch waits for every thread", open_scene, close_scene)
{
	struct scene *scene = *state;

	start(scene, get_ready_one_by_one);
	assert_true(watch_for_state(&scene->watch, THREAD_READY));
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(control_get_state(&scene->control.slots[i]), THREAD_READY);
	assert_false(scene->watch.has_job_ended);
}

static int fail_one(void *argument)
{
	struct control *control = argument;

	control_set_state(&control->slots[0], THREAD_READY);
	control_set_state(&control->slots[1], THREAD_FAILED);
	return wait_for_exit(control);
}

TEST_WITH("a failure ends the waiting", open_scene, close_scene)
{
	struct scene *scene = *state;

	start(scene, fail_one);
	assert_false(watch_for_state(&scene->watch, THREAD_READY));
	assert_false(scene->watch.has_job_ended);
}

static int end_early(void *argument)
{
	struct control *control = argument;

	control_set_state(&control->slots[0], THREAD_READY);
	return 3;
}

TEST_WITH("the end of the job ends the waiting", open_scene, close_scene)
{
	struct scene *scene = *state;

	start(scene, end_early);
	assert_false(watch_for_state(&scene->watch, THREAD_READY));
	assert_true(scene->watch.has_job_ended);
	assert_false(watch_for_state(&scene->watch, THREAD_WARM));
}

static int measure(void *argument)
{
	struct control *control = argument;

	set_all(control, THREAD_WARM);
	control_await(control, CONTROL_RUN);
	usleep(100 * 1000);
	for (size_t i = 0; i < control->count; i++)
		control->slots[i].page[ACCESS_ALL].half[ACCESS_READ].count[5] += ACCESSES;
	set_all(control, THREAD_DONE);
	return wait_for_exit(control);
}

static uint64_t accesses_of_all_rows(const struct series *series)
{
	uint64_t accesses = 0;

	for (size_t i = 0; i < series->count; i++)
		accesses += series->intervals[i].values.accesses;
	return accesses;
}

/* Rows in time, the snapshot of the middle, and an end when the last thread is done. */
TEST_WITH("a window has its rows", open_scene, close_scene)
{
	struct scene *scene = *state;

	scene->plan.duration_ns = 40 * 1000000ull;
	start(scene, measure);
	assert_true(watch_for_state(&scene->watch, THREAD_WARM));
	watch_window(&scene->watch);
	assert_false(scene->result.is_interrupted);
	assert_false(scene->watch.has_job_ended);
	assert_true(scene->result.has_snapshot[SNAPSHOT_MID_RUN]);
	assert_true(scene->watch.window_seconds >= 0.1);
	/* On a busy machine rows come late and are then fewer; none is missing between. */
	assert_in_range(scene->watch.series.count, 1, (uintmax_t)(scene->watch.window_seconds / 0.02) + 1);
	assert_int_equal(accesses_of_all_rows(&scene->watch.series), THREADS * ACCESSES);
}

TEST_WITH("a window without an end has no middle", open_scene, close_scene)
{
	struct scene *scene = *state;

	start(scene, measure);
	watch_window(&scene->watch);
	assert_false(scene->result.has_snapshot[SNAPSHOT_MID_RUN]);
}

static int die_in_the_window(void *argument)
{
	struct control *control = argument;

	control_await(control, CONTROL_RUN);
	control->slots[0].page[ACCESS_ALL].half[ACCESS_READ].count[5] += ACCESSES;
	control_set_state(&control->slots[0], THREAD_DONE);
	raise(SIGKILL);
	return 0;
}

TEST_WITH("a lost job ends the window", open_scene, close_scene)
{
	struct scene *scene = *state;

	start(scene, die_in_the_window);
	watch_window(&scene->watch);
	assert_true(scene->watch.has_job_ended);
	assert_false(scene->result.is_interrupted);
	/* On a busy machine a row may end before the job does. */
	assert_int_equal(accesses_of_all_rows(&scene->watch.series), ACCESSES);
}

static int measure_until_stopped(void *argument)
{
	struct control *control = argument;

	set_all(control, THREAD_WARM);
	for (size_t i = 0; i < control->count; i++) {
		while (!__atomic_load_n(&control->slots[i].status.stop, __ATOMIC_SEQ_CST))
			usleep(1000);
	}
	set_all(control, THREAD_DONE);
	return wait_for_exit(control);
}

/* The last test, since the flag stays. */
TEST_WITH("a signal stops the threads", open_scene, close_scene)
{
	struct scene *scene = *state;

	assert_int_equal(interrupt_install(), 0);
	start(scene, measure_until_stopped);
	assert_true(watch_for_state(&scene->watch, THREAD_WARM));
	raise(SIGTERM);
	watch_window(&scene->watch);
	assert_true(scene->result.is_interrupted);
	assert_false(scene->watch.has_job_ended);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(control_get_state(&scene->control.slots[i]), THREAD_DONE);
	/* What is to begin is not waited for any more; what has to end is. */
	control_set_state(&scene->control.slots[0], THREAD_STARTING);
	assert_false(watch_for_state(&scene->watch, THREAD_READY));
	control_set_state(&scene->control.slots[0], THREAD_DONE);
	assert_true(watch_for_state(&scene->watch, THREAD_DONE));
}
