/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Locks the memory of the measuring code, so that page faults in the run come from the memory under test only. */
#ifndef PMBENCH_MEMORY_LOCK_H
#define PMBENCH_MEMORY_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Locks all mappings of the process, each page when it is first used (mlockall(2), MCL_ONFAULT: unused pages of
 * libraries take no memory). Call it before the memory under test is mapped. If RLIMIT_MEMLOCK does not permit this,
 * locks the program's own segments only. Returns 0 or -errno.
 */
int lock_infrastructure(void);
/* Returns the number of pages that are locked now; 0 = unknown. */
uint64_t lock_count_pages(void);
/* Unregisters the calling thread from restartable sequences (rseq): otherwise the kernel writes the CPU number into the
 * thread's control block, which has its own page, each time the thread is scheduled. */
void lock_leave_rseq(void);
/* Touches the stack of the calling thread below the current frame, so that the run needs no new stack page. */
void lock_prefault_stack(void);

#endif
