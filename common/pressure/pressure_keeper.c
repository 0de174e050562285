/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper is init of the job's PID namespace, and the job its child: when the keeper dies the kernel kills
 * everything that the job has started, however far it has daemonised. It dies with the guardian. The job is
 * not init itself, because init ignores signals that it has no handler for (docs/adr/0010).
 */
#include "config.h"
#include "common/pressure/pressure_run.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"

static _Noreturn void run_job(struct pressure_run *run, int fd)
{
	int ret = 0, code;

	/* Raising needs no privilege: the job should die before processes that use little memory. */
	if (sysfs_write("", "/proc/self/oom_score_adj", "1000"))
		diag_warn("cannot raise the job's oom_score_adj");
	if (run->shared->cgroup.version)
		ret = cgroup_join(&run->shared->cgroup);
	if (ret)
		diag_error(ret, "cannot move the job into %s", run->shared->cgroup.dir);
	else
		run->shared->has_joined = true;
	ret = guardian_send(fd, PRESSURE_STARTED, ret) || ret;
	close(fd);
	if (ret)
		_exit(DIAG_EXIT_HOST);
	/* Replaces the keeper's name, because the kernel's log shows this name for a killed process. */
	prctl(PR_SET_NAME, program_invocation_short_name);
	sigprocmask(SIG_SETMASK, &run->guardian_job.front_mask, NULL);
	code = run->job(run->arg);
	fflush(NULL);
	_exit(code);
}

/* Reaps all dead children; true once the job is among them. */
static bool reap(struct pressure_run *run, pid_t job)
{
	struct rusage usage;
	uint64_t now_ns;
	pid_t pid;
	int status;

	while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (pid != job)
			continue;
		run->shared->end_ns = now_ns;
		run->shared->usage = usage;
		run->shared->wait_status = status;
		run->shared->has_status = true;
		return true;
	}
	return false;
}

static void relay_signal(int fd)
{
	struct guardian_message message;

	if (guardian_receive(fd, &message) || message.verb != PRESSURE_KILL)
		return;
	/* -1 signals all in the namespace but init. Stopped processes must continue in order to die. */
	kill(-1, message.value);
	if (message.value == SIGTERM || message.value == SIGINT || message.value == SIGHUP)
		kill(-1, SIGCONT);
}

/* Makes the namespace's /proc the working folder, where processes outside of the job's cgroup are searched for: it stays valid
 * whatever the job mounts or unmounts. */
static bool enter_proc(void)
{
	char self[16] = "";

	return !chdir("/proc") && readlink("self", self, sizeof(self) - 1) > 0 && !strcmp(self, "1");
}

/* Takes a twentieth of the time at most. Returns the time of the next search. */
static uint64_t watch_members(struct pressure_run *run)
{
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC), pause_ns = PRESSURE_WATCH_MS * 1000000ull, end_ns;

	if (run->shared->has_joined &&
		pressure_watch_members(&run->shared->watch, &run->shared->cgroup, ".") && run->plan.is_contained) {
		run->shared->was_contained = !run->shared->has_status;
		_exit(0); /* and the kernel kills all others */
	}
	end_ns = clock_ns(CLOCK_MONOTONIC);
	return end_ns + (20 * (end_ns - begin_ns) > pause_ns ? 20 * (end_ns - begin_ns) : pause_ns);
}

static _Noreturn void keep(struct pressure_run *run, int fd)
{
	bool is_watched = run->shared->cgroup.version, is_over = false;
	uint64_t next_ns = 0;
	struct guardian_message message;
	struct pollfd polled[2] = {{.fd = fd, .events = POLLIN}, {.events = POLLIN}};
	sigset_t children;
	pid_t job;

	/* If the guardian has died before this call, no message comes. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "pressure-keeper");
	if (guardian_receive(fd, &message) || message.verb != PRESSURE_GO)
		_exit(DIAG_EXIT_USAGE);
	/* /proc should have the numbers of the job's namespace. Where mounting is forbidden (containers) the job sees the
	 * host's /proc, which matters only to tools that list processes. */
	if (!mount("none", "/", NULL, MS_REC | MS_SLAVE, NULL))
		(void)mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	polled[1].fd = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	job = polled[1].fd < 0 ? -1 : fork();
	if (job < 0) {
		diag_error(errno, "cannot start the job");
		guardian_send(fd, PRESSURE_STARTED, -errno);
		_exit(DIAG_EXIT_USAGE);
	}
	if (!job) {
		close(polled[1].fd);
		run_job(run, fd);
	}
	if (is_watched && !enter_proc()) {
		diag_warn("/proc cannot be mounted here: processes that leave the run's memory cgroup are not noticed");
		is_watched = false;
	}
	while (!is_over) {
		struct signalfd_siginfo info;
		int found = poll(polled, 2, is_watched ? PRESSURE_WATCH_MS : -1);

		while (found > 0 && read(polled[1].fd, &info, sizeof(info)) > 0)
			;
		if (found > 0 && (polled[0].revents & POLLIN))
			relay_signal(fd);
		is_over = reap(run, job);
		if (is_watched && (is_over || clock_ns(CLOCK_MONOTONIC) >= next_ns))
			next_ns = watch_members(run);
	}
	_exit(0);
}

