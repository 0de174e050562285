/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file that a recording is written to, and its header. */
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
	char **command;                   /* ends with NULL; empty: nothing was started */
};

/* A file that may be replaced: new, empty, or a recording, which is not emptied. Its descriptor, the caller's to close, or
 * -(exit code) after one line. */
int recording_create(const char *path);
/* What the file begins with (trace_writer_open), of this machine and moment. The caller frees; NULL: no memory. */
char *recording_header(const struct recording_head *head);

#endif
