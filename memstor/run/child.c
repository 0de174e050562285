/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/report_common.h"
#include "common/sysfs.h"

struct run_keeper_message {
	enum run_child_end end;
	int wait_status;
	struct rusage usage; /* of the program and all that it waited for */
	uint64_t ended_ns; /* CLOCK_MONOTONIC */
};

#define NS_PER_MS 1000000ull
#define SWEEP_PAUSE_MS 5
/* What the program has left running in groups of its own, a guardian that restores, has this time to end. */
#define LEFTOVER_NS (30 * 1000 * NS_PER_MS)

struct keeping {
	const struct run_child_request *request;
	int socket;    /* to memstor: a signal comes, one message goes */
	sigset_t mask; /* for the program */
	pid_t program;
	int pidfd;
	bool is_front_gone, is_stopping, is_killed;
	uint64_t deadline_ns;
	struct run_keeper_message message;
};

static int prepend_path(const char *folder)
{
	const char *path = getenv("PATH");
	char *joined;

	return asprintf(&joined, "%s%s%s", folder, path ? ":" : "", path ? path : "") < 0 || setenv("PATH", joined, 1);
}

static _Noreturn void become_program(const struct keeping *keeping, pid_t parent)
{
	const struct run_child_request *request = keeping->request;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The keeper may have died before that. */
	if (getppid() != parent)
		_exit(DIAG_EXIT_USAGE);
	/* Where stderr goes first, so that what fails is said there. */
	if (dup2(request->error, STDERR_FILENO) < 0 || dup2(request->output, STDOUT_FILENO) < 0 || null < 0 ||
		dup2(null, STDIN_FILENO) < 0 || chdir(request->folder)) {
		diag_error(errno, "cannot prepare %s in %s", request->path, request->folder);
		_exit(DIAG_EXIT_USAGE);
	}
	interrupt_reset();
	if (request->search && prepend_path(request->search))
		_exit(DIAG_EXIT_USAGE);
	sigprocmask(SIG_SETMASK, &keeping->mask, NULL);
	execv(request->path, request->argv);
	diag_error(errno, "cannot run %s", request->path);
	_exit(127);
}

static void signal_program(const struct keeping *keeping, int number)
{
	/* The group may not be made yet, or the program may have left it. */
	if (kill(-keeping->program, number))
		kill(keeping->program, number);
}

static void stop(struct keeping *keeping, int number, enum run_child_end end)
{
	if (keeping->is_stopping)
		return;
	keeping->is_stopping = true;
	keeping->message.end = end;
	keeping->deadline_ns = report_monotonic_ns() + RUN_CHILD_GRACE_NS;
	signal_program(keeping, number);
	/* A stopped process receives no other signal than SIGKILL. */
	signal_program(keeping, SIGCONT);
}

static void pass_deadline(struct keeping *keeping)
{
	if (report_monotonic_ns() < keeping->deadline_ns)
		return;
	if (!keeping->is_stopping) {
		stop(keeping, SIGTERM, RUN_CHILD_OVERRUN);
		return;
	}
	keeping->is_killed = true;
	signal_program(keeping, SIGKILL);
}

static void hear_front(struct keeping *keeping)
{
	int number;
	ssize_t size = recv(keeping->socket, &number, sizeof(number), MSG_DONTWAIT);

	if (size == sizeof(number)) {
		stop(keeping, number, RUN_CHILD_STOPPED);
	} else if (!size || (errno != EAGAIN && errno != EINTR)) {
		keeping->is_front_gone = true;
		stop(keeping, SIGTERM, RUN_CHILD_STOPPED);
	}
}

static int milliseconds_left(const struct keeping *keeping)
{
	uint64_t now = report_monotonic_ns();
	uint64_t left = keeping->deadline_ns > now ? (keeping->deadline_ns - now) / NS_PER_MS + 1 : 0;

	if (keeping->is_killed)
		return -1;
	return left < INT_MAX ? (int)left : INT_MAX;
}

/* Until the program itself has ended. */
static void keep(struct keeping *keeping)
{
	struct pollfd fds[] = {{keeping->pidfd, POLLIN, 0}, {keeping->socket, POLLIN, 0}};

	while (!wait4(keeping->program, &keeping->message.wait_status, WNOHANG, &keeping->message.usage)) {
		fds[1].fd = keeping->is_front_gone ? -1 : keeping->socket;
		if (poll(fds, 2, milliseconds_left(keeping)) < 0)
			continue;
		if (fds[1].fd >= 0 && fds[1].revents)
			hear_front(keeping);
		pass_deadline(keeping);
	}
	keeping->message.ended_ns = report_monotonic_ns();
}