int pressure_start_keeper(struct pressure_run *run)
{
	/* clone3 instead of unshare and fork, which would put every later child of the guardian into the namespace, too. */
	struct clone_args args = {.flags = CLONE_NEWPID | CLONE_NEWNS, .exit_signal = SIGCHLD};
	struct guardian_message message;
	int ends[2], ret;
	pid_t keeper;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return diag_error(errno, "cannot make a socket");
	keeper = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (keeper == 0) {
		close(ends[0]);
		/* The journal's lock and the socket must end with front and guardian. */
		close(undo_journal(run->undo)->fd);
		close(run->guardian_fd);
		keep(run, ends[1]);
	}
	ret = keeper < 0 ? -errno : 0;
	close(ends[1]);
	if (ret) {
		diag_error(ret, "cannot make a PID namespace");
		close(ends[0]);
		return ret;
	}
	run->shared->keeper = keeper;
	/* Joins the front's process group, so that a terminal's ^C and ^Z reach the job as if it had been started plainly. */
	setpgid(keeper, getpgid(run->front));
	ret = guardian_send(ends[0], PRESSURE_GO, 0);
	if (!ret)
		ret = guardian_receive(ends[0], &message);
	if (!ret)
		ret = message.value;
	else
		diag_error(ret, "the job did not start");
	run->keeper_fd = ends[0];
	return ret;
}

void pressure_reap_keeper(struct pressure_run *run)
{
	pid_t keeper = run->shared->keeper;
	int status = SIGKILL;

	if (!keeper)
		return;
	(void)TEMP_FAILURE_RETRY(waitpid(keeper, &status, 0));
	run->shared->keeper = 0;
	/* Without a status the keeper was killed before the job ended, and the job died with the namespace. */
	if (!run->shared->has_status) {
		run->shared->wait_status = WIFSIGNALED(status) ? status : SIGKILL;
		run->shared->has_status = true;
	}
}

/*
 * A memory eater takes pages from other processes for a time. It locks them, because swapping would soon give them back. With a
 * limit on the job it allocates within the job's cgroup, without one on its node or the machine. It dies with the guardian, and
 * before all others when memory runs out.
 */

#define BITE_BYTES (16 * UNITS_MIB) /* allocated between two readings of the clock */
#define NODES 1024
#define BITS (8 * sizeof(unsigned long))

static int bind_to_node(void *map, size_t bytes, int node)
{
	unsigned long nodes[NODES / BITS] = {0};

	if (node < 0)
		return 0;
	nodes[(size_t)node / BITS] = 1ul << ((size_t)node % BITS);
	/* A kernel without NUMA has only node 0 and needs no binding. */
	if (syscall(SYS_mbind, map, bytes, MPOL_BIND, nodes, NODES + 1, 0) && !(errno == ENOSYS && !node))
		return -errno;
	return 0;
}

static int eat(const struct pressure_eater *eater, uint64_t end_ns)
{
	unsigned char *map = mmap(NULL, eater->bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ret;

	if (map == MAP_FAILED)
		return -errno;
	/* Huge pages would take more than the requested size. */
	madvise(map, eater->bytes, MADV_NOHUGEPAGE);
	ret = bind_to_node(map, eater->bytes, eater->node);
	for (uint64_t done = 0; !ret && done < eater->bytes && clock_ns(CLOCK_MONOTONIC) < end_ns;
		done += BITE_BYTES) {
		uint64_t left = eater->bytes - done, bite = left < BITE_BYTES ? left : BITE_BYTES;

		/* mlock keeps the pages resident where it is allowed. */
		memset(map + done, 1, bite);
		(void)mlock(map + done, bite);
	}
	if (!ret)
		clock_sleep_until(end_ns);
	return ret;
}

static _Noreturn void be_eater(struct pressure_run *run, const struct pressure_eater *eater, pid_t guardian)
{
	uint64_t start_ns = run->shared->start_ns;
	int ret = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "pressure-eater");
	close(undo_journal(run->undo)->fd);
	close(run->guardian_fd);
	if (getppid() != guardian)
		_exit(DIAG_EXIT_OK);
	sysfs_write("", "/proc/self/oom_score_adj", "1000");
	if (run->plan.ram_bytes)
		ret = cgroup_join(&run->shared->cgroup);
	if (!ret) {
		clock_sleep_until(start_ns + eater->begin_ns);
		ret = eat(eater, start_ns + eater->end_ns);
	}
	if (ret)
		diag_error(ret, "the eater cannot lock %llu bytes on node %d",
			(unsigned long long)eater->bytes, eater->node);
	_exit(ret ? DIAG_EXIT_HOST : DIAG_EXIT_OK);
}

void pressure_start_eaters(struct pressure_run *run)
{
	pid_t guardian = getpid();

	for (size_t i = 0; i < run->plan.eater_count; i++) {
		pid_t pid = fork();

		if (!pid)
			be_eater(run, &run->plan.eaters[i], guardian);
		if (pid < 0)
			diag_error(errno, "cannot start an eater");
		else
			run->shared->eaters[i] = pid;
	}
}

void pressure_reap_eaters(struct pressure_run *run)
{
	for (size_t i = 0; i < run->plan.eater_count; i++) {
		int status;

		if (!run->shared->eaters[i] || waitpid(run->shared->eaters[i], &status, WNOHANG) <= 0)
			continue;
		run->shared->eaters[i] = 0;
		if (!WIFSIGNALED(status))
			continue;
		run->shared->eaters_lost++;
		diag_warn("eater %zu was killed before its time (signal %d): out of memory, probably", i + 1,
			WTERMSIG(status));
	}
}

void pressure_stop_eaters(struct pressure_run *run)
{
	for (size_t i = 0; i < run->plan.eater_count; i++) {
		if (!run->shared->eaters[i])
			continue;
		kill(run->shared->eaters[i], SIGKILL);
		(void)TEMP_FAILURE_RETRY(waitpid(run->shared->eaters[i], NULL, 0));
		run->shared->eaters[i] = 0;
	}
}
