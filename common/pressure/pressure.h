/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limited memory and private swap for one run, and their reliable removal.
 *
 * A job is run in a memory cgroup of its own, with a swap area of its own, as init of a PID namespace.
 * Two processes hold one write-ahead journal and watch each other: the front (the caller) and the
 * guardian. The survivor restores; when both are killed, pressure_recover restores on the next start.
 * This module changes only what it made, and settings that it journals and restores.
 */
#ifndef COMMON_PRESSURE_H
#define COMMON_PRESSURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "common/report/report_common.h"

enum pressure_swap_kind {
	PRESSURE_SWAP_KEEP,
	PRESSURE_SWAP_NONE,
	PRESSURE_SWAP_ZRAM,
	PRESSURE_SWAP_FILE,
	PRESSURE_SWAP_LOOP,
	PRESSURE_SWAP_ZSWAP, /* a file, and zswap before it */
	PRESSURE_SWAP_DEVICE,
};

struct pressure_swap {
	enum pressure_swap_kind kind; /* KEEP: the option was not given, the system's swap stays as it is */
	uint64_t bytes;
	char algorithm[32]; /* zram: "" = the kernel's default; zswap: "" = as it is set */
	unsigned pool_percent; /* zswap: the largest share of the memory that its pool may take */
	char path[256];     /* file, loop, zswap: must not exist, is created and removed; device: stays */
};

struct pressure_eater { /* allocates and touches memory on a node from begin to end */
	int node;       /* -1 = any */
	uint64_t bytes;
	uint64_t begin_ns, end_ns; /* after pressure_mark_start */
};

#define PRESSURE_EATERS 8

struct pressure_setting { /* a value of the machine, of undo_allows, restored at the end */
	char path[256], value[128];
};

#define PRESSURE_SETTINGS 16

struct pressure_plan {
	uint64_t ram_bytes; /* memory limit of the job's cgroup; 0 = no cgroup */
	uint64_t high_bytes; /* memory.high of that cgroup: above it the job is slowed down; 0 = none */
	struct pressure_swap swap;
	const char *destroy_data; /* swap.path again, to confirm overwriting it; NULL = not given */
	bool has_page_cluster;    /* false: 0 if the plan has anything else */
	int page_cluster;         /* -1 = unchanged */
	bool has_swappiness;
	unsigned swappiness; /* of the job's cgroup (version 1), or of the machine during the run (version 2) */
	size_t eater_count;
	struct pressure_eater eaters[PRESSURE_EATERS];
	size_t setting_count;
	struct pressure_setting settings[PRESSURE_SETTINGS]; /* in the order in which they are set */
	bool is_never_swapped; /* the job's memory fits, or goes back to a file: no swap is missed */
	bool is_contained; /* the job is killed when a process leaves the cgroup or a limit of it is changed */
};

/* Checks options that exclude or need each other. Returns 0, or -EINVAL and *why. */
int pressure_parse_finish(const struct pressure_plan *plan, const char **why);
/* Returns the size of the swap area; of a device its whole size. 0 without one. */
uint64_t pressure_swap_bytes(const struct pressure_swap *swap);

/* Returns the most that eaters hold at one time, counting those that begin before until_ns. */
uint64_t pressure_eaten_bytes(const struct pressure_plan *plan, uint64_t until_ns);

/* Tells whether anything but settings is wanted. */
static inline bool pressure_limits_memory(const struct pressure_plan *plan)
{
	return plan->ram_bytes || plan->high_bytes || plan->swap.kind != PRESSURE_SWAP_KEEP || plan->eater_count ||
	       plan->has_swappiness || (plan->has_page_cluster && plan->page_cluster >= 0);
}

static inline bool pressure_is_wanted(const struct pressure_plan *plan)
{
	return plan->setting_count || pressure_limits_memory(plan);
}

/* Of a swap area on a file that the run makes. */
static inline bool pressure_makes_file(const struct pressure_swap *swap)
{
	return swap->kind == PRESSURE_SWAP_FILE || swap->kind == PRESSURE_SWAP_LOOP || swap->kind == PRESSURE_SWAP_ZSWAP;
}

