/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options + machine -> a checked plan. Every refusal happens here, before anything is allocated, written or
 * changed.
 */
#ifndef PMBENCH_PLAN_H
#define PMBENCH_PLAN_H

#include <sched.h>
#include "common/machine.h"
#include "pmbench/options.h"

#define PLAN_PROCESSES_MAX 256
#define PLAN_THREADS_MAX 1024 /* over all processes */
#define PLAN_ROWS_MAX 5000    /* of the series, as many as fit a report */

struct plan_phase {
	uint64_t duration_ns; /* 0 = until --accesses are done */
	struct pattern_spec pattern; /* filled for the set of process 0; plan_pattern for the others */
};

struct plan_process {
	unsigned first, threads; /* its threads among all */
	uint64_t map_bytes, set_bytes;
	char nodes[128];         /* -y: the nodes of its CPUs, to which its map is bound; "" = as the options say */
};

struct plan_thread {
	unsigned process;
	bool is_pinned;
	cpu_set_t cpus;
};

struct pmbench_plan {
	const struct pmbench_options *options;
	unsigned processes;
	struct plan_process process[PLAN_PROCESSES_MAX]; /* each -y set is one */
	unsigned threads;            /* of all processes */
	struct plan_thread thread[PLAN_THREADS_MAX];
	uint64_t map_bytes;          /* of the largest process */
	unsigned phase_count;        /* at least 1 */
	struct plan_phase phases[OPTIONS_PHASES];
	uint64_t duration_ns;        /* the whole run; 0 = bounded by accesses only */
	uint64_t warmup_limit_ns;    /* of a pattern's warm-up */
	uint64_t seed;
	uint64_t read_threshold;     /* a 63-bit draw below is a read: ratio * 2^63 / 100 */
	uint64_t interval_ns;        /* of the series */
	bool prints_interval;        /* --interval was given */
	uint64_t ram_bytes;          /* what a percentage is of: the least of the machine's memory, the cgroup's
	                                limit and --ram */
	bool warns_zero_page;        /* the run would read anonymous pages that were never written: the kernel's
	                                one zero page */
};

/* 0 or a diag_exit code after one line; the plan points to the options. */
int plan_make(const struct pmbench_options *options, const struct machine *machine, struct pmbench_plan *plan);
/* The pattern of a phase over a set of so many pages, which the plan has checked: where no shape was given it
 * follows the set, which may differ from process to process. */
void plan_pattern(const struct pmbench_plan *plan, unsigned phase, uint64_t pages, struct pattern_spec *spec);
/* How many accesses warm one thread up by a pattern: the original's lengths (uniform 4, pareto and zipf 8, others 1 times
 * the set's pages). */
uint64_t plan_warmup_accesses(enum pattern_kind kind, uint64_t pages);
/* The maps of all processes. */
uint64_t plan_total_bytes(const struct pmbench_plan *plan);
/* For --dry-run: what would be done, to stdout. */
void plan_print(const struct pmbench_plan *plan, const struct machine *machine);

#endif
