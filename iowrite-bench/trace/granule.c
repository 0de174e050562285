/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/granule.h"

void granule_add(struct granule *granule, uint64_t bytes)
{
	granule->looks[__builtin_ctzll(bytes)]++;
}

uint64_t granule_looks(const struct granule *granule)
{
	uint64_t all = 0;

	for (int power = 0; power < 64; power++)
		all += granule->looks[power];
	return all;
}

uint64_t granule_bytes(const struct granule *granule)
{
	uint64_t all = granule_looks(granule), divided = 0;

	for (int power = 63; power >= 0 && all; power--) {
		divided += granule->looks[power];
		if (2 * divided >= all)
			return 1ull << power;
	}
	return 0;
}