/* Every child, adopted ones too; true when there is one left. */
static bool reap(void)
{
	pid_t pid;

	do {
		pid = waitpid(-1, NULL, WNOHANG);
	} while (pid > 0);
	return !pid;
}

static void kill_children(void)
{
	char path[64], *text;
	const char *at;
	uint64_t pid;
	size_t length;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	if (sysfs_slurp("", path, 1 << 16, &text, &length))
		return;
	for (at = text; (at = sysfs_scan_u64(at, &pid)); at += strspn(at, " "))
		kill((pid_t)pid, SIGKILL);
	free(text);
}

/* A program that ends is not always alone: what it has started ends, too. */
static void sweep(struct keeping *keeping)
{
	const struct timespec pause = {.tv_nsec = SWEEP_PAUSE_MS * 1000 * 1000};
	uint64_t begin = report_monotonic_ns();
	bool has_signalled = false;

	while (reap()) {
		uint64_t since = report_monotonic_ns() - begin;

		if (!has_signalled && !keeping->is_killed)
			kill(-keeping->program, SIGTERM);
		has_signalled = true;
		if (since > RUN_CHILD_GRACE_NS || keeping->is_killed)
			kill(-keeping->program, SIGKILL);
		if (since > LEFTOVER_NS)
			kill_children();
		nanosleep(&pause, NULL);
	}
}

/* In the forked child, every signal blocked. */
static _Noreturn void run_keeper(struct keeping *keeping)
{
	const char *path = keeping->request->path;
	pid_t self = getpid();

	keeping->deadline_ns = report_monotonic_ns() + keeping->request->budget_ns;
	/* memstor passes signals of the terminal on. */
	setpgid(0, 0);
	/* If the caller ignores SIGCHLD, children vanish before they are waited for. */
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "memstor-keeper");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	keeping->program = fork();
	if (!keeping->program)
		become_program(keeping, self);
	if (keeping->program < 0) {
		diag_error(errno, "cannot start %s", path);
		_exit(DIAG_EXIT_HOST);
	}
	/* In both processes: either may be the first. */
	setpgid(keeping->program, keeping->program);
	keeping->pidfd = (int)syscall(SYS_pidfd_open, keeping->program, 0);
	if (keeping->pidfd < 0) {
		diag_error(errno, "cannot watch %s (pidfd_open, Linux 5.3)", path);
		kill(keeping->program, SIGKILL);
		_exit(DIAG_EXIT_HOST);
	}
	keep(keeping);
	sweep(keeping);
	/* Sending fails if memstor has died. */
	if (send(keeping->socket, &keeping->message, sizeof(keeping->message), MSG_NOSIGNAL) < 0)
		_exit(DIAG_EXIT_HOST);
	_exit(DIAG_EXIT_OK);
}

int run_child_start(const struct run_child_request *request, struct run_child *child)
{
	struct keeping keeping = {.request = request};
	sigset_t all;
	int fds[2], err = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	child->begin_ns = report_monotonic_ns();
	child->socket = fds[0];
	keeping.socket = fds[1];
	/* A signal between fork and the keeper's own handling of it would end the keeper, or be lost. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &keeping.mask);
	child->keeper = fork();
	if (!child->keeper) {
		close(fds[0]);
		if (request->close >= 0)
			close(request->close);
		run_keeper(&keeping);
	}
	if (child->keeper < 0)
		err = -errno;
	sigprocmask(SIG_SETMASK, &keeping.mask, NULL);
	close(fds[1]);
	if (err)
		close(fds[0]);
	return err;
}

int run_child_fd(const struct run_child *child)
{
	return child->socket;
}

void run_child_stop(struct run_child *child, int signal)
{
	/* When it fails the keeper has just ended, which run_child_finish sees. */
	if (send(child->socket, &signal, sizeof(signal), MSG_NOSIGNAL) < 0)
		return;
}

void run_child_finish(struct run_child *child, struct run_child_outcome *outcome)
{
	struct run_keeper_message message;
	ssize_t size;

	do {
		size = recv(child->socket, &message, sizeof(message), 0);
	} while (size < 0 && errno == EINTR);
	*outcome = (struct run_child_outcome){.end = RUN_CHILD_LOST, .wall_ns = report_monotonic_ns() - child->begin_ns};
	if (size == sizeof(message)) {
		outcome->end = message.end;
		outcome->wait_status = message.wait_status;
		outcome->usage = message.usage;
		outcome->wall_ns = message.ended_ns - child->begin_ns;
	}
	while (waitpid(child->keeper, NULL, 0) < 0 && errno == EINTR)
		;
	close(child->socket);
}
