/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one clock of measuring. */
#ifndef IOWRITE_BENCH_BENCH_CLOCK_H
#define IOWRITE_BENCH_BENCH_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t bench_now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#endif
