/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hot_array FILE MIB SECONDS load|store [THREADS]: maps FILE, makes it MIB large, and accesses random words of it until the
 * time is up. What memtrace is tested with: most of its accesses are in the mapping of that name.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/base/units.h"

#define BATCH 10000
#define THREADS_MAX 8

/* Not whole numbers: compilers like to load those into the register of the address, which memtrace must drop. */
static volatile double *words;
static uint64_t count;
static const char *kind;
static double end;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static uint64_t access_words(uint64_t at)
{
	bool is_load = !strcmp(kind, "load");
	double sum = 0;

	for (unsigned i = 0; i < BATCH; i++) {
		volatile double *word;

		at = at * 6364136223846793005ull + 1442695040888963407ull;
		word = &words[(at >> 20) % count];
		if (is_load)
			sum += *word;
		else
			*word = (double)(i + 1);
	}
	return sum < 0 ? 1 : at;
}

static void *run(void *seed)
{
	uint64_t at = (uint64_t)(uintptr_t)seed;

	while (now() < end)
		at = access_words(at);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	uint64_t mib, number = 1;
	double seconds;
	int fd;

	if (argc < 5 || units_parse_u64(argv[2], 1, 4096, &mib) || units_parse_double(argv[3], 0, 3600, &seconds) ||
		(argc > 5 && units_parse_u64(argv[5], 1, THREADS_MAX, &number)))
		return 2;
	kind = argv[4];
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, (off_t)(mib << 20)))
		return 3;
	words = mmap(NULL, mib << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (words == MAP_FAILED)
		return 3;
	count = (mib << 20) / sizeof(*words);
	for (uint64_t i = 0; i < count; i += 512)
		words[i] = 0;
	puts("ready");
	fflush(stdout);
	end = now() + seconds;
	for (uint64_t i = 0; i < number; i++) {
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)(i + 1)))
			return 3;
	}
	for (uint64_t i = 0; i < number; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
