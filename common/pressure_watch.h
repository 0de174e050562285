/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether a run was limited as planned: changed limits of its cgroup, and its processes outside of that. Guardian and keeper
 * take samples; what happens and is undone between two samples is not seen. Private to common/pressure*.c and their tests.
 */
#ifndef COMMON_PRESSURE_WATCH_H
#define COMMON_PRESSURE_WATCH_H

#include "common/cgroup.h"
#include "common/pressure.h"

#define PRESSURE_WATCH_MS 50

struct pressure_watch { /* starts zeroed */
	/* Written by the guardian: the limits at the begin, and the last other value of each, "" = none. */
	struct cgroup_limit limits[CGROUP_LIMIT_FILES];
	char changed[CGROUP_LIMIT_FILES][sizeof(((struct cgroup_limit *)NULL)->value)];
	/* Written by the keeper: the first process found outside, and the most memory of all those at one time. */
	pid_t outside_pid;
	char outside_name[32];
	uint64_t outside_bytes;
};

void pressure_watch_begin(struct pressure_watch *watch, const struct cgroup *cgroup);
/* Returns whether a limit has ever been changed. */
bool pressure_watch_limits(struct pressure_watch *watch, const struct cgroup *cgroup);
/* proc: the path of a /proc of the job's PID namespace, whose init is not of the job. Returns whether a process has ever been
 * outside. */
bool pressure_watch_members(struct pressure_watch *watch, const struct cgroup *cgroup, const char *proc);
/* Adds the reasons why the run was not limited as planned; their codes are in docs/report.md. */
void pressure_watch_reasons(const struct pressure_watch *watch, struct pressure_outcome *outcome);

#endif
