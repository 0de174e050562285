/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int sim_cache_open(uint64_t capacity, struct sim_cache *cache)
{
	uint64_t size = 4;

	while (size < capacity)
		size *= 2;
	*cache = (struct sim_cache){.units = calloc(size, sizeof(*cache->units)), .mask = size - 1, .end = UINT64_MAX,
		.stations = UINT32_MAX, .sample = 1, .stations_all = UINT32_MAX, .sample_most = 1};
	return cache->units ? 0 : -ENOMEM;
}

void sim_cache_close(struct sim_cache *cache)
{
	free(cache->units);
	cache->units = NULL;
}

void sim_cache_reset(struct sim_cache *cache)
{
	cache->emitted = cache->first = cache->dropped = cache->fired_ns = cache->fired_unit = 0;
	cache->end = UINT64_MAX;
	cache->is_straight = false;
	cache->stations_all = cache->stations;
	cache->sample_most = cache->sample;
}

void sim_cache_select(struct sim_cache *cache, uint32_t stations, uint32_t sample)
{
	cache->stations = stations;
	cache->sample = sample;
	cache->stations_all &= stations;
	cache->sample_most = sample > cache->sample_most ? sample : cache->sample_most;
}

void sim_cache_freeze(struct sim_cache *cache, uint64_t now_ns)
{
	if (cache->fired_ns)
		return;
	cache->fired_ns = now_ns;
	cache->fired_unit = cache->emitted;
	cache->end = cache->emitted + cache->post;
}

uint64_t sim_cache_straighten(struct sim_cache *cache)
{
	uint64_t size = cache->mask + 1, count = cache->emitted - cache->first, begin = cache->first & cache->mask;
	union sim_unit *units = cache->units;

	cache->end = cache->emitted;
	if (!units || !begin || cache->is_straight)
		return count;
	if (begin + count <= size) {
		memmove(units, units + begin, count * sizeof(*units));
	} else {
		/* Three reversals rotate the ring in place: a copy of it might not fit in memory. */
		uint64_t ends[][2] = {{0, begin}, {begin, size}, {0, size}};

		for (int i = 0; i < 3; i++) {
			for (uint64_t low = ends[i][0], high = ends[i][1]; low + 1 < high; low++) {
				union sim_unit swapped = units[low];

				units[low] = units[--high];
				units[high] = swapped;
			}
		}
	}
	cache->is_straight = true;
	return count;
}
