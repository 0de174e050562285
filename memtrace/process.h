/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that runs already, or whose mappings moved without an event, as the events of a recording. */
#ifndef MEMTRACE_PROCESS_H
#define MEMTRACE_PROCESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

typedef int process_take_fn(void *context, const struct trace_event *event);

/* Each mapping of the process in /proc/PID/maps below root as TRACE_MAP at time_ns. 0, what take returned, or -errno: -ENOENT
 * there is no such process, -EACCES. */
int process_list_mappings(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context);
/* Each thread of the process as TRACE_COMM. */
int process_list_threads(const char *root, pid_t pid, uint64_t time_ns, process_take_fn *take, void *context);
/* Both for every process. */
int process_list_all(const char *root, uint64_t time_ns, process_take_fn *take, void *context);
/* The numbers of its threads; the caller frees *tids. 0 or -errno. */
int process_threads(const char *root, pid_t pid, pid_t **tids, size_t *count);

#endif
