/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/estimate/buckets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FIRST_BITS 12
#define MOST_BITS 25
#define LARGE (64u << 20) /* bytes from which on slots have a mapping of their own and need huge pages for the TLB */
#define GOLDEN 0x9e3779b97f4a7c15ull

static size_t slot_of(const struct buckets *buckets, uint64_t key)
{
	return (size_t)(key * GOLDEN >> buckets->shift);
}

static struct bucket *probe(const struct buckets *buckets, uint64_t key)
{
	size_t at = slot_of(buckets, key);

	while (buckets->slots[at].key && buckets->slots[at].key != key)
		at = (at + 1) & (buckets->size - 1);
	return &buckets->slots[at];
}

/* Advises huge pages for malloc's whole mapping, so that realloc finds one mapping. Without kernel support only speed differs. */
static void use_huge_pages(void *memory, size_t bytes)
{
	size_t behind = (uintptr_t)memory & ((size_t)sysconf(_SC_PAGESIZE) - 1);

	madvise((char *)memory - behind, bytes + behind, MADV_HUGEPAGE);
}

static int resize(struct buckets *buckets, unsigned bits)
{
	struct buckets larger = {.size = (size_t)1 << bits, .count = buckets->count, .shift = 64 - bits};

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	if (larger.size * sizeof(*larger.slots) >= LARGE)
		use_huge_pages(larger.slots, larger.size * sizeof(*larger.slots));
	for (size_t i = 0; i < buckets->size; i++) {
		if (buckets->slots[i].key)
			*probe(&larger, buckets->slots[i].key) = buckets->slots[i];
	}
	free(buckets->slots);
	*buckets = larger;
	return 0;
}

/* At most seven of eight slots are used. */
static int make_free(struct buckets *buckets, size_t count)
{
	while (buckets->count + count > buckets->size / 8 * 7) {
		unsigned bits = buckets->size ? 65 - buckets->shift : FIRST_BITS;
		int err = bits > MOST_BITS ? -E2BIG : resize(buckets, bits);

		if (err)
			return err;
	}
	return 0;
}

int buckets_add(struct buckets *buckets, const uint64_t *keys, size_t count, struct bucket **found)
{
	int err = make_free(buckets, count);

	if (err)
		return err;
	/* Prefetches the slots of the batch, because most of a large table is not in the caches. */
	for (size_t i = 0; i < count; i++)
		__builtin_prefetch(&buckets->slots[slot_of(buckets, keys[i])], 1);
	for (size_t i = 0; i < count; i++) {
		struct bucket *bucket = probe(buckets, keys[i]);

		if (!bucket->key) {
			*bucket = (struct bucket){keys[i], 0, BUCKETS_NEW};
			buckets->count++;
		}
		bucket->samples += bucket->samples < UINT32_MAX;
		found[i] = bucket;
	}
	return 0;
}

struct bucket *buckets_find(const struct buckets *buckets, uint64_t key)
{
	struct bucket *bucket = buckets->size ? probe(buckets, key) : NULL;

	return bucket && bucket->key ? bucket : NULL;
}

static int compare_keys(const void *a, const void *b)
{
	const struct bucket *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

/* Sorts by those bytes of the key that differ, the lowest byte first. */
static int radix_by_key(struct bucket *items, size_t count)
{
	struct bucket *other = malloc(count * sizeof(*other)), *from = items, *to = other;
	uint64_t all = ~0ull, any = 0;

	if (!other)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		all &= items[i].key;
		any |= items[i].key;
	}
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t begins[257] = {0};
		struct bucket *swap = from;

		if (!((all ^ any) >> shift & 0xff))
			continue;
		for (size_t i = 0; i < count; i++)
			begins[(from[i].key >> shift & 0xff) + 1]++;
		for (size_t i = 1; i < 257; i++)
			begins[i] += begins[i - 1];
		for (size_t i = 0; i < count; i++)
			to[begins[from[i].key >> shift & 0xff]++] = from[i];
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
	free(other);
	return 0;
}

