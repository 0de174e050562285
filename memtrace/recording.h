/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a recording and its header. */
#ifndef MEMTRACE_RECORDING_H
#define MEMTRACE_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/perf.h"
#include "memtrace/engine.h"
#include "memtrace/engine_check.h"

struct recording_head {
	const struct engine_choice *choice;
	const struct perf_anchor *anchor;
	const struct engine_check *check; /* NULL = none */
	uint64_t ring_bytes, allocs_bytes, pid; /* 0 = none */
	bool is_system;
	char **command;                   /* ends with NULL; empty: no command was started */
};

/* Opens a file that may be replaced: a new one, an empty one, or a recording, which is not truncated. Returns its descriptor,
 * which the caller closes, or -(exit code) after an error message. */
int recording_create(const char *path);
/* Returns the header for trace_writer_open, with this machine and the current time, or NULL if there is no memory. The caller
 * frees it. */
char *recording_header(const struct recording_head *head);

#endif
