/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples by bucket: an open-addressing hash table of up to 29 million buckets in at most 768 MiB. */
#ifndef MEMTRACE_ESTIMATE_BUCKETS_H
#define MEMTRACE_ESTIMATE_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUCKETS_NEW UINT32_MAX

struct bucket {
	uint64_t key; /* not 0 */
	uint32_t samples;
	uint32_t extra; /* for the caller; BUCKETS_NEW in a new bucket */
};

struct buckets { /* zeroed: empty */
	struct bucket *slots; /* slots with a key are in use */
	size_t size, count;
	unsigned shift;
};

/* Adds one sample to the bucket of each key. found receives the buckets, valid until the next call. count is at most 4096.
 * Returns 0, -ENOMEM, or -E2BIG if there are too many buckets. */
int buckets_add(struct buckets *buckets, const uint64_t *keys, size_t count, struct bucket **found);
/* Returns the bucket of the key, or NULL if there is none. */
struct bucket *buckets_find(const struct buckets *buckets, uint64_t key);
/* Moves the used buckets to the front of slots, sorted by key; after this call no bucket can be added or found. Returns 0 or
 * -ENOMEM. */
int buckets_sort(struct buckets *buckets);
/* Returns the numbers of samples of all buckets, rising, or NULL if there is no memory. The caller frees the list. */
uint32_t *buckets_samples(const struct buckets *buckets);
int buckets_compare_samples(const void *a, const void *b); /* compares such numbers, for qsort */
/* Returns the `rows` buckets with the most samples, sorted by samples and then by key, among those whose extra is wanted
 * (is_wanted NULL: all). At least `rows` such buckets must exist. The caller frees the list, not the buckets. Returns NULL if
 * there is no memory. */
const struct bucket **buckets_hot(const struct buckets *buckets, bool (*is_wanted)(uint32_t extra), size_t rows);
void buckets_free(struct buckets *buckets);

#endif
