/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's clocks in nanoseconds. */
#ifndef COMMON_BASE_CLOCK_H
#define COMMON_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NS_PER_S 1000000000u

/* Returns 0 when the kernel does not have this clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Compares times, or structures whose first member is a time, for qsort(3). */
static inline int clock_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / CLOCK_NS_PER_S), .tv_nsec = (long)(ns % CLOCK_NS_PER_S)};
}

/* Sleeps until this time of CLOCK_MONOTONIC; signals do not end the sleep. */
static inline void clock_sleep_until(uint64_t ns)
{
	const struct timespec time = clock_timespec(ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR)
		;
}

/* Sleeps for ns; signals do not end the sleep. */
static inline void clock_pause(uint64_t ns)
{
	struct timespec left = clock_timespec(ns);

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

#endif
