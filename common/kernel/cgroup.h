/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private memory cgroup, by version 1 or 2 of the kernel's interface. Functions return 0 or -errno.
 */
#ifndef COMMON_KERNEL_CGROUP_H
#define COMMON_KERNEL_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CGROUP_DIR 512
/* Version 1 prints "no limit" as the largest number of whole pages, whatever a page is. */
#define CGROUP_NO_LIMIT ((uint64_t)INT64_MAX - (1u << 20))

struct cgroup {
	int version; /* 1 or 2 */
	char dir[CGROUP_DIR];
};

struct cgroup_place {
	char dir[CGROUP_DIR];         /* without root */
	char mount_point[CGROUP_DIR]; /* of its hierarchy: dir or above it */
};

/* Finds this process's cgroup in the hierarchy of version 1 that has a controller ("memory"), or of version 2 (NULL). In a
 * container, which sees a part of the hierarchy, a place outside that part is replaced by the mount point. -ENODEV: there
 * is no such hierarchy. -ENAMETOOLONG: there is one, and its path is too long. */
int cgroup_find_hierarchy(const char *root, const char *controller, struct cgroup_place *place);
/* Returns the version of the hierarchy that limits this process's memory (0 = none) and the smallest limit from its cgroup
 * upwards (memory.max and memory.high; UINT64_MAX = none). place->dir is "" when the path is too long. */
int cgroup_find_memory(const char *root, struct cgroup_place *place, uint64_t *limit_bytes);

/*
 * Finds the cgroup below which a memory cgroup for this process can be made. Version 1: its own memory cgroup. Version 2: the
 * nearest one from its own upwards that enables the memory controller for its children, because a cgroup with processes cannot
 * (no-internal-process rule). root as in sysfs.h; it becomes part of dir. Returns -ENODEV or -EOPNOTSUPP with one line in why:
 * the missing part and its fix.
 */
int cgroup_find_parent(const char *root, struct cgroup *parent, char *why, size_t length);
/* Returns the smallest limit that binds this process; UINT64_MAX = none. */
uint64_t cgroup_own_limit(const char *root);
/* Returns the smallest limit on swap alone that binds this process, which only version 2 has; UINT64_MAX = none. */
uint64_t cgroup_own_swap_limit(const char *root);

int cgroup_create(const struct cgroup *cgroup);
struct cgroup_limits {
	uint64_t bytes;      /* 0 = no limit */
	uint64_t high_bytes; /* version 2: above it its processes are slowed down; 0 = none */
	bool without_swap;   /* its memory is not swapped out */
	bool has_swappiness; /* version 1 */
	unsigned swappiness;
};
int cgroup_limit(const struct cgroup *cgroup, const struct cgroup_limits *limits);
int cgroup_join(const struct cgroup *cgroup);
/* A file that limits the cgroup's memory or swap. */
struct cgroup_limit {
	const char *name; /* NULL = this version has no more */
	char value[32];   /* as the kernel prints it; "" = there is no such file */
};
#define CGROUP_LIMIT_FILES 5
void cgroup_read_limits(const struct cgroup *cgroup, struct cgroup_limit limits[CGROUP_LIMIT_FILES]);
/* Tells whether a process is in the cgroup or in one below it, by the file proc/PID/cgroup: 1, 0, or -errno when that cannot be
 * read. For an exiting process version 1 gives 0. */
int cgroup_holds(const struct cgroup *cgroup, const char *proc, pid_t pid);
/* Stores how much of the cgroup's memory is swapped out; -errno when the kernel does not count that. Version 1 may be off by
 * CGROUP_STAT_PAGES for each CPU. */
int cgroup_swapped(const struct cgroup *cgroup, uint64_t *bytes);
#define CGROUP_STAT_PAGES 64 /* changes that a reading of memory.stat may leave out (MEMCG_CHARGE_BATCH in mm/memcontrol.c) */
/* Returns the number of the cgroup's processes that the kernel has killed for lack of memory. */
int cgroup_oom_kills(const struct cgroup *cgroup, uint64_t *kills);
/*
 * Reads memory.stat and discards it: the read flushes the kernel's lazy counters, without which reclaim in a tight cgroup
 * misreads the inactive list and kills although swap is free.
 */
void cgroup_flush_stat(const struct cgroup *cgroup);
/* Kills all processes in the cgroup and below it, waits for their ends and removes all the cgroups; a cgroup that is already
 * gone is success. -ETIMEDOUT, -EBUSY when processes are left after 10 s. */
int cgroup_destroy(const struct cgroup *cgroup);

/* Memory that this process may still allocate without being killed and without making other processes page. */

/* Returns bytes: what the kernel reports as available (including reclaimable page cache), limited by RLIMIT_AS and by the
 * cgroups from this process's own upwards. Each cgroup leaves the unused part of its limit, plus the memory that the kernel
 * reclaims first (inactive file pages); the least of these counts. Version 2 includes memory.high, above which processes are
 * slowed down. UINT64_MAX = unknown. root as in common/base/sysfs.h. */
uint64_t available_memory(const char *root);

#endif
