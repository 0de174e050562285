/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations that a command logs by the library that is preloaded into it (memtrace/allocs_library.c). */
#ifndef MEMTRACE_ALLOCS_H
#define MEMTRACE_ALLOCS_H

#include <stddef.h>
#include <stdint.h>

#include "common/perf.h"
#include "memtrace/trace_file.h"

struct allocs;

/* Makes the shared memory, and sets LD_PRELOAD and MEMTRACE_ALLOCS for the command that is started next. least_bytes: smaller
 * allocations are not logged. 0 or -errno: -ENOENT the library is neither beside the program nor installed. */
int allocs_open(uint64_t least_bytes, struct allocs **allocs);
/* Writes what was logged since as TRACE_NAME and TRACE_FORGET; nothing for NULL. 0 or -errno. */
int allocs_drain(struct allocs *allocs, const struct perf_anchor *anchor, struct trace_writer *writer);
/* Programs that loaded the library; 0: the command is static, set-user-ID or has left its environment. */
uint64_t allocs_processes(const struct allocs *allocs);
uint64_t allocs_dropped(const struct allocs *allocs); /* not logged since the ring was full, or their process ended meanwhile */
void allocs_close(struct allocs *allocs);

#endif
