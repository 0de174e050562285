/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include "common/base/interrupt.h"

static bool is_awake(void)
{
	struct pollfd wait = {.fd = interrupt_fd(), .events = POLLIN};

	return poll(&wait, 1, 0) == 1;
}

/* Runs body in a child: its wait status. A failed check of the child is its exit code 99. */
static int status_of(void (*body)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void need(bool holds)
{
	if (!holds)
		_exit(99);
}

static void first_signal_stays(void)
{
	need(interrupt_fd() == -1 && !interrupt_install() && !interrupt_install());
	need(!interrupt_signal() && !*interrupt_flag() && !is_awake());
	raise(SIGTERM);
	need(interrupt_signal() == SIGTERM && *interrupt_flag() == SIGTERM && is_awake());
	raise(SIGHUP);
	raise(SIGINT);
	need(interrupt_signal() == SIGTERM && is_awake());
}

static void second_interrupt(void)
{
	const struct timespec pause = {.tv_nsec = INTERRUPT_AGAIN_NS};

	need(!interrupt_install());
	raise(SIGINT);
	need(interrupt_signal() == SIGINT && is_awake());
	nanosleep(&pause, NULL);
	raise(SIGINT);
	_exit(99);
}

/* As timeout(1) does. Killed between the two is for a machine that stood still: the caller tries again. */
static void interrupted_doubly(void)
{
	need(!interrupt_install());
	raise(SIGINT);
	raise(SIGINT);
	need(interrupt_signal() == SIGINT && is_awake());
}

static void after_reset(void)
{
	need(!interrupt_install());
	raise(SIGINT);
	interrupt_reset();
	need(!interrupt_signal() && interrupt_fd() == -1);
	raise(SIGTERM);
}

static void ignored_before(void)
{
	signal(SIGHUP, SIG_IGN);
	need(!interrupt_install());
	raise(SIGHUP);
	need(!interrupt_signal() && !is_awake());
	interrupt_reset();
	raise(SIGHUP);
}

TEST("the first signal sets a flag and ends nothing")
{
	assert_int_equal(status_of(first_signal_stays), 0);
}

TEST("a second interrupt kills the process")
{
	int status = status_of(second_interrupt);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

TEST("an interrupt repeated at once counts as one")
{
	int status = -1;

	for (int trial = 0; trial < 10 && status; trial++)
		status = status_of(interrupted_doubly);
	assert_int_equal(status, 0);
}

TEST("a reset restores the default actions")
{
	int status = status_of(after_reset);

	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

TEST("a signal that was ignored stays ignored")
{
	assert_int_equal(status_of(ignored_before), 0);
}
