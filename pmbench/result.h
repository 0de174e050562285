/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run found out, complete and in ns: the text and the report are written from this and nothing else. */
#ifndef PMBENCH_RESULT_H
#define PMBENCH_RESULT_H

#include <time.h>
#include "common/contention.h"
#include "common/histogram.h"
#include "common/machine.h"
#include "common/report_common.h"
#include "common/timebase.h"
#include "common/counters.h"
#include "pmbench/access.h"
#include "pmbench/kernel_split.h"
#include "pmbench/plan.h"
#include "schema/pmbench.h"

#define RESULT_CHECKS 32
#define RESULT_REASONS 16

enum result_class { RESULT_ALL, RESULT_HIT, RESULT_MINOR, RESULT_MAJOR, RESULT_CLASSES };

/* One class in one direction. hit = all - minor - major, exactly. */
struct result_histogram {
	uint64_t count[BUCKET_LOG16_COUNT];
	struct histogram_moments moments;
	uint64_t *hdr; /* BUCKET_HDR_COUNT counts, NULL without --hdr */
};

struct result_histograms {
	struct result_histogram by[RESULT_CLASSES][ACCESS_DIRECTIONS];
};

struct result_thread {
	unsigned process, thread;       /* from 0 */
	uint64_t accesses, run_ns;      /* of a lost thread: until the loss was noticed */
	double latency_ns;              /* run time / accesses, generation included */
	double overhead_ns;             /* of one draw */
	uint64_t overhead_draws;
	double net_ns;                  /* latency - overhead */
	uint64_t warmup_accesses, warmup_ns; /* 0 = none */
	double init_ns;                 /* the process's, 0 = none */
	uint64_t kernel_minor, kernel_major; /* RUSAGE_THREAD over the window; unknown unless is_complete */
	uint64_t classified_minor, classified_major; /* faults accounted to accesses */
	int64_t inexact;                /* kernel's faults - classified ones, both kinds, absolute sum; as the above */
	struct contention contention;   /* over the window; unknown of a lost thread */
	struct access_slow slow;
	bool is_complete;               /* ended by itself, not lost with its process */
};

struct result_interval { /* one row of the series */
	double time_s;       /* end of the interval on the run's clock */
	double seconds;
	uint64_t accesses, minor, major;
	double mean_ns, p50_ns, p99_ns;
	uint64_t *count;     /* BUCKET_LOG16_COUNT, reads and writes together */
	struct vmcounters *delta; /* of the kernel's counters that changed: no room for more; NULL = not read */
};

enum result_snapshot {
	SNAPSHOT_PRE_WARMUP,
	SNAPSHOT_PRE_RUN,
	SNAPSHOT_MID_RUN,
	SNAPSHOT_POST_RUN,
	SNAPSHOT_POST_UNMAP,
	SNAPSHOTS
};

struct result_kernel_split { /* --kernel-split */
	bool is_available;
	char reason[160];
	/* Medians; several threads: the mean of their medians, weighted by count, which is 0 when there are none. */
	struct pm_fault_parts_values parts[KERNEL_SPLIT_KINDS];
	double cost_ns_per_fault;             /* what the stamps added, measured at start */
};

struct result_fault_trace { /* --fault-trace */
	bool is_available;
	char reason[160];
	struct pm_fault_trace_values counts; /* of all threads; not_available is the reason */
};

struct result_map_file { /* --map file, all processes */
	bool is_known;       /* all residencies below */
	bool was_there;      /* the file, before the run */
	int64_t read_ahead_kb; /* -1 = unknown */
	uint64_t pages, resident_before, resident_begin; /* in the page cache: before the map was filled or warmed up, and when
	                                                    the window began */
};

