/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A memory cgroup of our own, by version 1 or 2 of the kernel's interface. Return 0 or -errno.
 */
#ifndef COMMON_CGROUP_H
#define COMMON_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CGROUP_DIR 512

struct cgroup {
	int version; /* 1 or 2 */
	char dir[CGROUP_DIR];
};

struct cgroup_place {
	char dir[CGROUP_DIR];         /* without root */
	char mount_point[CGROUP_DIR]; /* of its hierarchy: dir or above it */
};

/* Where this process is in the hierarchy of a version (of version 1 in the one that has the memory controller). In a
 * container, which sees a part of the hierarchy, a place outside that part is taken for the mount point. -ENODEV: there
 * is no such hierarchy. -ENAMETOOLONG: there is. */
int cgroup_find_place(const char *root, int version, struct cgroup_place *place);
/* The version of the hierarchy that limits this process's memory (0 = none), and its smallest limit from here upwards
 * (memory.max and memory.high; UINT64_MAX = none). place->dir "" = longer than its room. */
int cgroup_find_memory(const char *root, struct cgroup_place *place, uint64_t *limit_bytes);
/* The same of the hierarchy of version 1 that has a controller ("blkio"), or of version 2 (NULL). */
int cgroup_find_hierarchy(const char *root, const char *controller, struct cgroup_place *place);

/*
 * Where a memory cgroup for this process can be made. Version 1: its own memory cgroup. Version 2: the
 * nearest one from its own upwards that hands the memory controller to its children, because a cgroup
 * with processes cannot (no-internal-process rule). root as in sysfs.h; it becomes part of dir.
 * -ENODEV or -EOPNOTSUPP with one line in why: what is missing and how to fix it.
 */
int cgroup_find_parent(const char *root, struct cgroup *parent, char *why, size_t length);
/* The smallest limit that binds this process; UINT64_MAX = none. */
uint64_t cgroup_own_limit(const char *root);
/* What the cgroups of this process still let it have: of each limit what is not used, with what the kernel would take back
 * first (inactive pages of files), the least of all from its own upwards; of version 2 also by memory.high, above which it
 * is slowed down. UINT64_MAX = there is no limit. */
uint64_t cgroup_left(const char *root);
/* The smallest limit on swap alone that binds this process, which only version 2 has; UINT64_MAX = none. */
uint64_t cgroup_own_swap_limit(const char *root);

int cgroup_create(const struct cgroup *cgroup);
struct cgroup_limits {
	uint64_t bytes;      /* 0 = no limit */
	uint64_t high_bytes; /* version 2: above it its processes are slowed down; 0 = none */
	bool without_swap;   /* its memory may not be swapped out */
	bool has_swappiness; /* version 1 */
	unsigned swappiness;
};
int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits);
/* Moves the calling process in. */
int cgroup_join(const struct cgroup *cgroup);
/* How many of its processes the kernel has killed for want of memory. */
int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills);
/*
 * Reads memory.stat and throws it away: the reading flushes the kernel's lazy counters, without which
 * reclaim in a tight cgroup misreads the inactive list and kills although swap is free.
 */
void cgroup_flush_stat(const struct cgroup *cgroup);
/* Kills every process in it and below, however deep and by whatever names, waits for their ends and removes all of it; gone
 * already is success. -ETIMEDOUT, -EBUSY when processes are left after 10 s. */
int cgroup_destroy(const struct cgroup *cgroup);

/* Memory that this process may still take without being killed, or making others page. */

/* Bytes: what the kernel says is available (with what it can reclaim from the page cache), and not more than RLIMIT_AS and the
 * cgroups above this process leave. UINT64_MAX = nothing is known. root as in common/sysfs.h. */
uint64_t available_memory(const char *root);

#endif
