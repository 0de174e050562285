/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The limits and the swap area that a run requests, and the outcome. */
#ifndef COMMON_PRESSURE_PRESSURE_PLAN_H
#define COMMON_PRESSURE_PRESSURE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "common/report/report_common.h"

enum pressure_swap_kind {
	PRESSURE_SWAP_KEEP,
	PRESSURE_SWAP_NONE,
	PRESSURE_SWAP_ZRAM,
	PRESSURE_SWAP_FILE,
	PRESSURE_SWAP_LOOP,
	PRESSURE_SWAP_ZSWAP, /* a file, and zswap before it */
	PRESSURE_SWAP_DEVICE,
};

struct pressure_swap {
	enum pressure_swap_kind kind; /* KEEP: the option was not given, the system's swap stays as it is */
	uint64_t bytes;
	char algorithm[32]; /* zram: "" = the kernel's default; zswap: "" = as it is set */
	unsigned pool_percent; /* zswap: the largest share of the memory that its pool may take */
	char path[256];     /* file, loop, zswap: must not exist, is created and removed; device: stays */
};

struct pressure_eater { /* allocates and touches memory on a node from begin to end */
	int node;       /* -1 = any */
	uint64_t bytes;
	uint64_t begin_ns, end_ns; /* after pressure_mark_start */
};

#define PRESSURE_EATERS 8

struct pressure_setting { /* a value of the machine, of undo_allows, restored at the end */
	char path[256], value[128];
};

#define PRESSURE_SETTINGS 16

struct pressure_plan {
	uint64_t ram_bytes; /* memory limit of the job's cgroup; 0 = no cgroup */
	uint64_t high_bytes; /* memory.high of that cgroup: above it the job is slowed down; 0 = none */
	struct pressure_swap swap;
	const char *destroy_data; /* swap.path again, to confirm overwriting it; NULL = not given */
	bool has_page_cluster;    /* false: 0 if the plan has anything else */
	int page_cluster;         /* -1 = unchanged */
	bool has_swappiness;
	unsigned swappiness; /* of the job's cgroup (version 1), or of the machine during the run (version 2) */
	size_t eater_count;
	struct pressure_eater eaters[PRESSURE_EATERS];
	size_t setting_count;
	struct pressure_setting settings[PRESSURE_SETTINGS]; /* in the order in which they are set */
	bool is_never_swapped; /* the job's memory fits, or goes back to a file: no swap is missed */
	bool is_contained; /* the job is killed when a process leaves the cgroup or a limit of it is changed */
};

/* Tells whether anything but settings is wanted. */
static inline bool pressure_limits_memory(const struct pressure_plan *plan)
{
	return plan->ram_bytes || plan->high_bytes || plan->swap.kind != PRESSURE_SWAP_KEEP || plan->eater_count ||
	       plan->has_swappiness || (plan->has_page_cluster && plan->page_cluster >= 0);
}

static inline bool pressure_is_wanted(const struct pressure_plan *plan)
{
	return plan->setting_count || pressure_limits_memory(plan);
}

/* Tells whether the run makes a file for this swap area. */
static inline bool pressure_makes_file(const struct pressure_swap *swap)
{
	return swap->kind == PRESSURE_SWAP_FILE || swap->kind == PRESSURE_SWAP_LOOP || swap->kind == PRESSURE_SWAP_ZSWAP;
}

#define PRESSURE_REASONS 6 /* with that of with-pressure --start-at */

struct pressure_outcome {
	int wait_status;     /* of the job, as waitpid gives it */
	unsigned eaters_lost; /* killed before their end: there was less pressure than planned */
	bool was_oom_killed; /* the cgroup's own count rose */
	bool was_guardian_killed; /* and the job with it; the caller restored in its place */
	bool is_restored;    /* everything was restored */
	bool was_contained;  /* the job was killed as is_contained says; the reason is below */
	/* Reasons why the job did not run under the planned pressure; codes in docs/report.md. */
	size_t reason_count;
	struct report_reason reasons[PRESSURE_REASONS];
	uint64_t setup_ns, teardown_ns;
	/* CLOCK_MONOTONIC when wait4 returned the job's status, and the resources used by the job and the descendants that were
	 * waited for. 0: unknown, because the job was killed with the process that waits for it. */
	uint64_t end_ns;
	struct rusage usage;
};

#endif