struct pmbench_result {
	const struct pmbench_plan *plan;
	struct machine machine; /* as it was when the window began */
	struct report_signature signature;
	struct timebase timebase;
	double slow_threshold_ns;         /* accesses above are asked about; 0 with --classify none */
	size_t thread_count;
	struct result_thread *threads;
	struct result_histograms total;   /* over all threads and processes */
	struct pm_phase_values phases[OPTIONS_PHASES];
	size_t interval_count;
	struct result_interval *intervals;
	bool has_snapshot[SNAPSHOTS];
	struct vmcounters *snapshots;     /* [SNAPSHOTS] */
	bool has_steady;
	struct pm_steady_state_values steady; /* docs/measuring.md; from_s NAN: not steady */
	struct result_kernel_split split;
	struct result_fault_trace trace;
	double run_seconds;               /* the longest thread's */
	double accesses_per_second, faults_per_second; /* sums over threads */
	uint64_t zero_pages;              /* of the set, mapped by the shared zero page; 0 when unknown */
	bool has_zero_pages;
	struct result_map_file file;
	uint64_t huge_bytes;              /* --thp: of the maps, in huge pages */
	uint64_t infrastructure_pages;    /* locked, all processes */
	bool is_interrupted;
	struct contention_stops stops;    /* of the window */
	unsigned eaters_lost;             /* killed before their end */
	struct pm_pressure_values pressure; /* of --ram and --swap; is_restored is true without them, too */
	size_t check_count;
	struct machine_check checks[RESULT_CHECKS];
	size_t reason_count;
	struct report_reason reasons[RESULT_REASONS]; /* why not trusted; codes in docs/report.md */
	const char *status;               /* "ok" "interrupted" "untrustworthy" */
};

void result_free(struct pmbench_result *result);

/* -a touch measures no latency, --classify none and -a touch no classes, -r 0 and -r 100 one direction. */
bool result_has_histograms(const struct pmbench_result *result);
bool result_is_classified(const struct pmbench_result *result);
bool result_has_direction(const struct pmbench_result *result, enum access_direction direction);
const char *result_class_name(enum result_class class);

uint64_t result_accesses(const struct pmbench_result *result);
/* Faults, of all threads, by which the kernel's counts and ours differ. */
uint64_t result_inexact(const struct pmbench_result *result);
/* The machine was suspended for so long in the window; the wall clock was set by so much. */
/* When the run was over. */
time_t result_reported_on(const struct pmbench_result *result);

/* Of the finest counts there are. direction: one of enum access_direction, or both together, for which -ENOMEM is
 * possible. */
#define RESULT_BOTH ACCESS_DIRECTIONS
int result_summary(const struct pmbench_result *result, enum result_class class, unsigned direction,
	struct histogram_summary *summary);

/* Share of the threads' run time, in percent, that accesses over ns took: from the histograms, by the middle of each
 * bucket and the part of the one that ns is in. NAN when nothing ran. papers/pmbench.txt section 4.2. */
double result_time_over_percent(const struct pmbench_result *result, double ns);
/* How far a counter (common/vmcounters.h) moved over the window. False when it is not known at both ends. */
bool result_counted(const struct pmbench_result *result, const char *name, uint64_t *difference);
/* Bytes a second that the machine swapped in and out during the window. False when the kernel does not say. */
bool result_swap_bandwidth(const struct pmbench_result *result, double *in, double *out);

/* papers/pmbench.txt, Table 2. -EINVAL without --media-latency, -ENODATA without major faults, -ENOMEM. */
int result_overhead(const struct pmbench_result *result, struct pm_paging_overhead_values *overhead);

/* What was asked for in the original's words and units; the exact values are in the options. */
void result_params(const struct pmbench_result *result, struct pm_params_values *params);

/* The original's table of memory, in the order of the record pm_memory_columns: five columns in KiB, five counts; since before
 * unless that is NULL. False when the kernel has no such counter. */
#define RESULT_MEMORY_COLUMNS 10
bool result_memory_value(const struct vmcounters *before, const struct vmcounters *counters, unsigned column, int64_t *value);
/* The next one taken, or SNAPSHOTS. */
enum result_snapshot result_next_snapshot(const struct pmbench_result *result, enum result_snapshot snapshot);

#endif
