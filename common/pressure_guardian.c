/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The guardian sets up, watches the front and the keeper, and restores as soon as either is gone. Signals of
 * the terminal and of job control do not reach it: it has blocked them and is in a process group of its own.
 */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/diag.h"

/* docs/adr/0014: reclaim empties the inactive list within some 10 ms. */
#define FLUSH_MS 2
#define IDLE_MS  200

struct guard {
	struct pressure_run *run;
	int front_pidfd, keeper_pidfd, keeper_fd; /* -1 = not there */
	uint64_t flushed_ns;
	bool is_over;
};

void pressure_note_oom(struct pressure_run *run)
{
	uint64_t kills;

	if (!run->shared->cgroup.version || cgroup_oom_kills(&run->shared->cgroup, &kills))
		return;
	/* An eater that the kernel took is in the count too, and is not the job. */
	if (kills > run->shared->eaters_lost)
		run->shared->was_oom_killed = true;
}

/* A tight cgroup is killed although swap is free, unless somebody reads its statistics (cgroup.h). */
static void flush_sometimes(struct guard *guard)
{
	uint64_t now_ns = pressure_now_ns();

	if (!guard->run->shared->cgroup.version || now_ns - guard->flushed_ns < FLUSH_MS * 1000000ull)
		return;
	cgroup_flush_stat(&guard->run->shared->cgroup);
	guard->flushed_ns = now_ns;
}

static void note_job_end(struct guard *guard)
{
	pressure_reap_keeper(guard->run);
	close(guard->keeper_pidfd);
	guard->keeper_pidfd = -1;
	pressure_send(guard->run->guardian_fd, PRESSURE_ENDED, 0);
}

static void obey_front(struct guard *guard)
{
	struct pressure_message message;

	if (pressure_receive(guard->run->guardian_fd, &message)) {
		guard->is_over = true;
		return;
	}
	switch (message.verb) {
	case PRESSURE_MARK:
		pressure_start_eaters(guard->run);
		break;
	case PRESSURE_KILL:
		pressure_send(guard->keeper_fd, PRESSURE_KILL, message.value);
		break;
	default:
		guard->is_over = true;
	}
}

static void watch(struct guard *guard)
{
	const int timeout_ms = guard->run->shared->cgroup.version ? FLUSH_MS : IDLE_MS;

	while (!guard->is_over) {
		struct pollfd polled[] = {
			{.fd = guard->run->guardian_fd, .events = POLLIN},
			{.fd = guard->front_pidfd, .events = POLLIN},
			{.fd = guard->keeper_pidfd, .events = POLLIN},
		};

		if (poll(polled, 3, timeout_ms) < 0)
			continue;
		if (polled[2].revents)
			note_job_end(guard);
		if (polled[0].revents)
			obey_front(guard);
		if (polled[1].revents)
			guard->is_over = true;
		pressure_reap_eaters(guard->run);
		flush_sometimes(guard);
	}
}

/* Kills first: swapoff would otherwise read everything back against the limit. */
static int tear_down(struct guard *guard)
{
	struct pressure_run *run = guard->run;

	if (run->shared->keeper) {
		kill(run->shared->keeper, SIGKILL);
		pressure_reap_keeper(run);
	}
	pressure_reap_eaters(run);
	pressure_stop_eaters(run);
	pressure_note_oom(run);
	return pressure_undo(&run->journal, false);
}

static int open_pidfd(pid_t pid, int *fd)
{
	*fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*fd >= 0)
		return 0;
	diag_error(errno, "cannot watch process %d (pidfd_open, Linux 5.3)", (int)pid);
	return -errno;
}

static int start(struct guard *guard)
{
	struct pressure_run *run = guard->run;
	int ret = open_pidfd(run->front, &guard->front_pidfd);

	/* Dead already, and its number perhaps somebody else's. */
	if (!ret && getppid() != run->front)
		ret = -ESRCH;
	if (!ret)
		ret = pressure_setup(run);
	if (!ret)
		ret = pressure_start_keeper(run, &guard->keeper_fd);
	if (!ret)
		ret = open_pidfd(run->shared->keeper, &guard->keeper_pidfd);
	return ret;
}

void pressure_guard(struct pressure_run *run)
{
	struct guard guard = {.run = run, .front_pidfd = -1, .keeper_pidfd = -1, .keeper_fd = -1};
	int ret;

	/* Not a session of its own: then the job could not have the front's terminal (docs/adr/0011). */
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_NAME, "pressure-guard");
	close(run->front_fd);
	ret = start(&guard);
	if (ret) {
		tear_down(&guard);
		pressure_send(run->guardian_fd, PRESSURE_STARTED, ret);
		_exit(DIAG_EXIT_HOST);
	}
	if (pressure_send(run->guardian_fd, PRESSURE_STARTED, 0))
		guard.is_over = true;
	watch(&guard);
	ret = tear_down(&guard);
	pressure_send(run->guardian_fd, PRESSURE_RESTORED, ret);
	_exit(ret ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
}
