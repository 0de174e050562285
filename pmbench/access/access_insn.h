/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measured window: two time stamps around one 4-byte access, in assembly that the compiler can neither split nor
 * move. Each combination of stamps and access is one statement, because compilers do put spills, branches and
 * parts of other computations between two statements (scripts/check-window.sh checks the object code). The stamps are
 * those of common/hot/ticks.h; the reported timer overhead is that of two stamps without an access.
 *
 * Only access.c includes this file. All code of pmbench that depends on the architecture is here and in ticks.h.
 */
#ifndef PMBENCH_ACCESS_ACCESS_INSN_H
#define PMBENCH_ACCESS_ACCESS_INSN_H

#include <stdbool.h>
#include "common/hot/ticks.h"

/* ACCESS_UPDATE is a write with -z: the word is loaded and then stored. */
enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_UPDATE };

/* Executes the instruction for spin loops. */
KEEP_INLINE void access_relax(void)
{
#if defined(__x86_64__)
	__asm__ volatile("pause");
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#else
	keep_order();
#endif
}

/* These functions access memory without time stamps. */
KEEP_INLINE uint32_t access_load(const uint32_t *address)
{
	uint32_t value;
#if defined(__x86_64__)
	__asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*address) : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("ldr %w0, %1" : "=r"(value) : "Q"(*address) : "memory");
#else
	value = *(const volatile uint32_t *)address;
	keep_value(value);
#endif
	return value;
}

KEEP_INLINE void access_store(uint32_t *address, uint32_t value)
{
#if defined(__x86_64__)
	__asm__ volatile("movl %1, %0" : "=m"(*address) : "r"(value) : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("str %w1, %0" : "=Q"(*address) : "r"(value) : "memory");
#else
	*(volatile uint32_t *)address = value;
#endif
}

/* These stamps exist on every architecture; a function call lies between each stamp and the access. A store writes the low 32 bits
 * of its address, as in the original; with -z it writes the value that was read. */
KEEP_INLINE uint64_t access_window_perfc(enum access_kind kind, bool drains, uint32_t *address, uint64_t *stop)
{
	uint32_t value = (uint32_t)(uintptr_t)address;
	uint64_t start = ticks_perfc();

	if (kind != ACCESS_STORE)
		value = access_load(address);
	if (kind != ACCESS_LOAD)
		access_store(address, value);
	if (drains)
		ticks_drain_stores();
	*stop = ticks_perfc();
	return *stop - start;
}

#if TICKS_HAVE_TSC
#define ACCESS_WINDOW(start_stamp, access, stop_stamp)                                                             \
	do {                                                                                                      \
		uint32_t start_low, start_high, stop_low, stop_high;                                              \
		__asm__ volatile(start_stamp "movl %%eax, %[start_low]\n\t"                                       \
					     "movl %%edx, %[start_high]\n\t" access stop_stamp                    \
			: [start_low] "=&r"(start_low), [start_high] "=&r"(start_high), "=&a"(stop_low),          \
			"=&d"(stop_high)                                                                          \
			: [address] "r"(address)                                                                  \
			: "rcx", "memory");                                                                       \
		*stop = (uint64_t)stop_high << 32 | stop_low;                                                     \
		return *stop - ((uint64_t)start_high << 32 | start_low);                                          \
	} while (0)
#define ACCESS_WINDOW_LOAD "movl (%[address]), %%eax\n\t"
#define ACCESS_WINDOW_STORE "movl %k[address], (%[address])\n\t"
#define ACCESS_WINDOW_UPDATE "movl (%[address]), %%eax\n\tmovl %%eax, (%[address])\n\t"
#define ACCESS_WINDOW_DRAIN "mfence\n\t"
#define ACCESS_STAMP_UNFENCED "rdtscp\n\t"
#define ACCESS_STAMP_FENCED "rdtscp\n\tlfence\n\t"
#define ACCESS_STAMP_RDTSC_START "lfence\n\trdtsc\n\tlfence\n\t"
#define ACCESS_STAMP_RDTSC_STOP "lfence\n\trdtsc\n\t"

#elif TICKS_HAVE_CNTVCT
#define ACCESS_WINDOW(start_stamp, access, stop_stamp)                                                             \
	do {                                                                                                      \
		uint64_t start;                                                                                   \
		uint32_t value;                                                                                   \
		__asm__ volatile(start_stamp access stop_stamp                                                    \
			: [start] "=&r"(start), [stop] "=&r"(*stop), [value] "=&r"(value)                         \
			: [address] "r"(address)                                                                  \
			: "memory");                                                                              \
		return *stop - start;                                                                             \
	} while (0)
#define ACCESS_WINDOW_LOAD "ldr %w[value], [%[address]]\n\t"
#define ACCESS_WINDOW_STORE "str %w[address], [%[address]]\n\t"
#define ACCESS_WINDOW_UPDATE "ldr %w[value], [%[address]]\n\tstr %w[value], [%[address]]\n\t"
#define ACCESS_WINDOW_DRAIN "dsb st\n\t"
#define ACCESS_STAMP_CNTVCT_START "isb\n\tmrs %[start], cntvct_el0\n\tisb\n\t"
#define ACCESS_STAMP_CNTVCT_STOP "isb\n\tmrs %[stop], cntvct_el0\n\tisb\n\t"
#endif

#define ACCESS_WINDOWS(start_stamp, stop_stamp)                                                                    \
	do {                                                                                                      \
		if (kind == ACCESS_LOAD)                                                                          \
			ACCESS_WINDOW(start_stamp, ACCESS_WINDOW_LOAD, stop_stamp);                               \
		if (kind == ACCESS_STORE && drains)                                                               \
			ACCESS_WINDOW(start_stamp, ACCESS_WINDOW_STORE ACCESS_WINDOW_DRAIN, stop_stamp);          \
		if (kind == ACCESS_STORE)                                                                         \
			ACCESS_WINDOW(start_stamp, ACCESS_WINDOW_STORE, stop_stamp);                              \
		if (drains)                                                                                       \
			ACCESS_WINDOW(start_stamp, ACCESS_WINDOW_UPDATE ACCESS_WINDOW_DRAIN, stop_stamp);         \
		ACCESS_WINDOW(start_stamp, ACCESS_WINDOW_UPDATE, stop_stamp);                                     \
	} while (0)

/* Performs one access. Returns its latency in ticks and stores the stop stamp in *stop. With constant method, kind and
 * drains it is one assembly statement. drains: a store becomes visible before the stop stamp. */
KEEP_INLINE uint64_t access_window(enum ticks_method method, enum access_kind kind, bool drains, uint32_t *address,
	uint64_t *stop)
{
	switch (method) {
#if TICKS_HAVE_TSC
	case TICKS_RDTSCP:
		ACCESS_WINDOWS(ACCESS_STAMP_FENCED, "rdtscp");
	case TICKS_RDTSCP_UNFENCED:
		ACCESS_WINDOWS(ACCESS_STAMP_UNFENCED, "rdtscp");
	case TICKS_RDTSC:
		ACCESS_WINDOWS(ACCESS_STAMP_RDTSC_START, ACCESS_STAMP_RDTSC_STOP);
#elif TICKS_HAVE_CNTVCT
	case TICKS_CNTVCT:
		ACCESS_WINDOWS(ACCESS_STAMP_CNTVCT_START, ACCESS_STAMP_CNTVCT_STOP);
#endif
	default:
		return access_window_perfc(kind, drains, address, stop);
	}
}

#endif
