/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run by intervals: what the threads' tallies counted, joined with what the kernel said at the intervals' edges. The
 * samples are taken by the thread that does not write (on another CPU than pinned writers).
 */
#ifndef IOWRITE_BENCH_RUN_SERIES_H
#define IOWRITE_BENCH_RUN_SERIES_H

#include "common/vmcounters.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/run/tally.h"
#include "common/storage.h"

#define SERIES_COUNTERS_MAX 32

struct series_sample { /* at an edge */
	bool is_taken;
	struct dirty_state dirty; /* zero thresholds: not known */
	uint64_t values[SERIES_COUNTERS_MAX];
};

struct series_interval {
	size_t cell;              /* index in the plan */
	double time_s, seconds;   /* its end since the cell's first write, its rounds one after another; how long */
	struct histogram_moments moments;
	double p50_ns, p99_ns;
	uint64_t bytes;
	bool has_dirty;
	struct dirty_state dirty; /* at its end */
	bool has_counters;
	int64_t deltas[SERIES_COUNTERS_MAX];
};

struct series {
	const struct dirty *dirty;     /* NULL = the kernel has no such lines */
	const struct storage *storage;
	uint64_t interval_ns;          /* 0 = no series */
	size_t name_count;
	char names[SERIES_COUNTERS_MAX][VMCOUNTERS_NAME];
	struct vmcounters *snapshot;   /* room to read into */
	/* Of the round that runs. */
	uint64_t begin_ns;
	size_t sample_count, sample_room;
	struct series_sample *samples; /* [k]: at begin + k intervals */
	/* Of all rounds. */
	size_t count, room;
	struct series_interval *intervals;
	bool lacks_memory;
};

/* 0 or -ENOMEM. */
int series_open(struct series *series, const struct dirty *dirty, const struct storage *storage, uint64_t interval_ns);
void series_close(struct series *series);
/* A round begins: the first edge. */
void series_begin(struct series *series, uint64_t now_ns);
/* The edge that has just been passed; those that were missed get the same. */
void series_look(struct series *series, uint64_t now_ns);
/* The round's end: the edge of an interval that is cut short. */
void series_end(struct series *series, uint64_t now_ns);
/* A round ended at end_ns: its rows become intervals of this cell, which before has run for time_s. The last one has half
 * to one and a half of the length of the others; the tally's rows are joined for that. */
void series_join(struct series *series, size_t cell, double time_s, struct tally *tally, uint64_t end_ns);
/* Cell by cell, in time. */
void series_sort(struct series *series);

#endif
