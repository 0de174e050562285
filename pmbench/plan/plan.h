/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes a checked plan of the options and the machine. Every refusal of a run happens here, before memory is allocated,
 * a file is written or a setting is changed.
 */
#ifndef PMBENCH_PLAN_PLAN_H
#define PMBENCH_PLAN_PLAN_H

#include <sched.h>
#include "common/host/machine.h"
#include "pmbench/plan/options.h"

#define PLAN_PROCESSES_MAX 256
#define PLAN_THREADS_MAX 1024 /* over all processes */
#define PLAN_ROWS_MAX 5000    /* of the series; the limit of a report */

struct plan_phase {
	uint64_t duration_ns; /* 0 = until --accesses are done */
	struct pattern_spec pattern; /* for the set of process 0; plan_pattern makes those of the others */
};

struct plan_process {
	unsigned first, threads; /* its first thread, by the number among all threads, and their count */
	uint64_t map_bytes, set_bytes;
	char nodes[128];         /* with -y: the nodes of its CPUs, to which its map is bound; "" = policy of the options */
};

struct plan_thread {
	unsigned process;
	bool is_pinned;
	cpu_set_t cpus;
};

struct pmbench_plan {
	const struct pmbench_options *options;
	unsigned processes;
	struct plan_process process[PLAN_PROCESSES_MAX]; /* one for each set of -y */
	unsigned threads;            /* of all processes */
	struct plan_thread thread[PLAN_THREADS_MAX];
	uint64_t map_bytes;          /* of the largest process */
	unsigned phase_count;        /* at least 1 */
	struct plan_phase phases[OPTIONS_PHASES];
	uint64_t duration_ns;        /* the whole run; 0 = bounded by accesses only */
	uint64_t warmup_limit_ns;    /* of a warm-up by the pattern */
	uint64_t seed;
	uint64_t read_threshold;     /* a 63-bit draw below this is a read: ratio * 2^63 / 100 */
	uint64_t interval_ns;        /* of the series */
	bool prints_interval;        /* --interval was given */
	uint64_t ram_bytes;          /* the base of percentages: the minimum of the machine's memory, the cgroup's
	                                limit and --ram */
	bool warns_zero_page;        /* the run would read anonymous pages that were never written, which the
	                                kernel maps to its zero page */
};

/* Makes the plan, which points to the options. Returns 0 or a diag_exit code after one line. */
int plan_make(const struct pmbench_options *options, const struct machine *machine, struct pmbench_plan *plan);
/* Makes the pattern of a phase for a set of `pages` pages, which the plan has checked. If no shape was given, it depends
 * on the size of the set, which may differ between processes. */
void plan_pattern(const struct pmbench_plan *plan, unsigned phase, uint64_t pages, struct pattern_spec *spec);
/* Returns the number of warm-up accesses of one thread, as in the original: 4 times the set's pages for uniform, 8 times
 * for pareto and zipf, 1 times for others. */
uint64_t plan_warmup_accesses(enum pattern_kind kind, uint64_t pages);
/* Returns the total size of the maps of all processes, in bytes. */
uint64_t plan_total_bytes(const struct pmbench_plan *plan);
/* Prints the plan to stdout, for --dry-run. */
void plan_print(const struct pmbench_plan *plan, const struct machine *machine);

#endif
