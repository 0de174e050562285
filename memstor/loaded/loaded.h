/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One report in the form that the subcommands use, of every tool and every released version, including the original
 * pmbench (its histograms in powers of two become buckets in ns). It owns its texts and arrays, which are valid until
 * loaded_free. Absent numbers are NAN, absent texts "".
 */
#ifndef MEMSTOR_LOADED_LOADED_H
#define MEMSTOR_LOADED_LOADED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/field.h"
#include "common/report_read.h"

#define LOADED_HISTOGRAMS_MAX 1024 /* all pairs are compared */

struct loaded_text {
	const char *name, *value;
};

struct loaded_texts {
	const struct loaded_text *texts; /* names may repeat: the order of their values counts */
	size_t count;
};

struct loaded_value {
	const char *name;
	double value;
	const struct field *field; /* its row in the field list of its record: unit and direction; NULL = a counter */
};

/* Counts values with lo <= x < hi. Buckets are in ascending order, do not overlap, and have gaps where the counts are 0. */
struct loaded_bucket {
	double lo_ns, hi_ns; /* hi_ns of the last bucket of a layout is INFINITY */
	uint64_t count;
};

struct loaded_histogram {
	const char *type;   /* the timed operation: "read", "sync", "response", ... */
	const char *class;  /* "all"; "hit" "minor" "major", which are parts of it; or the id of a subject */
	const char *layout; /* "log16" "hdr"; "original" for the original pmbench */
	uint64_t count;     /* sum of the buckets, equal to that of the summary */
	double min_ns, mean_ns, stddev_ns, max_ns; /* of the report; NAN = unknown */
	size_t bucket_count;
	const struct loaded_bucket *buckets;
};

struct loaded_interval {
	const char *cell; /* the id of the subject that was measured in it; "" = the report has no subjects */
	const char *repetition; /* number of the repetition of the subject; "" = there is only one */
	double time_s, seconds; /* end on the run's clock; length */
	size_t value_count, counter_count;
	const struct loaded_value *values;   /* "accesses_per_second", "p99_ns", ...: elements of the interval */
	const struct loaded_value *counters; /* differences of "vmstat.pswpin", ...; absent = unchanged or not read */
	const struct loaded_histogram *histogram; /* NULL = none */
};

/*
 * A subject: one of the separately measured items of a report, by the field lists (common/field.h): a cell, a scenario, a
 * stream in a mix or alone. Values of a record in it have the record's name as a prefix: "cost_split.copy_percent",
 * "kernel.total_error_percent" of a model, "interference.p99". Each value is over all repetitions, by its merge rule.
 */
struct loaded_subject {
	const char *id; /* unique in the report */
	const char *kind; /* the name of its element: "cell" */
	size_t value_count;
	const struct loaded_value *values;
};

struct loaded_check { /* a check of the environment, or a reason of the verdict (advice and finding are "") */
	const char *code, *measured, *advice;
	const char *finding; /* the meaning of the code; "" before format 1.1 */
};

struct loaded {
	const char *path;
	const char *tool, *tool_version, *report_version; /* "pmbench" "0.9" "0.1" for the original */
	const char *uuid, *wall_start, *hostname, *boot_id, *release, *arch, *cpu_model;
	bool is_original;           /* a report of the original pmbench */
	bool is_newer;              /* of an unknown minor version, which may have unknown elements */
	const char *status;         /* "ok" "interrupted" "untrustworthy"; one of the first two if there is no verdict */
	size_t option_count, label_count, machine_count, check_count, reason_count, value_count, subject_count;
	/* Effective options by long name; of the original those that pmbench --replay reads from params. */
	const struct loaded_text *options;
	const struct loaded_text *labels;
	/* Facts that affect results and are the same for every run on one machine: cpu_model, hypervisor, cores,
	 * hardware_threads, page_bytes, memory_bytes, cgroup_limit_bytes (not of --ram), release, arch, time_source,
	 * numa_nodes, swap_area.N ("zram lzo-rle 8589930496", numbered in the order of this text; those that the run may have
	 * used), storage.kind, storage.file_system, storage.device and similar, and the settings by their names. */
	const struct loaded_text *machine;
	const struct loaded_check *checks, *reasons;
	/* Values of the whole run: totals over its subjects (sums and values derived from them, means of errors), then every
	 * other number of <result> by its name, or by "RECORD.NAME" if the name is taken. For pmbench also latency_ns and
	 * net_ns, the means per access over all threads; for the original also values that only its threads have:
	 * accesses, accesses_per_second, map_bytes, set_bytes. */
	const struct loaded_value *values;
	const struct loaded_subject *subjects;
	size_t histogram_count;
	const struct loaded_histogram *histograms; /* of the whole run; for each type and class the finest layout first */
	double interval_s;
	size_t interval_count;
	const struct loaded_interval *intervals;
	const struct report_document *document; /* the tree that it was made of */
};

