/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread is stopped at a random moment, executes some instructions one by one, and goes on: the accesses of these instructions
 * are a sample that leans to nothing.
 *
 * By ptrace(2), as a debugger. A signal ends the burst and is delivered. A system call, which may block, and pushf end it before
 * they are executed. A tracer that is killed leaves a thread with the processor's trap flag set, which then dies of SIGTRAP; so
 * bursts are made by a process of their own (memtrace/sampler.h).
 */
#ifndef MEMTRACE_BURST_H
#define MEMTRACE_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

#define BURST_STEPS_MAX 65536

struct burst {
	struct trace_sample *samples; /* of the last burst; cpu and node are not set */
	size_t count, room;
	int end_fd;                   /* readable: a burst ends early; -1 = none */
	uint64_t no_address;          /* accesses so far whose address is not known */
};

/* NULL = bursts can be made. */
const char *burst_why_not(void);
/*
 * One of a thread; time is CLOCK_MONOTONIC. Returns how many instructions it executed, or -errno when it could not be traced:
 * -ESRCH it has ended, -EPERM not allowed, or another debugger has it, -ENOMEM.
 */
int burst_take(struct burst *burst, pid_t tid, unsigned steps);
void burst_free(struct burst *burst);

#endif
