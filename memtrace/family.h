/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process with its descendants, and what a sampler picks of them at random: a resident page, a thread that runs. */
#ifndef MEMTRACE_FAMILY_H
#define MEMTRACE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/hot/rng.h"

struct family;

/* root is the first process. 0 or -ENOMEM. */
int family_new(pid_t root, struct family **family);
/* Reads again which processes there are and what they have mapped: 0 or -ENOMEM; -ESRCH: all have ended. */
int family_refresh(struct family *family);

struct family_page {
	pid_t pid;
	int pid_fd;
	uint64_t address;
};

#define FAMILY_TRIES 256
/*
 * A resident page of the writable private memory that only its process has: each is equally likely, since mapped pages are drawn
 * until one is resident. 0, or -ENODATA: none was met in FAMILY_TRIES draws.
 */
int family_pick_page(struct family *family, struct rng *rng, struct family_page *page);
/* Whether it is resident now; false also where it cannot be said. */
bool family_is_resident(const struct family *family, const struct family_page *page);
/* Whether a thread runs now, and then on which CPU (-1: unknown). */
bool family_is_running(pid_t pid, pid_t tid, int *cpu);
/* A thread of the processes, each equally likely. 0, or -ENODATA: it does not run at the moment. */
int family_pick_thread(struct family *family, struct rng *rng, pid_t *pid, pid_t *tid, int *cpu);
void family_free(struct family *family);

#endif
