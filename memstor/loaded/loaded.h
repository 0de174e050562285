/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One report as the subcommands see it: of every tool and every released version, the original pmbench's (its
 * histograms in powers of two become buckets in ns) among them. Texts and arrays belong to it and live until
 * loaded_free. Absent numbers are NAN, absent texts "".
 */
#ifndef MEMSTOR_LOADED_LOADED_H
#define MEMSTOR_LOADED_LOADED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/field.h"
#include "common/report_read.h"

#define LOADED_HISTOGRAMS_MAX 1024 /* each is compared with each */

struct loaded_text {
	const char *name, *value;
};

struct loaded_value {
	const char *name;
	double value;
	const struct field *field; /* its row in the list of its record: unit and direction; NULL: a counter */
};

/* lo <= x < hi; rising, without overlap, gaps where nothing was counted. */
struct loaded_bucket {
	double lo_ns, hi_ns; /* the last one of a layout is open: INFINITY */
	uint64_t count;
};

struct loaded_histogram {
	const char *type;   /* what was timed: "read", "sync", "response", ... */
	const char *class;  /* "all", or "hit" "minor" "major" as parts of it, or the id of a subject */
	const char *layout; /* "log16" "hdr"; "original" for the original pmbench's */
	uint64_t count;     /* sum of the buckets, and what summary says */
	double min_ns, mean_ns, stddev_ns, max_ns; /* as the report says; NAN when it does not */
	size_t bucket_count;
	const struct loaded_bucket *buckets;
};

struct loaded_interval {
	const char *cell; /* the id of the subject that was measured in it; "" = there is but one thing */
	const char *repetition; /* of the subject, as the report numbers it; "" = there is but one */
	double time_s, seconds; /* its end on the run's clock, its length */
	size_t value_count, counter_count;
	const struct loaded_value *values;   /* "accesses_per_second", "p99_ns", ...: elements of the interval */
	const struct loaded_value *counters; /* differences: "vmstat.pswpin", ...; absent = unchanged or not read */
	const struct loaded_histogram *histogram; /* NULL = none */
};

/*
 * What a report measures one by one, as the field lists say (common/field.h): a cell, a scenario, a stream in a mix or
 * alone. Its values by their names, those of a record in it with that before: "cost_split.copy_percent",
 * "kernel.total_error_percent" of a model, "interference.p99". Over all repetitions, each by its merge rule.
 */
struct loaded_subject {
	const char *id; /* told apart by it */
	const char *kind; /* the element of what was measured: "cell" */
	size_t value_count;
	const struct loaded_value *values;
};

struct loaded_check { /* of environment, or a reason of the verdict (advice and finding "") */
	const char *code, *measured, *advice;
	const char *finding; /* what the code means in words; "" before format 1.1 */
};

struct loaded {
	const char *path;
	const char *tool, *tool_version, *report_version; /* "pmbench" "0.9" "0.1" for the original */
	const char *uuid, *wall_start, *hostname, *boot_id, *release, *arch, *cpu_model;
	bool is_original;           /* the original pmbench's */
	bool is_newer;              /* of a minor version that this program does not know: there may be anything in it */
	const char *status;         /* "ok" "interrupted" "untrustworthy"; of a report without verdict the first two */
	size_t option_count, label_count, machine_count, check_count, reason_count, value_count, subject_count;
	/* Effective, by long name; the original's from params, as pmbench --replay reads them: by what was done. */
	const struct loaded_text *options;
	const struct loaded_text *labels;
	/* Facts that decide a number and are the same for every run on one machine: cpu_model, hypervisor, cores,
	 * hardware_threads, page_bytes, memory_bytes, cgroup_limit_bytes (not of --ram), release, arch, time_source,
	 * numa_nodes, swap_area.N ("zram lzo-rle 8589930496", N by this text; those that the run may have used),
	 * storage.kind, storage.file_system, storage.device and its like, and the settings by their names. */
	const struct loaded_text *machine;
	const struct loaded_check *checks, *reasons;
	/* Of the whole run: what its subjects are together (sums and what follows from these, means of errors), then every
	 * other number of result by its own name, or "RECORD.NAME" where another has that. Of pmbench also latency_ns and
	 * net_ns, the means per access of all threads, and what the original's reports do not say but its threads do:
	 * accesses, accesses_per_second, map_bytes, set_bytes. */
	const struct loaded_value *values;
	const struct loaded_subject *subjects;
	size_t histogram_count;
	const struct loaded_histogram *histograms; /* of the whole run; per type and class the finest layout first */
	double interval_s;
	size_t interval_count;
	const struct loaded_interval *intervals;
	const struct report_document *document; /* the tree it was made from */
};

