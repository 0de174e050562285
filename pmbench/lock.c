/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>
#include "common/sysfs.h"
#include "common/hot/keep.h"

#define STACK_BYTES_USED 16384

extern char __executable_start[], end[]; /* the linker's: first and last byte of the program's segments */

int lock_infrastructure(void)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = (uintptr_t)__executable_start & ~(page - 1);
	uintptr_t last = ((uintptr_t)end + page - 1) & ~(page - 1);

	if (!mlockall(MCL_CURRENT | MCL_ONFAULT))
		return 0;
	/* The gap that alignment may leave between segments is ENOMEM after what lies before it was locked. */
	if (!mlock2((void *)first, last - first, MLOCK_ONFAULT) || errno == ENOMEM)
		return 0;
	return -errno;
}

uint64_t lock_count_pages(void)
{
	char *text, *line;
	size_t length;
	unsigned long kib = 0;

	if (sysfs_slurp("", "/proc/self/smaps_rollup", 1 << 16, &text, &length))
		return 0;
	line = strstr(text, "\nLocked:");
	if (!line || sscanf(line, "\nLocked: %lu", &kib) != 1)
		kib = 0;
	free(text);
	return kib * 1024 / (unsigned long)sysconf(_SC_PAGESIZE);
}

void lock_leave_rseq(void)
{
#if __has_include(<sys/rseq.h>)
	void *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	/* Registered with the size that this library was built for; with another one it simply stays. */
	if (__rseq_size)
		syscall(SYS_rseq, area, sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
#endif
}

void __attribute__((noinline)) lock_prefault_stack(void)
{
	char room[STACK_BYTES_USED];

	for (size_t i = 0; i < sizeof(room); i += KEEP_PAGE_BYTES)
		room[i] = 0;
	keep_memory(room);
}
