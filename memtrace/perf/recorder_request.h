/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target and settings of a recorder. */
#ifndef MEMTRACE_PERF_RECORDER_REQUEST_H
#define MEMTRACE_PERF_RECORDER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/perf/engine.h"

enum recorder_target {
	RECORDER_COMMAND, /* pid: a process of one thread that waits before its exec; events begin at the exec */
	RECORDER_PROCESS, /* pid: a running process: its threads, and their descendants */
	RECORDER_SYSTEM,  /* all processes */
};

struct recorder_request {
	enum recorder_target target;
	pid_t pid;
	const struct engine_choice *choice; /* outlives the recorder */
	uint64_t ring_bytes; /* per CPU; halved down to 64 KiB until the kernel permits locking it */
	bool is_paused;      /* no samples before recorder_resume */
};

#endif
