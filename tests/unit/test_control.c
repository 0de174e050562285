/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages that coordinator and workers share: whole pages a thread, orders that wake, stops that win. */
#include "config.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "pmbench/worker/control.h"

#define THREADS 3

static int open_control(void **state)
{
	struct control *control = calloc(1, sizeof(*control));

	assert_int_equal(control_open(control, THREADS, true), 0);
	*state = control;
	return 0;
}

static int close_control(void **state)
{
	control_close(*state);
	free(*state);
	return 0;
}

TEST_WITH("slots are pages of their own", open_control, close_control)
{
	const struct control *control = *state;
	const char *end = (const char *)control->base + control->bytes;

	assert_int_equal((uintptr_t)control->slots % KEEP_PAGE_BYTES, 0);
	assert_true((const char *)control->slots >= (const char *)control->command + KEEP_PAGE_BYTES);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(control->slots[i].page[ACCESS_ALL].half[ACCESS_READ].min_ticks, UINT64_MAX);
		assert_int_equal(control->slots[i].page[ACCESS_MAJOR].half[ACCESS_WRITE].min_ticks, UINT64_MAX);
		assert_int_equal(control_get_state(&control->slots[i]), THREAD_STARTING);
		for (int class = 0; class < ACCESS_CLASSES; class++) {
			const char *hdr = (const char *)control_hdr(control, i, (enum access_class)class);

			assert_true(hdr >= (const char *)(control->slots + THREADS));
			assert_true(hdr + sizeof(struct access_hdr) <= end);
		}
	}
}

TEST("without hdr there is none")
{
	struct control control;

	assert_int_equal(control_open(&control, 1, false), 0);
	assert_null(control_hdr(&control, 0, ACCESS_ALL));
	control_close(&control);
}

/* What a process that is killed has written by then is there. */
TEST_WITH("a dead process leaves what it counted", open_control, close_control)
{
	struct control *control = *state;
	pid_t child = fork();
	int status;

	if (!child) {
		control->slots[2].page[ACCESS_MINOR].half[ACCESS_WRITE].count[7] = 42;
		control_set_state(&control->slots[2], THREAD_READY);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(control_get_state(&control->slots[2]), THREAD_READY);
	assert_int_equal(control->slots[2].page[ACCESS_MINOR].half[ACCESS_WRITE].count[7], 42);
}

struct waiter {
	const struct control *control;
	pthread_t thread;
	int reached; /* the last command that it waited for */
};

static void *wait_for_orders(void *argument)
{
	struct waiter *waiter = argument;

	for (int command = CONTROL_PREPARE; command <= CONTROL_EXIT; command++) {
		control_await(waiter->control, (enum control_command)command);
		__atomic_store_n(&waiter->reached, command, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

/* Ends because orders wake: the test's own timeout is the only other way out. */
TEST_WITH("orders wake and do not get lost", open_control, close_control)
{
	struct control *control = *state;
	struct waiter waiters[THREADS];

	for (size_t i = 0; i < THREADS; i++) {
		waiters[i] = (struct waiter){.control = control, .reached = -1};
		assert_int_equal(pthread_create(&waiters[i].thread, NULL, wait_for_orders, &waiters[i]), 0);
	}
	control_order(control, CONTROL_WARM);
	for (size_t i = 0; i < THREADS; i++) {
		while (__atomic_load_n(&waiters[i].reached, __ATOMIC_SEQ_CST) < CONTROL_WARM)
			sched_yield();
		assert_int_equal(__atomic_load_n(&waiters[i].reached, __ATOMIC_SEQ_CST), CONTROL_WARM);
	}
	/* A later order includes those before it. */
	control_order(control, CONTROL_EXIT);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(waiters[i].thread, NULL), 0);
		assert_int_equal(waiters[i].reached, CONTROL_EXIT);
	}
}

TEST_WITH("a stop wins before and after", open_control, close_control)
{
	struct control *control = *state;
	const uint64_t *deadline = &control->slots[0].page[ACCESS_ALL].half[ACCESS_READ].deadline;

	control_set_deadline(&control->slots[0], 1000);
	assert_int_equal(*deadline, 1000);
	control_stop(&control->slots[0]);
	assert_int_equal(*deadline, 0);
	control_set_deadline(&control->slots[0], 2000);
	assert_int_equal(*deadline, 0);
	/* Of this thread and no other. */
	control_set_deadline(&control->slots[1], 3000);
	assert_int_equal(control->slots[1].page[ACCESS_ALL].half[ACCESS_READ].deadline, 3000);
}
