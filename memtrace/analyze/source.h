/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording under analysis. Its events are in memory; its selected samples are read in batches, as often as an analysis needs,
 * each with its process and its range or mapping.
 */
#ifndef MEMTRACE_ANALYZE_SOURCE_H
#define MEMTRACE_ANALYZE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/estimate/buckets.h"
#include "memtrace/file/selection.h"
#include "memtrace/file/trace_file.h"
#include "memtrace/names/regions.h"

#define SOURCE_BATCH 256
#define SOURCE_UNKNOWN 0 /* name of samples in no range and no known mapping */

/* A selected sample. A place has the process's number in the source (from 1) in the upper 16 bits and the lower 48 bits of the
 * address: places of one process are contiguous, and none is 0. */
struct access {
	uint64_t place, address, time_ns; /* time since the recording began */
	uint64_t ip;
	uint64_t begin;                   /* first address of its range or object; else 0 */
	uint32_t tid, name;               /* name: index of source_names */
	uint32_t weight;
	uint8_t kind;                     /* enum trace_kind */
};

struct source_name { /* name of a --range, of objects, or of mappings */
	const char *text;
	enum region_kind kind;
	uint64_t begin, element;         /* of a range, and of objects with equal begin; element 0 = none */
	uint64_t samples;                /* selected samples of the last pass */
};

struct source {
	const char *path;
	const char *engine, *command;
	bool has_returns;          /* pages were paged out (memtrace/active/returns.h) */
	bool takes_no_faults;      /* set for bursts with paging: leaves out page faults unless they are selected by kind */
	bool takes_outs;           /* include TRACE_OUT, which else needs a selection by kind; set before source_read */
	double period;             /* accesses per sample; NAN = the engine does not sample by accesses */
	bool is_bursts;            /* successive loads and stores of a thread are successive accesses, except for pauses */
	bool is_every_access;      /* the engine records every access */
	bool is_successive;        /* the samples of a thread are of successive accesses: of all, or of those of a burst */
	char *rate;                /* rates of an engine that samples by time only, as in the header; else NULL */
	uint64_t losses[TRACE_LOSSES];
	uint64_t recovered[TRACE_RECOVERIES]; /* samples by the method that found their address */
	bool is_complete;          /* of the last pass */
	uint64_t unread_bytes;     /* at the end of the file */
	uint64_t samples;          /* all samples of the last pass */
	uint64_t selected, first_ns, last_ns;
	uint64_t in[REGION_KINDS]; /* selected samples by the kind of their name */
	size_t process_count;
	uint32_t *processes;       /* by the process's number - 1 */
	size_t name_count;
	struct source_name *names; /* the first is "unknown", followed by the ranges */
	struct source_private *private;
};

/* Opens a recording; selection must outlive the source. Returns 0, or a diag_exit code after an error message. */
int source_open(const char *path, const struct selection *selection, struct source **source);
/* Passes all selected samples to take, in the order of the file, until take returns a nonzero result. Returns 0, that result, or
 * -ENOMEM. take NULL: the samples are only counted. */
typedef int source_take(void *data, const struct access *batch, size_t count);
int source_read(struct source *source, source_take *take, void *data);
/* Returns the selected samples of the last pass with this name. */
uint64_t source_samples(const struct source *source, const char *text, enum region_kind kind);
/* Counts a batch by bucket, of 1 << shift bytes; found receives the bucket of each sample, as by buckets_add. Returns 0,
 * -ENOMEM or -E2BIG. */
int source_count(struct buckets *buckets, const struct access *batch, size_t count, unsigned shift,
	struct bucket *found[SOURCE_BATCH]);
void source_free(struct source *source);

/* Returns the bytes that selected samples can be in, after a pass: ranges and mappings of their processes; 0 = not known. */
uint64_t source_size(const struct source *source);

/* Returns the address of a place. */
uint64_t source_address(uint64_t place);

#endif
