/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small things that the measured path needs and that cost nothing: branch hints, one-instruction
 * counters that another thread may read, and a barrier for the compiler.
 */
#ifndef COMMON_HOT_KEEP_H
#define COMMON_HOT_KEEP_H

#include <stdint.h>

#define KEEP_LIKELY(x) __builtin_expect(!!(x), 1)
#define KEEP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define KEEP_INLINE static inline __attribute__((always_inline))
#define KEEP_PAGE_BYTES 4096u

/* Keeps the compiler from moving memory accesses across it; emits no instruction. */
KEEP_INLINE void keep_order(void)
{
	__asm__ volatile("" ::: "memory");
}

/* Makes the compiler treat the value as used. */
KEEP_INLINE void keep_value(uint64_t value)
{
	__asm__ volatile("" ::"r"(value));
}

/* Makes the compiler treat the memory as read and written, so that an array keeps its declared size (clang splits even a
 * volatile one into the few bytes that are used). */
KEEP_INLINE void keep_memory(void *memory)
{
	__asm__ volatile("" ::"r"(memory) : "memory");
}

/* Adds to a counter with one writer that others may read at any time: no lock prefix, no torn value. */
KEEP_INLINE void keep_add(uint64_t *counter, uint64_t amount)
{
	__atomic_store_n(counter, __atomic_load_n(counter, __ATOMIC_RELAXED) + amount, __ATOMIC_RELAXED);
}

KEEP_INLINE uint64_t keep_read(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

#endif
