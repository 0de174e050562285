/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory eater takes pages from others for a time. It locks them, or swapping would soon give them back.
 * With a limit on the job it eats within the job's cgroup, without one it eats from its node or the machine.
 * It dies with the guardian, and before all others when memory runs out.
 */
#include "config.h"
#include "common/pressure_run.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "common/units.h"

#define BITE_BYTES (16 * UNITS_MIB) /* between readings of the clock */
#define NODES 1024
#define BITS (8 * sizeof(unsigned long))

static void sleep_until(uint64_t ns)
{
	const struct timespec time = {
		.tv_sec = (time_t)(ns / UNITS_NS_PER_SEC),
		.tv_nsec = (long)(ns % UNITS_NS_PER_SEC),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

static int bind_to_node(void *map, size_t bytes, int node)
{
	unsigned long nodes[NODES / BITS] = {0};

	if (node < 0)
		return 0;
	nodes[(size_t)node / BITS] = 1ul << ((size_t)node % BITS);
	/* A kernel without NUMA has node 0 only, and nothing to bind. */
	if (syscall(SYS_mbind, map, bytes, MPOL_BIND, nodes, NODES + 1, 0) && !(errno == ENOSYS && !node))
		return -errno;
	return 0;
}

/* Pages become resident, and stay so where locking is allowed. */
static void bite(unsigned char *at, size_t bytes)
{
	memset(at, 1, bytes);
	(void)mlock(at, bytes);
}

static int eat(const struct pressure_eater *eater, uint64_t end_ns)
{
	unsigned char *map = mmap(NULL, eater->bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int ret;

	if (map == MAP_FAILED)
		return -errno;
	/* Pages one by one: a huge page is more than was asked for. */
	madvise(map, eater->bytes, MADV_NOHUGEPAGE);
	ret = bind_to_node(map, eater->bytes, eater->node);
	for (uint64_t done = 0; !ret && done < eater->bytes && pressure_now_ns() < end_ns;
		done += BITE_BYTES) {
		uint64_t left = eater->bytes - done;

		bite(map + done, left < BITE_BYTES ? left : BITE_BYTES);
	}
	if (!ret)
		sleep_until(end_ns);
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
		sleep_until(start_ns + eater->begin_ns);
		ret = eat(eater, start_ns + eater->end_ns);
	}
	if (ret)
		diag_error(ret, "the eater of %llu bytes on node %d does not eat",
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
		while (waitpid(run->shared->eaters[i], NULL, 0) < 0 && errno == EINTR)
			;
		run->shared->eaters[i] = 0;
	}
}
