/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of a recording and its header. */
#ifndef MEMTRACE_PERF_RECORDING_H
#define MEMTRACE_PERF_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "common/kernel/perf.h"
#include "common/report/report_file.h"
#include "common/report/start.h"
#include "memtrace/perf/engine.h"
#include "memtrace/perf/engine.h"

struct recording_head {
	const struct engine_choice *choice;
	const struct perf_anchor *anchor;
	const struct start *start;        /* --start-at; NULL = not given */
	uint64_t ring_bytes, allocs_bytes, pid; /* 0 = none */
	double most_percent;              /* of --overhead; 0 = not given */
	bool is_system;
	char **command;                   /* ends with NULL; empty: no command was started */
};

/* Opens the file of a recording, which report_output_publish or report_output_close gives its name. Returns a diag_exit code,
 * after a message unless it is 0. */
int recording_create(const char *path, struct report_output **output);
/* Returns the header for trace_writer_open, with this machine and the current time, or NULL if there is no memory. The caller
 * frees it. */
char *recording_header(const struct recording_head *head);

#endif
