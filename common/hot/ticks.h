/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stamps around one memory access. The start stamp is ordered before the access, the stop stamp after it has
 * completed; the meaning of "completed" differs by method, see below. This header, faults.h and pmbench's
 * access_insn.h are the only places that know an architecture. Measured costs: docs/measuring.md.
 *
 *   rdtscp           start rdtscp;lfence   stop rdtscp: waits for loads, not until a store is visible
 *   rdtscp-unfenced  start rdtscp          stop rdtscp: the original pmbench's pair; a cached load may be
 *                    executed before the start stamp
 *   rdtsc            start lfence;rdtsc;lfence  stop lfence;rdtsc
 *   perfc            clock_gettime(CLOCK_MONOTONIC_RAW), every architecture
 *   cntvct           isb;mrs cntvct_el0;isb on aarch64
 * A store-visible stop first drains the store buffer (mfence, dsb st).
 */
#ifndef COMMON_HOT_TICKS_H
#define COMMON_HOT_TICKS_H

#include <time.h>
#include "common/hot/keep.h"

enum ticks_method { TICKS_RDTSCP, TICKS_RDTSCP_UNFENCED, TICKS_RDTSC, TICKS_PERFC, TICKS_CNTVCT, TICKS_METHODS };

#if defined(__x86_64__)
#define TICKS_DEFAULT TICKS_RDTSCP
#define TICKS_HAVE_TSC 1
#define TICKS_HAVE_CNTVCT 0
#elif defined(__aarch64__)
#define TICKS_DEFAULT TICKS_CNTVCT
#define TICKS_HAVE_TSC 0
#define TICKS_HAVE_CNTVCT 1
#else
#define TICKS_DEFAULT TICKS_PERFC
#define TICKS_HAVE_TSC 0
#define TICKS_HAVE_CNTVCT 0
#endif

#if TICKS_HAVE_TSC
KEEP_INLINE uint64_t ticks_rdtscp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high)::"rcx", "memory");
	return (uint64_t)high << 32 | low;
}

KEEP_INLINE uint64_t ticks_rdtscp_lfence(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp\n\tlfence" : "=a"(low), "=d"(high)::"rcx", "memory");
	return (uint64_t)high << 32 | low;
}

KEEP_INLINE uint64_t ticks_lfence_rdtsc(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

KEEP_INLINE uint64_t ticks_lfence_rdtsc_lfence(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}
#endif

#if TICKS_HAVE_CNTVCT
KEEP_INLINE uint64_t ticks_cntvct(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
	return ticks;
}
#endif

KEEP_INLINE uint64_t ticks_perfc(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

/* Makes earlier stores visible to other CPUs before later instructions begin. */
KEEP_INLINE void ticks_drain_stores(void)
{
#if defined(__x86_64__)
	__asm__ volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dsb st" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* With a constant method these are a few instructions. A method that the architecture lacks falls back to perfc; plans never
 * contain one (timebase_method_parse). */
KEEP_INLINE uint64_t ticks_start(enum ticks_method method)
{
	switch (method) {
#if TICKS_HAVE_TSC
	case TICKS_RDTSCP:
		return ticks_rdtscp_lfence();
	case TICKS_RDTSCP_UNFENCED:
		return ticks_rdtscp();
	case TICKS_RDTSC:
		return ticks_lfence_rdtsc_lfence();
#endif
#if TICKS_HAVE_CNTVCT
	case TICKS_CNTVCT:
		return ticks_cntvct();
#endif
	default:
		return ticks_perfc();
	}
}

KEEP_INLINE uint64_t ticks_stop(enum ticks_method method)
{
	switch (method) {
#if TICKS_HAVE_TSC
	case TICKS_RDTSCP:
	case TICKS_RDTSCP_UNFENCED:
		return ticks_rdtscp();
	case TICKS_RDTSC:
		return ticks_lfence_rdtsc();
#endif
#if TICKS_HAVE_CNTVCT
	case TICKS_CNTVCT:
		return ticks_cntvct();
#endif
	default:
		return ticks_perfc();
	}
}

/* Returns floor(ticks * mult / 2^32), correct for any 64-bit difference whose result fits 64 bits. */
KEEP_INLINE uint64_t ticks_to_ns(uint64_t ticks, uint64_t mult)
{
	return (uint64_t)(((unsigned __int128)ticks * mult) >> 32);
}

#endif
