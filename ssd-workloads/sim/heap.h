/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pending events, in the order of their time and then of their sequence: a binary heap of fixed size. */
#ifndef SSD_WORKLOADS_SIM_HEAP_H
#define SSD_WORKLOADS_SIM_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/hot/keep.h"

#define SIM_HEAP_INDEX_BITS 20u
#define SIM_HEAP_KIND_BITS 4u

struct sim_event {
	uint64_t t_ns;
	uint64_t order; /* from the top bits: sequence, kind, index; sequences are unique and decide between equal times */
};

struct sim_heap {
	struct sim_event *events; /* array of `capacity` events; the caller's */
	uint32_t count, capacity;
};

KEEP_INLINE bool sim_event_is_before(const struct sim_event *a, const struct sim_event *b)
{
	return a->t_ns < b->t_ns || (a->t_ns == b->t_ns && a->order < b->order);
}

KEEP_INLINE uint64_t sim_event_order(uint64_t sequence, unsigned kind, uint32_t index)
{
	return sequence << (SIM_HEAP_INDEX_BITS + SIM_HEAP_KIND_BITS) | (uint64_t)kind << SIM_HEAP_INDEX_BITS | index;
}

KEEP_INLINE unsigned sim_event_kind(const struct sim_event *event)
{
	return event->order >> SIM_HEAP_INDEX_BITS & ((1u << SIM_HEAP_KIND_BITS) - 1);
}

KEEP_INLINE uint32_t sim_event_index(const struct sim_event *event)
{
	return event->order & ((1u << SIM_HEAP_INDEX_BITS) - 1);
}

/* Adds an event. Returns false if the heap is full. */
KEEP_INLINE bool sim_heap_push(struct sim_heap *heap, struct sim_event event)
{
	struct sim_event *events = heap->events;
	uint32_t at = heap->count;

	if (KEEP_UNLIKELY(at == heap->capacity))
		return false;
	heap->count++;
	while (at) {
		uint32_t parent = (at - 1) / 2;

		if (!sim_event_is_before(&event, &events[parent]))
			break;
		events[at] = events[parent];
		at = parent;
	}
	events[at] = event;
	return true;
}

/* Removes and returns the first event; the heap must not be empty. */
KEEP_INLINE struct sim_event sim_heap_pop(struct sim_heap *heap)
{
	struct sim_event *events = heap->events, first = events[0], last = events[--heap->count];
	uint32_t at = 0, child = 1, count = heap->count;

	while (child < count) {
		child += child + 1 < count && sim_event_is_before(&events[child + 1], &events[child]);
		if (!sim_event_is_before(&events[child], &last))
			break;
		events[at] = events[child];
		at = child;
		child = 2 * at + 1;
	}
	if (count)
		events[at] = last;
	return first;
}

#endif
