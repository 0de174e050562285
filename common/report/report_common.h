/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a report that every tool shares (docs/report.md). A function of (report, field, from) is for FIELD_BY
 * (common/report/field.h): it writes the element that the field names.
 */
#ifndef COMMON_REPORT_REPORT_COMMON_H
#define COMMON_REPORT_REPORT_COMMON_H

#include <stdarg.h>
#include <time.h>
#include "common/host/machine.h"
#include "common/host/timebase.h"
#include "common/kernel/counters.h"
#include "common/report/report.h"
#include "common/report/start.h"
#include "common/stats/histogram.h"
#include "schema/shared.h"


#define REPORT_FORMAT_VERSION "1.1"

struct report_signature {
	const char *tool;           /* "pmbench" */
	char uuid[40];
	struct timespec wall_start; /* CLOCK_REALTIME */
	uint64_t monotonic_start_ns, monotonic_end_ns;
	uint64_t seed;
	const char *program;        /* written before argv when that begins with a subcommand; else NULL */
	int argc;
	char **argv;
	size_t option_count;
	const struct named_text_values *options; /* the effective options, by their long names */
	size_t label_count;
	const struct named_text_values *labels; /* --label k=v */
	bool is_interrupted;
	struct start start; /* --start-at */
};

/* Sets a new random (version 4) uuid and the start times. */
void report_signature_start(struct report_signature *signature);
/* Returns CLOCK_MONOTONIC now. */
uint64_t report_monotonic_ns(void);

/* Members of a struct of SHARED_SIGNATURE_ROWS; text: storage for two texts of REPORT_MOMENT bytes. Needs config.h. */
#define REPORT_MOMENT 40
struct report_moments {
	char wall_start[REPORT_MOMENT], start_at[REPORT_MOMENT];
};
const char *report_moment(const struct timespec *moment, char text[REPORT_MOMENT]);
/* NULL and FIELD_NO_COUNT: --start-at was not given. */
const char *report_start_at(const struct report_signature *signature, char text[REPORT_MOMENT]);
uint64_t report_start_late_ns(const struct report_signature *signature);
#define REPORT_SIGNATURE_MEMBERS(signature, machine, text) \
	.uuid = (signature)->uuid, .interrupted = (signature)->is_interrupted ? 1 : FIELD_NO_COUNT, \
	.tool = (signature)->tool, .tool_version = PACKAGE_VERSION, .report_version = REPORT_FORMAT_VERSION, \
	.compiler = MEMSTOR_COMPILER " " __VERSION__, .compiler_flags = MEMSTOR_CFLAGS, \
	.command = FIELD_INSIDE(report_arguments, signature), \
	.options = FIELD_ONE((&(struct options_values){FIELD_MANY((signature)->options, (signature)->option_count)})), \
	.seed = (signature)->seed, .wall_start = report_moment(&(signature)->wall_start, (text)->wall_start), \
	.start_at = report_start_at((signature), (text)->start_at), .start_late_ns = report_start_late_ns(signature), \
	.monotonic_start_ns = (signature)->monotonic_start_ns, .monotonic_end_ns = (signature)->monotonic_end_ns, \
	.host = FIELD_BY(report_host, machine), \
	.labels = FIELD_ONE((&(struct labels_values){FIELD_MANY((signature)->labels, (signature)->label_count)}))
/* from: struct report_signature */
void report_arguments(struct report *report, const struct field *field, const void *from);
/* from: struct machine */
void report_host(struct report *report, const struct field *field, const void *from);

/* Returns the values with the original's elements (modelname, freq_khz, tlb_info, cache_info) first, without freq_khz and
 * time_source when there is no timebase. Both arguments are kept by reference. */
struct machine_info_values report_machine(const struct machine *machine, const struct timebase *timebase);
/* Returns the original's name of the cache's kind: DCACHE, ICACHE, CACHE. */
const char *report_cache_kind(const struct machine_cache *cache);
/* From capacity = sets * line * partitions * ways; 0 = unknown. */
uint64_t report_cache_partitions(const struct machine_cache *cache);

struct report_reason {
	char code[32];
	char text[384]; /* the name of a cell, the finding, the advice */
};
/* Adds a reason unless its code is in the list or the list is full. */
void report_reason_add(struct report_reason *reasons, size_t *count, size_t max, const char *code, const char *format,
	va_list arguments) __attribute__((format(printf, 5, 0)));
struct report_verdict { /* from, of report_verdict */
	const char *status; /* ok, interrupted, untrustworthy */
	const struct report_reason *reasons;
	size_t count;
};
void report_verdict(struct report *report, const struct field *field, const void *from);

struct summary_values report_summary(const struct histogram_summary *summary);
/* Writes a latency_histogram with the buckets that are not empty; without moments it has no summary. Its name differs from
 * the original's <histogram>, which pmbench writes as well, so that readers of the original are not confused. */
void report_histogram(struct report *report, const struct field *field, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts, const struct histogram_moments *moments);

/* Kinds of counter lists: snapshots and differences. */
enum report_counters {
	REPORT_COUNTERS_NOW,     /* a snapshot, unsigned */
	REPORT_COUNTERS_DELTA,   /* a difference, signed, complete */
	REPORT_COUNTERS_CHANGED, /* a difference without zeros, the element marked unlisted="unchanged" */
};
void report_counters(struct report *report, const struct field *field, const struct vmcounters *counters,
	enum report_counters kind);

#endif
