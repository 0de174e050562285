/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/names/epochs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/base/arena.h"
#include "memtrace/file/search.h"

int epochs_add(struct epochs *epochs, uint64_t time_ns)
{
	if (epochs->count && epochs->changes[epochs->count - 1] == time_ns)
		return 0;
	if (arena_grow(&epochs->changes, &epochs->capacity, epochs->count, sizeof(*epochs->changes)))
		return -ENOMEM;
	epochs->changes[epochs->count++] = time_ns;
	return 0;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

void epochs_sort(struct epochs *epochs)
{
	if (epochs->count)
		qsort(epochs->changes, epochs->count, sizeof(*epochs->changes), compare_times);
}

struct epoch epochs_find(const struct epochs *epochs, uint64_t time_ns)
{
	size_t end = SEARCH(epochs->count, i, epochs->changes[i] <= time_ns);

	return (struct epoch){end ? epochs->changes[end - 1] : 0, end < epochs->count ? epochs->changes[end] : UINT64_MAX};
}
