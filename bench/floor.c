/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The serial floor of a measured access: the same uniform draws and accesses as pmbench's loop, each fenced so that it completes
 * before the next begins, but without a timestamp or a counter. The additional time of pmbench's loop is the cost of measuring.
 * Prints "accesses_per_second ns_per_access".
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/hot/rng.h"
#include "common/hot/ticks.h"
#include "pmbench/access/access_insn.h"

#define PAGE_BYTES 4096u
#define BATCH 10000u

KEEP_INLINE void fence(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dsb ld\n\tisb" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

static void __attribute__((noinline, aligned(4096))) batch(char *base, uint64_t pages, struct rng *shared)
{
	struct rng rng = *shared;

	for (unsigned i = 0; i < BATCH; i++) {
		uint64_t rest, page = rng_below_rest(&rng, pages, &rest);
		uint32_t *word = (uint32_t *)(void *)(base + page * PAGE_BYTES) + rng_split(&rest, PAGE_BYTES / 4);

		fence();
		if (rest >> 63)
			access_store(word, (uint32_t)(uintptr_t)word);
		else
			access_load(word);
		fence();
	}
	*shared = rng;
}

int main(int argc, char **argv)
{
	uint64_t bytes, duration_ns, start, end, done = 0;
	struct rng rng;
	char *base;

	if (argc != 3 || units_parse_size(argv[1], UNITS_MIB, &bytes) || units_parse_duration(argv[2], &duration_ns) ||
		bytes < PAGE_BYTES) {
		diag_error(0, "usage: floor SIZE TIME, e.g. floor 256m 2s");
		return DIAG_EXIT_USAGE;
	}
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (base == MAP_FAILED || madvise(base, bytes, MADV_NOHUGEPAGE)) {
		diag_error(errno, "cannot map %llu bytes", (unsigned long long)bytes);
		return DIAG_EXIT_HOST;
	}
	for (uint64_t i = 0; i < bytes; i += PAGE_BYTES)
		base[i] = 1;
	rng_seed(&rng, 1, 0);
	start = end = ticks_perfc();
	while (end - start < duration_ns) {
		batch(base, bytes / PAGE_BYTES, &rng);
		done += BATCH;
		end = ticks_perfc();
	}
	printf("%.0f %.2f\n", (double)done * 1e9 / (double)(end - start), (double)(end - start) / (double)done);
	return DIAG_EXIT_OK;
}
