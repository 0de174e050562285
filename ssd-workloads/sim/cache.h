/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instrumentation cache: the last units that the device recorded (sim/records.h), in a ring of a power of two. Records of
 * several units never wrap; padding fills the end. The oldest record is dropped as a whole. After a freeze `post` more units are
 * kept, then none; counting continues.
 */
#ifndef SSD_WORKLOADS_SIM_CACHE_H
#define SSD_WORKLOADS_SIM_CACHE_H

#include <stdbool.h>

#include "common/hot/keep.h"
#include "ssd-workloads/sim/section.h"

struct sim_cache {
	union sim_unit *units;       /* NULL = nothing is recorded */
	uint64_t mask;               /* capacity - 1 */
	uint64_t emitted, first;     /* units: written so far, and the number of the oldest kept one */
	uint64_t dropped;            /* units dropped after the freeze */
	uint64_t post;
	uint64_t fired_ns, fired_unit; /* 0 = not frozen */
	uint64_t end;                /* end of the units kept after a freeze; UINT64_MAX before */
	uint32_t stations;           /* bit n: station n is recorded */
	uint32_t sample;             /* one of `sample` commands is recorded */
	uint32_t stations_all, sample_most; /* of the kept units: stations that were always recorded; the largest value of sample */
	bool is_straight;
};

/* Opens the cache; capacity is rounded up to a power of two, at least 4. Returns 0 or -ENOMEM. */
int sim_cache_open(uint64_t capacity, struct sim_cache *cache);
void sim_cache_close(struct sim_cache *cache);
/* Drops all units, and removes a freeze. */
void sim_cache_reset(struct sim_cache *cache);
/* Selects the stations and the share of commands that are recorded from now on. */
void sim_cache_select(struct sim_cache *cache, uint32_t stations, uint32_t sample);
/* Stops recording after `post` more units; only the first call has an effect. */
void sim_cache_freeze(struct sim_cache *cache, uint64_t now_ns);
/* Moves the kept units to units[0] on, contiguous; nothing is recorded any more. Returns their number. */
uint64_t sim_cache_straighten(struct sim_cache *cache);

/* Returns the place of the next record of span units, all of which the caller writes; NULL: the record is dropped. */
static inline union sim_unit *sim_cache_next(struct sim_cache *cache, uint64_t span)
{
	union sim_unit *unit;

	if (KEEP_UNLIKELY(!cache->units))
		return NULL;
	while (span > 1 && (cache->emitted & cache->mask) + span > cache->mask + 1) {
		unit = sim_cache_next(cache, 1);
		if (!unit)
			break;
		*unit = (union sim_unit){.words = {0}};
	}
	if (KEEP_UNLIKELY(cache->emitted + span > cache->end)) {
		cache->dropped += span;
		return NULL;
	}
	while (KEEP_UNLIKELY(cache->emitted + span - cache->first > cache->mask + 1))
		cache->first += sim_unit_span(&cache->units[cache->first & cache->mask]);
	unit = &cache->units[cache->emitted & cache->mask];
	cache->emitted += span;
	return unit;
}

#endif
