/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/pressure_check.h"

#define PROGRAM "with-pressure" /* of the journals' folder */
/* docs/adr/0014: reclaim empties the inactive list within some 10 ms. */
#define FLUSH_MS 2
#define IDLE_MS  200

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

static int open_pidfd(pid_t pid, int *fd)
{
	int ret, found = (int)syscall(SYS_pidfd_open, pid, 0);

	if (found >= 0) {
		*fd = found;
		return 0;
	}
	ret = -errno;
	diag_error(ret, "cannot watch process %d (pidfd_open, Linux 5.3)", (int)pid);
	return ret;
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
	ret = open_pidfd(pressure->child, &pressure->pidfd);
	if (ret) {
		kill(pressure->child, SIGKILL);
		wait_for(pressure->child, NULL);
	}
	return ret;
}

/* --- in the guardian, which sets up, watches the keeper, and restores --- */

/* A tight cgroup is killed although swap is free, unless some process reads its statistics (cgroup.h). */
static void tick(void *arg)
{
	struct pressure_run *run = arg;
	uint64_t now_ns = pressure_now_ns();

	pressure_reap_eaters(run);
	if (!run->shared->cgroup.version || now_ns - run->flushed_ns < FLUSH_MS * 1000000ull)
		return;
	cgroup_flush_stat(&run->shared->cgroup);
	run->flushed_ns = now_ns;
}

static void note_job_end(void *arg)
{
	struct pressure_run *run = arg;

	pressure_reap_keeper(run);
	close(run->guardian_job.polled_fd);
	run->guardian_job.polled_fd = -1;
	guardian_send(run->guardian_fd, PRESSURE_ENDED, 0);
}

static void obey_front(void *arg, const struct guardian_message *message)
{
	struct pressure_run *run = arg;

	if (message->verb == PRESSURE_MARK)
		pressure_start_eaters(run);
	else if (message->verb == PRESSURE_KILL)
		guardian_send(run->keeper_fd, PRESSURE_KILL, message->value);
}

static int begin(void *arg, struct undo *undo, int fd)
{
	struct pressure_run *run = arg;
	int ret;

	run->undo = undo;
	run->guardian_fd = fd;
	pressure_warn("", &run->plan);
	ret = pressure_setup(run);
	if (!ret)
		ret = pressure_start_keeper(run);
	if (!ret)
		ret = open_pidfd(run->shared->keeper, &run->guardian_job.polled_fd);
	run->guardian_job.tick_ms = run->shared->cgroup.version ? FLUSH_MS : IDLE_MS;
	return ret;
}

/* Kills first: swapoff would otherwise read everything back against the limit. In the front the keeper, which dies with the
 * guardian, is dead, and is ours to reap (subreaper). */
static void end(void *arg)
{
	struct pressure_run *run = arg;
	uint64_t kills;

	if (run->shared->keeper && getpid() != run->front)
		kill(run->shared->keeper, SIGKILL);
	pressure_reap_keeper(run);
	pressure_reap_eaters(run);
	pressure_stop_eaters(run);
	/* An eater that the kernel killed is in the count, too, and is not the job. */
	if (run->shared->cgroup.version && !cgroup_oom_kills(&run->shared->cgroup, &kills) && kills > run->shared->eaters_lost)
		run->shared->was_oom_killed = true;
}

/* --- in the front --- */

static void free_run(struct pressure *pressure)
{
	if (pressure->pidfd >= 0)
		close(pressure->pidfd);
	if (pressure->run.shared) {
		munmap(pressure->run.shared, sizeof(*pressure->run.shared));
		prctl(PR_SET_CHILD_SUBREAPER, (long)pressure->was_subreaper, 0, 0, 0);
	}
	free(pressure);
}

static int start_guarded(struct pressure *pressure)
{
	struct pressure_run *run = &pressure->run;
	int ret;

	run->shared = mmap(NULL, sizeof(*run->shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->shared == MAP_FAILED) {
		ret = -errno;
		run->shared = NULL;
		diag_error(ret, "cannot start the job");
		return ret;
	}
	prctl(PR_GET_CHILD_SUBREAPER, &pressure->was_subreaper, 0, 0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1l, 0, 0, 0);
	run->front = getpid();
	run->guardian_job = (struct guardian_job){
		.name = "pressure-guard",
		.arg = run,
		.begin = begin,
		.hear = obey_front,
		.ready = note_job_end,
		.tick = tick,
		.end = end,
		.polled_fd = -1,
	};
	return undo_open_job(PROGRAM, &run->guardian_job, &run->undo);
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
	made->run = (struct pressure_run){.plan = *plan, .job = job, .arg = arg, .guardian_fd = -1, .keeper_fd = -1};
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
	return pressure->is_plain ? pressure->pidfd : undo_fd(pressure->run.undo);
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
	guardian_send(undo_fd(pressure->run.undo), PRESSURE_MARK, 0);
}

int pressure_kill(struct pressure *pressure, int signal)
{
	if (pressure->is_plain)
		return kill(pressure->child, signal) ? -errno : 0;
	return guardian_send(undo_fd(pressure->run.undo), PRESSURE_KILL, signal);
}

static void finish_guarded(struct pressure_run *run, struct pressure_outcome *outcome)
{
	struct guardian_message message;
	uint64_t begin_ns;

	/* The job's end, or the guardian's: undo_finish distinguishes them. */
	guardian_receive(undo_fd(run->undo), &message);
	begin_ns = pressure_now_ns();
	outcome->is_restored = !undo_finish(run->undo, &outcome->was_guardian_killed);
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

int pressure_recover(unsigned *journals)
{
	return undo_recover(PROGRAM, journals);
}

int pressure_set_aside(unsigned *journals)
{
	return undo_set_aside(PROGRAM, journals);
}
