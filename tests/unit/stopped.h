/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that is stopped while it measures. */
#ifndef TESTS_UNIT_STOPPED_H
#define TESTS_UNIT_STOPPED_H

#include <signal.h>
#include <sys/wait.h>

#include "common/base/clock.h"
#include "common/host/contention.h"
#include "tests/unit/unit.h"

#define STOPPED_NS 700000000

/* In the process that measures: from now on it may be stopped. */
static int stopped_fd = -1;
static inline void stopped_ready(void)
{
	if (write(stopped_fd, "", 1) != 1)
		_exit(1);
}

/* Runs it in a process that is stopped for STOPPED_NS as soon as it calls stopped_ready; what it returns. */
static inline struct contention_stops stopped_while(struct contention_stops (*run)(void))
{
	struct contention_stops stops = {0};
	int ends[2], status;
	char ready;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		stopped_fd = ends[1];
		contention_expect_stops();
		stops = run();
		_exit(write(ends[1], &stops, sizeof(stops)) != sizeof(stops));
	}
	close(ends[1]);
	assert_int_equal(read(ends[0], &ready, 1), 1);
	assert_int_equal(kill(child, SIGSTOP), 0);
	clock_pause(STOPPED_NS);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(read(ends[0], &stops, sizeof(stops)), sizeof(stops));
	close(ends[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	return stops;
}

#endif
