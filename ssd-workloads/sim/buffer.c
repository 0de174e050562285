/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int buffer_open(uint32_t count, uint32_t dies, struct buffer *buffer)
{
	uint32_t buckets = 1;

	while (buckets < 2 * count)
		buckets *= 2;
	*buffer = (struct buffer){.count = count, .newest = count - 1, .oldest = 0, .mask = buckets - 1};
	buffer->entries = malloc(((size_t)count + dies) * sizeof(*buffer->entries));
	buffer->buckets = malloc(buckets * sizeof(*buffer->buckets));
	if (!buffer->entries || !buffer->buckets) {
		buffer_close(buffer);
		return -ENOMEM;
	}
	memset(buffer->buckets, 0xff, buckets * sizeof(*buffer->buckets));
	for (uint32_t i = 0; i < count + dies; i++)
		buffer->entries[i] = (struct buffer_entry){.lsa = BUFFER_NONE, .newer = i + 1 < count ? i + 1 : BUFFER_NONE,
			.older = i && i < count ? i - 1 : BUFFER_NONE, .next = BUFFER_NONE, .chain_first = BUFFER_NONE,
			.chain_last = BUFFER_NONE};
	return 0;
}

void buffer_close(struct buffer *buffer)
{
	free(buffer->entries);
	free(buffer->buckets);
	memset(buffer, 0, sizeof(*buffer));
}

static uint32_t *bucket_of(const struct buffer *buffer, uint32_t lsa)
{
	return &buffer->buckets[(lsa * 2654435761u >> 7) & buffer->mask];
}

uint32_t buffer_find(const struct buffer *buffer, uint32_t lsa)
{
	uint32_t at = *bucket_of(buffer, lsa);

	while (at != BUFFER_NONE && buffer->entries[at].lsa != lsa)
		at = buffer->entries[at].next;
	return at;
}

void buffer_use(struct buffer *buffer, uint32_t entry)
{
	struct buffer_entry *entries = buffer->entries, *at = &entries[entry];

	if (buffer->newest == entry)
		return;
	if (buffer->oldest == entry)
		buffer->oldest = at->newer;
	else
		entries[at->older].newer = at->newer;
	entries[at->newer].older = at->older;
	at->older = buffer->newest;
	at->newer = BUFFER_NONE;
	entries[buffer->newest].newer = entry;
	buffer->newest = entry;
}

static void forget(struct buffer *buffer, uint32_t entry)
{
	uint32_t *at;

	if (buffer->entries[entry].lsa == BUFFER_NONE)
		return;
	for (at = bucket_of(buffer, buffer->entries[entry].lsa); *at != entry; at = &buffer->entries[*at].next)
		;
	*at = buffer->entries[entry].next;
}

uint32_t buffer_take(struct buffer *buffer, uint32_t lsa, struct buffer_entry *old)
{
	uint32_t entry = buffer->oldest, *bucket;
	struct buffer_entry *at = &buffer->entries[entry];

	*old = *at;
	forget(buffer, entry);
	at->lsa = lsa;
	at->is_dirty = false;
	if (lsa != BUFFER_NONE) {
		bucket = bucket_of(buffer, lsa);
		at->next = *bucket;
		*bucket = entry;
	}
	buffer_use(buffer, entry);
	return entry;
}

const char *buffer_check(const struct buffer *buffer)
{
	uint32_t seen = 0, last = BUFFER_NONE;

	for (uint32_t at = buffer->oldest; at != BUFFER_NONE; at = buffer->entries[at].newer) {
		const struct buffer_entry *entry = &buffer->entries[at];

		if (seen++ >= buffer->count || entry->older != last)
			return "the order of use is broken";
		if (entry->lsa != BUFFER_NONE && buffer_find(buffer, entry->lsa) != at)
			return "an entry is not found by its slice";
		last = at;
	}
	return seen == buffer->count && last == buffer->newest ? NULL : "the order of use lacks entries";
}
