/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps what measures in memory, so that a page fault in the run is one of the memory under test. */
#ifndef PMBENCH_LOCK_H
#define PMBENCH_LOCK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Locks all that the process has mapped, each page from when it is first used (mlock2(2), MLOCK_ONFAULT: libraries
 * that are mapped but not used cost nothing). Call before the memory under test is mapped. Without the privilege
 * for all, locks the program's own segments only. 0 or -errno.
 */
int lock_infrastructure(void);
/* Pages locked now; 0 when unknown. */
uint64_t lock_count_pages(void);
/* Takes the calling thread out of restartable sequences: the kernel would write its CPU's number into the thread's
 * control block, a page of its own, each time it is scheduled. */
void lock_leave_rseq(void);
/* Touches the stack of the calling thread so far below the present frame that the run needs no new page. */
void lock_prefault_stack(void);

#endif
