/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run as its processes share it: the front (the caller of pressure_start), the guardian (its child),
 * the keeper (init of the job's PID namespace, child of the guardian), the job (child of the keeper) and
 * the eaters (children of the guardian). Private to common/pressure*.c.
 */
#ifndef COMMON_PRESSURE_RUN_H
#define COMMON_PRESSURE_RUN_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/cgroup.h"
#include "common/pressure.h"
#include "common/pressure_journal.h"

/* Mapped shared before the first fork: what outlives the death of whoever wrote it. */
struct pressure_shared {
	struct cgroup cgroup;    /* version 0 = none; complete before PRESSURE_STARTED */
	_Atomic int wait_status; /* of the job, valid when has_status */
	_Atomic bool has_status;
	_Atomic uint64_t start_ns; /* CLOCK_MONOTONIC at pressure_mark_start */
	_Atomic int keeper;        /* 0 = not there */
	_Atomic int eaters[PRESSURE_EATERS];
	_Atomic unsigned eaters_lost; /* killed by somebody else, so by the OOM killer */
	_Atomic bool was_oom_killed;
};

struct pressure_run {
	struct pressure_plan plan;
	struct journal journal;
	struct pressure_shared *shared;
	sigset_t caller_mask; /* the job gets it back */
	int (*job)(void *arg);
	void *arg;
	int front_fd, guardian_fd; /* ends of the socket pair between them, -1 once closed */
	pid_t front, guardian;
};

/* Front and guardian talk in whole messages. */
enum pressure_verb {
	PRESSURE_GO,       /* guardian to keeper: the job may start */
	PRESSURE_STARTED,  /* job to guardian to front: value 0 or -errno (reported already) */
	PRESSURE_ENDED,    /* guardian: the job is over */
	PRESSURE_RESTORED, /* guardian: value 0 or -errno */
	PRESSURE_MARK,     /* front: eaters' clocks run */
	PRESSURE_KILL,     /* front: value = signal for the job; guardian to keeper as well */
	PRESSURE_FINISH,   /* front: restore */
};

struct pressure_message {
	enum pressure_verb verb;
	int value;
};

int pressure_send(int fd, enum pressure_verb verb, int value);
/* Waits; -EPIPE when the other side is gone. */
int pressure_receive(int fd, struct pressure_message *message);

uint64_t pressure_now_ns(void); /* CLOCK_MONOTONIC */

/* pressure_setup.c: every action of the plan, each journaled before it is done. Reports its errors; what was
 * done until then is in the journal. */
int pressure_setup(struct pressure_run *run);

/* pressure_undo.c: undoes the journal in reverse and removes it. Reports its errors. On failure the journal
 * stays for a later try. says_so: one line for each thing restored. */
int pressure_undo(struct journal *journal, bool says_so);

/* pressure_keeper.c: starts keeper and job. On return the job runs, inside its cgroup; *fd is the keeper's
 * socket for PRESSURE_KILL. Reports its errors; then shared->keeper may still have to be stopped. */
int pressure_start_keeper(struct pressure_run *run, int *fd);
/* Waits for the keeper's end, and with it the end of all that the job started, and sees that there is a
 * status. */
void pressure_reap_keeper(struct pressure_run *run);

/* pressure_eater.c: one child for each eater of the plan; their clocks run from shared->start_ns. */
void pressure_start_eaters(struct pressure_run *run);
/* Notes those that have ended. */
void pressure_reap_eaters(struct pressure_run *run);
void pressure_stop_eaters(struct pressure_run *run);

/* pressure_guardian.c: the guardian's whole life. */
_Noreturn void pressure_guard(struct pressure_run *run);
/* Takes the cgroup's count of OOM kills into shared, before the cgroup goes. */
void pressure_note_oom(struct pressure_run *run);

#endif
