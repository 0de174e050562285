/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instrumentation cache: the last units that the device recorded (sim/records.h), in a ring of a power of two. Records of
 * several units never wrap; padding fills the end. The oldest record is dropped whole. After a freeze `post` more units are
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
	uint64_t emitted, first;     /* units: written so far, and the number of the oldest that is kept */
	uint64_t dropped;            /* after the freeze */
	uint64_t post;
	uint64_t fired_ns, fired_unit; /* 0 = not frozen */
	uint64_t end;                /* of what is kept after a freeze, in units; UINT64_MAX before */
	uint32_t stations;           /* bit n: station n is recorded */
	uint32_t sample;             /* one of this number of commands is */
	uint32_t stations_all, sample_most; /* of what is kept: stations that were recorded all the time; the fewest commands */
	bool is_straight;
};

/* capacity: rounded up to a power of two, at least 4. 0 or -ENOMEM. */
int sim_cache_open(uint64_t capacity, struct sim_cache *cache);
void sim_cache_close(struct sim_cache *cache);
/* Nothing is kept, and nothing frozen. */
void sim_cache_reset(struct sim_cache *cache);
/* What is recorded from now on. */
void sim_cache_select(struct sim_cache *cache, uint32_t stations, uint32_t sample);
/* Stops recording after `post` more units; the first time counts. */
void sim_cache_freeze(struct sim_cache *cache, uint64_t now_ns);
/* Puts what is kept in one piece from units[0] on; nothing is recorded any more. Returns its units. */
uint64_t sim_cache_straighten(struct sim_cache *cache);

/* Where the next record goes, of span units, all of which the caller writes; NULL: it is dropped. */
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
