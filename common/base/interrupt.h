/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SIGINT, SIGTERM and SIGHUP become a flag and wake poll through a descriptor. A SIGINT that comes at least
 * INTERRUPT_AGAIN_NS after the first ends the process at once by the default action. One that comes sooner is
 * taken for the same request: timeout(1) signals the process and then its group. A signal that the caller
 * of the program ignores (nohup, a shell's background job) stays ignored.
 */
#ifndef COMMON_BASE_INTERRUPT_H
#define COMMON_BASE_INTERRUPT_H

#define INTERRUPT_AGAIN_NS 200000000

/* Returns 0 or -errno; a second call does nothing. */
int interrupt_install(void);
/* Returns the first signal received, 0 = none. */
int interrupt_signal(void);
/* Returns the address of the signal number, for loops that must not call functions. */
const volatile int *interrupt_flag(void);
/* Returns a descriptor for poll that is readable after a signal; never read it. -1 before interrupt_install. */
int interrupt_fd(void);
/* Restores the default actions, clears the flag and closes the descriptor, in a child that these signals should end. */
void interrupt_reset(void);

#endif
