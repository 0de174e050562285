/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Epochs of a recording: in one of them all answers of regions about threads and addresses are the same. */
#ifndef MEMTRACE_EPOCHS_H
#define MEMTRACE_EPOCHS_H

#include <stddef.h>
#include <stdint.h>

struct epoch { /* [from, to), ns; {1, 0} holds no time */
	uint64_t from, to;
};

struct epochs { /* zeroed: one epoch */
	uint64_t *changes; /* times, rising after epochs_sort; the user frees */
	size_t count, room;
};

/* A time at which an answer may change: of every event that regions_add takes. 0 or -ENOMEM. */
int epochs_add(struct epochs *epochs, uint64_t time_ns);
/* After the last epochs_add, before epochs_find. */
void epochs_sort(struct epochs *epochs);
/* The epoch that holds the time. */
struct epoch epochs_find(const struct epochs *epochs, uint64_t time_ns);

static inline int epoch_holds(const struct epoch *epoch, uint64_t time_ns)
{
	return time_ns >= epoch->from && time_ns < epoch->to;
}

#endif
