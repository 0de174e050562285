/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured loop: one thread writes a list of operations and records what each cost. HOT: includes only op.h and
 * common/hot/, calls only the clock and its callbacks. Between two stamps there is the write (or the sync) and nothing
 * else; nothing is allocated, and the caller has touched the records before.
 *
 *   delay | prepare | sample | probe | stamp WRITE... stamp [SYNC stamp]
 *
 * The clock is CLOCK_MONOTONIC by the vDSO; its cost is in every number once. run, evaluate and trace report it, calibrate
 * subtracts it.
 */
#ifndef IOWRITE_BENCH_WRITE_WRITER_H
#define IOWRITE_BENCH_WRITE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "common/hot/flush_probe.h"
#include "iowrite-bench/write/op.h"

#define WRITER_NOT_SAMPLED UINT64_MAX

struct write_record {
	uint64_t offset, size; /* all bytes of the operation, repeats included */
	uint64_t delay_ns;   /* really passed since the end of the last operation, preparing and sampling included */
	uint64_t start_ns;   /* by the writer's clock */
	uint64_t write_ns, sync_ns;
	uint64_t dirty_bytes, writeback_bytes; /* before the write; WRITER_NOT_SAMPLED = not read this time */
	int32_t error;       /* errno of the write or the sync, 0 = done; the last record of a list */
	uint32_t calls;      /* of write: more than the repeats after a short one */
	bool is_synced;      /* a sync followed, sync_ns */
};

struct writer {
	const struct op *ops;
	size_t count;
	struct write_record *records;                    /* count of them, touched */
	/* Returns the bytes written, or -errno. */
	int64_t (*write)(void *state, uint64_t offset, uint64_t size);
	void *write_state;
	/* Writes of each operation between its two stamps, one after another, for costs below the clock's resolution. 0 = 1 */
	unsigned repeats;
	/* NULL = CLOCK_MONOTONIC, which sleep_until and a real wait are of. */
	uint64_t (*now_ns)(void *state);
	void *clock_state;
	/* Syncs the range of all writes since the last sync. Returns 0 or -errno; NULL = no syncs. */
	int (*sync)(void *state, uint64_t offset, uint64_t size);
	void *sync_state;
	uint64_t sync_every;                       /* after N writes; 0 = 1 */
	struct writer_unsynced {
		uint64_t count, begin, end;
	} unsynced;                                /* since the last sync; continues in the next list */
	struct flush_probe *probe;                 /* of the syncs, or without sync of the writes; NULL = none */
	/* Sleeps until this time; NULL = delays are busy. */
	void (*sleep_until)(uint64_t ns);
	/* Called right before each write; its time counts as delay. NULL = nothing. */
	void (*prepare)(void *state, const struct op *op);
	void *prepare_state;
	/* Fills the dirty and written-back bytes; NULL = never. */
	void (*sample)(void *state, struct write_record *record);
	void *sample_state;
	uint64_t sample_every_ns;                    /* interval of two samples, under 2^63; 0 = before each write */
	uint64_t next_sample_ns;                     /* kept from list to list; 0 = before the first write */
	uint64_t ended_ns;                         /* end of the operation before this list; 0 = now */
	uint64_t until_ns;                         /* no operation begins later; UINT64_MAX = no limit */
	const volatile int *stop;                  /* no operation begins when it is not 0 */
};

/* A flag that another thread, or a signal, raises. */
static inline int writer_is_told(const volatile int *stop)
{
	return __atomic_load_n(stop, __ATOMIC_RELAXED);
}

static inline uint64_t writer_now_ns(const struct writer *writer)
{
	struct timespec time;

	if (writer->now_ns)
		return writer->now_ns(writer->clock_state);
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Returns the number of operations recorded, a failed one included. */
size_t writer_run(struct writer *writer);

#endif
