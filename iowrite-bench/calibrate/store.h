/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All accesses of a calibration to the target, memory, the libc and the kernel. Measured operations go through the measured
 * loop (iowrite-bench/write/writer.h), which store_path gives its function; the rest is between measurements. Unit tests link
 * tests/unit/fake_store.c instead, a store whose every cost is known, with a clock of its own.
 *
 * Sizes and offsets are in bytes. Functions return 0 or -errno and print nothing, unless stated otherwise.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_STORE_H
#define IOWRITE_BENCH_CALIBRATE_STORE_H

#include "common/host/contention.h"
#include "common/storage/target.h"
#include "iowrite-bench/model/model.h"
#include "iowrite-bench/setup/test_setup.h"
#include "iowrite-bench/write/dirty.h"
#include "iowrite-bench/write/pin.h"
#include "iowrite-bench/write/writer.h"

struct store;

/* Opens a store and touches each page of its data. pin: the writer's, whose CPU other threads leave. setup: NULL = thresholds
 * stay. largest_bytes: of one write. Returns 0 or a diag_exit code after one line. */
int store_open(const struct target *target, struct test_setup *setup, const struct pin *pin, uint64_t largest_bytes,
	struct store **opened);
/* NULL is allowed. */
void store_close(struct store *store);
/* Returns whether O_DIRECT writes stay out of the page cache: some file systems write through it without an error. Writes to
 * the target's beginning. */
bool store_is_direct(const struct store *store);

/* Sets the writer's clock and its flag of a signal. */
void store_clock(struct store *store, struct writer *writer);
void store_sleep(struct store *store, uint64_t ns);

struct store_load {
	/* Sum over all calls of the time that tasks of the whole machine waited for a CPU while other programs computed; the
	 * CPU time of those programs when the kernel does not count waiting. */
	uint64_t others_ns;
	uint64_t foreign_ns; /* in which the target's disk was surely busy for others; unchanged where that is unknown */
};
void store_load(struct store *store, struct store_load *load);

/* Measure how long the process was stopped between the two calls. */
void store_watch_begin(struct store *store);
void store_watch_end(struct store *store, struct contention_stops *stops);

/* An operation is a write in a mode (enum op_mode) of up to largest_bytes, or one of these. */
enum store_path {
	STORE_READ = OP_MODES, /* O_DIRECT, up to largest_bytes */
	STORE_COPY,            /* memcpy(3) of that many bytes, in pieces of offset bytes */
	STORE_STREAM,          /* fwrite(3) between store_stream_open and store_stream_close */
	STORE_SYNC,            /* fsync(2), of any size */
};
/* Sets the function that the writer calls for the next operation. */
void store_path(struct store *store, unsigned path, struct writer *writer);
/* Makes new data for the next write. */
void store_fill(struct store *store, uint64_t bytes);

int store_cut(struct store *store, uint64_t size);                      /* drops all data behind size, dirty or not */
int store_reserve(struct store *store, uint64_t offset, uint64_t size); /* fallocate(2); -EOPNOTSUPP: never here */
int store_space(struct store *store, uint64_t offset, uint64_t size);   /* behind the data (iowrite-bench/write/memory.h) */
int store_forget(struct store *store, uint64_t size);                   /* drops clean pages below size from the cache */

/* Memory for the page cache (iowrite-bench/write/memory.h): refilled pages are allocated next. */
int store_hold(struct store *store, uint64_t size);
void store_refill(struct store *store, uint64_t size);
void store_reclaim(struct store *store); /* reclaims the refilled memory, free again, while it is warm */

/* Opens a stream on the target; *has_first_rule: its first large fwrite(3) writes whole buffers at once. */
int store_stream_open(struct store *store, uint64_t *buffer_bytes, bool *has_first_rule);
int store_stream_flush(struct store *store); /* and seeks to the beginning */
int store_stream_close(struct store *store);

/* store_settle waits until little is left to write back; store_flush starts it in the background, store_flush_wait waits. */
int store_settle(struct store *store);
int store_flush(struct store *store);
bool store_is_flushing(struct store *store);
int store_flush_wait(struct store *store);
int store_sample(struct store *store, struct dirty_state *dirty, uint64_t *written_bytes);
/* Reads the known parts of the kernel's dirty-throttle state. Returns false if all of it is unknown. */
bool store_control(struct store *store, struct model_control *control);
/* Sets thresholds until 0, 0 restores them; needs a test setup. Returns 0 or a diag_exit code after one line. */
int store_thresholds(struct store *store, uint64_t background_bytes, uint64_t dirty_bytes);

#endif
