/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread is stopped at a random moment, executes some instructions one by one, and continues: the accesses of these instructions
 * are an unbiased sample.
 *
 * The tracer uses ptrace(2), as a debugger does. A signal ends the burst and is delivered. A system call, which may block, and
 * pushf end the burst before they are executed. If the tracer is killed, the thread keeps the processor's trap flag and dies of
 * SIGTRAP; bursts are therefore made by a separate process (memtrace/active/sampler.h).
 */
#ifndef MEMTRACE_ACTIVE_BURST_H
#define MEMTRACE_ACTIVE_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/file/trace_file.h"

#define BURST_STEPS_MAX 65536

struct burst {
	struct trace_sample *samples; /* accesses of the last burst; cpu and node are not set */
	size_t count, capacity;
	int end_fd;                   /* becoming readable, this socket ends a burst early; -1 = none */
	uint64_t no_address;          /* accesses so far with an unknown address */
};

/*
 * Takes a burst of a thread; times are CLOCK_MONOTONIC. Returns the number of executed instructions, or -errno if the thread could
 * not be traced: -ESRCH if it has ended or is a program with privileges of its own, -EPERM if tracing is not allowed or another
 * debugger traces it, -ENOMEM, or -ENOSYS if instructions cannot be decoded (memtrace/code/instruction.h).
 */
int burst_take(struct burst *burst, pid_t tid, unsigned steps);
/* Returns NULL if a process may trace another one of the same user, which is tried, else the reason. */
const char *burst_why_not(void);
void burst_free(struct burst *burst);

#endif
