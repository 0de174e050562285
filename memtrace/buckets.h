/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples by bucket: an open-addressing hash table of up to 29 million buckets in at most 768 MiB. */
#ifndef MEMTRACE_BUCKETS_H
#define MEMTRACE_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BUCKETS_NEW UINT32_MAX

struct bucket {
	uint64_t key; /* not 0 */
	uint32_t samples;
	uint32_t extra; /* the user's; BUCKETS_NEW of a new one */
};

struct buckets { /* zeroed: empty */
	struct bucket *slots; /* of which those with a key are used */
	size_t size, count;
	unsigned shift;
};

/* Each key's bucket, with one sample more, in found, which holds until the next call. count is up to 4096.
 * 0, -ENOMEM, or -E2BIG: too many buckets. */
int buckets_add(struct buckets *buckets, const uint64_t *keys, size_t count, struct bucket **found);
/* NULL = none. */
struct bucket *buckets_find(const struct buckets *buckets, uint64_t key);
/* The used ones move to the front of slots, by key; nothing can be added or found any more. 0 or -ENOMEM. */
int buckets_sort(struct buckets *buckets);
/* The numbers of samples of all buckets, rising; the caller frees. NULL: no memory. */
uint32_t *buckets_samples(const struct buckets *buckets);
/* Of the buckets whose extra is wanted (NULL: any), the rows with the most samples, by that and then by key. There are at
 * least so many. The caller frees the list, not the buckets; NULL: no memory. */
const struct bucket **buckets_hot(const struct buckets *buckets, bool (*is_wanted)(uint32_t extra), size_t rows);
void buckets_free(struct buckets *buckets);

#endif