int buckets_sort(struct buckets *buckets)
{
	struct bucket *slots;
	size_t count = 0;

	for (size_t i = 0; i < buckets->size; i++) {
		if (buckets->slots[i].key)
			buckets->slots[count++] = buckets->slots[i];
	}
	/* The unused slots are freed first, for the copy. */
	slots = count ? realloc(buckets->slots, count * sizeof(*slots)) : NULL;
	buckets->slots = slots ? slots : buckets->slots;
	buckets->size = 0;
	if (count > 4096)
		return radix_by_key(buckets->slots, count);
	if (count)
		qsort(buckets->slots, count, sizeof(*buckets->slots), compare_keys);
	return 0;
}

int buckets_compare_samples(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

uint32_t *buckets_samples(const struct buckets *buckets)
{
	/* Sorted buckets have no free slots. */
	size_t slots = buckets->size ? buckets->size : buckets->count, count = 0;
	uint32_t *samples = malloc((buckets->count + 1) * sizeof(*samples));
	uint32_t *few;

	for (size_t i = 0; samples && i < slots; i++) {
		if (buckets->slots[i].key)
			samples[count++] = buckets->slots[i].samples;
	}
	/* Small numbers, which most buckets have, are counted; the rest is sorted. */
	few = samples && count > 4096 ? calloc(65536, sizeof(*few)) : NULL;
	if (samples && !few && count) {
		qsort(samples, count, sizeof(*samples), buckets_compare_samples);
	} else if (few) {
		size_t large = count, at = 0;

		for (size_t i = 0; i < large;) {
			if (samples[i] < 65536) {
				few[samples[i++]]++;
			} else {
				uint32_t swap = samples[--large];

				samples[large] = samples[i];
				samples[i] = swap;
			}
		}
		for (uint32_t value = 0; value < 65536; value++) {
			for (uint32_t i = 0; i < few[value]; i++)
				samples[at++] = value;
		}
		if (count > at)
			qsort(samples + at, count - at, sizeof(*samples), buckets_compare_samples);
	}
	free(few);
	return samples;
}

static int compare_hot(const void *a, const void *b)
{
	const struct bucket *const *one = a, *const *other = b;

	if ((*one)->samples != (*other)->samples)
		return (*one)->samples > (*other)->samples ? -1 : 1;
	return ((*one)->key > (*other)->key) - ((*one)->key < (*other)->key);
}

/* The root of the heap is the least popular. */
static void sift(const struct bucket **heap, size_t count, size_t at)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		const struct bucket *swap = heap[at];

		if (child + 1 < count && compare_hot(&heap[child + 1], &heap[child]) > 0)
			child++;
		if (compare_hot(&heap[child], &heap[at]) <= 0)
			return;
		heap[at] = heap[child];
		heap[child] = swap;
	}
}

const struct bucket **buckets_hot(const struct buckets *buckets, bool (*is_wanted)(uint32_t extra), size_t rows)
{
	const struct bucket **heap = malloc((rows + 1) * sizeof(*heap));
	size_t slots = buckets->size ? buckets->size : buckets->count, count = 0;

	for (size_t i = 0; heap && i < slots; i++) {
		const struct bucket *bucket = &buckets->slots[i];

		if (!bucket->key || (is_wanted && !is_wanted(bucket->extra)))
			continue;
		if (count < rows) {
			heap[count++] = bucket;
			for (size_t at = count / 2; count == rows && at-- > 0;)
				sift(heap, count, at);
		} else if (rows && compare_hot(&bucket, &heap[0]) < 0) {
			heap[0] = bucket;
			sift(heap, count, 0);
		}
	}
	if (heap && count)
		qsort(heap, count, sizeof(*heap), compare_hot);
	return heap;
}

void buckets_free(struct buckets *buckets)
{
	free(buckets->slots);
	*buckets = (struct buckets){0};
}
