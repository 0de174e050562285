/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Watches whether a run has the planned pressure: changed limits of its cgroup, its processes outside of the cgroup, and its
 * pages in other swap areas than its own. Guardian and keeper take samples; a change that is undone between two samples is not
 * seen. Private to common/pressure/ and their tests.
 */
#ifndef COMMON_PRESSURE_PRESSURE_WATCH_H
#define COMMON_PRESSURE_PRESSURE_WATCH_H

#include "common/kernel/cgroup.h"
#include "common/kernel/swap.h"
#include "common/pressure/pressure_plan.h"

#define PRESSURE_WATCH_MS 50

struct pressure_watch_area { /* another swap area than the run's own */
	char path[256];
	int priority;
	uint64_t first_bytes, most_bytes; /* in use when it was found, and the most ever */
};

struct pressure_watch { /* starts zeroed */
	/* Written by the guardian: the limits at the beginning, and the last different value of each, "" = none. */
	struct cgroup_limit limits[CGROUP_LIMIT_FILES];
	char changed[CGROUP_LIMIT_FILES][sizeof(((struct cgroup_limit *)NULL)->value)];
	/* Written by the keeper: the first process found outside, and the most memory of all such processes at one time. */
	pid_t outside_pid;
	char outside_name[32];
	uint64_t outside_bytes;
	/* Written by the guardian: the run's own area, and all others that were active at the same time. */
	char own_path[512]; /* "" = it has none */
	int own_priority;
	bool is_own_lost, was_own_full;
	size_t other_count;
	struct pressure_watch_area others[SWAP_AREAS];
	/* Swapped memory of the run's cgroup: the most, and the most that was not in the run's own area. */
	bool is_swapped_known;
	uint64_t swapped_bytes, elsewhere_bytes, last_elsewhere_bytes;
};

void pressure_watch_begin(struct pressure_watch *watch, const struct cgroup *cgroup);
/* Returns whether a limit has ever been changed. */
bool pressure_watch_limits(struct pressure_watch *watch, const struct cgroup *cgroup);
/* proc: the path of a /proc of the job's PID namespace, whose init does not belong to the job. Returns whether a process has
 * ever been outside. */
bool pressure_watch_members(struct pressure_watch *watch, const struct cgroup *cgroup, const char *proc);
/* Records that the run's own area is active. path: as in /proc/swaps. */
void pressure_watch_own(struct pressure_watch *watch, const char *path, int priority);
/* cgroup: version 0 = none. root as in sysfs.h. */
void pressure_watch_swap(struct pressure_watch *watch, const char *root, const struct cgroup *cgroup);
/* Adds the reasons why the run did not have the planned pressure; their codes are in docs/report.md. */
void pressure_watch_reasons(const struct pressure_watch *watch, struct pressure_outcome *outcome);

#endif
