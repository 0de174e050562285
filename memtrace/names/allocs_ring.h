/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shared memory of a recorder and the library that it preloads: a ring of allocations. All threads of all processes of the
 * command write to it without locks; the recorder reads it. A process maps the ring once, when it starts, and keeps no
 * descriptor, so that neither the program's use of descriptors nor the recorder's end affects it. A full ring drops new entries
 * and counts them.
 */
#ifndef MEMTRACE_NAMES_ALLOCS_RING_H
#define MEMTRACE_NAMES_ALLOCS_RING_H

#include <stdbool.h>
#include <stdint.h>

#define ALLOCS_VARIABLE "MEMTRACE_ALLOCS" /* the path of the shared memory */
#define ALLOCS_MAGIC 0x32434f4c4c41544dull /* "MTALLOC2" */
#define ALLOCS_SLOTS 65536u /* a power of two */

enum alloc_kind { ALLOC_FREE, ALLOC_NEW };

struct alloc {
	uint64_t address, bytes;
	uint64_t site;    /* return address of the call; 0 for a free */
	uint64_t outer;   /* that of its caller; 0 = not known */
	uint64_t time_ns; /* CLOCK_MONOTONIC, taken before a free and after an allocation */
	uint32_t pid;
	uint32_t kind;    /* enum alloc_kind */
};

struct alloc_slot {
	uint64_t turn;    /* 1 + the number of the entry in the slot; atomic */
	struct alloc alloc;
};

struct allocs_ring {
	uint64_t magic, least_bytes; /* smaller allocations are not logged */
	uint64_t processes;          /* programs that loaded the library; this and the following fields are atomic */
	uint64_t dropped;
	uint64_t head __attribute__((aligned(64))); /* entries that writers have claimed */
	uint64_t tail __attribute__((aligned(64))); /* entries that the recorder has read */
	struct alloc_slot slots[ALLOCS_SLOTS];
};

/* Appends an entry. Returns false if the ring is full. */
static inline bool allocs_put(struct allocs_ring *ring, const struct alloc *alloc)
{
	uint64_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	struct alloc_slot *slot;

	do {
		if (head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) >= ALLOCS_SLOTS) {
			__atomic_fetch_add(&ring->dropped, 1, __ATOMIC_RELAXED);
			return false;
		}
	} while (!__atomic_compare_exchange_n(&ring->head, &head, head + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	slot = &ring->slots[head % ALLOCS_SLOTS];
	slot->alloc = *alloc;
	__atomic_store_n(&slot->turn, head + 1, __ATOMIC_RELEASE);
	return true;
}

#endif
