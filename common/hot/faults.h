/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the calling thread's page fault counts with a bare system call, in about 0.4 us. It touches no code or data of the C
 * library, so a measured loop may call it from its own pages.
 */
#ifndef COMMON_HOT_FAULTS_H
#define COMMON_HOT_FAULTS_H

#include <sys/resource.h>
#include <sys/syscall.h>
#include "common/hot/keep.h"

/* RUSAGE_THREAD of linux/resource.h; the C library hides it without _GNU_SOURCE. */
#define FAULTS_OF_THREAD 1

struct fault_counts {
	uint64_t minor, major; /* since the thread began */
};

KEEP_INLINE void faults_read(struct fault_counts *faults)
{
	struct rusage usage;
#if defined(__x86_64__)
	long result = SYS_getrusage;

	__asm__ volatile("syscall"
		: "+a"(result), "=m"(usage)
		: "D"((long)FAULTS_OF_THREAD), "S"(&usage)
		: "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long who __asm__("x0") = FAULTS_OF_THREAD;
	register struct rusage *where __asm__("x1") = &usage;
	register long number __asm__("x8") = SYS_getrusage;

	__asm__ volatile("svc 0" : "+r"(who), "=m"(usage) : "r"(where), "r"(number) : "memory");
#else
	getrusage(FAULTS_OF_THREAD, &usage);
#endif
	faults->minor = (uint64_t)usage.ru_minflt;
	faults->major = (uint64_t)usage.ru_majflt;
}

#endif
