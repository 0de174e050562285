/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/base/clock.h"

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
#define CAUGHT_COUNT (sizeof(caught) / sizeof(caught[0]))

static volatile sig_atomic_t first_signal;
static volatile int wake_fd = -1;
/* time of the first SIGINT; 0 = none */
static volatile int64_t interrupted_ns;

static void on_signal(int number)
{
	static const uint64_t one = 1;
	int saved = errno;
	int64_t now = (int64_t)clock_ns(CLOCK_MONOTONIC);

	if (number == SIGINT && !interrupted_ns) {
		interrupted_ns = now;
	} else if (number == SIGINT && now - interrupted_ns >= INTERRUPT_AGAIN_NS) {
		/* The handler blocks the signal: the process dies on its return. */
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	if (!first_signal)
		first_signal = number;
	/* A full counter is readable already, so a failed write loses nothing. */
	if (write(wake_fd, &one, sizeof(one)) < 0)
		errno = saved;
	errno = saved;
}

int interrupt_install(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;
	int err = 0;

	if (wake_fd >= 0)
		return 0;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0)
		return -errno;
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < CAUGHT_COUNT && !err; i++) {
		if (sigaction(caught[i], NULL, &old) || (old.sa_handler != SIG_IGN && sigaction(caught[i], &action, NULL)))
			err = -errno;
	}
	if (err)
		interrupt_reset();
	return err;
}

int interrupt_signal(void)
{
	return first_signal;
}

const volatile int *interrupt_flag(void)
{
	_Static_assert(sizeof(sig_atomic_t) == sizeof(int), "a flag is an int");
	return &first_signal;
}

int interrupt_fd(void)
{
	return wake_fd;
}

void interrupt_reset(void)
{
	struct sigaction old;

	for (size_t i = 0; i < CAUGHT_COUNT; i++)
		if (!sigaction(caught[i], NULL, &old) && old.sa_handler != SIG_IGN)
			signal(caught[i], SIG_DFL);
	if (wake_fd >= 0)
		close(wake_fd);
	wake_fd = -1;
	first_signal = 0;
	interrupted_ns = 0;
}
