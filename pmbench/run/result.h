/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The complete result of a run, in ns. The text and the report are written from it alone. */
#ifndef PMBENCH_RUN_RESULT_H
#define PMBENCH_RUN_RESULT_H

#include <time.h>
#include "common/host/contention.h"
#include "common/host/machine.h"
#include "common/host/timebase.h"
#include "common/kernel/counters.h"
#include "common/report/report_common.h"
#include "common/run/limits.h"
#include "common/run/traffic.h"
#include "common/stats/histogram.h"
#include "pmbench/access/access.h"
#include "pmbench/access/kernel_split.h"
#include "pmbench/plan/plan.h"
#include "schema/pmbench.h"

#define RESULT_CHECKS 32
#define RESULT_REASONS 20

enum result_class { RESULT_ALL, RESULT_HIT, RESULT_MINOR, RESULT_MAJOR, RESULT_CLASSES };

/* One class in one direction. hit = all - minor - major, exactly. */
struct result_histogram {
	uint64_t count[BUCKET_LOG16_COUNT];
	struct histogram_moments moments;
	uint64_t *hdr; /* BUCKET_HDR_COUNT counts, NULL without --hdr */
};

struct result_thread {
	/* For a lost thread accesses and run_ns end when the loss was detected, and the kernel's counts are 0. The report omits
	 * values that are unknown for lost threads or without classes. */
	struct pm_thread_details_values details;
	uint64_t accesses, overhead_draws;
	uint64_t warmup_accesses;       /* 0 = no warm-up */
	struct contention contention;   /* over the window; unknown for a lost thread */
};

struct result_interval { /* one row of the series */
	struct pm_interval_values values; /* without its histogram and counters */
	uint64_t *count;     /* BUCKET_LOG16_COUNT, reads and writes together */
	struct vmcounters *delta; /* of the kernel's counters that changed, without spare capacity; NULL = not read */
};

enum result_snapshot {
	SNAPSHOT_PRE_WARMUP,
	SNAPSHOT_PRE_RUN,
	SNAPSHOT_MID_RUN,
	SNAPSHOT_POST_RUN,
	SNAPSHOT_POST_UNMAP,
	SNAPSHOTS
};

struct pmbench_result {
	const struct pmbench_plan *plan;
	struct machine machine; /* at the begin of the window */
	struct report_signature signature;
	struct timebase timebase;
	double slow_threshold_ns;         /* the kernel is asked about slower accesses; 0 with --classify none */
	size_t thread_count;
	struct result_thread *threads;
	struct result_histogram total[RESULT_CLASSES][ACCESS_DIRECTIONS]; /* over all threads and processes */
	struct pm_phase_values phases[OPTIONS_PHASES];
	size_t interval_count;
	struct result_interval *intervals;
	bool has_snapshot[SNAPSHOTS];
	struct vmcounters *snapshots;     /* [SNAPSHOTS] */
	bool has_steady;
	struct pm_steady_state_values steady; /* docs/measuring.md; from_s is NAN if not steady */
	struct kernel_split_summary split;
	double run_seconds;               /* of the longest thread */
	double span_seconds;              /* from the first begin of a thread to the last end */
	double accesses_per_second, faults_per_second; /* sums over threads */
	uint64_t zero_pages;              /* pages of the set that map the shared zero page; 0 if unknown */
	bool has_zero_pages;
	struct pm_map_file_values file;   /* --map file:, all processes; without file_pages there is none */
	uint64_t huge_bytes;              /* with --thp: bytes of the maps in huge pages */
	uint64_t infrastructure_pages;    /* locked by the tool itself, in all processes */
	bool is_interrupted;
	struct contention_stops stops;    /* in the window */
	struct limits limits;             /* of the run's cgroups */
	struct limits_stops quota_stops;  /* by CPU quotas, in the window */
	uint64_t quota_window_ns;
	struct traffic traffic;           /* of the disks that the run pages to */
	bool has_traffic;                 /* it was counted at both ends of the window */
	struct pm_pressure_values pressure; /* of --ram and --swap; is_restored is also true without them */
	size_t check_count;
	struct machine_check checks[RESULT_CHECKS];
	size_t reason_count;
	struct report_reason reasons[RESULT_REASONS]; /* why the result is not trustworthy; codes in docs/report.md */
	const char *status;               /* "ok" "interrupted" "untrustworthy" */
};

void result_free(struct pmbench_result *result);

/* Return whether the run measured latencies (not with -a touch), classes (not with --classify none or -a touch) and accesses of
 * this direction (only one with -r 0 and -r 100). */
bool result_has_histograms(const struct pmbench_result *result);
bool result_is_classified(const struct pmbench_result *result);
bool result_has_direction(const struct pmbench_result *result, enum access_direction direction);

uint64_t result_accesses(const struct pmbench_result *result);
/* Returns the number of faults by which the kernel's counts and the classes differ, over all threads. */
uint64_t result_inexact(const struct pmbench_result *result);
/* Returns the wall-clock time of the end of the run. */
time_t result_reported_on(const struct pmbench_result *result);

/* Summarises the finest histogram of a class. direction: an enum access_direction, or RESULT_BOTH for reads and writes
 * together. Returns 0, or with RESULT_BOTH -ENOMEM. */
#define RESULT_BOTH ACCESS_DIRECTIONS
int result_summary(const struct pmbench_result *result, enum result_class class, unsigned direction,
	struct histogram_summary *summary);

/* Returns the percentage of the threads' run time that accesses longer than ns took (papers/pmbench.txt section 4.2), from the
 * exact sums and the histograms of the classes; the bucket that contains ns counts in part. NAN if the run time is 0. */
double result_time_over_percent(const struct pmbench_result *result, double ns);
/* Stores the change of a counter (common/kernel/counters.h) over the window. Returns false if it is not known at both ends. */
bool result_counted(const struct pmbench_result *result, const char *name, uint64_t *difference);
/* Stores the bytes per second that the machine swapped in and out in the window. Returns false if they are unknown. */
bool result_swap_bandwidth(const struct pmbench_result *result, double *in, double *out);

/* Computes Table 2 of papers/pmbench.txt. Returns 0, -EINVAL without --media-latency, -ENODATA without major faults, or
 * -ENOMEM. */
int result_overhead(const struct pmbench_result *result, struct pm_paging_overhead_values *overhead);

/* Fills the parameters of the run by the original's names and in its units; the exact values are in the options. */
void result_params(const struct pmbench_result *result, struct pm_params_values *params);

/* Stores a value of the original's table of memory, whose columns are those of the record pm_memory_columns: five in KiB, five
 * counts. With `before` the value is the change since then. Returns false if the kernel has no such counter. */
#define RESULT_MEMORY_COLUMNS 10
bool result_memory_value(const struct vmcounters *before, const struct vmcounters *counters, unsigned column, int64_t *value);
/* Returns the next snapshot that was taken, or SNAPSHOTS. */
enum result_snapshot result_next_snapshot(const struct pmbench_result *result, enum result_snapshot snapshot);

#endif
