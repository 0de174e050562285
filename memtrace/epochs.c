/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/epochs.h"

#include <errno.h>
#include <stdlib.h>

#include "common/arena.h"

int epochs_add(struct epochs *epochs, uint64_t time_ns)
{
	if (arena_grow(&epochs->changes, &epochs->room, epochs->count, sizeof(*epochs->changes)))
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
	size_t low = 0, high = epochs->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (epochs->changes[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct epoch){low ? epochs->changes[low - 1] : 0, low < epochs->count ? epochs->changes[low] : UINT64_MAX};
}
