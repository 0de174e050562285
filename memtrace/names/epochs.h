/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epochs of a recording: within an epoch every answer of regions about a thread or address is constant. */
#ifndef MEMTRACE_NAMES_EPOCHS_H
#define MEMTRACE_NAMES_EPOCHS_H

#include <stddef.h>
#include <stdint.h>

struct epoch { /* [from, to), ns; {1, 0} holds no time */
	uint64_t from, to;
};

struct epochs { /* zeroed: one epoch */
	uint64_t *changes; /* times, rising after epochs_sort; the caller frees */
	size_t count, capacity;
};

/* Adds a time at which an answer may change: the time of every event that regions_add takes. Returns 0 or -ENOMEM. */
int epochs_add(struct epochs *epochs, uint64_t time_ns);
/* Sorts the times: after the last epochs_add, before the first epochs_find. */
void epochs_sort(struct epochs *epochs);
/* Returns the epoch that contains the time. */
struct epoch epochs_find(const struct epochs *epochs, uint64_t time_ns);

static inline int epoch_holds(const struct epoch *epoch, uint64_t time_ns)
{
	return time_ns >= epoch->from && time_ns < epoch->to;
}

#endif
