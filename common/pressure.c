/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/pressure_check.h"

struct pressure {
	struct pressure_run run;
	bool is_plain; /* nothing of the plan was wanted: a child and no more */
	pid_t child;   /* plain: the job */
	int pidfd;     /* plain: of the job */
	int was_subreaper;
	uint64_t setup_ns;
};

uint64_t pressure_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

int pressure_send(int fd, enum pressure_verb verb, int value)
{
	const struct pressure_message message = {.verb = verb, .value = value};
	ssize_t done;

	do {
		done = send(fd, &message, sizeof(message), MSG_NOSIGNAL);
	} while (done < 0 && errno == EINTR);
	return done < 0 ? -errno : 0;
}

int pressure_receive(int fd, struct pressure_message *message)
{
	ssize_t done;

	do {
		done = recv(fd, message, sizeof(*message), 0);
	} while (done < 0 && errno == EINTR);
	return done == (ssize_t)sizeof(*message) ? 0 : -EPIPE;
}

static void wait_for(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
}

static _Noreturn void run_plain_job(struct pressure *pressure, pid_t parent)
{
	int code;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(DIAG_EXIT_USAGE);
	code = pressure->run.job(pressure->run.arg);
	fflush(NULL);
	_exit(code);
}

static int start_plain(struct pressure *pressure)
{
	pid_t parent = getpid();
	int ret;

	pressure->is_plain = true;
	/* What is buffered is written once, by its owner. */
	fflush(NULL);
	pressure->child = fork();
	if (pressure->child == 0)
		run_plain_job(pressure, parent);
	if (pressure->child < 0) {
		ret = -errno;
		diag_error(ret, "cannot start the job");
		return ret;
	}
	pressure->pidfd = (int)syscall(SYS_pidfd_open, pressure->child, 0);
	if (pressure->pidfd >= 0)
		return 0;
	ret = -errno;
	diag_error(ret, "cannot watch the job (pidfd_open, Linux 5.3)");
	kill(pressure->child, SIGKILL);
	wait_for(pressure->child, NULL);
	return ret;
}

/* The guardian is dead. Its children die with it and are ours now (subreaper); the journal says the rest. */
static int take_over(struct pressure_run *run)
{
	wait_for(run->guardian, NULL);
	run->guardian = 0;
	pressure_reap_keeper(run);
	pressure_stop_eaters(run);
	pressure_note_oom(run);
	return pressure_undo(&run->journal, false);
}

static int fork_guardian(struct pressure_run *run)
{
	sigset_t all;

	/* What is buffered is written once, by its owner. */
	fflush(NULL);
	run->front = getpid();
	sigfillset(&all);
	/* No handler of the caller may run in the guardian. */
	sigprocmask(SIG_SETMASK, &all, &run->caller_mask);
	run->guardian = fork();
	if (run->guardian == 0)
		pressure_guard(run);
	sigprocmask(SIG_SETMASK, &run->caller_mask, NULL);
	return run->guardian < 0 ? -errno : 0;
}

static int make_shared(struct pressure_run *run)
{
	int ends[2];
	void *map =
		mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		int ret = -errno;

		munmap(map, sizeof(*run->shared));
		return ret;
	}
	run->shared = map;
	run->front_fd = ends[0];
	run->guardian_fd = ends[1];
	return 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_run(struct pressure *pressure)
{
	struct pressure_run *run = &pressure->run;

	close_end(&run->front_fd);
	close_end(&run->guardian_fd);
	close_end(&run->journal.fd);
	close_end(&pressure->pidfd);
	if (run->shared) {
		munmap(run->shared, sizeof(*run->shared));
		prctl(PR_SET_CHILD_SUBREAPER, (long)pressure->was_subreaper, 0, 0, 0);
	}
	free(pressure);
}

/* The guardian's first word: it runs, or all is put back already. */
static int wait_started(struct pressure_run *run)
{
	struct pressure_message message;

	if (pressure_receive(run->front_fd, &message)) {
		bool is_restored = !take_over(run);

		diag_error(0, "the guardian was killed during set-up%s", is_restored ? "; everything is put back" : "");
		return -ECHILD;
	}
	if (message.value)
		wait_for(run->guardian, NULL);
	return message.value;
}

