/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a report that every tool shares (docs/report.md): each function writes one element.
 */
#ifndef COMMON_REPORT_COMMON_H
#define COMMON_REPORT_COMMON_H

#include <time.h>
#include "common/histogram.h"
#include "common/machine.h"
#include "common/report.h"
#include "common/timebase.h"
#include "common/vmcounters.h"

#define REPORT_FORMAT_VERSION "1.1"

struct report_option { /* one effective option, by its long name */
	const char *name;
	const char *value;
};

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
	const struct report_option *options;
	size_t label_count;
	const struct report_option *labels; /* --label k=v */
	bool is_interrupted;
};

/* A fresh random (version 4) uuid and the clocks' starts. */
void report_signature_start(struct report_signature *signature);
/* CLOCK_MONOTONIC now. */
uint64_t report_monotonic_ns(void);

void report_write_host(struct report *report, const struct machine *machine);
/* Children of <signature> after the tool's own ones: tool, argv, options, seed, clocks, host, labels. The caller
 * has begun <signature>. */
void report_write_signature(struct report *report, const struct report_signature *signature,
	const struct machine *machine);
/* <machine_info> with the original's elements (modelname, freq_khz, tlb_info, cache_info) first. Without a timebase
 * neither freq_khz nor time_source. */
void report_write_machine(struct report *report, const struct machine *machine, const struct timebase *timebase);
/* The original's word for it: DCACHE, ICACHE, CACHE. */
const char *report_cache_kind(const struct machine_cache *cache);
/* Physical line partitions by capacity = sets * line * partitions * ways; 0 = unknown. */
uint64_t report_cache_partitions(const struct machine_cache *cache);
/* <environment> of checks. */
void report_write_environment(struct report *report, const struct machine_check *checks, size_t count);
/* <summary> with attributes-free children count, min_ns ... max_ns. */
void report_write_summary(struct report *report, const struct histogram_summary *summary);
/* The same under another name. */
void report_write_summary_as(struct report *report, const char *element, const struct histogram_summary *summary);
/* <latency_histogram type= class= layout= unit="ns"> with a <summary> and <bucket lo= hi= count=> for the buckets
 * that are not empty; hi is absent where there is no upper bound. Without moments there is no summary. Named unlike
 * the original's <histogram>, which pmbench writes beside it: readers of that one never meet ours. */
void report_write_histogram(struct report *report, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts, const struct histogram_moments *moments);
/* The same with a summary that the caller has made; NULL: none. Without counts: the summary alone. */
void report_write_summarized(struct report *report, const char *type, const char *class_name,
	const struct histogram_layout *layout, const uint64_t *counts, const struct histogram_summary *summary);

/* The original pmbench's <histogram type=> of counts in layout log16. */
void report_write_original(struct report *report, const char *type, const uint64_t *counts);

/* <element> with <counter name= value=> of a snapshot or a difference. */
enum report_counters {
	REPORT_COUNTERS_NOW,     /* a snapshot, unsigned */
	REPORT_COUNTERS_DELTA,   /* a difference, signed, complete */
	REPORT_COUNTERS_CHANGED, /* a difference, what is 0 left out and the element marked unlisted="unchanged" */
};
void report_write_counters(struct report *report, const char *element, const struct vmcounters *counters,
	enum report_counters kind);

/* <verdict status="ok|interrupted|untrustworthy"> with <reason code=>text</reason>. */
struct report_reason {
	char code[32];
	char text[384]; /* the name of a cell, the finding, the advice */
};
void report_write_verdict(struct report *report, const char *status, const struct report_reason *reasons, size_t count);

#endif
