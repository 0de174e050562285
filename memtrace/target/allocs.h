/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations of a command, logged by the library that is preloaded into it (memtrace/target/allocs_library.c). */
#ifndef MEMTRACE_TARGET_ALLOCS_H
#define MEMTRACE_TARGET_ALLOCS_H

#include <stddef.h>
#include <stdint.h>

#include "common/kernel/perf.h"
#include "memtrace/file/trace_file.h"

struct allocs;

/* Creates the shared memory, and sets LD_PRELOAD and MEMTRACE_ALLOCS for the command that is started next. Allocations of less
 * than least_bytes are not logged. Returns 0 or -errno; -ENOENT if the library is neither in the program's directory nor
 * installed. */
int allocs_open(uint64_t least_bytes, struct allocs **allocs);
/* Writes the entries logged since the last call as TRACE_NAME and TRACE_FORGET; does nothing for NULL. Returns 0 or -errno. */
int allocs_drain(struct allocs *allocs, const struct perf_anchor *anchor, struct trace_writer *writer);
/* Returns the number of programs that loaded the library; 0 if the command is static, set-user-ID or has cleared its
 * environment. */
uint64_t allocs_processes(const struct allocs *allocs);
uint64_t allocs_dropped(const struct allocs *allocs); /* entries lost: the ring was full, or their process ended during the write */
void allocs_close(struct allocs *allocs);

#endif