/* Checks everything that can be refused before anything is changed: privilege, controller, zram, space for the
 * file, memory for the sizes. Returns 0, or -errno with one line in why (what is missing, how to fix it); "": already
 * reported. root as in sysfs.h; paths of swap files are always real. */
int pressure_check(const char *root, const struct pressure_plan *plan, char *why, size_t length);

struct pressure; /* one running job */

#define PRESSURE_REASONS 6 /* with that of with-pressure --start-at */

struct pressure_outcome {
	int wait_status;     /* of the job, as waitpid gives it */
	unsigned eaters_lost; /* killed before their end: there was less pressure than planned */
	bool was_oom_killed; /* the cgroup's own count rose */
	bool was_guardian_killed; /* and the job with it; the caller restored in its place */
	bool is_restored;    /* everything was restored */
	bool was_contained;  /* the job was killed as is_contained says; the reason is below */
	/* Why the job did not run under the pressure that was planned; codes in docs/report.md. */
	size_t reason_count;
	struct report_reason reasons[PRESSURE_REASONS];
	uint64_t setup_ns, teardown_ns;
	/* CLOCK_MONOTONIC when wait4 returned the job's status, and what the job and the descendants that were waited for used.
	 * 0: not known, because the job was killed with the process that waits for it. */
	uint64_t end_ns;
	struct rusage usage;
};

/*
 * Starts job(arg) in a child (of the caller when nothing of the plan is wanted, else below the guardian): the
 * job's return value is its exit code. The child dies with its parent. On return the job runs, inside its
 * cgroup. 0 or -errno after everything was restored; the reason has been reported by diag_error.
 *
 * Forks without exec: call it while this process has one thread, and from the main thread (the kernel's
 * "parent has died" is about the thread that forked). The job may start threads as it likes.
 * The job has the caller's signal mask and handlers; it calls interrupt_reset if it should die by signals.
 * It sees a PID namespace of its own: its parent is process 1, and when it ends all that it started ends.
 * Descriptors open at the call stay open in the guardian until pressure_finish: learn of the job's end by
 * pressure_fd, not by the end of a pipe.
 * The caller keeps SIGCHLD, SIGINT and SIGTERM to itself: it decides when to call pressure_kill. It must not
 * wait for children that it did not fork (waitpid(-1)) until pressure_finish.
 */
int pressure_start(
	const struct pressure_plan *plan, int (*job)(void *arg), void *arg, struct pressure **pressure);

/* Becomes readable when the job has ended or the guardian is gone; for poll. */
int pressure_fd(const struct pressure *pressure);
/* Takes the status of the job, after pressure_fd became readable: what the caller does before pressure_finish is then not in
 * outcome.end_ns. */
void pressure_reap(struct pressure *pressure);
/* The memory cgroup's folder of the job, or NULL. */
const char *pressure_cgroup_dir(const struct pressure *pressure);
/* Starts the clocks of the eaters. With a memory limit they allocate in the job's cgroup, else on their node. */
void pressure_mark_start(struct pressure *pressure);
/* Sends signal to the job and all that it started (without any pressure: to the job alone). */
int pressure_kill(struct pressure *pressure, int signal);
/* Waits for the job's end, restores everything, frees. What cannot be restored is reported and shows in outcome. */
void pressure_finish(struct pressure *pressure, struct pressure_outcome *outcome);

/* Restores what killed runs left: every journal that no process holds. Prints one line for each item restored.
 * *journals: their number. Returns 0 or the first -errno. Called by every start, and by --recover. */
int pressure_recover(unsigned *journals);
/* Renames journals that no process holds and that cannot be read, so that starts do not report them again; what they list
 * is not restored. Prints one line for each. *journals: their number. Returns 0 or the first -errno. For
 * --recover=set-aside. */
int pressure_set_aside(unsigned *journals);

#endif