enum loaded_flag {
	LOADED_SERIES = 1, /* load the intervals; otherwise interval_count is 0 */
};

/* Reads a report. Returns 0, or a diag_exit code after one line with file and line on stderr. Reports with contradictions
 * are refused: buckets that overlap, are out of order or do not add up to the count, invalid numbers. */
int loaded_read(const char *path, unsigned flags, struct loaded **loaded);
/* The same for a document in memory with this name in messages. Takes ownership of the document. Returns 0, or -errno and
 * one line in why. */
int loaded_make(struct report_document *document, const char *name, unsigned flags, struct loaded **loaded, char *why,
	size_t length);
void loaded_free(struct loaded *loaded);

/* Writes the reason for refusing a report, "PATH:LINE: text" (without a node "PATH: text"), into why, unless why is set. */
void loaded_say(char *why, size_t length, const char *path, const struct report_node *node, const char *format,
	va_list arguments) __attribute__((format(printf, 5, 0)));

/* Checks only that a document is a report of a version that this program reads. Returns 0, or -EBADMSG and one line in
 * why. */
int loaded_recognise(const struct report_document *document, const char *name, char *why, size_t length);

/* Returns the finest histogram of a type and class; NULL = none. */
const struct loaded_histogram *loaded_histogram(const struct loaded *loaded, const char *type, const char *class);
/* The same of this layout; layout NULL = the finest. */
const struct loaded_histogram *loaded_histogram_of(
	const struct loaded *loaded, const char *type, const char *class, const char *layout);
const char *loaded_option(const struct loaded *loaded, const char *name);
/* Return the first value of this name in a list, or NULL or NAN. loaded_option is that of the options. */
const char *loaded_text_of(const struct loaded_text *texts, size_t count, const char *name);
double loaded_value_of(const struct loaded_value *values, size_t count, const char *name);
/* Whether a name has the same values, in the same order, in two lists. */
bool loaded_texts_agree(const struct loaded_texts *one, const struct loaded_texts *other, const char *name);
/* Adds to count names each name on which two lists do not agree, once: those of `one` in its order, then the others. At most max
 * are listed. Returns how many are listed now. */
size_t loaded_texts_differ(const struct loaded_texts *one, const struct loaded_texts *other, const char **names, size_t count,
	size_t max);
/* Returns the values of a name with gap between them; NULL = the list has none. The text is in the arena. */
const char *loaded_texts_join(struct arena *arena, const struct loaded_texts *list, const char *name, const char *gap);
/* Whether two nodes of one record have the same subject and the same key. */
bool loaded_is_same(const struct field_record *record, const struct report_node *node, const struct report_node *other);
/* Whether a text is a valid status of a verdict. */
bool loaded_is_status(const char *status);
/* Returns the step of the clock of the report's latencies, in ns; NAN = unknown. */
double loaded_clock_step_ns(const struct loaded *loaded);
double loaded_value(const struct loaded *loaded, const char *name); /* NAN = absent */
double loaded_subject_value(const struct loaded_subject *subject, const char *name); /* NAN = absent */
const struct loaded_subject *loaded_subject(const struct loaded *loaded, const char *id); /* NULL = none */

/* Returns the first value in "/s" of which higher is better; NAN = none. */
double loaded_rate(const struct loaded_value *values, size_t count);
/* Returns the number of operations of the whole run, its first count that is summed; 0 = unknown. */
uint64_t loaded_operations(const struct loaded *loaded);
/* Whether a subject is the separate measurement of another one, "log-alone". */
bool loaded_is_alone(const char *id);
/* Returns time_s of a row of a series, an attribute or an element; NAN = none. */
double loaded_time(const struct report_node *row);
/* Returns the percentage of "p99_ns", "p999_ns": 99, 99.9; NAN = not the name of a percentile. */
double loaded_percent(const char *name);

/* Returns a percentile, interpolated in its bucket and limited to min and max by the rule of the tools
 * (common/histogram.h). percent is in [0, 100]. NAN if the histogram is empty. */
double loaded_percentile(const struct loaded_histogram *histogram, double percent);
/* The same as a report's summary states it: NAN where histogram_is_vague, and below histogram_percentile_limit. */
double loaded_known_percentile(const struct loaded_histogram *histogram, double percent);

#endif
