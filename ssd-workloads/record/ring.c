/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/record/ring.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>

#define CAPACITY_MAX ((uint64_t)PTRDIFF_MAX / 2 / sizeof(struct record))

static uint64_t round_up(uint64_t capacity)
{
	uint64_t power = 1;

	while (power < capacity)
		power *= 2;
	return power;
}

int ring_open(struct ring *ring, struct ring_control *control, uint64_t capacity)
{
	struct ring opened = {.control = control};
	size_t bytes;
	void *memory;

	if (capacity > CAPACITY_MAX)
		return -ENOMEM;
	if (capacity) {
		opened.mask = round_up(capacity) - 1;
		bytes = (opened.mask + 1) * sizeof(struct record);
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			return -ENOMEM;
		opened.records = memory;
	}
	*ring = opened;
	return 0;
}

void ring_prefault(const struct ring *ring)
{
	size_t bytes = (ring->mask + 1) * sizeof(struct record);

	if (!ring->records)
		return;
	/* Huge pages reduce faults now and TLB misses in the run; mlock matters on machines that swap. */
	(void)madvise(ring->records, bytes, MADV_HUGEPAGE);
	memset(ring->records, 0, bytes);
	(void)mlock(ring->records, bytes);
}

void ring_close(struct ring *ring)
{
	if (ring->records)
		munmap(ring->records, (ring->mask + 1) * sizeof(struct record));
	ring->records = NULL;
}

void ring_freeze(struct ring_control *control, uint64_t now_ns)
{
	if (control->fired_ns)
		return;
	control->fired_ns = now_ns;
	control->fired_stream = control->fired_worker = 0;
	control->fired_sequence = RING_NO_WRITE;
	control->kept_after = control->post;
}

void ring_restart(struct ring_control *control, uint64_t now_ns)
{
	control->fired_ns = control->kept_after = control->fired_sequence = 0;
	control->fired_stream = control->fired_worker = 0;
	control->since_ns = now_ns;
}

void ring_empty(struct ring *ring)
{
	ring->emitted = ring->dropped = 0;
}

uint64_t ring_count(const struct ring *ring)
{
	if (!ring->records)
		return ring->kept;
	return ring->emitted > ring->mask ? ring->mask + 1 : ring->emitted;
}

const struct record *ring_at(const struct ring *ring, uint64_t index)
{
	return &ring->records[((ring->is_sorted ? 0 : ring_overwritten(ring)) + index) & ring->mask];
}

uint64_t ring_first_ns(const struct ring *ring)
{
	if (!ring->records)
		return ring->kept_first_ns;
	return ring_count(ring) ? ring_at(ring, 0)->prep_ns : 0;
}

void ring_give_back(struct ring *ring)
{
	uint64_t kept = ring_count(ring), first_ns = ring_first_ns(ring);

	ring_close(ring);
	ring->kept = kept;
	ring->kept_first_ns = first_ns;
}

uint64_t ring_overwritten(const struct ring *ring)
{
	return ring->emitted - ring_count(ring);
}

static void reverse(struct record *records, uint64_t count)
{
	for (uint64_t low = 0, high = count; low + 1 < high; low++) {
		struct record record = records[low];

		records[low] = records[--high];
		records[high] = record;
	}
}

/* Sorts by insertion: completion order differs from sequence order by at most the outstanding writes, so few records move. */
static void sort_nearly(struct record *records, uint64_t count)
{
	for (uint64_t i = 1; i < count; i++) {
		struct record record = records[i];
		uint64_t place = i;

		while (place && records[place - 1].sequence > record.sequence)
			place--;
		if (place == i)
			continue;
		memmove(&records[place + 1], &records[place], (i - place) * sizeof(record));
		records[place] = record;
	}
}

const struct record *ring_sort(struct ring *ring)
{
	uint64_t oldest = ring_overwritten(ring) & ring->mask;

	if (!ring->records || ring->is_sorted)
		return ring->records;
	if (oldest) {
		reverse(ring->records, oldest);
		reverse(ring->records + oldest, ring->mask + 1 - oldest);
		reverse(ring->records, ring->mask + 1);
	}
	sort_nearly(ring->records, ring_count(ring));
	ring->is_sorted = true;
	return ring->records;
}
