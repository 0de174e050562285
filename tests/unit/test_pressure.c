/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs without pressure, which need no privilege; with it: tests/host/pressure-*.sh. */
#include "config.h"
#include "tests/unit/unit.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/pressure/pressure.h"

static int return_it(void *arg)
{
	return *(int *)arg;
}

static int sleep_long(void *arg)
{
	(void)arg;
	return sleep(1000) ? 1 : 0;
}

static int wait_readable(int fd, int timeout_ms)
{
	struct pollfd polled = {.fd = fd, .events = POLLIN};

	return poll(&polled, 1, timeout_ms);
}

TEST("exit code is the job's value")
{
	const struct pressure_plan plan = {0};
	struct pressure_outcome outcome;
	struct pressure *pressure;
	int value = 42;

	assert_false(pressure_is_wanted(&plan));
	assert_int_equal(pressure_start(&plan, return_it, &value, &pressure), 0);
	assert_null(pressure_cgroup_dir(pressure));
	pressure_mark_start(pressure);
	assert_int_equal(wait_readable(pressure_fd(pressure), 10000), 1);
	pressure_finish(pressure, &outcome);
	assert_true(WIFEXITED(outcome.wait_status));
	assert_int_equal(WEXITSTATUS(outcome.wait_status), 42);
	assert_true(outcome.is_restored);
	assert_false(outcome.was_oom_killed);
}

TEST("a signal reaches the command under pressure")
{
	const struct pressure_plan plan = {0};
	struct pressure_outcome outcome;
	struct pressure *pressure;

	assert_int_equal(pressure_start(&plan, sleep_long, NULL, &pressure), 0);
	assert_int_equal(wait_readable(pressure_fd(pressure), 50), 0);
	assert_int_equal(pressure_kill(pressure, SIGTERM), 0);
	assert_int_equal(wait_readable(pressure_fd(pressure), 10000), 1);
	pressure_finish(pressure, &outcome);
	assert_true(WIFSIGNALED(outcome.wait_status));
	assert_int_equal(WTERMSIG(outcome.wait_status), SIGTERM);
}

/* The job's end is seen by a pipe that only it and a dying starter hold. */
TEST("the job dies with its starter")
{
	const struct pressure_plan plan = {0};
	struct pressure *pressure;
	int ends[2], status;
	char byte;
	pid_t starter;

	assert_int_equal(pipe(ends), 0);
	starter = fork();
	if (!starter) {
		close(ends[0]);
		_exit(pressure_start(&plan, sleep_long, NULL, &pressure) ? 1 : 0);
	}
	close(ends[1]);
	assert_int_equal(waitpid(starter, &status, 0), starter);
	assert_int_equal(status, 0);
	assert_int_equal(wait_readable(ends[0], 10000), 1);
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}