static int start_guarded(struct pressure *pressure)
{
	struct pressure_run *run = &pressure->run;
	unsigned recovered;
	int ret;

	pressure_recover(&recovered); /* its errors are said, and are no reason not to start */
	pressure_warn("", &run->plan);
	ret = journal_create(&pressure_journal_kind, pressure_journal_dir(), &run->journal);
	if (ret)
		return ret;
	ret = make_shared(run);
	if (!ret) {
		prctl(PR_GET_CHILD_SUBREAPER, &pressure->was_subreaper, 0, 0, 0);
		prctl(PR_SET_CHILD_SUBREAPER, 1l, 0, 0, 0);
		ret = fork_guardian(run);
	}
	if (ret) {
		diag_error(ret, "cannot start the guardian");
		pressure_undo(&run->journal, false);
		return ret;
	}
	close_end(&run->guardian_fd);
	return wait_started(run);
}

int pressure_start(
	const struct pressure_plan *plan, int (*job)(void *arg), void *arg, struct pressure **pressure)
{
	uint64_t begin_ns = pressure_now_ns();
	struct pressure *made = calloc(1, sizeof(*made));
	int ret;

	if (!made) {
		diag_error(ENOMEM, "cannot start the job");
		return -ENOMEM;
	}
	made->run = (struct pressure_run){
		.plan = *plan, .job = job, .arg = arg, .journal.fd = -1, .front_fd = -1, .guardian_fd = -1};
	made->pidfd = -1;
	ret = pressure_is_wanted(plan) ? start_guarded(made) : start_plain(made);
	if (ret) {
		free_run(made);
		return ret;
	}
	made->setup_ns = pressure_now_ns() - begin_ns;
	*pressure = made;
	return 0;
}

int pressure_fd(const struct pressure *pressure)
{
	return pressure->is_plain ? pressure->pidfd : pressure->run.front_fd;
}

const char *pressure_cgroup_dir(const struct pressure *pressure)
{
	if (pressure->is_plain || !pressure->run.shared->cgroup.version)
		return NULL;
	return pressure->run.shared->cgroup.dir;
}

void pressure_mark_start(struct pressure *pressure)
{
	if (pressure->is_plain || !pressure->run.plan.eater_count)
		return;
	pressure->run.shared->start_ns = pressure_now_ns();
	pressure_send(pressure->run.front_fd, PRESSURE_MARK, 0);
}

int pressure_kill(struct pressure *pressure, int signal)
{
	if (pressure->is_plain)
		return kill(pressure->child, signal) ? -errno : 0;
	return pressure_send(pressure->run.front_fd, PRESSURE_KILL, signal);
}

static int restore(struct pressure_run *run, bool *was_guardian_killed)
{
	struct pressure_message message;

	*was_guardian_killed = false;
	if (pressure_send(run->front_fd, PRESSURE_FINISH, 0) || pressure_receive(run->front_fd, &message)) {
		diag_warn("the guardian was killed: restoring in its place");
		*was_guardian_killed = true;
		return take_over(run);
	}
	wait_for(run->guardian, NULL);
	return message.value;
}

static void finish_guarded(struct pressure_run *run, struct pressure_outcome *outcome)
{
	struct pressure_message message;
	uint64_t begin_ns;

	/* The job's end, or the guardian's: restore() tells them apart. */
	pressure_receive(run->front_fd, &message);
	begin_ns = pressure_now_ns();
	outcome->is_restored = restore(run, &outcome->was_guardian_killed) == 0;
	outcome->teardown_ns = pressure_now_ns() - begin_ns;
	outcome->wait_status = run->shared->wait_status;
	outcome->was_oom_killed = run->shared->was_oom_killed;
	outcome->eaters_lost = run->shared->eaters_lost;
}

void pressure_finish(struct pressure *pressure, struct pressure_outcome *outcome)
{
	struct pressure_outcome result = {.setup_ns = pressure->setup_ns};

	if (pressure->is_plain) {
		wait_for(pressure->child, &result.wait_status);
		result.is_restored = true;
	} else {
		finish_guarded(&pressure->run, &result);
	}
	free_run(pressure);
	*outcome = result;
}
