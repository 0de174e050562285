/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that a calibration does to the world: the target, memory, the libc and the kernel. What is measured goes through the
 * measured loop (iowrite-bench/write/writer.h), which gets from here what it calls; the rest is between measurements.
 * Unit tests link tests/unit/fake_store.c instead, a store whose every cost is known, with a clock of its own.
 *
 * Sizes and offsets in bytes; 0 or -errno where nothing else is said, and no message was printed.
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

/* pin: the writer's, whose CPU the other threads leave. setup: NULL = thresholds stay. largest_bytes: of one write; each
 * page of the data is touched. 0 or a diag_exit code after one line. */
int store_open(const struct target *target, struct test_setup *setup, const struct pin *pin, uint64_t largest_bytes,
	struct store **opened);
/* NULL is allowed. */
void store_close(struct store *store);
/* Whether what O_DIRECT writes stays out of the page cache: file systems that cannot do it write through it and say
 * nothing. Writes to the target's beginning. */
bool store_is_direct(const struct store *store);

/* The writer's clock and its flag of a signal. */
void store_clock(struct store *store, struct writer *writer);
void store_sleep(struct store *store, uint64_t ns);

struct store_load {
	/* Time that tasks of the whole machine waited for a CPU while other programs computed, from call to call; the time
	 * that these took when the kernel does not count waiting. */
	uint64_t others_ns;
	uint64_t foreign_ns; /* that the target's disk was surely busy for others; stays what it is where that is not known */
};
void store_load(struct store *store, struct store_load *load);

/* From the first to the second: how long the process was stopped. */
void store_watch_begin(struct store *store);
void store_watch_end(struct store *store, struct contention_stops *stops);

/* What an operation is: a write in a mode (enum op_mode) of up to largest_bytes, or one of these. */
enum store_path {
	STORE_READ = OP_MODES, /* O_DIRECT, up to largest_bytes */
	STORE_COPY,            /* memcpy(3) of that many bytes, in pieces of offset bytes */
	STORE_STREAM,          /* fwrite(3) between store_stream_open and store_stream_close */
	STORE_SYNC,            /* fsync(2), of any size */
};
/* What the writer calls for the next operation. */
void store_path(struct store *store, unsigned path, struct writer *writer);
/* Makes the next bytes that are written: others than before. */
void store_fill(struct store *store, uint64_t bytes);

int store_cut(struct store *store, uint64_t size);                      /* what is behind is gone, dirty or not */
int store_reserve(struct store *store, uint64_t offset, uint64_t size); /* fallocate(2); -EOPNOTSUPP: never here */
int store_space(struct store *store, uint64_t offset, uint64_t size);   /* behind what is there (iowrite-bench/write/memory.h) */
int store_forget(struct store *store, uint64_t size);                   /* up to size nothing is cached; it was clean */

/* Memory for the page cache (iowrite-bench/write/memory.h): what is refilled is handed out next. */
int store_hold(struct store *store, uint64_t size);
void store_refill(struct store *store, uint64_t size);
void store_reclaim(struct store *store); /* what was given is free again: it is taken back while it is warm */

/* A stream on the target, and what its libc does with its first large fwrite(3). */
int store_stream_open(struct store *store, uint64_t *buffer_bytes, bool *has_first_rule);
int store_stream_flush(struct store *store); /* and back to the beginning */
int store_stream_close(struct store *store);

/* The kernel: waits until it has little to write back; writes back all in the background, or until it has. */
int store_settle(struct store *store);
int store_flush(struct store *store);
bool store_is_flushing(struct store *store);
int store_flush_wait(struct store *store);
int store_sample(struct store *store, struct dirty_state *dirty, uint64_t *written_bytes);
/* The kernel's dirty-throttle state, as far as it is known. False: nothing of it is. */
bool store_control(struct store *store, struct model_control *control);
/* Other thresholds until restored by 0, 0; a diag_exit code after one line. Only with a test setup. */
int store_thresholds(struct store *store, uint64_t background_bytes, uint64_t dirty_bytes);

#endif
