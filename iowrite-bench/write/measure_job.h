/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One list of writes to a target in one way, and its measurement. */
#ifndef IOWRITE_BENCH_WRITE_MEASURE_JOB_H
#define IOWRITE_BENCH_WRITE_MEASURE_JOB_H

#include <sched.h>

#include "common/host/contention.h"
#include "common/run/limits.h"
#include "common/storage/target.h"
#include "iowrite-bench/write/dirty.h"
#include "iowrite-bench/write/memory.h"
#include "iowrite-bench/write/method.h"
#include "iowrite-bench/write/writer.h"

#define MEASURE_QUIET_BYTES (8ull << 20)
/* Two slices of blk-throttle, in which a slightly used device has more credit than an idle one (throtl_trim_slice in
 * block/blk-throttle.c); other token buckets behave similarly. */
#define MEASURE_REST_NS 300000000

struct measurement;

/* A list that is longer than the part that is kept. Both functions are called by the measuring thread between windows. */
struct measure_stream {
	size_t ring;            /* writes that are made, and records that are kept, at a time */
	uint64_t file_bytes, largest_bytes, total_bytes; /* the end of each file, one write, all writes of the list */
	uint64_t begin_bytes;   /* in the file; bytes before belong to other jobs of a shared file */
	bool is_repeated;       /* at its end the list restarts, on a file in the initial state, until runtime_ns is over */
	/* Makes the next writes, up to capacity. Returns their number; 0 = the end, and the next call begins again. */
	size_t (*refill)(void *state, struct op *ops, size_t capacity);
	/* Takes count records, each once; found->before is known. */
	void (*drain)(void *state, const struct measurement *found, const struct write_record *records, size_t count);
	void *state;
};

struct measure_job {
	const struct target *target;
	unsigned file_count;      /* targets from there on, distinguished as in op.h; 0 = 1 */
	const struct method *method;
	const struct method_sync *sync;
	unsigned sync_every;      /* writes; 0 = 1 */
	enum op_mode mode;
	enum op_regime regime;
	const struct op *ops;
	size_t count;
	const struct measure_stream *stream; /* instead of ops and count */
	enum model_memory memory;
	unsigned compress_percent, dedupe_percent; /* of the data (content.h) */
	enum method_buffering buffering;
	size_t buffer_bytes;
	bool is_sleeping;         /* delays sleep; otherwise they compute */
	bool is_uncached;         /* OP_OVERWRITE: the old data are not in the page cache */
	const struct dirty *dirty; /* NULL = take no samples */
	uint64_t sample_every_ns;   /* UINT64_MAX = only before the first and after the last */
	uint64_t settle_ns;       /* limit of the wait until there is little write-back; 0 = 30 s */
	uint64_t rest_ns;         /* idle time of the device before the first write (MEASURE_REST_NS) */
	uint64_t warmup_ns;       /* with a stream: length of the uncounted writing before */
	uint64_t runtime_ns;      /* no write begins later; 0 = no limit */
	struct durability_counter *flushes; /* of the device, which the syncs are examined with; NULL = they are not */
	const cpu_set_t *cpus;    /* of the thread, NULL = as inherited; only by measure_together */
	const cpu_set_t *others;  /* of a thread that does not write, NULL = as inherited; only by measure */
	const volatile int *stop; /* a signal came */
};

enum measure_stage { MEASURE_PREPARE, MEASURE_WRITE, MEASURE_SYNC, MEASURE_CLOSE };

struct measurement {
	struct write_record *records;   /* as many as were done; NULL with a stream */
	size_t count;
	int error;                /* errno that ended it early; 0 = none */
	enum measure_stage failed_at; /* when error is not 0 */
	uint64_t flush_ns, close_ns;
	struct dirty_state before, after; /* zero when not sampled */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC, of the first write's start and the last one's end */
	uint64_t between_ns;      /* of that time: between a stream's windows, for host-backed memory, and for filling */
	uint64_t fill_ns;         /* making the bytes of these writes, before each */
	uint64_t faults;          /* page faults of the thread while it wrote; of mmap they are the writing itself */
	uint64_t examined, unflushed; /* syncs with flushes (common/hot/flush_probe.h), also of the warm-up */
	uint64_t unbacked_bytes;     /* MODEL_WARM: written into any memory when the host-backed memory was used up */
	struct contention contention; /* of the thread that wrote, while it wrote */
	struct contention_stops stops; /* of the whole process meanwhile; contention_expect_stops is the caller's */
	struct contention_machine busy; /* from before the first write to behind the closing, of all threads together */
};

/*
 * The size of writes that fill a file which will be overwritten: that of the later writes, in whole pages, and at most
 * 4 MiB. Linux caches one write in as few folios as possible, and a small write into a large folio
 * costs twice as much as into a small one (ext4 of 6.18): measurement, calibration and prediction must have the same
 * folios.
 */

#define BEFORE_PAGE 4096
#define BEFORE_MOST (4ull << 20)

/* Returns the size of one write beforehand, where the writes over it will have write_bytes, the largest of several sizes. */
static inline uint64_t before_chunk(uint64_t write_bytes)
{
	uint64_t pages = write_bytes + -write_bytes % BEFORE_PAGE;

	if (!pages)
		return BEFORE_PAGE;
	return pages < BEFORE_MOST ? pages : BEFORE_MOST;
}

#endif
