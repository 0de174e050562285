/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload whose slowdown by a recorder is measured. Prints the nanoseconds of an operation, the median of all rounds.
 *   memory_work faults ROUNDS              the first access to each of 32768 pages, which are mapped anew in each round
 *   memory_work loads ROUNDS COUNT BYTES   COUNT loads that depend on each other, at random places of BYTES, a power of two
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/clock.h"
#include "common/stats.h"
#include "common/units.h"

#define PAGES 32768
#define PAGE 4096
#define ROUNDS_MAX 1000

static char *map(size_t bytes)
{
	char *area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		exit(3);
	madvise(area, bytes, MADV_NOHUGEPAGE);
	return area;
}

static void touch(uint64_t count)
{
	char *area = map(count * PAGE);

	for (size_t page = 0; page < count; page++)
		((volatile char *)area)[page * PAGE] = 1;
	munmap(area, count * PAGE);
}

static void load(volatile uint64_t *words, uint64_t mask, uint64_t count)
{
	uint64_t state = 88172645463325252ull, value = 0;

	for (uint64_t i = 0; i < count; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* All words are 0: the next place waits for this value. */
		value = words[(state + value) & mask];
	}
}

int main(int argc, char **argv)
{
	static double times[ROUNDS_MAX];
	double median;
	uint64_t rounds, count = PAGES, bytes = 0;
	volatile uint64_t *words = NULL;

	if (argc < 3 || units_parse_u64(argv[2], 1, ROUNDS_MAX, &rounds))
		return 2;
	if (argc == 5 && !strcmp(argv[1], "loads") && !units_parse_u64(argv[3], 1, 1ull << 40, &count) &&
		!units_parse_size(argv[4], 1, &bytes) && bytes >= 8 && !(bytes & (bytes - 1))) {
		words = (volatile uint64_t *)map(bytes);
		for (uint64_t i = 0; i < bytes / 8; i++)
			words[i] = 0;
	} else if (argc != 3 || strcmp(argv[1], "faults") != 0) {
		return 2;
	}
	for (uint64_t round = 0; round < rounds; round++) {
		uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

		if (words)
			load(words, bytes / 8 - 1, count);
		else
			touch(count);
		times[round] = (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)count;
	}
	if (stats_median(times, rounds, &median))
		return 3;
	printf("%.3f\n", median);
	return 0;
}
