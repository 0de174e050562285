/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/interrupt.h"

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

static void becomes_a_flag(void **state)
{
	(void)state;
	assert_int_equal(status_of(first_signal_stays), 0);
}

static void second_interrupt_kills(void **state)
{
	int status = status_of(second_interrupt);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
}

static void an_interrupt_said_twice_is_one(void **state)
{
	int status = -1;

	(void)state;
	for (int trial = 0; trial < 10 && status; trial++)
		status = status_of(interrupted_doubly);
	assert_int_equal(status, 0);
}

static void reset_restores_the_default(void **state)
{
	int status = status_of(after_reset);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void ignored_stays_ignored(void **state)
{
	(void)state;
	assert_int_equal(status_of(ignored_before), 0);
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(becomes_a_flag),
		cmocka_unit_test(second_interrupt_kills),
		cmocka_unit_test(an_interrupt_said_twice_is_one),
		cmocka_unit_test(reset_restores_the_default),
		cmocka_unit_test(ignored_stays_ignored),
	};

	return cmocka_run_group_tests_name("interrupt", tests, NULL, NULL);
}
