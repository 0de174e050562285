/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP become a flag and wake poll through a descriptor. A SIGINT that comes at least
 * INTERRUPT_AGAIN_NS after the first ends the process at once by the default action; one that comes sooner is
 * the same request said twice, as timeout(1) does: to the process, then to its group. A signal that the caller
 * of the program ignores (nohup, a shell's background job) stays ignored.
 */
#ifndef COMMON_INTERRUPT_H
#define COMMON_INTERRUPT_H

#define INTERRUPT_AGAIN_NS 200000000

/* 0 or -errno; a second call does nothing. */
int interrupt_install(void);
/* The first signal that came, 0 = none. */
int interrupt_signal(void);
/* The same as a place to look at, for loops that may call nothing. */
const volatile int *interrupt_flag(void);
/* Readable once a signal came; never read it. -1 before interrupt_install. */
int interrupt_fd(void);
/* In a child that should die by these signals: the default actions again, flag cleared, descriptor closed. */
void interrupt_reset(void);

#endif
