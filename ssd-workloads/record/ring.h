/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last records of a worker: a ring of a power of two of records that is allocated, touched and locked before the run. One
 * writer. All rings of a run stop together: the first record that meets the condition fires; `post` more records (of all workers
 * together) are kept, then none. Counting continues. HOT: ring_add.
 */
#ifndef SSD_WORKLOADS_RECORD_RING_H
#define SSD_WORKLOADS_RECORD_RING_H

#include <stdbool.h>

#include "ssd-workloads/record/freeze.h"

struct ring_control { /* of all rings of a run */
	struct freeze freeze;
	const struct freeze_device *device; /* of the completed command; NULL = a real device */
	uint64_t begin_ns;        /* begin of the measurement */
	uint64_t since_ns;        /* writes prepared before this are not recorded (ring_restart) */
	uint64_t post;
	uint64_t fired_ns;        /* reap_ns of the record that fired, or the time of ring_freeze; 0 = not fired; atomic */
	uint64_t kept_after;      /* records since then, of all rings; atomic */
	uint8_t fired_stream, fired_worker;
	uint64_t fired_sequence;  /* RING_NO_WRITE: fired by ring_freeze */
};
#define RING_NO_WRITE UINT64_MAX

struct ring {
	struct record *records;   /* `capacity` records; NULL = nothing is recorded */
	uint64_t mask;            /* capacity - 1 */
	uint64_t emitted;         /* records written, including overwritten ones */
	uint64_t dropped;         /* records dropped after the freeze */
	bool is_sorted;           /* set by ring_sort */
	uint64_t kept, kept_first_ns; /* of a ring that was freed: number of records, and their first time */
	struct ring_control *control;
};

KEEP_INLINE int ring_is_closed(struct ring_control *control)
{
	if (KEEP_LIKELY(!__atomic_load_n(&control->fired_ns, __ATOMIC_RELAXED)))
		return 0;
	return __atomic_fetch_add(&control->kept_after, 1, __ATOMIC_RELAXED) >= control->post;
}

KEEP_INLINE void ring_fire(struct ring_control *control, const struct record *record)
{
	uint64_t none = 0;

	if (!__atomic_compare_exchange_n(&control->fired_ns, &none, record->reap_ns, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return;
	control->fired_stream = record->stream;
	control->fired_worker = record->worker;
	control->fired_sequence = record->sequence;
}

/* Adds a record; due_ns is the due time in an open loop, else prep_ns. */
KEEP_INLINE void ring_add(struct ring *ring, const struct record *record, uint64_t due_ns)
{
	struct ring_control *control = ring->control;

	if (KEEP_UNLIKELY(!ring->records || record->prep_ns < control->since_ns))
		return;
	if (KEEP_UNLIKELY(ring_is_closed(control))) {
		ring->dropped++;
		return;
	}
	ring->records[ring->emitted++ & ring->mask] = *record;
	/* Conditions apply to writes only. */
	if (KEEP_UNLIKELY(control->freeze.count && !record_is_sync(record) &&
			  freeze_matches(&control->freeze, record, due_ns, control->begin_ns, control->device)))
		ring_fire(control, record);
}

/* Allocates a ring; not hot, in ring.c. capacity is rounded up to a power of two; 0 = no records. Returns 0 or -ENOMEM. */
int ring_open(struct ring *ring, struct ring_control *control, uint64_t capacity);
/* Touches the memory of an open ring and tries mlock, so that no record causes a page fault. */
void ring_prefault(const struct ring *ring);
void ring_close(struct ring *ring);
/* Stops recording without a write as its cause; only in a run without threads. */
void ring_freeze(struct ring_control *control, uint64_t now_ns);
/* Drops all records and counts of each ring, and records the writes that are prepared from now on; only in a run without
 * threads. */
void ring_restart(struct ring_control *control, uint64_t now_ns);
void ring_empty(struct ring *ring);
/* Return the number of kept records, and the index-th of them in the order of addition; after the run. */
uint64_t ring_count(const struct ring *ring);
const struct record *ring_at(const struct ring *ring, uint64_t index);
/* Returns prep_ns of the oldest kept record; 0 = there is none. */
uint64_t ring_first_ns(const struct ring *ring);
uint64_t ring_overwritten(const struct ring *ring);
/* Frees the memory of records that are no longer needed; counts are kept. */
void ring_give_back(struct ring *ring);
/* Sorts the kept records by sequence, contiguous from the returned address; ring_at then uses this order. After the run; no
 * record may be added any more. Returns NULL if there are no records. */
const struct record *ring_sort(struct ring *ring);

#endif
