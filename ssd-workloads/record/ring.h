/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last records of a worker: a ring that is allocated, touched and locked before the run, of a power of two. One
 * writer. All rings of a run stop together: the first record that matches the condition fires, `post` more are kept (of
 * all workers together), then nothing is. Counting continues. HOT: ring_add.
 */
#ifndef SSD_WORKLOADS_RECORD_RING_H
#define SSD_WORKLOADS_RECORD_RING_H

#include <stdbool.h>

#include "ssd-workloads/record/freeze.h"

struct ring_control { /* of all rings of a run */
	struct freeze freeze;
	const struct freeze_device *device; /* of the command that is completed; NULL = a real device */
	uint64_t begin_ns;        /* of the measurement; 0 while warming up: nothing is recorded */
	uint64_t since_ns;        /* writes that were prepared before are not recorded: ring_restart */
	uint64_t post;
	uint64_t fired_ns;        /* reap_ns of the record that fired, or of ring_freeze; 0 = none has; atomic */
	uint64_t kept_after;      /* records since, of all; atomic */
	uint8_t fired_stream, fired_worker;
	uint64_t fired_sequence;  /* RING_NO_WRITE: ring_freeze did */
};
#define RING_NO_WRITE UINT64_MAX

struct ring {
	struct record *records;   /* capacity of them; NULL = nothing is recorded */
	uint64_t mask;            /* capacity - 1 */
	uint64_t emitted;         /* that were written, overwritten ones among them */
	uint64_t dropped;         /* that came after the freeze */
	bool is_sorted;           /* by ring_sort */
	uint64_t kept, kept_first_ns; /* of a ring that was given back: how many there were, and since when */
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

/* due_ns: of an open loop, else prep_ns. */
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
	if (KEEP_UNLIKELY(control->freeze.count &&
			  freeze_matches(&control->freeze, record, due_ns, control->begin_ns, control->device)))
		ring_fire(control, record);
}

/* Cold, ring.c. capacity is rounded up to a power of two; 0 = no records. Memory is touched; mlock is tried. 0, -ENOMEM. */
int ring_open(struct ring *ring, struct ring_control *control, uint64_t capacity);
void ring_close(struct ring *ring);
/* In a run without threads: nothing is recorded any more, which no write caused. */
void ring_freeze(struct ring_control *control, uint64_t now_ns);
/* Also there: all records and counts are dropped, of each ring, and writes that are prepared from now on recorded. */
void ring_restart(struct ring_control *control, uint64_t now_ns);
void ring_empty(struct ring *ring);
/* Kept records, and the i-th of them in the order they were added; after the run. */
uint64_t ring_count(const struct ring *ring);
const struct record *ring_at(const struct ring *ring, uint64_t index);
/* prep_ns of the oldest that is kept, 0 = there is none. */
uint64_t ring_first_ns(const struct ring *ring);
uint64_t ring_overwritten(const struct ring *ring);
/* Frees the memory when the records are not used any more: counts stay as they were. */
void ring_give_back(struct ring *ring);
/* Puts what is kept into the order of its sequence, in one piece from where it returns; ring_at then counts so. After
 * the run; nothing may be added any more. NULL when there are no records. */
const struct record *ring_sort(struct ring *ring);

#endif
