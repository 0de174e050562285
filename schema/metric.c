/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "schema/metric.h"

#include <stddef.h>

/* A tool adds what it has that others have not. */
const struct metric_row metric_rows[] = {
	{"throughput", "1/s", FIELD_BETTER_HIGHER, METRIC_VALUE, "accesses_per_second", "operations_per_second"},
	{"bandwidth", "B/s", FIELD_BETTER_HIGHER, METRIC_VALUE, "bytes_per_second", NULL},
	{"latency", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "latency_ns", NULL},
	{"net", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "net_ns", NULL},
	{"os-overhead", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "os_overhead_ns", NULL},
	{"time-over-100us", "%", FIELD_BETTER_LOWER, METRIC_VALUE, "time_over_100us_percent", NULL},
	{"time-over-1ms", "%", FIELD_BETTER_LOWER, METRIC_VALUE, "time_over_1ms_percent", NULL},
	{"swap-in", "B/s", FIELD_BETTER_HIGHER, METRIC_VALUE, "swap_in_bytes_per_second", NULL},
	{"swap-out", "B/s", FIELD_BETTER_LOWER, METRIC_VALUE, "swap_out_bytes_per_second", NULL},
	{"flush", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "flush_ns", NULL},
	{"close", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "close_ns", NULL},
	{"cpu", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "cpu_ns_per_operation", NULL},
	{"interference-mean", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.mean", NULL},
	{"interference-p50", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.p50", NULL},
	{"interference-p99", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.p99", NULL},
	{"interference-p99.9", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.p99.9", NULL},
	{"interference-commit-mean", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.commit.mean", NULL},
	{"interference-commit-p50", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.commit.p50", NULL},
	{"interference-commit-p99", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.commit.p99", NULL},
	{"interference-commit-p99.9", "x", FIELD_BETTER_LOWER, METRIC_VALUE, "interference.commit.p99.9", NULL},
	{"interference-throughput", "x", FIELD_BETTER_HIGHER, METRIC_VALUE, "interference.throughput", NULL},
	{"wall", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "wall_ns", NULL},
	{"user", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "user_ns", NULL},
	{"system", "ns", FIELD_BETTER_LOWER, METRIC_VALUE, "system_ns", NULL},
	{"cpu-time", "ns", FIELD_BETTER_LOWER, METRIC_SUM, "user_ns", "system_ns"},
	{"peak-memory", "bytes", FIELD_BETTER_LOWER, METRIC_VALUE, "peak_bytes", NULL},
	{"minor-faults", "", FIELD_BETTER_LOWER, METRIC_VALUE, "minor_faults", NULL},
	{"major-faults", "", FIELD_BETTER_LOWER, METRIC_VALUE, "major_faults", NULL},
	{"floor", "%", FIELD_BETTER_LOWER, METRIC_VALUE, "floor_percent", NULL},
	{"per-write-error", "%", FIELD_BETTER_LOWER, METRIC_MODEL, "per_write_error_percent", NULL},
	{"mean-write-error", "%", FIELD_BETTER_LOWER, METRIC_MODEL, "mean_write_error_percent", NULL},
	{"total-error", "%", FIELD_BETTER_LOWER, METRIC_MODEL, "total_error_percent", NULL},
	{"curve-gap", "%", FIELD_BETTER_LOWER, METRIC_MODEL, "curve_gap_percent", NULL},
	{"coverage", "%", FIELD_BETTER_HIGHER, METRIC_MODEL, "coverage_percent", NULL},
	{"mean", "ns", FIELD_BETTER_LOWER, METRIC_MEAN, NULL, NULL},
	{"max", "ns", FIELD_BETTER_LOWER, METRIC_MAX, NULL, NULL},
	{"p", "ns", FIELD_BETTER_LOWER, METRIC_PERCENTILE, NULL, NULL},
	{"hit.share", "%", FIELD_BETTER_HIGHER, METRIC_SHARE, "hit", NULL},
	{"minor.share", "%", FIELD_BETTER_LOWER, METRIC_SHARE, "minor", NULL},
	{"major.share", "%", FIELD_BETTER_LOWER, METRIC_SHARE, "major", NULL},
	{"faults-per-access", "", FIELD_BETTER_LOWER, METRIC_RATIO, "faults_per_second", "accesses_per_second"},
	{NULL, NULL, FIELD_BETTER_NONE, METRIC_VALUE, NULL, NULL},
};

const char *const metric_types[] = {"read", "write", "both", "sync", "response", "service", "commit", NULL};
const char *const metric_classes[] = {"all", "hit", "minor", "major", NULL};
const char *const metric_models[] = {"kernel", "cawl", "naive", NULL};
const struct metric_usual metric_usual[] = {
	{"pmbench", "throughput mean read.p50 read.p99 read.p99.9 write.p50 write.p99 write.p99.9 major.p50 "
		    "major.p99 major.share faults-per-access"},
	/* What cells do in all is a sum of unlike things. */
	{"iowrite-bench", ""},
	{"ssd-workloads", ""},
	/* The kernel knows the time of both modes together well, and of each by samples at its ticks. */
	{"with-pressure", "wall cpu-time peak-memory minor-faults major-faults"},
	{NULL, "throughput mean p50 p99 p99.9"},
};

/* Of each cell or scenario, where the report has it. */
const struct metric_usual metric_usual_of_subjects[] = {
	{"iowrite-bench", "throughput write.mean write.p50 write.p99 sync.mean sync.p50 sync.p99 "
			  "kernel.per-write-error kernel.total-error kernel.coverage cawl.per-write-error cawl.total-error "
			  "naive.per-write-error naive.total-error"},
	{"ssd-workloads", "throughput response.mean response.p50 response.p99 response.p99.9 commit.p50 commit.p99 cpu "
			  "interference-mean interference-p50 interference-p99 interference-p99.9 interference-commit-p50 "
			  "interference-commit-p99 interference-throughput"},
	{NULL, ""},
};
