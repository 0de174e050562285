/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures one list of writes to a target in one way: brings the file into the state that the regime asks for, waits
 * until the page cache is quiet, warms or cools what was asked for, writes, closes. run, calibrate and evaluate
 * measure with it and nothing else.
 */
#ifndef IOWRITE_BENCH_MEASURE_H
#define IOWRITE_BENCH_MEASURE_H

#include "common/target.h"
#include "iowrite-bench/dirty.h"
#include "iowrite-bench/method.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/writer.h"

#define MEASURE_QUIET_BYTES (8ull << 20)

struct measure_job {
	const struct target *target;
	const struct method *method;
	const struct method_sync *sync;
	enum op_mode mode;
	enum op_regime regime;
	const struct op *ops;
	size_t count;
	enum model_memory memory;
	enum method_buffering buffering;
	size_t buffer_bytes;
	bool is_sleeping;         /* delays sleep; otherwise they compute */
	bool is_uncached;         /* OP_OVERWRITE: what was written before is not in the page cache */
	const struct dirty *dirty; /* NULL = do not look */
	uint64_t look_every_ns;
	uint64_t runtime_ns;      /* no write begins later; 0 = no limit */
	const volatile int *stop; /* a signal came */
};

struct measurement {
	struct record *records;   /* as many as were done */
	size_t count;
	int error;                /* errno that ended it early, of the last record or of flush and close; 0 = none */
	uint64_t flush_ns, close_ns;
	struct dirty_state before, after; /* zero when nobody looked */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, of the first write's start and the last one's end */
};

/* 0 or a diag_exit code after one line, when nothing could be measured; a failing write is a result (error). */
int measure(const struct measure_job *job, struct measurement *measurement);
void measure_free(struct measurement *measurement);

/* open(2) flags of a mode, without the access mode. */
int measure_open_flags(enum op_mode mode);

#endif
