/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What runs are compared by: the one table of metrics. A metric is a number of a report with a unit and a better
 * side. Names: "throughput", "p99", or with type and class of a histogram "write.p99", "read.major.p50"; with a model
 * "kernel.total-error"; of one cell or scenario of iowrite-bench "CELL:write.p99", "SCENARIO:kernel.total-error", of
 * a stream of ssd-workloads "log:response.p99", "log-alone:throughput".
 */
#ifndef MEMSTOR_METRIC_H
#define MEMSTOR_METRIC_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/loaded/loaded.h"

enum metric_better { METRIC_LOWER, METRIC_HIGHER };

#define METRIC_SUBJECT 112
#define METRIC_NAME (METRIC_SUBJECT + 72)

struct metric {
	char name[METRIC_NAME];   /* as parsed, canonical */
	char subject[METRIC_SUBJECT]; /* of loaded_subject; "" = the whole report */
	char type[16], class[16]; /* "" = all of them together; type is the model's name of what is a model's */
	const char *unit;         /* "ns", "1/s", "B/s", "%", "x" of a ratio */
	enum metric_better better;
	double percent;           /* of a percentile, else NAN */
	const struct metric_row *row;
};

/* 0, or -EINVAL and in why what is allowed. */
int metric_parse(const char *text, struct metric *metric, const char **why);

/* The i-th name that metric_parse takes, but for percentiles; NULL behind the last. */
const char *metric_row_name(size_t i);

/* NAN when the report has no such number. */
double metric_value(const struct metric *metric, const struct loaded *loaded);

/* The same, and between what it lies: a percentile is known to the bucket it is in (high may be INFINITY),
 * all else is exact. */
struct metric_number {
	double value, low, high;
	double step; /* of the clock that it was read from, of a single latency (a percentile, a maximum); else 0 */
};
/* What is known of a number in the open first bucket of a histogram (below 256 ns without pmbench --hdr) is that it is below
 * this; 0 = the number itself is known. */
double metric_below(const struct metric_number *number);
struct metric_number metric_number(const struct metric *metric, const struct loaded *loaded);
/* A percentile of a histogram; NAN when it is empty. */
struct metric_number metric_percentile(const struct loaded_histogram *histogram, double percent);

/* What one interval of a series says of a metric, and what that weighs in the mean of several. false when it
 * says nothing: of percentiles, and of reads or major faults alone. */
bool metric_of_interval(
	const struct metric *metric, const struct loaded_interval *interval, double *value, double *weight);

/* The metrics of a tool that are shown without being asked for, in order, the most important first; returns
 * how many. */
size_t metric_defaults(const char *tool, struct metric *metrics, size_t max);
/* Then, of what the report measures one by one, those that it has; *metrics is to be freed. 0 or -ENOMEM. */
int metric_subject_defaults(const struct loaded *loaded, struct metric **metrics, size_t *count);
/* Whether it is of that kind. */
bool metric_is_subject_default(const char *tool, const struct metric *metric);

/* The histograms of a report that a metric is about, the finest of each; returns how many were written, at most max.
 * Without a subject those of iowrite-bench are of all cells together, and without a type of its writes alone; those of
 * ssd-workloads are of the mix, and without a type responses. */
size_t metric_histograms(const struct loaded *loaded, const struct metric *metric,
	const struct loaded_histogram **list, size_t max);

/* Their sum, bucket by bucket; buckets and sum are to be given to metric_merge_free. -EINVAL when their edges
 * do not fit together, -EOVERFLOW when the counts pass 2^64 - 1, -ENOMEM. What one of them does not say is
 * NAN. */
int metric_merge(const struct loaded_histogram *const *list, size_t count, struct loaded_histogram *sum);
void metric_merge_free(struct loaded_histogram *sum);

#endif
