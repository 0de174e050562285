/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limited memory and private swap for one run, and their reliable removal.
 *
 * A job is run in a memory cgroup of its own, with a swap area of its own, as init of a PID namespace.
 * Two processes hold one write-ahead journal and watch each other: the front (the caller) and the
 * guardian. The survivor restores; when both are killed, pressure_recover restores on the next start.
 * This module changes only what it made, and settings that it journals and restores.
 */
#ifndef COMMON_PRESSURE_PRESSURE_H
#define COMMON_PRESSURE_PRESSURE_H

#include "common/pressure/pressure_plan.h"

struct pressure; /* one running job */

/*
 * Starts job(arg) in a child (of the caller when the plan is empty, else below the guardian): the job's return value is its exit
 * code. The child dies with its parent. On return the job runs, inside its cgroup. Returns 0, or -errno after everything was
 * restored; the reason has been reported by diag_error.
 *
 * Forks without exec: call it while this process has one thread, and from the main thread (the kernel's "parent has died" is
 * about the thread that forked). The job may start threads as it likes. The job has the caller's signal mask and handlers; it
 * calls interrupt_reset if it should die by signals. It sees a PID namespace of its own: its parent is process 1, and its end
 * ends all processes that it started. Descriptors open at the call stay open in the guardian until pressure_finish: use
 * pressure_fd to detect the job's end, not the end of a pipe. SIGCHLD, SIGINT and SIGTERM stay with the caller, which decides
 * when to call pressure_kill. It must not wait for children that it did not fork (waitpid(-1)) until pressure_finish.
 */
int pressure_start(
	const struct pressure_plan *plan, int (*job)(void *arg), void *arg, struct pressure **pressure);

/* Returns a descriptor for poll that becomes readable when the job has ended or the guardian is gone. */
int pressure_fd(const struct pressure *pressure);
/* Takes the status of the job, after pressure_fd became readable, so that outcome.end_ns does not include the time until
 * pressure_finish. */
void pressure_reap(struct pressure *pressure);
/* Returns the memory cgroup's folder of the job, or NULL. */
const char *pressure_cgroup_dir(const struct pressure *pressure);
/* Starts the clocks of the eaters. With a memory limit they allocate in the job's cgroup, else on their node. */
void pressure_mark_start(struct pressure *pressure);
/* Sends signal to the job and all processes that it started (without any pressure: to the job alone). */
int pressure_kill(struct pressure *pressure, int signal);
/* Waits for the job's end, restores everything and frees pressure. Failures to restore are reported and show in outcome. */
void pressure_finish(struct pressure *pressure, struct pressure_outcome *outcome);

/* Restores the changes of killed runs: every journal that no process holds. Prints one line for each item restored. *journals:
 * their number. Returns 0 or the first -errno. Called by every start, and by --recover. */
int pressure_recover(unsigned *journals);
/* Renames unreadable journals that no process holds, so that starts do not report them again; the changes that they list are
 * not restored. Prints one line for each. *journals: their number. Returns 0 or the first -errno. For --recover=set-aside. */
int pressure_set_aside(unsigned *journals);

#endif
