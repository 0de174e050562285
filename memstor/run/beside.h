/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two suites on one host spoil each other's numbers. Each memstor run holds an abstract socket whose name says who it
 * is; the names of all are in /proc/net/unix. It needs no folder that all users share, and goes with the process.
 */
#ifndef MEMSTOR_RUN_BESIDE_H
#define MEMSTOR_RUN_BESIDE_H

#include <stddef.h>
#include <sys/types.h>

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
