/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scenarios that the models are evaluated with: those of the CAWL paper's figures, scaled to minutes and small disks.
 * A scenario is a list of writes and their conditions; measuring and predicting start from it.
 */
#ifndef IOWRITE_BENCH_PREDICT_SCENARIO_H
#define IOWRITE_BENCH_PREDICT_SCENARIO_H

#include "iowrite-bench/write/method.h"
#include "iowrite-bench/write/op.h"

/* Least number of writes between the start of throttling and the limit: with fewer a single write passes through the law's
 * whole range, and no model of rates can follow it. */
#define SCENARIO_RANGE_WRITES 8

struct scenario_size {
	uint64_t bytes; /* 0 ends a list */
	unsigned count; /* writes of this size */
};

struct scenario {
	const char *id;     /* "c1" */
	const char *figure; /* of the paper, "" = none of it */
	const char *meaning;
	enum op_mode mode;
	enum op_regime regime;
	bool is_stdio;      /* fwrite(3) */
	const struct scenario_size *sizes;
	uint64_t delay_ns;  /* busy, before each write */
	double back;        /* share of a write by which the next one begins before its end */
	uint64_t misplaced; /* bytes from a block's edge to the first write */
	uint64_t stride;    /* from one write's begin to the next one's; 0 = where the last one ended, less `back` */
	/* Dirty thresholds for the run; 0 = unchanged. The second pair is for devices above 1 GB/s. */
	uint64_t background_bytes, dirty_bytes, fast_background_bytes, fast_dirty_bytes;
	bool is_quick;      /* one of --scenarios quick */
};

/* The groups in which scenarios' errors are summarised. */
enum scenario_set { SCENARIO_SYNC, SCENARIO_BUFFERED, SCENARIO_FWRITE, SCENARIO_SETS };

/* Ended by a row without an id. */
extern const struct scenario scenarios[];
const struct scenario *scenario_of(const char *id); /* NULL = none */

/* Lists its writes: sizes in turn (so that a drift affects all of them), each as often as its count. The caller frees *ops.
 * Returns 0 or -ENOMEM. */
int scenario_ops(const struct scenario *scenario, struct op **ops, size_t *count);
/* Returns the size of the file after all writes. */
uint64_t scenario_file_bytes(const struct scenario *scenario);
size_t scenario_writes(const struct scenario *scenario);
/* Returns the bytes of all writes, rewritten ones included. */
uint64_t scenario_bytes(const struct scenario *scenario);
uint64_t scenario_largest(const struct scenario *scenario);
uint64_t scenario_smallest(const struct scenario *scenario);
/* Throttled scenarios are SCENARIO_BUFFERED, through the libc or not; SCENARIO_FWRITE never reaches the device. */
enum scenario_set scenario_set(const struct scenario *scenario);
/* Tells whether the overwritten data must not be in the page cache: for blocks that have to be read first, or for O_DIRECT,
 * which would have to drop cached pages. */
bool scenario_is_uncached(const struct scenario *scenario);
/* Tells whether it overwrites data that are all in the page cache. */
bool scenario_is_cached(const struct scenario *scenario);
/* Returns pwrite or fwrite. */
const struct method *scenario_method(const struct scenario *scenario);

#endif
