/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads that overwrite the register of their address: along a chain of pointers, at a known code address, and from an array. */
#ifndef COMMON_HOT_CHASE_H
#define COMMON_HOT_CHASE_H

#include "common/hot/keep.h"

/* The addresses of the load and of the instruction behind it; 0 where this architecture has no such loop. */
struct chase_place {
	unsigned long load, next;
};

/* Follows a chain of pointers from `at` and returns the pointer after this number of steps. */
KEEP_INLINE void *chase(void *at, unsigned long steps, struct chase_place *place)
{
#ifdef __x86_64__
	__asm__ volatile("lea 1f(%%rip), %2\n\t"
			 "lea 2f(%%rip), %3\n"
			 "1:\tmov (%0), %0\n"
			 "2:\tdec %1\n\t"
			 "jnz 1b"
			 : "+r"(at), "+r"(steps), "=&r"(place->load), "=&r"(place->next)
			 :
			 : "memory", "cc");
#else
	place->load = place->next = 0;
	while (steps--)
		at = *(void *volatile *)at;
#endif
	return at;
}

/* Loads an element of an array as compilers load whole numbers: the register of the index receives it. The element is 0.0, whose
 * bits are those of 0. */
KEEP_INLINE double load_element(volatile double *array, unsigned long index)
{
#ifdef __x86_64__
	unsigned long at;

	__asm__ volatile("mov %1, %0\n\t"
			 "mov (%2, %0, 8), %0"
			 : "=&r"(at)
			 : "r"(index), "r"(array)
			 : "memory");
	return (double)at;
#else
	return array[index];
#endif
}

#endif
