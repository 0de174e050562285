/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists mappings and threads of a process that already runs, or whose mappings changed without an event, as events of a
 * recording. */
#ifndef MEMTRACE_TARGET_PROCESS_H
#define MEMTRACE_TARGET_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/file/trace_file.h"

typedef int process_take_fn(void *context, const struct trace_event *event);

/* Passes each mapping of the process in /proc/PID/maps below root to take as TRACE_MAP at time_ns. Returns 0, the first nonzero
 * result of take, or -errno; -ENOENT if there is no such process, -EACCES. */
int process_list_mappings(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context);
/* Passes each thread of the process to take as TRACE_COMM. */
int process_list_threads(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context);
/* Does both for every process. */
int process_list_all(const char *root, uint64_t time_ns, process_take_fn *take, void *context);
/* Lists the thread IDs of the process; the caller frees *tids. Returns 0 or -errno. */
int process_threads(const char *root, pid_t pid, pid_t **tids, size_t *count);

#endif
