/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording that is analyzed: its events are in memory, its selected samples are read as often as an analysis needs, in
 * batches, each with its process, and the range or mapping that it belongs to.
 */
#ifndef MEMTRACE_SOURCE_H
#define MEMTRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/engine_check.h"
#include "memtrace/regions.h"
#include "memtrace/selection.h"
#include "memtrace/trace_file.h"

#define SOURCE_BATCH 256
#define SOURCE_UNKNOWN 0 /* the place of what is in no range and no known mapping */

/* A selected sample. A place is the process's number in the source (from 1) in the upper 16 bits, then the lower 48 bits of
 * the address: places of one process are neighbours, and none is 0. */
struct access {
	uint64_t place, address, time_ns; /* time since the recording began */
	uint64_t ip;
	uint64_t begin;                   /* of its range or object; of others 0 */
	uint32_t tid, name;               /* name: index of source_names */
	uint32_t weight;
	uint8_t kind;                     /* enum trace_kind */
};

struct source_name { /* of a --range, of objects, or of mappings */
	const char *text;
	enum region_kind kind;
	uint64_t begin, element;         /* of a range, and of objects that all begin there; element 0 = it has none */
	uint64_t samples;                /* selected ones, of the last pass */
};

struct source {
	const char *path;
	const char *engine, *command;
	bool has_rates;            /* pages were paged out: memtrace/rates.h tells how often each is accessed */
	bool takes_outs;           /* TRACE_OUT, which else only a selection by kind takes; set before source_read */
	double period;             /* accesses for each sample; NAN = the engine does not sample by accesses */
	bool is_every_access;      /* and it records each */
	char *rate;                /* of an engine that samples by time alone: its rates, as the header has them; else NULL */
	const struct engine_check *check; /* of the engine, as the recording has it; NULL = none */
	uint64_t losses[TRACE_LOSSES];
	bool is_complete;          /* of the last pass */
	uint64_t unread_bytes;     /* at the end of the file */
	uint64_t samples;          /* all of the last pass */
	uint64_t selected, first_ns, last_ns;
	uint64_t in[REGION_KINDS]; /* selected samples by the kind of their name */
	size_t process_count;
	uint32_t *processes;       /* by number less 1 */
	size_t name_count;
	struct source_name *names; /* the first is "unknown", then the ranges */
	struct source_private *private;
};

/* 0, or a diag_exit code after one line. selection outlives the source. */
int source_open(const char *path, const struct selection *selection, struct source **source);
/* Takes all selected samples, in the order of the file. Returns 0, or what take returned when that is not 0: then it ends;
 * or -ENOMEM. */
typedef int source_take(void *data, const struct access *batch, size_t count);
int source_read(struct source *source, source_take *take, void *data);
void source_free(struct source *source);

/* The address of a place, without its process. */
uint64_t source_address(uint64_t place);

#endif
