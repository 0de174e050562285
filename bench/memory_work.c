/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A workload whose slowdown by a recorder is measured. Prints the nanoseconds of an operation, the median of all rounds.
 *   memory_work faults ROUNDS              the first access to each of 32768 pages, which are mapped anew in each round
 *   memory_work loads ROUNDS COUNT BYTES   COUNT loads that depend on each other, at random places of BYTES, a power of two
 *   memory_work recorded ROUNDS COUNT BYTES  COUNT stores to random pages of BYTES that do not compress, in each round twice: while
 *                                          `memtrace record --control FIFO --paused` records it, and while it does not. Prints
 *                                          what a store takes more while it is recorded, by CPU time and wall time, the median of
 *                                          all rounds, and the number of stores while it was recorded.
 */
#include "config.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/hot/rng.h"
#include "common/stats/stats.h"

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

static void control(int fd, const char *line)
{
	int left = 1;

	if (write(fd, line, strlen(line)) < 0)
		exit(3);
	while (left && !ioctl(fd, FIONREAD, &left))
		usleep(100);
	usleep(2000);
}

static int recorded(uint64_t rounds, uint64_t count, volatile uint64_t *words, uint64_t bytes)
{
	static double more_cpu[ROUNDS_MAX], more[ROUNDS_MAX];
	const char *path = getenv("MEMTRACE_CONTROL");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	double median_cpu, median;
	struct rng rng;

	if (fd < 0)
		return 3;
	rng_seed(&rng, 1, 0);
	for (uint64_t i = 0; i < bytes / 8; i++)
		words[i] = rng_next(&rng);
	for (uint64_t round = 0; round < rounds; round++) {
		double cpu_ns[2], wall_ns[2];

		for (unsigned i = 0; i < 2; i++) {
			unsigned is_on = (i + round) % 2;
			uint64_t begin_ns, begin_cpu_ns;

			control(fd, is_on ? "start\n" : "stop\n");
			begin_ns = clock_ns(CLOCK_MONOTONIC);
			begin_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
			for (uint64_t j = 0; j < count; j++)
				words[rng_next(&rng) % (bytes / PAGE) * (PAGE / 8)]++;
			cpu_ns[is_on] = (double)(clock_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ns) / (double)count;
			wall_ns[is_on] = (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / (double)count;
		}
		more_cpu[round] = cpu_ns[1] - cpu_ns[0];
		more[round] = wall_ns[1] - wall_ns[0];
	}
	if (stats_median(more_cpu, rounds, &median_cpu) || stats_median(more, rounds, &median))
		return 3;
	count *= rounds;
	printf("%.3f %.3f %llu\n", median_cpu, median, (unsigned long long)count);
	return 0;
}

int main(int argc, char **argv)
{
	static double times[ROUNDS_MAX];
	double median;
	uint64_t rounds, count = PAGES, bytes = 0;
	volatile uint64_t *words = NULL;

	if (argc < 3 || units_parse_u64(argv[2], 1, ROUNDS_MAX, &rounds))
		return 2;
	if (argc == 5 && (!strcmp(argv[1], "loads") || !strcmp(argv[1], "recorded")) &&
		!units_parse_u64(argv[3], 1, 1ull << 40, &count) &&
		!units_parse_size(argv[4], 1, &bytes) && bytes >= PAGE && !(bytes & (bytes - 1))) {
		words = (volatile uint64_t *)map(bytes);
		if (!strcmp(argv[1], "recorded"))
			return recorded(rounds, count, words, bytes);
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
