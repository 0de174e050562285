/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows a chain of pointers by a load whose place in the code is known. */
#ifndef COMMON_HOT_CHASE_H
#define COMMON_HOT_CHASE_H

#include "common/hot/keep.h"

/* The addresses of the load and of the instruction behind it; 0 where this architecture has no such loop. */
struct chase_place {
	unsigned long load, next;
};

/* `at` points to a pointer to a pointer, and so on. Returns where it is after this number of steps. */
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

#endif
