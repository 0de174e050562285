/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process and its descendants, from which a sampler picks at random a resident page or a running thread. */
#ifndef MEMTRACE_ACTIVE_FAMILY_H
#define MEMTRACE_ACTIVE_FAMILY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/hot/rng.h"

struct family;

/* root is the first process. Returns 0 or -ENOMEM. */
int family_new(pid_t root, struct family **family);
/* Adds a process that is not in the family and has not ended; its mappings are read by the next refresh. memtrace and the
 * calling process are never added. Returns 0 or -ENOMEM. */
int family_add(struct family *family, pid_t pid);
/* Updates the list of processes and their mappings. Returns 0 or -ENOMEM, or -ESRCH if all have ended. */
int family_refresh(struct family *family);

struct family_page {
	pid_t pid;
	int pid_fd;
	uint64_t address;
};

#define FAMILY_TRIES 256
/*
 * Picks a resident page of writable private memory that only its process maps. Each such page is equally likely, since mapped pages
 * are drawn until one is resident. Refreshes the family when a process has executed another program. Returns 0, or -ENODATA if
 * FAMILY_TRIES draws found none, or an error of family_refresh.
 */
int family_pick_page(struct family *family, struct rng *rng, struct family_page *page);
/* Tells whether the page is resident now; false also if that cannot be read. */
bool family_is_resident(const struct family *family, const struct family_page *page);
/* Picks a thread of the processes, each equally likely. Returns 0, or -ENODATA if that thread is not running now. */
int family_pick_thread(struct family *family, struct rng *rng, pid_t *pid, pid_t *tid, int *cpu);
void family_free(struct family *family);

#endif