enum loaded_flag {
	LOADED_SERIES = 1, /* intervals, too; otherwise interval_count is 0 */
};

/* 0, or a diag_exit code after one line with file and line on stderr. Contradictions (buckets that overlap, fall or
 * do not add up to the count, numbers that are none) are refused. */
int loaded_read(const char *path, unsigned flags, struct loaded **loaded);
/* The same of a document in memory that is called name; 0 or -errno and one line in why. Takes the document over. */
int loaded_make(struct report_document *document, const char *name, unsigned flags, struct loaded **loaded, char *why,
	size_t length);
void loaded_free(struct loaded *loaded);

/* "PATH:LINE: text" (without a node "PATH: text") into why, unless that has one: what a report is refused for. */
void loaded_say(char *why, size_t length, const char *path, const struct report_node *node, const char *format,
	va_list arguments) __attribute__((format(printf, 5, 0)));

/* Whether a document is a report of a version that this program reads, whatever else is wrong with it: 0, or -EBADMSG
 * and one line in why. */
int loaded_recognise(const struct report_document *document, const char *name, char *why, size_t length);

/* NULL when there is none. */
const struct loaded_histogram *loaded_histogram(const struct loaded *loaded, const char *type, const char *class);
/* layout: NULL = any, the finest. */
const struct loaded_histogram *loaded_histogram_of(
	const struct loaded *loaded, const char *type, const char *class, const char *layout);
const char *loaded_option(const struct loaded *loaded, const char *name);
/* The first of that name in a list: NULL or NAN when there is none. */
const char *loaded_text_of(const struct loaded_text *texts, size_t count, const char *name);
double loaded_value_of(const struct loaded_value *values, size_t count, const char *name);
/* Whether two nodes of one record are of the same subject and have the same key. */
bool loaded_is_same(const struct field_record *record, const struct report_node *node, const struct report_node *other);
/* Whether it is a status of a verdict. */
bool loaded_is_status(const char *status);
/* What the clock of the report's latencies moves by; NAN = it does not say. */
double loaded_clock_step_ns(const struct loaded *loaded);
double loaded_value(const struct loaded *loaded, const char *name); /* NAN = absent */
double loaded_subject_value(const struct loaded_subject *subject, const char *name); /* so */
const struct loaded_subject *loaded_subject(const struct loaded *loaded, const char *id); /* NULL = none */

/* The first value that counts by the second and is better when it is higher; NAN = there is none. */
double loaded_rate(const struct loaded_value *values, size_t count);
/* What the whole run did, in its first count; 0 = it does not say. */
uint64_t loaded_operations(const struct loaded *loaded);
/* Whether a subject is one of the others once more, measured alone: "log-alone". */
bool loaded_is_alone(const char *id);
/* time_s of a row of a series, an attribute or an element; NAN = it has none. */
double loaded_time(const struct report_node *row);
/* "p99_ns", "p999_ns" as a percent: 99, 99.9; NAN = no name of a percentile. */
double loaded_percent(const char *name);

/* percent in [0, 100]: interpolated in its bucket and cut to min and max, by the same rule as the tools' own
 * (common/histogram.h), so that it equals the report's summary. NAN when empty. */
double loaded_percentile(const struct loaded_histogram *histogram, double percent);

#endif
