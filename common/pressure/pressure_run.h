/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one run, shared by its processes: the front (the caller of pressure_start), the guardian (its child),
 * the keeper (init of the job's PID namespace, child of the guardian), the job (child of the keeper) and
 * the eaters (children of the guardian). Private to common/pressure/.
 */
#ifndef COMMON_PRESSURE_PRESSURE_RUN_H
#define COMMON_PRESSURE_PRESSURE_RUN_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/kernel/cgroup.h"
#include "common/pressure/pressure_plan.h"
#include "common/pressure/pressure_watch.h"
#include "common/undo/undo.h"

/* Mapped shared before the first fork, so that it outlives its writer. */
struct pressure_shared {
	struct cgroup cgroup;    /* version 0 = none; complete before PRESSURE_STARTED */
	_Atomic int wait_status; /* of the job, valid when has_status */
	uint64_t end_ns;         /* as wait_status, or 0 */
	struct rusage usage;
	_Atomic bool has_status;
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC at pressure_mark_start */
	_Atomic int keeper;        /* 0 = not there */
	_Atomic int eaters[PRESSURE_EATERS];
	_Atomic unsigned eaters_lost; /* killed by another process, so by the OOM killer */
	_Atomic bool was_oom_killed;
	_Atomic bool has_joined;    /* the job is in the cgroup, if there is one */
	_Atomic bool was_contained; /* the keeper was ended for plan.is_contained */
	struct pressure_watch watch;
};

struct pressure_run {
	struct pressure_plan plan;
	struct guardian_job guardian_job; /* its front_mask is the caller's mask, which the job gets back */
	struct undo *undo;
	struct pressure_shared *shared;
	int (*job)(void *arg);
	void *arg;
	pid_t front;
	/* The guardian's members: */
	int guardian_fd;           /* its end of the socket to the front */
	int keeper_fd;             /* its end of the socket to the keeper, -1 = none */
	int swaps_fd;              /* /proc/swaps, -1 = the run has no area */
	uint64_t flushed_ns, watched_ns;
};

/* Verbs of messages (common/undo/guardian.h) besides those of every guardian. */
enum pressure_verb {
	PRESSURE_GO = GUARDIAN_OTHERS, /* guardian to keeper: the job may start */
	PRESSURE_STARTED,  /* job to guardian: value 0 or -errno (reported already) */
	PRESSURE_ENDED,    /* guardian to front: the job is over */
	PRESSURE_MARK,     /* front: eaters' clocks run */
	PRESSURE_KILL,     /* front: value = signal for the job; guardian to keeper as well */
};


/* pressure_keeper.c: starts keeper and job. On return the job runs, inside its cgroup; keeper_fd takes
 * PRESSURE_KILL. Reports its errors; then shared->keeper may still have to be stopped. */
int pressure_start_keeper(struct pressure_run *run);
/* Waits for the keeper's end, with which all processes of the job end, and ensures that there is a status. */
void pressure_reap_keeper(struct pressure_run *run);

/* pressure_keeper.c: starts one child for each eater of the plan; their clocks run from shared->start_ns. */
void pressure_start_eaters(struct pressure_run *run);
/* Records the eaters that have ended. */
void pressure_reap_eaters(struct pressure_run *run);
void pressure_stop_eaters(struct pressure_run *run);

#endif
