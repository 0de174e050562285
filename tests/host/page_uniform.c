/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * page_uniform MIB SECONDS [ANYTHING]: fills memory with what does not compress, then writes to random
 * pages of it until the time is up. Prints how many. What host tests put under pressure.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

#include "common/base/units.h"
#include "common/hot/rng.h"

#define PAGE_BYTES 4096
#define BATCH 100

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	uint64_t mib, count = 0;
	double seconds, end;
	struct rng rng;
	uint64_t *map;

	if (argc < 3 || units_parse_u64(argv[1], 1, 1 << 20, &mib) ||
		units_parse_double(argv[2], 0, 1e6, &seconds))
		return 2;
	map = mmap(NULL, mib * UNITS_MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return 3;
	madvise(map, mib * UNITS_MIB, MADV_NOHUGEPAGE);
	rng_seed(&rng, 1, 0);
	for (uint64_t i = 0; i < mib * UNITS_MIB / sizeof(*map); i++)
		map[i] = rng_next(&rng);
	printf("filled\n");
	fflush(stdout);
	for (end = now() + seconds; now() < end; count += BATCH)
		for (int i = 0; i < BATCH; i++)
			map[rng_next(&rng) % (mib * UNITS_MIB / PAGE_BYTES) * (PAGE_BYTES / sizeof(*map))]++;
	printf("%llu accesses\n", (unsigned long long)count);
	return 0;
}
