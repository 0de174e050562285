/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of the metrics by which runs are compared. A metric is a number of a report with a unit and a better
 * direction. Names: "throughput", "p99", or with type and class of a histogram "write.p99", "read.major.p50"; with a model
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
	char type[16], class[16]; /* "" = all together; type is the model's name if the metric is a model's */
	const char *unit;         /* "ns", "1/s", "B/s", "%", "x" of a ratio */
	enum metric_better better;
	double percent;           /* of a percentile; otherwise NAN */
	const struct metric_row *row;
};

/* Parses the name of a metric. Returns 0, or -EINVAL and in why what is allowed. */
int metric_parse(const char *text, struct metric *metric, const char **why);

/* Returns the i-th name that metric_parse accepts, without the percentiles; NULL after the last. */
const char *metric_row_name(size_t i);

/* Returns the value of the metric in a report; NAN = the report has no such number. */
double metric_value(const struct metric *metric, const struct loaded *loaded);

/* A value with its bounds: those of a percentile are the edges of its bucket (high may be INFINITY), all other values are
 * exact. */
struct metric_number {
	double value, low, high;
	double step; /* of the clock, for a single latency (a percentile, a maximum); else 0 */
};
/* Returns the upper bound of a number in the open first bucket of a histogram (below 256 ns without pmbench --hdr), of
 * which nothing else is known; 0 = the number itself is known. */
double metric_below(const struct metric_number *number);
struct metric_number metric_number(const struct metric *metric, const struct loaded *loaded);
/* Returns a percentile of a histogram; NAN if it is empty. */
struct metric_number metric_percentile(const struct loaded_histogram *histogram, double percent);

/* Stores the value of a metric in one interval of a series, and its weight in the mean of several intervals. Returns false
 * if the interval has no value, as for percentiles and for reads or major faults alone. */
bool metric_of_interval(
	const struct metric *metric, const struct loaded_interval *interval, double *value, double *weight);

/* Stores the default metrics of a tool, the most important first. Returns how many there are. */
size_t metric_defaults(const char *tool, struct metric *metrics, size_t max);
/* Stores the default metrics of each subject of a report, if the report has them; the caller frees *metrics. Returns 0 or
 * -ENOMEM. */
int metric_subject_defaults(const struct loaded *loaded, struct metric **metrics, size_t *count);
/* Whether a metric is such a default metric of a subject. */
bool metric_is_subject_default(const char *tool, const struct metric *metric);

/* Stores the histograms of a report that a metric is about, the finest of each. Returns how many were stored, at most max.
 * For iowrite-bench a metric without a subject means all cells together, and without a type the writes; for
 * ssd-workloads it means the mix, and the responses. */
size_t metric_histograms(const struct loaded *loaded, const struct metric *metric,
	const struct loaded_histogram **list, size_t max);

/* Adds histograms bucket by bucket; the caller frees the sum with metric_merge_free. A number that one of them lacks is
 * NAN in the sum. Returns 0, -EINVAL if the edges of their buckets are incompatible, -EOVERFLOW if a count exceeds
 * 2^64 - 1, or -ENOMEM. */
int metric_merge(const struct loaded_histogram *const *list, size_t count, struct loaded_histogram *sum);
void metric_merge_free(struct loaded_histogram *sum);

#endif
