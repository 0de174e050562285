/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells whether a device completed a flush while a sync waited: its counter is read before and after some of the syncs, outside
 * of the timed window. A sync in which no flush completed has made nothing durable on a device with a volatile cache. The reverse
 * does not hold: the flush may be another process's. One probe examines one sync at a time.
 */
#ifndef COMMON_HOT_FLUSH_PROBE_H
#define COMMON_HOT_FLUSH_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#define FLUSH_PROBE_EVERY_NS 10000000u /* a reading takes microseconds */

struct flush_probe {
	int64_t (*count)(void *state); /* flushes since boot, or -errno; NULL = no sync is examined */
	void *state;
	uint64_t next_ns;              /* 0 = the first sync is examined */
	int64_t before;
	bool is_examining;
	uint64_t examined, unflushed;  /* unflushed: syncs in which no flush completed */
};

static inline bool flush_probe_is_due(const struct flush_probe *probe, uint64_t now_ns)
{
	return probe->count && !probe->is_examining && now_ns >= probe->next_ns;
}

static inline void flush_probe_begin(struct flush_probe *probe, uint64_t now_ns)
{
	probe->next_ns = now_ns + FLUSH_PROBE_EVERY_NS;
	probe->before = probe->count(probe->state);
	probe->is_examining = true;
}

/* is_done: the sync was acknowledged. */
static inline void flush_probe_end(struct flush_probe *probe, bool is_done)
{
	int64_t after = probe->count(probe->state);

	probe->is_examining = false;
	if (!is_done || probe->before < 0 || after < 0)
		return;
	probe->examined++;
	probe->unflushed += after == probe->before;
}

#endif
