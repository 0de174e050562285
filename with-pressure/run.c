/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "with-pressure/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/units.h"

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define FORWARDED_COUNT (sizeof(forwarded) / sizeof(forwarded[0]))

struct command {
	char **argv;
	sigset_t mask; /* ours before we blocked signals */
};

static int exec_command(void *arg)
{
	const struct command *command = arg;
	int err;

	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	execvp(command->argv[0], command->argv);
	err = errno;
	diag_error(err, "cannot run %s", command->argv[0]);
	return err == ENOENT ? WITH_PRESSURE_NOT_FOUND : WITH_PRESSURE_NOT_RUN;
}

static int catch_signals(sigset_t *before, int *fd)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < FORWARDED_COUNT; i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, before);
	*fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *fd < 0 ? -errno : 0;
}

static void forward(struct pressure *pressure, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		/* The terminal sends its signals to the whole foreground group: the command has this one
		 * already. */
		if (info.ssi_code != SI_KERNEL)
			pressure_kill(pressure, (int)info.ssi_signo);
	}
}

static void wait_for_end(struct pressure *pressure, int signal_fd)
{
	struct pollfd polled[] = {
		{.fd = pressure_fd(pressure), .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
	};

	while (!polled[0].revents) {
		if (poll(polled, 2, -1) < 0)
			continue;
		if (polled[1].revents & POLLIN)
			forward(pressure, signal_fd);
	}
}

/* A shell that was the command has made itself the terminal's foreground group and is gone now. */
static void take_terminal_back(bool had_terminal)
{
	sigset_t set, before;

	if (!had_terminal || tcgetpgrp(STDIN_FILENO) == getpgrp())
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &before);
	(void)tcsetpgrp(STDIN_FILENO, getpgrp());
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void say_outcome(const struct pressure_outcome *outcome)
{
	char setup[32], teardown[32];

	diag_info("set up in %s, restored in %s",
		units_format_duration((double)outcome->setup_ns, setup, sizeof(setup)),
		units_format_duration((double)outcome->teardown_ns, teardown, sizeof(teardown)));
}

static int exit_code(const struct with_pressure_options *options, const struct pressure_outcome *outcome)
{
	if (options->is_verbose)
		say_outcome(outcome);
	if (outcome->was_oom_killed)
		diag_warn("the kernel killed processes of the command for want of memory: give more --ram or "
			  "--swap");
	if (!outcome->is_restored) {
		diag_error(
			0, "not everything could be restored: see above, then run 'with-pressure --recover'");
		return WITH_PRESSURE_FAILED;
	}
	if (WIFSIGNALED(outcome->wait_status))
		return 128 + WTERMSIG(outcome->wait_status);
	return WEXITSTATUS(outcome->wait_status);
}

int with_pressure_run(const struct with_pressure_options *options)
{
	struct command command = {.argv = options->command};
	bool had_terminal = tcgetpgrp(STDIN_FILENO) == getpgrp();
	struct pressure_outcome outcome;
	struct pressure *pressure;
	int signal_fd, ret = catch_signals(&command.mask, &signal_fd);

	if (ret) {
		diag_error(ret, "cannot watch signals");
		return WITH_PRESSURE_FAILED;
	}
	if (pressure_start(&options->plan, exec_command, &command, &pressure))
		return WITH_PRESSURE_FAILED;
	pressure_mark_start(pressure);
	if (options->is_verbose && pressure_cgroup_dir(pressure))
		diag_info("the command runs in %s", pressure_cgroup_dir(pressure));
	wait_for_end(pressure, signal_fd);
	pressure_finish(pressure, &outcome);
	close(signal_fd);
	take_terminal_back(had_terminal);
	return exit_code(options, &outcome);
}
