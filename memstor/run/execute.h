/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan, run: each turn that is open, in order, with the index after each. */
#ifndef MEMSTOR_RUN_EXECUTE_H
#define MEMSTOR_RUN_EXECUTE_H

#include <stddef.h>
#include <sys/types.h>

#include "memstor/run/folder.h"
#include "memstor/run/plan.h"

/* Fills the plan's records. 0, also when steps failed or a signal came (interrupt_signal), or a diag_exit code after
 * one line when results can no longer be kept. */
int run_execute(struct run_plan *plan, const struct run_folder *folder);

/*
 * Two suites on one host spoil each other's numbers. Each memstor run holds an abstract socket whose name says who it
 * is; the names of all are in /proc/net/unix. It needs no folder that all users share, and goes with the process.
 */
#define RUN_BESIDE_MAX 16

struct run_beside {
	int socket; /* -1 = none */
	pid_t self;
	size_t count;
	pid_t seen[RUN_BESIDE_MAX]; /* already warned of */
};

/* Without a socket (no network namespace is shared, or the kernel refuses) others are not warned; that is all. */
void run_beside_open(struct run_beside *beside);
void run_beside_close(struct run_beside *beside);
/* How many other suites run now. A warning for each that was not seen before. root as in common/sysfs.h. */
unsigned run_beside_look(struct run_beside *beside, const char *root);

#endif
